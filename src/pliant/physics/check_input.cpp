// SPDX-License-Identifier: Apache-2.0
#include "pliant/physics/check_input.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

std::string trouble_of_held(const StepInput& input, Index nodes) {
  for (std::size_t k = 0; k < input.held.size(); ++k) {
    const Index i = input.held[k];
    if (i < 0 || i >= nodes || (k > 0 && i <= input.held[k - 1]))
      return fmt::format("held node {} is not one of the {} nodes, or not in ascending order", i, nodes);
    if (!input.targets[k].allFinite()) return fmt::format("the target of held node {} is not finite", i);
  }
  return {};
}

std::string trouble_of_grabs(const StepInput& input, Index nodes) {
  if (input.grabs.size() > std::size_t(max_grabs))
    return fmt::format("{} grabs at once, at most {} are possible", input.grabs.size(), max_grabs);
  for (const Grab& grab : input.grabs) {
    if (grab.node < 0 || grab.node >= nodes)
      return fmt::format("grabbed node {} is not one of the {} nodes", grab.node, nodes);
    if (!grab.target.allFinite() || !(grab.stiffness >= 0) || !std::isfinite(grab.stiffness))
      return fmt::format("the grab of node {} has no finite target or no stiffness >= 0", grab.node);
  }
  return {};
}

}  // namespace

std::vector<Problem> check_contact(const ContactOptions& options, const std::string& place) {
  std::vector<Problem> problems;
  const auto at_least = [&](const char* what, double value, double least) {
    if (!(value >= least) || !std::isfinite(value))
      problems.push_back({place + (place.empty() ? "" : ".") + what,
                          fmt::format("{:g}", value),
                          fmt::format("a finite number >= {:g}", least),
                          {}});
  };
  if (!(options.friction < 0)) at_least("friction", options.friction, 0);
  at_least("sweeps", options.sweeps, 0);
  at_least("tolerance", options.tolerance, 0);
  at_least("slop", options.slop, 0);
  at_least("offset", options.offset, 0);
  at_least("most", options.most, 1);
  at_least("thickness", options.thickness, 0);
  return problems;
}

std::string trouble_of(const StepInput& input, Index nodes, Index grabbed) {
  if (input.held.size() != input.targets.size())
    return fmt::format("{} held nodes have {} targets", input.held.size(), input.targets.size());
  if (!input.forces.empty() && input.forces.size() != std::size_t(nodes))
    return fmt::format("{} forces for {} nodes", input.forces.size(), nodes);
  if (!(input.h > 0) || !std::isfinite(input.h)) return fmt::format("time step {} s is not above 0", input.h);
  if (!input.gravity.allFinite()) return "gravity is not finite";
  if (std::string held = trouble_of_held(input, nodes); !held.empty()) return held;
  if (std::string grabs = trouble_of_grabs(input, std::max(nodes, grabbed)); !grabs.empty()) return grabs;
  for (std::size_t i = 0; i < input.forces.size(); ++i)
    if (!input.forces[i].allFinite()) return fmt::format("the force on node {} is not finite", i);
  return {};
}

}  // namespace pliant
