// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/fem/meeting.hpp"

#include <map>

#include "pliant/methods/fem/body.hpp"

namespace pliant::fem {
namespace {

/// Points from all nodes as points from those with freedom.
Gather from_carriers(const Gather& points, const Model& model) {
  Gather out;
  out.begin.assign(1, 0);
  for (Index p = 0; p < points.rows(); ++p) {
    std::map<Index, double> row;
    for (Index k = points.begin[std::size_t(p)]; k < points.begin[std::size_t(p) + 1]; ++k)
      each_carrier(model, points.column[std::size_t(k)],
                   [&](Index i, double weight) { row[i] += weight * points.weight[std::size_t(k)]; });
    for (const auto& [node, weight] : row) {
      out.column.push_back(node);
      out.weight.push_back(weight);
    }
    out.begin.push_back(Index(out.column.size()));
  }
  return out;
}

double mean_distance_of(const Model& model) {
  double sum = 0;
  std::size_t count = 0;
  for (Index e = 0; e < model.elements(); ++e) {
    const Element element = model.element(e);
    for (std::size_t a = 1; a < element.node.size(); ++a, ++count)
      sum += (model.rest[std::size_t(element.node[a])] - model.rest[std::size_t(element.node[0])]).norm();
  }
  return count > 0 ? sum / double(count) : model.size;
}

}  // namespace

Meeting::Meeting(Body& body) : body_(body), points_(from_carriers(body.skin_.contact_points(), body.model_)) {
  const Model& model = body_.model_;
  const std::size_t carriers = std::size_t(model.carriers());
  stage_.attach(points_, model.rest, mean_distance_of(model));
  attach(stage_.rows(), std::span(model.mass).first(carriers), model.parts);
}

ContactState& Meeting::memory() { return body_.state_.contact; }
void Meeting::place(std::span<const Vec3> x, std::span<const Vec3> v) { body_.place(x, v); }
void Meeting::keep(Slot slot) { kept_[std::size_t(slot)] = body_.state_; }
void Meeting::restore(Slot slot) { body_.state_ = *kept_[std::size_t(slot)]; }

NodeState& Meeting::state() { return body_.state_.nodes; }
const NodeState& Meeting::state() const { return body_.state_.nodes; }
const Damping& Meeting::damping() const { return body_.damping_; }
bool Meeting::keeps_spin() const { return body_.model_.corotational; }
bool Meeting::grabs_pull_nodes() const { return !body_.has_followers(); }
bool Meeting::holds_nodes() const { return !body_.has_followers(); }

StepInput Meeting::adapted(const StepInput& input) {
  return body_.rig_.empty() ? input : body_.rig_.with_bones(input, body_.scratch_.rig);
}

std::string Meeting::prepare(const StepInput& input) {
  body_.arrange(input.held);
  return {};
}

void Meeting::bound(const StepInput& input, double stiffness, SymmetricEntries& entries) {
  const Model& model = body_.model_;
  const double most = stiffness * (2 * model.mu + 3 * model.lambda);
  for (Index e = 0; e < model.elements(); ++e) {
    const Element element = model.element(e);
    for (std::size_t a = 0; a < element.node.size(); ++a)
      for (std::size_t b = 0; b <= a; ++b)
        entries.add(element.node[a], element.node[b],
                    most * element.weight * element.gradient[a].dot(element.gradient[b]));
  }
  if (holds_nodes()) return;
  const auto spring = [&](Index node, double value) {
    each_carrier(model, node, [&](Index i, double wi) {
      each_carrier(model, node, [&](Index j, double wj) {
        if (j <= i) entries.add(i, j, value * wi * wj);
      });
    });
  };
  for (const Index node : input.held)
    spring(node, stiffness * body_.equation_.hold_stiffness(input.held.size()));
  for (const Grab& grab : input.grabs) spring(grab.node, stiffness * grab.stiffness);
}

void Meeting::evaluate(const Points& x, bool first, Points& force) {
  Scratch& end = body_.scratch_;
  const Model& model = body_.model_;
  if (first) {
    end.rotations = body_.state_.rotations;
    if (model.has_given_rotations())
      body_.rig_.turn(model, input().time, end.rig, end.rotations, *input().pool);
  }
  std::copy(x.begin(), x.end(), end.x.begin());
  body_.equation_.strain(input().targets, end, *input().pool);
  std::fill(force.begin(), force.end(), Vec3::Zero());
  const std::vector<Index>& nodes = body_.equation_.free();
  for (std::size_t k = 0; k < nodes.size(); ++k) force[std::size_t(nodes[k])] = -end.g[k];
  if (grabs_pull_nodes()) return;
  for (const Grab& grab : input().grabs) {
    Vec3 off = grab.target;
    each_carrier(model, grab.node, [&](Index i, double weight) { off -= weight * x[std::size_t(i)]; });
    each_carrier(model, grab.node,
                 [&](Index i, double weight) { force[std::size_t(i)] += grab.stiffness * weight * off; });
  }
}

void Meeting::stiffen(const Points& p, Points& out) {
  body_.equation_.stiffen(p, body_.scratch_, out);
  if (grabs_pull_nodes()) return;
  for (const Grab& grab : input().grabs) {
    Vec3 off = Vec3::Zero();
    each_carrier(body_.model_, grab.node, [&](Index i, double weight) { off += weight * p[std::size_t(i)]; });
    each_carrier(body_.model_, grab.node,
                 [&](Index i, double weight) { out[std::size_t(i)] += grab.stiffness * weight * off; });
  }
}

double Meeting::turned(const Points& x) {
  if (!body_.model_.corotational) return 0;
  Scratch& end = body_.scratch_;
  of_model_ = end.rotations;
  std::copy(x.begin(), x.end(), end.x.begin());
  body_.equation_.turn(end, *input().pool);
  double most = 0;
  for (std::size_t e = 0; e < of_model_.size(); ++e)
    most = std::max(most, of_model_[e].angularDistance(end.rotations[e]));
  return most;
}

void Meeting::follow() {
  body_.move_followers(body_.state_.nodes.x);
  body_.move_followers(body_.state_.nodes.v);
}

void Meeting::accept(const StepInput& input, StepReport& report) {
  State& state = body_.state_;
  if (body_.model_.corotational) report.active_rotations = body_.model_.elements();
  state.rotations = body_.scratch_.rotations;
  state.remember(input, Past::unknown);
}

}  // namespace pliant::fem
