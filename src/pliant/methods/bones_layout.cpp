// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/bones_layout.hpp"

#include "pliant/physics/motion_layout.hpp"

namespace pliant {

template <>
const Layout<JointKeys>& layout_of() {
  using S = JointKeys;
  static const auto layout = make_layout<S>(
      "joint", "a place where bones meet, and how it turns", joint_table(),
      {list_field("motion", &S::motion,
                  "keys: turns of the bones that leave the joint, and shifts, relative to its parent; turns "
                  "about one axis interpolate the angle, however many full turns")});
  return layout;
}

template <>
const Layout<RigidBones>& layout_of() {
  static const auto layout = make_layout<RigidBones>(
      "rigid_skeleton", "bones that hold and move the nodes around them: a file or a list of joints",
      rigid_bones_table(), {list_field("joints", &RigidBones::joints, "instead of a file")});
  return layout;
}

template <>
const Layout<Bones>& layout_of() {
  std::vector<JointKeys> Bones::*const joints = &Bones::joints;
  static const auto layout =
      make_layout<Bones>("skeleton", "bones that move the flesh around them: a file or a list of joints",
                         bones_table(), {list_field("joints", joints, "instead of a file")});
  return layout;
}

}  // namespace pliant
