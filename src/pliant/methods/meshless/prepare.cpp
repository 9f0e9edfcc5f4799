// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/prepare.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pliant/geometry/moving_least_squares.hpp"
#include "pliant/methods/meshless/build.hpp"
#include "pliant/physics/selection.hpp"

namespace pliant::meshless {
namespace {

constexpr double most_nodes = 1e6;  // in a ball

/// About so many nodes a ball would have.
double nodes_in(const Finer& finer, const Shape& shape) {
  const Bounds box = bounds_of(shape.surface.vertices);
  const double ball = 4.0 / 3 * std::numbers::pi * std::pow(finer.radius, 3);
  return std::min(ball, (box.max - box.min).prod()) *
         std::pow(finer.ratio / median_nearest(shape.graph.positions), 3);
}

/// A ball about a point reaches the nodes of the body.
bool reaches(const Finer& finer, const Shape& shape) {
  const double most = finer.radius + median_nearest(shape.graph.positions);
  return std::any_of(shape.graph.positions.begin(), shape.graph.positions.end(),
                     [&](const Vec3& x) { return (x - finer.point).norm() <= most; });
}

/// Balls about joints need such joints, and memory is finite.
std::vector<Problem> check_finer(const Options& options, const Shape& shape) {
  std::vector<Problem> out;
  for (std::size_t k = 0; k < options.finer.size(); ++k) {
    const Finer& finer = options.finer[k];
    const std::string place = fmt::format("meshless.finer.{}", k);
    if (const double nodes = nodes_in(finer, shape); !(nodes <= most_nodes))
      out.push_back({place, fmt::format("a ball of about {:.1g} nodes", nodes),
                     fmt::format("at most {:g}", most_nodes),
                     "a smaller radius or ratio, or fewer nodes in the shape"});
    if (finer.near == Near::point) {
      if (!finer.joint.empty())
        out.push_back({place + ".joint",
                       fmt::format("\"{}\" with near: point", finer.joint),
                       "near: joints, or no joint",
                       {}});
      if (!reaches(finer, shape))
        out.push_back({place + ".point",
                       fmt::format("a ball of {:g} m outside of the body", finer.radius),
                       "a point in or near it, or a larger radius",
                       {}});
      continue;
    }
    if (!options.bones) {
      out.push_back({place, "near joints, without a skeleton", "a skeleton, or near a point", {}});
      continue;
    }
    const auto& joints = options.bones->skeleton.joints;
    if (!finer.joint.empty() && std::none_of(joints.begin(), joints.end(),
                                             [&](const Joint& joint) { return joint.name == finer.joint; }))
      out.push_back({place + ".joint", fmt::format("\"{}\"", finer.joint), "the name of a joint", {}});
  }
  return out;
}

}  // namespace

std::vector<Problem> prepare(Options& options, Shape& shape, Making& making) {
  if (options.bones) {
    std::vector<Problem> problems = find_skeleton(*options.bones, "meshless.skeleton", shape, making);
    if (!problems.empty()) return problems;
  }
  if (std::vector<Problem> problems = check_finer(options, shape); !problems.empty()) return problems;
  Flesh flesh = make_flesh(std::move(shape), std::move(options));
  shape = std::move(flesh.shape);
  options = std::move(flesh.options);
  return {};
}

}  // namespace pliant::meshless
