// SPDX-License-Identifier: Apache-2.0
// How a scene writes the bones of a body.
#pragma once

#include "pliant/base/layout.hpp"
#include "pliant/methods/bones.hpp"

namespace pliant {

template <>
const Layout<JointKeys>& layout_of();
template <>
const Layout<RigidBones>& layout_of();
template <>
const Layout<Bones>& layout_of();

}  // namespace pliant
