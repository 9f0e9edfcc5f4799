// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/prepare.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pliant/methods/meshless/build.hpp"

namespace pliant::meshless {
namespace {

/// Balls about joints need such joints.
std::vector<Problem> check_finer(const Options& options) {
  std::vector<Problem> out;
  for (std::size_t k = 0; k < options.finer.size(); ++k) {
    const Finer& finer = options.finer[k];
    if (finer.near == Near::point) continue;
    const std::string place = fmt::format("meshless.finer.{}", k);
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
  if (std::vector<Problem> problems = check_finer(options); !problems.empty()) return problems;
  Flesh flesh = make_flesh(std::move(shape), std::move(options));
  shape = std::move(flesh.shape);
  options = std::move(flesh.options);
  return {};
}

}  // namespace pliant::meshless
