// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/reduced/body.hpp"

#include <Eigen/Cholesky>

#include "pliant/base/check.hpp"
#include "pliant/methods/geometric/reduced/energy.hpp"

namespace pliant::geometric {

ReducedBody::ReducedBody(ReducedModel model, Skin skin, const Damping& damping, const Options& options,
                         Clock::time_point begun)
    : model_(std::move(model)),
      surface_(std::move(skin), model_),
      damping_(damping),
      options_(options),
      state_(state_at_rest(model_, options.plasticity.has_value())),
      cache_(model_, options, state_),
      scratch_(model_),
      nodes_(model_.full) {
  PLIANT_CHECK(model_.full.covariance == Covariance::consistent);
  PLIANT_CHECK(model_.sweeps_all_nodes() || !(options_.plasticity || options_.adaptive));
  setup_ms_ = milliseconds_since(begun);
}

void ReducedBody::place(std::span<const Vec3> x, std::span<const Vec3> v) {
  const Points& rest = model_.full.rest;
  PLIANT_CHECK(x.size() == rest.size() && v.size() == rest.size());
  Points displacement(x.begin(), x.end());
  for (std::size_t i = 0; i < x.size(); ++i) displacement[i] -= rest[i];
  project(model_, displacement, state_.z);
  project(model_, v, state_.v);
  state_.past = Past::unknown;
  state_.contact.clear();
  nodes_.drop();
  // Without a warm start from the past: the same place gives the same rotations.
  state_.clear_rotations();
  state_.set_rotations(rotations_at(model_, state_, nodes().x));
}

double ReducedBody::elastic_energy() const {
  const Points& x = nodes().x;
  return energy(model_, state_, x, rotations_at(model_, state_, x));
}

/// M Phi M_r^-1 Phi^T f: the same work for every motion in the space.
void ReducedBody::elastic_forces(std::span<Vec3> out) const {
  PLIANT_CHECK(out.size() == nodes().x.size());
  const Points& x = nodes().x;
  geometric::elastic_forces(model_, state_, x, rotations_at(model_, state_, x), out);
  const Coordinates z = Eigen::LLT<Eigen::MatrixXd>(model_.mass).solve(pulled(model_, out));
  for (Index i = 0; i < model_.nodes(); ++i)
    out[i] = model_.full.mass[i] * (model_.basis.columns.row(i) * z).transpose();
}

bool ReducedBody::load(Reader& reader) {
  if (!state_.load(reader)) return false;
  cache_.take_rest_vectors(model_, state_);
  nodes_.drop();
  return true;
}

MethodDescription ReducedBody::describe() const {
  const Model& full = model_.full;
  MethodDescription out;
  out.name = "geometric";
  out.nodes = full.nodes();
  out.freedoms = 3 * model_.columns();
  for (std::size_t p = 0; p < state_.active.size(); ++p)
    if (state_.active[p]) out.freedoms -= 3 * model_.basis.pieces[p].count;
  out.solver = "reduced";
  out.setup_ms = setup_ms_;
  out.weights = surface_.skin.embedding.weight.size();
  out.bytes = full.rest.size() * (5 * sizeof(Vec3) + 2 * sizeof(double) + sizeof(Mat3)) +
              full.edges.size() * (sizeof(NodeGraph::Edge) + sizeof(double) + 4 * sizeof(Index)) +
              sizeof(double) * std::size_t(model_.basis.columns.size() + surface_.columns.size()) +
              sizeof(float) * (model_.pull.size() + model_.rest.size() + model_.slew.size() +
                               2 * state_.quaternions.size()) +
              cache_.sweeps.bytes() + cache_.flow.bytes() + state_.rest_vectors.size() * sizeof(Vec3);
  return out;
}

}  // namespace pliant::geometric
