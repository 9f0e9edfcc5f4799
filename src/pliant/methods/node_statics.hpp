// SPDX-License-Identifier: Apache-2.0
// A step of the static solve for methods whose freedoms are their nodes: towards a minimum of
//   Pi(x) = V(x) - sum_i m_i g . x_i,   held nodes at their targets
// by damped Newton steps (physics/damped_newton.hpp). V and the forces are the method's own, in double.
#pragma once

#include <functional>

#include "pliant/methods/method.hpp"

namespace pliant {

/// d = (M/h^2 + H)^-1 f on the nodes that are not held, 0 on held ones, at the present positions. f and d
/// have one entry a node. H is the Hessian of the elastic energy or a semidefinite model of it. Of the input
/// h, held and pool count. Returns the trouble, empty when all is well.
using NodeDirection =
    std::function<std::string(const StepInput& input, std::span<const Vec3> f, std::span<Vec3> d)>;

/// One call of Method::relax. Of the input gravity, held nodes and targets count.
Relaxation relax_nodes(Method& method, const StepInput& input, double tolerance, RelaxMemory& memory,
                       const NodeDirection& direction);

}  // namespace pliant
