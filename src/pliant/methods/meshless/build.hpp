// SPDX-License-Identifier: Apache-2.0
// From a shape, a material and a skeleton to meshless flesh.
#pragma once

#include "pliant/base/result.hpp"
#include "pliant/geometry/shape.hpp"
#include "pliant/methods/meshless/options.hpp"
#include "pliant/methods/method.hpp"
#include "pliant/physics/damping.hpp"

namespace pliant::meshless {

/// A shape and options made for each other.
struct Flesh {
  Shape shape;      ///< with a node at every sample of the bones, and its surface by moving least squares
  Options options;  ///< with the automatic settings of the bones resolved
};
Flesh make_flesh(Shape shape, Options options);

/// With bones the shape and the options must be those of make_flesh.
/// density in kg/m^3. Problems are placed relative to the body.
Result<std::unique_ptr<Method>> build(const Shape& shape, double density, const Damping& damping,
                                      const Options& options);

}  // namespace pliant::meshless
