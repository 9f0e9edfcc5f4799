// SPDX-License-Identifier: Apache-2.0
// How a scene writes turns and keys of motion.
#pragma once

#include "pliant/base/layout.hpp"
#include "pliant/physics/motion.hpp"

namespace pliant {

template <>
const Layout<Turn>& layout_of();
template <>
const Layout<MotionKey>& layout_of();

}  // namespace pliant
