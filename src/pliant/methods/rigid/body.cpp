// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/rigid/body.hpp"

#include <algorithm>

#include "pliant/base/check.hpp"

namespace pliant::rigid {

Body::Body(Model model, Skin skin, const Damping& damping)
    : model_(std::move(model)),
      skin_(std::move(skin)),
      damping_(damping),
      state_(state_at_rest(model_)),
      end_x_(state_.nodes.x),
      end_v_(state_.nodes.v),
      contact_(model_, skin_) {}

void Body::place(std::span<const Vec3> x, std::span<const Vec3> v) {
  PLIANT_CHECK(x.size() == model_.rest.size() && v.size() == model_.rest.size());
  Pool alone(1);
  const Motion motion = nearest_motion(model_, x, v);
  move_nodes(model_, motion, end_x_, end_v_, alone);
  accept(motion);
  state_.contact.clear();
}

void Body::accept(const Motion& motion) {
  state_.motion = motion;
  state_.nodes.x.swap(end_x_);
  state_.nodes.v.swap(end_v_);
  move_mass(model_, motion, state_.nodes.within);
}

void Body::elastic_forces(std::span<Vec3> out) const {
  PLIANT_CHECK(out.size() == nodes().x.size());
  std::fill(out.begin(), out.end(), Vec3::Zero());
}

MethodDescription Body::describe() const {
  MethodDescription out;
  out.name = "rigid";
  out.nodes = model_.nodes();
  out.freedoms = 6;
  out.solver = "none";
  out.bytes = model_.rest.size() * (6 * sizeof(Vec3) + sizeof(double));
  return out;
}

}  // namespace pliant::rigid
