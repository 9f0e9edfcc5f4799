// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/body.hpp"

#include <algorithm>

#include "pliant/base/check.hpp"
#include "pliant/methods/cage/energy.hpp"
#include "pliant/methods/cage/equation.hpp"
#include "pliant/methods/cage/momentum.hpp"

namespace pliant::cage {

Body::Body(Model model, const Damping& damping, const Options& options, double setup_ms)
    : model_(std::move(model)),
      damping_(damping),
      options_(options),
      setup_ms_(setup_ms),
      state_(state_at_rest(model_, options_)),
      scratch_(model_),
      contact_(model_),
      meeting_(*this) {
  state_.more.assign(std::size_t(contact_.points().places()), -1);
  cache_.nodes = {model_.nodes, Points(model_.nodes.size(), Vec3::Zero()), model_.node_mass};
  const bool follow = options_.normals == Normals::consistent;
  if (options_.precision == Precision::single)
    scratch_.make<float>(model_, follow);
  else
    scratch_.make<double>(model_, follow);
  look_afresh();
}

void Body::look_afresh() {
  Pool alone{1};
  const auto look = [&]<class T>(Look<T>& now) {
    set_rest(model_.batches(), now);
    cache_.precise<T>().set_plastic(model_, state_.plastic);
    Equation<T>(model_, cache_, scratch_).look_at(state_.x, now, alone);
  };
  if (options_.precision == Precision::single)
    look(state_.single);
  else
    look(state_.twice);
  state_.whole = whole_of(model_, state_.x, state_.velocity, scratch_.new_z);
  cache_.shown = false;
}

void Body::place(std::span<const Vec3> x, std::span<const Vec3> v) {
  PLIANT_CHECK(x.size() == model_.nodes.size() && v.size() == model_.nodes.size());
  Columns at(3, model_.count()), rate(3, model_.count());
  const Vec3 origin = x[std::size_t(model_.points[0])];
  for (Index q = 0; q < model_.count(); ++q) {
    at.col(q) = x[std::size_t(model_.points[std::size_t(q)])] - origin;
    rate.col(q) = v[std::size_t(model_.points[std::size_t(q)])];
  }
  state_.x = (at * model_.fit.transpose()).colwise() + origin;
  const Columns velocity = rate * model_.fit.transpose();
  std::vector<FaceJacobian> jacobians;
  normal_jacobians(model_.faces, state_.x, jacobians);
  follow(model_, jacobians, velocity, state_.velocity);
  state_.forget_contacts();
  state_.past = Past::unknown;
  look_afresh();
}

double Body::elastic_energy() const { return cage::elastic_energy(model_, state_, nullptr); }

void Body::elastic_forces(std::span<Vec3> out) const {
  PLIANT_CHECK(out.size() == nodes().x.size());
  Columns big;
  cage::elastic_energy(model_, state_, &big);
  const Index n = model_.n();
  std::vector<FaceJacobian> dy;
  normal_jacobians(model_.faces, state_.x, dy);
  Columns force = big.leftCols(n);
  for (Index j = 0; j < model_.t(); ++j)
    for (int k = 0; k < 3; ++k)
      force.col(model_.faces[std::size_t(j)].corner[k]) +=
          dy[std::size_t(j)][std::size_t(k)].transpose() * big.col(n + j);
  std::fill(out.begin(), out.end(), Vec3::Zero());
  const Columns at = force * model_.fit;
  for (Index q = 0; q < model_.count(); ++q) out[std::size_t(model_.points[std::size_t(q)])] = at.col(q);
}

std::optional<int> Body::inverted_cells() const { return inverted_points(model_, state_); }

void Body::save(Writer& writer) const { cage::save(state_, writer); }

bool Body::load(Reader& reader) {
  if (!cage::load(model_, state_, reader)) return false;
  load_plastic();
  cache_.shown = false;
  return true;
}

void Body::load_plastic() {
  if (options_.precision == Precision::single) cache_.single.set_plastic(model_, state_.plastic);
  cache_.twice.set_plastic(model_, state_.plastic);
}

double Body::step_flops() const {
  const double n3 = 3.0 * model_.n(), q = model_.count(), rows = model_.rows();
  const bool consistent = options_.normals == Normals::consistent;
  const double gram = n3 * n3 * q * (consistent ? 6 : 1);
  return gram + 18 * rows * q + 18 * (consistent ? rows : double(model_.n())) * q + n3 * n3 * n3 / 3;
}

MethodDescription Body::describe() const {
  MethodDescription out;
  out.name = "cage";
  out.nodes = Index(model_.nodes.size());
  out.freedoms = 3 * model_.n();
  out.solver = "dense";
  out.setup_ms = setup_ms_;
  const auto bytes = []<class T>(const Work<T>& w) {
    return sizeof(T) * (w.stress.size() + w.rows.size() + w.gram.size() + w.system.size());
  };
  out.bytes = sizeof(double) * std::size_t(model_.value.size() + 2 * model_.mass.size() + model_.fit.size()) +
              sizeof(double) * model_.twice.gradient.size() + contact_.points().bytes() +
              sizeof(float) * (model_.single.gradient.size() + model_.skin_value.size()) +
              bytes(scratch_.single) + bytes(scratch_.twice) + model_.nodes.size() * 4 * sizeof(Vec3);
  return out;
}

}  // namespace pliant::cage
