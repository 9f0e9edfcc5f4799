// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/fem/body.hpp"

#include <algorithm>

#include "pliant/base/check.hpp"

namespace pliant::fem {

Body::Body(Model model, Gather embedding, const Damping& damping, const Options& options)
    : model_(std::move(model)), embedding_(std::move(embedding)), damping_(damping), options_(options) {
  const std::size_t n = model_.rest.size();
  state_.nodes = {model_.rest, Points(n, Vec3::Zero()), model_.mass};
  state_.x_before = state_.nodes.x;
  state_.v_before = state_.nodes.v;
  state_.held.assign(n, 0);
  state_.rotations.assign(model_.weight.size(), Eigen::Quaterniond::Identity());
  new_rotations_ = state_.rotations;
  arranged_held_ = new_held_ = state_.held;
  for (Points* points : {&hat_x_, &hat_v_, &new_x_, &new_v_, &g_, &p_}) points->assign(n, Vec3::Zero());
}

void Body::place(std::span<const Vec3> x, std::span<const Vec3> v) {
  PLIANT_CHECK(x.size() == model_.rest.size() && v.size() == model_.rest.size());
  std::copy(x.begin(), x.end(), state_.nodes.x.begin());
  std::copy(v.begin(), v.end(), state_.nodes.v.begin());
  move_followers(state_.nodes.x);
  move_followers(state_.nodes.v);
  state_.has_before = false;
  for (Index e = 0; e < model_.elements(); ++e)
    state_.rotations[e] =
        rotation(model_, deformation_gradient(model_.element(e), x), Eigen::Quaterniond::Identity());
}

/// Positions or velocities of all nodes: the last ones from those before.
void Body::move_followers(Points& points) const {
  const std::span<Vec3> all(points), last = all.subspan(std::size_t(model_.carriers()));
  if (has_followers()) gather(model_.followers, points, last);
}

double Body::elastic_energy() const { return energy(model_, state_.nodes.x, state_.rotations); }

void Body::elastic_forces(std::span<Vec3> out) const {
  gradient(model_, state_.nodes.x, state_.rotations, out);
  for (Vec3& force : out) force = -force;
}

void Body::save(Writer& writer) const {
  writer.array(state_.nodes.x);
  writer.array(state_.nodes.v);
  writer.array(state_.x_before);
  writer.array(state_.v_before);
  writer.array(state_.held);
  writer.array(state_.rotations);
  writer.value(state_.h);
  writer.value(state_.has_before);
}

bool Body::load(Reader& reader) {
  State next = state_;
  reader.array(next.nodes.x);
  reader.array(next.nodes.v);
  reader.array(next.x_before);
  reader.array(next.v_before);
  reader.array(next.held);
  reader.array(next.rotations);
  reader.value(next.h);
  reader.value(next.has_before);
  if (!reader.ok()) return false;
  state_ = std::move(next);
  return true;
}

MethodDescription Body::describe() const {
  MethodDescription out;
  out.name = "fem";
  out.nodes = model_.carriers();
  out.freedoms = 3 * (arranged_ ? Index(assembly_.free().size()) : model_.carriers());
  out.solver = "conjugate gradients";
  out.setup_ms = setup_ms_;
  const std::size_t n = model_.rest.size(), elements = model_.weight.size();
  out.bytes = elements * (model_.element_bytes() + 2 * sizeof(Eigen::Quaterniond)) +
              model_.corner.size() * sizeof(Index) + n * (11 * sizeof(Vec3) + 2 * sizeof(double)) +
              assembly_.memory_bytes() + matrix_.memory_bytes();
  return out;
}

}  // namespace pliant::fem
