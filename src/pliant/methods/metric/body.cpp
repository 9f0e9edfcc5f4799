// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/body.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pliant/base/check.hpp"
#include "pliant/base/clock.hpp"

namespace pliant::metric {
namespace {

/// Where a length constraint has the Hessian 2 eta/H^2 at rest.
double lively_limit(const Model& model) {
  std::vector<double> sum(model.rest.size(), 0.0);
  model.each_length([&](Index a, Index b, double ih2, double eta, bool squared, std::size_t) {
    if (squared) return;
    sum[a] += 4 * eta * ih2;
    sum[b] += 4 * eta * ih2;
  });
  // J J^T of an angle is at most 2 h^2 on each of its two edges
  model.each_angle([&](Index o, Index a, Index b, double ihh, double eta) {
    sum[o] += 8 * eta * ihh;
    sum[a] += 4 * eta * ihh;
    sum[b] += 4 * eta * ihh;
  });
  double most = 0;
  for (std::size_t i = 0; i < sum.size(); ++i) most = std::max(most, sum[i] / model.mass[i]);
  return most > 0 ? 2 / std::sqrt(most) : std::numeric_limits<double>::infinity();
}

}  // namespace

Body::Body(Model model, Gather embedding, Gather contact, const Damping& damping, const Options& options)
    : model_(std::move(model)),
      embedding_(std::move(embedding)),
      contact_(std::move(contact)),
      damping_(damping),
      options_(options) {
  const auto start = Clock::now();
  const std::size_t n = model_.rest.size();
  unit_ = std::accumulate(model_.mass.begin(), model_.mass.end(), 0.0) / double(n);
  operator_ = model_.on_grid ? make_grid_operator(model_, options.integrator)
                             : make_graph_operator(model_, options.integrator);
  preconditioner_ = make_preconditioner(*operator_, options);
  if (options.integrator == Integrator::lively) lively_step_ = lively_limit(model_);
  state_.nodes = {model_.rest, Points(n, Vec3::Zero()), model_.mass};
  if (options.plasticity) state_.metrics.assign(model_.rest_metrics(), 1.0);
  before_ = state_;
  rigid_.resize(std::size_t(model_.parts));
  rigid_end_ = rigid_;
  frames_.resize(rigid_.size());
  held_.assign(n, 0);
  held_nodes_.reserve(n);
  block_sums_.assign(n / node_block + 1, 0.0);
  run_end_.assign(n, Index(n));
  for (Index i = Index(n) - 2; i >= 0; --i)
    run_end_[i] = operator_->place(i + 1) == operator_->place(i) + 1 ? run_end_[i + 1] : i + 1;
  relative_mass_.assign(std::size_t(operator_->points()), 0.0f);
  for (Index i = 0; i < model_.nodes(); ++i) {
    const std::size_t p = std::size_t(operator_->place(i));
    relative_mass_[p] = float(model_.mass[i] / unit_), operator_->free[p] = 1;
  }
  for (Points* p : {&outer_, &new_x_, &new_v_, &on_nodes_}) p->assign(n, Vec3::Zero());
  b_.assign(3 * std::size_t(operator_->points()), 0.0f);
  delta_ = b_;
  stage_.attach(contact_points(), model_.rest, model_.edge);
  answers_.attach(stage_.rows(), unit_, n);
  setup_ms_ = milliseconds_since(start);
}

void Body::place(std::span<const Vec3> x, std::span<const Vec3> v) {
  PLIANT_CHECK(x.size() == model_.rest.size() && v.size() == model_.rest.size());
  std::copy(x.begin(), x.end(), state_.nodes.x.begin());
  std::copy(v.begin(), v.end(), state_.nodes.v.begin());
  state_.contact.clear();
  state_.response = 1;
}

Strengths Body::strengths() const { return {factor_at(options_.keys, state_.time), state_.metrics}; }

double Body::elastic_energy() const { return energy(model_, strengths(), state_.nodes.x); }

void Body::elastic_forces(std::span<Vec3> out) const { forces(model_, strengths(), state_.nodes.x, out); }

void Body::save(Writer& writer) const {
  writer.array(state_.nodes.x);
  writer.array(state_.nodes.v);
  writer.value(state_.time);
  writer.value(state_.response);
  writer.array(state_.metrics);
  writer.array(state_.contact.memories);
  writer.array(state_.contact.sides);
}

bool Body::load(Reader& reader) {
  State next = state_;
  reader.array(next.nodes.x);
  reader.array(next.nodes.v);
  reader.value(next.time);
  reader.value(next.response);
  reader.array(next.metrics);
  reader.list(next.contact.memories);
  reader.list(next.contact.sides);
  if (!reader.ok()) return false;
  for (const ContactMemory& m : next.contact.memories)
    if (m.key.vertex < 0 || m.key.vertex >= contact_points().rows()) return false;
  state_ = std::move(next);
  return true;
}

MethodDescription Body::describe() const {
  MethodDescription out;
  out.name = "metric";
  out.nodes = model_.nodes();
  out.freedoms = 3 * (model_.nodes() - Index(std::count(held_.begin(), held_.end(), 1)));
  out.solver = "conjugate gradients, " + preconditioner_->name();
  out.setup_ms = setup_ms_;
  const std::size_t n = model_.rest.size();
  out.bytes = operator_->matrix_bytes() + preconditioner_->memory_bytes() + gradients_.memory_bytes() +
              6 * std::size_t(operator_->points()) * (sizeof(double) + sizeof(float)) +
              n * 11 * sizeof(Vec3) + model_.bits.size() * 8 + model_.cells.size() * 40 +
              state_.metrics.size() * 16;
  return out;
}

}  // namespace pliant::metric
