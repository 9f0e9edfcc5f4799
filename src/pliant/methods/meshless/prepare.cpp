// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/prepare.hpp"

#include <fmt/format.h>

#include "pliant/methods/meshless/build.hpp"
#include "pliant/physics/selection.hpp"

namespace pliant::meshless {
namespace {

constexpr const char* at = "meshless.skeleton";

/// Problems of the joints, told at the settings' key.
std::vector<Problem> told_at(const std::string& place, const Error& error) {
  std::vector<Problem> out;
  for (Problem problem : error.problems) {
    problem.place = place + (problem.place.empty() ? "" : "." + problem.place);
    out.push_back(std::move(problem));
  }
  return out;
}

/// A bone far from the flesh can hold nothing.
std::vector<Problem> check_inside(const Skeleton& skeleton, const Shape& shape) {
  const Bounds box = bounds_of(shape.surface.vertices);
  for (const Joint& joint : skeleton.joints)
    if (((joint.position - box.min).array() < 0).any() || ((box.max - joint.position).array() < 0).any())
      return {{at,
               fmt::format("joint \"{}\" at [{:g}, {:g}, {:g}]", joint.name, joint.position.x(),
                           joint.position.y(), joint.position.z()),
               fmt::format("joints inside the body, which reaches from [{:g}, {:g}, {:g}] to [{:g}, "
                           "{:g}, {:g}]",
                           box.min.x(), box.min.y(), box.min.z(), box.max.x(), box.max.y(), box.max.z()),
               {}}};
  if (skeleton.bones().empty())
    return {{at, "no bone", "at least two joints, one the parent of the other", {}}};
  return {};
}

std::vector<Problem> find_skeleton(Bones& bones, const Shape& shape, Making& making) {
  if (bones.file.empty() == bones.joints.empty())
    return {{at, bones.file.empty() ? "neither file nor joints" : "both file and joints", "one of them", {}}};
  Result<Skeleton> skeleton =
      bones.file.empty() ? make_skeleton(bones.joints) : making.files.skeleton(bones.file);
  if (!skeleton)
    return told_at(bones.file.empty() ? fmt::format("{}.joints", at)
                                      : fmt::format("{}.file: {}", at, making.files.place(bones.file)),
                   skeleton.error());
  if (making.placement && bones.like_mesh) place_like(*making.placement, *skeleton);
  bones.skeleton = std::move(*skeleton);
  return check_inside(bones.skeleton, shape);
}

}  // namespace

std::vector<Problem> prepare(Options& options, Shape& shape, Making& making) {
  if (options.bones) {
    std::vector<Problem> problems = find_skeleton(*options.bones, shape, making);
    if (!problems.empty()) return problems;
  }
  Flesh flesh = make_flesh(std::move(shape), std::move(options));
  shape = std::move(flesh.shape);
  options = std::move(flesh.options);
  return {};
}

}  // namespace pliant::meshless
