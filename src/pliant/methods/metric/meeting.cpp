// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/meeting.hpp"

#include <algorithm>

#include "pliant/methods/metric/body.hpp"
#include "pliant/methods/metric/cell_volume.hpp"
#include "pliant/methods/metric/plastic_flow.hpp"

namespace pliant::metric {
namespace {

/// max(s, 0) + 2 (1 + s) at s = 1/2, a stretch of 1.22.
constexpr double bounding = 3.5;

double largest_factor(const std::vector<StrengthKey>& keys) {
  double most = factor_at(keys, 0);
  for (const StrengthKey& key : keys) most = std::max(most, key.factor);
  return most;
}

}  // namespace

ContactStage& Meeting::stage() { return body_.contact_.stage(); }
ContactState& Meeting::memory() { return body_.state_.contact; }
void Meeting::place(std::span<const Vec3> x, std::span<const Vec3> v) { body_.place(x, v); }
void Meeting::keep(Slot slot) { kept_[std::size_t(slot)] = body_.state_; }
void Meeting::restore(Slot slot) { body_.state_ = *kept_[std::size_t(slot)]; }

NodeState& Meeting::state() { return body_.state_.nodes; }
const NodeState& Meeting::state() const { return body_.state_.nodes; }
const Damping& Meeting::damping() const { return body_.damping_; }

std::string Meeting::prepare(const StepInput&) {
  if (attached_) return {};
  const Model& model = body_.model_;
  std::vector<std::vector<Index>> parts(std::size_t(model.parts));
  for (Index i = 0; i < model.nodes(); ++i) parts[std::size_t(model.part[std::size_t(i)])].push_back(i);
  attach(stage().rows(), model.mass, std::move(parts));
  attached_ = true;
  return {};
}

void Meeting::bound(const StepInput&, double stiffness, SymmetricEntries& entries) {
  const Model& model = body_.model_;
  const double factor = stiffness * largest_factor(body_.options_.keys);
  model.each_length([&](Index a, Index b, double ih2, double eta, bool, std::size_t) {
    entries.add_edge(a, b, bounding * factor * eta * ih2);
  });
  model.each_angle([&](Index o, Index a, Index b, double ihh, double eta) {
    const Vec3 u = model.rest[std::size_t(a)] - model.rest[std::size_t(o)],
               v = model.rest[std::size_t(b)] - model.rest[std::size_t(o)];
    const double both = 2 * factor * eta * ihh * ihh;
    entries.add_edge(o, a, both * v.squaredNorm());
    entries.add_edge(o, b, both * u.squaredNorm());
  });
  if (!(model.orientation > 0)) return;
  // The Laplacian of a cube's edges has no eigenvalue below 2 but 0.
  static constexpr int edges[12][2] = {{0, 1}, {2, 3}, {4, 5}, {6, 7}, {0, 2}, {1, 3},
                                       {4, 6}, {5, 7}, {0, 4}, {1, 5}, {2, 6}, {3, 7}};
  for (std::size_t k = 0; k < model.cells.size(); ++k) {
    std::array<Vec3, 8> gradient;
    signed_volume(model.cells[k], model.rest, gradient);
    double sum = 0;
    for (const Vec3& g : gradient) sum += g.squaredNorm();
    const double weight =
        factor * model.orientation * sum / (2 * model.cell_volume[k] * model.cell_volume[k]);
    for (const auto& [a, b] : edges)
      if (model.cells[k][std::size_t(a)] != model.cells[k][std::size_t(b)])
        entries.add_edge(model.cells[k][std::size_t(a)], model.cells[k][std::size_t(b)], weight);
  }
}

void Meeting::evaluate(const Points& x, bool, Points& force) {
  const Model& model = body_.model_;
  const double factor = factor_at(body_.options_.keys, body_.state_.time + input().h);
  const Strengths now{factor, body_.state_.metrics};
  forces(model, now, x, force);
  lengths_.clear();
  model.each_length([&](Index a, Index b, double ih2, double eta, bool squared, std::size_t k) {
    const Vec3 d = x[std::size_t(b)] - x[std::size_t(a)];
    const double s = d.squaredNorm() * ih2 - (now.metrics.empty() ? 1 : now.metrics[k]);
    const double weight = factor * eta * ih2 * (squared ? std::abs(s) : 1);
    lengths_.push_back({a, b, weight * std::max(s, 0.0), (squared ? 4 : 2) * weight * ih2, d});
  });
  angles_.clear();
  model.each_angle([&](Index o, Index a, Index b, double ihh, double eta) {
    const Vec3 &at = x[std::size_t(o)], u = x[std::size_t(a)] - at, v = x[std::size_t(b)] - at;
    angles_.push_back({o, a, b, factor * eta * ihh * ihh, u, v});
  });
  pushes_.clear();
  for (std::size_t k = 0; model.orientation > 0 && k < model.cells.size(); ++k) {
    Push push{k, factor * model.orientation / (model.cell_volume[k] * model.cell_volume[k]), {}};
    if (signed_volume(model.cells[k], x, push.gradient) < model.threshold * model.cell_volume[k])
      pushes_.push_back(push);
  }
}

void Meeting::stiffen(const Points& p, Points& out) {
  std::fill(out.begin(), out.end(), Vec3::Zero());
  for (const Length& e : lengths_) {
    const Vec3 way = p[std::size_t(e.b)] - p[std::size_t(e.a)];
    const Vec3 pull = e.round * way + e.along * e.d.dot(way) * e.d;
    out[std::size_t(e.b)] += pull;
    out[std::size_t(e.a)] -= pull;
  }
  for (const Angle& e : angles_) {
    const Vec3& at = p[std::size_t(e.o)];
    const double sum = e.weight * (e.v.dot(p[std::size_t(e.a)] - at) + e.u.dot(p[std::size_t(e.b)] - at));
    out[std::size_t(e.a)] += sum * e.v;
    out[std::size_t(e.b)] += sum * e.u;
    out[std::size_t(e.o)] -= sum * (e.u + e.v);
  }
  for (const Push& push : pushes_) {
    const std::array<Index, 8>& cell = body_.model_.cells[push.cell];
    double sum = 0;
    for (std::size_t c = 0; c < 8; ++c) sum += push.gradient[c].dot(p[std::size_t(cell[c])]);
    for (std::size_t c = 0; c < 8; ++c) out[std::size_t(cell[c])] += push.weight * sum * push.gradient[c];
  }
}

void Meeting::accept(const StepInput& input, StepReport& report) {
  State& state = body_.state_;
  state.time += input.h;
  state.remember(input, Past::unknown);
  state.touches = true;
  state.contact.impacts.clear();
  report.breakdowns = 0;
  if (body_.options_.plasticity)
    report.yields = flow(body_.model_, *body_.options_.plasticity, input.h, state.nodes.x, state.metrics,
                         body_.scratch_.flow);
}

}  // namespace pliant::metric
