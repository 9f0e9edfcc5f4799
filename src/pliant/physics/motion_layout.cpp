// SPDX-License-Identifier: Apache-2.0
#include "pliant/physics/motion_layout.hpp"

namespace pliant {

template <>
const Layout<Turn>& layout_of() {
  using S = Turn;
  static const auto layout = make_layout<S>(
      "rotate", "a turn about an axis",
      {option("axis", &S::axis, {.unit = "1", .help = "direction, any length but zero; right-hand rule"}),
       option(
           "degrees", &S::degrees,
           {.unit = "degrees", .min = -1e6, .max = 1e6, .help = "angle; more than a full turn is allowed"})});
  return layout;
}

template <>
const Layout<MotionKey>& layout_of() {
  using S = MotionKey;
  static const auto layout = make_layout<S>(
      "key", "where a handle or a collider is at a time, relative to where it started",
      {option("time", &S::time, {.unit = "s", .min = 0, .max = 1e9, .help = "keys are in ascending order"}),
       option("translate", &S::translate, {.unit = "m", .min = -1e6, .max = 1e6, .help = "shift"})},
      {object_field("rotate", &S::rotate,
                    "turn about the centre of the selected nodes, or of the collider")});
  return layout;
}

}  // namespace pliant
