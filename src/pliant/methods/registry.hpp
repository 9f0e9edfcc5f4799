// SPDX-License-Identifier: Apache-2.0
// The methods a scene can name. A new method adds its options here and a line in registry.cpp.
#pragma once

#include <memory>
#include <string>
#include <vector>

#include "pliant/base/result.hpp"
#include "pliant/geometry/shape.hpp"
#include "pliant/methods/cage/options.hpp"
#include "pliant/methods/fem/options.hpp"
#include "pliant/methods/geometric/options.hpp"
#include "pliant/methods/meshless/options.hpp"
#include "pliant/methods/method.hpp"
#include "pliant/methods/metric/options.hpp"
#include "pliant/physics/damping.hpp"

namespace pliant {

/// The settings of every method; a body reads those of the one it names.
struct MethodOptions {
  geometric::Options geometric;
  metric::Options metric;
  cage::Options cage;
  fem::Options fem;
  meshless::Options meshless;
};

/// In the order of the documentation; the first is the default.
const std::vector<std::string>& method_names();

/// The name must be one of method_names(). Problems are placed relative to the body ("geometric.stiffness").
Result<std::unique_ptr<Method>> build_method(const std::string& name, const Shape& shape, double density,
                                             const Damping& damping, const MethodOptions& options);

/// The live options (Change::live in the tables) and the damping of the next step; all others must be those
/// the method was built with. False: this body takes none without being built again.
bool set_live(const std::string& name, Method& method, const Damping& damping, const MethodOptions& options);

}  // namespace pliant
