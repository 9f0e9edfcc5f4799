// SPDX-License-Identifier: Apache-2.0
#include "pliant/scene/build_meshless.hpp"

#include <fmt/format.h>

#include "pliant/base/hash.hpp"
#include "pliant/io/skeleton_file.hpp"
#include "pliant/methods/meshless/body.hpp"
#include "pliant/methods/meshless/build.hpp"
#include "pliant/physics/selection.hpp"
#include "pliant/scene/find_file.hpp"

namespace pliant {
namespace {

/// Problems of the joints, told at the scene's key.
void add(const Error& error, const std::string& place, Problems& problems) {
  for (Problem problem : error.problems) {
    problem.place = place + (problem.place.empty() ? "" : "." + problem.place);
    problems.push_back(std::move(problem));
  }
}

/// As the vertices of the mesh are (scene/build.cpp).
void place_like(const MeshSpec& mesh, Skeleton& skeleton) {
  Mat3 upright = Mat3::Identity();
  if (mesh.up == UpAxis::z) upright << 1, 0, 0, 0, 0, 1, 0, -1, 0;
  transform(skeleton, mesh.scale * metres(mesh.unit), rotation_matrix(mesh.rotate) * upright, mesh.translate);
}

/// A bone far from the flesh can hold nothing.
void check_inside(const Skeleton& skeleton, const Shape& shape, const std::string& place,
                  Problems& problems) {
  const Bounds box = bounds_of(shape.surface.vertices);
  for (const Joint& joint : skeleton.joints)
    if (((joint.position - box.min).array() < 0).any() || ((box.max - joint.position).array() < 0).any()) {
      problems.push_back(
          {place,
           fmt::format("joint \"{}\" at [{:g}, {:g}, {:g}]", joint.name, joint.position.x(),
                       joint.position.y(), joint.position.z()),
           fmt::format("joints inside the body, which reaches from [{:g}, {:g}, {:g}] to [{:g}, "
                       "{:g}, {:g}]",
                       box.min.x(), box.min.y(), box.min.z(), box.max.x(), box.max.y(), box.max.z()),
           {}});
      return;
    }
  if (skeleton.bones().empty())
    problems.push_back({place, "no bone", "at least two joints, one the parent of the other", {}});
}

}  // namespace

meshless::Options prepare_meshless(const meshless::Options& options, const std::string& place,
                                   const std::filesystem::path& folder, const ShapeSpec& spec, Shape& shape,
                                   std::uint64_t& fingerprint, Problems& problems) {
  meshless::Options out = options;
  if (out.bones) {
    const std::string at = place + ".skeleton";
    if (out.bones->file.empty() == out.bones->joints.empty()) {
      problems.push_back({at,
                          out.bones->file.empty() ? "neither file nor joints" : "both file and joints",
                          "one of them",
                          {}});
      return out;
    }
    const std::filesystem::path file = find_file(out.bones->file, folder);
    Result<Skeleton> skeleton =
        out.bones->file.empty() ? meshless::make_skeleton(out.bones->joints) : load_skeleton(file);
    if (!skeleton) {
      add(skeleton.error(),
          out.bones->file.empty() ? at + ".joints" : fmt::format("{}.file: {}", at, file.string()), problems);
      return out;
    }
    if (const auto* mesh = std::get_if<MeshSpec>(&spec.is); mesh && out.bones->like_mesh)
      place_like(*mesh, *skeleton);
    const std::string text = skeleton_text(*skeleton);
    fingerprint = hash_bytes(text.data(), text.size(), fingerprint);
    out.bones->skeleton = std::move(*skeleton);
    const std::size_t before = problems.size();
    check_inside(out.bones->skeleton, shape, at, problems);
    if (problems.size() > before) return out;
  }
  meshless::Flesh flesh = meshless::make_flesh(std::move(shape), std::move(out));
  shape = std::move(flesh.shape);
  return std::move(flesh.options);
}

void note_flesh(const std::string& name, const Method& method, std::vector<std::string>& notes) {
  const auto* flesh = dynamic_cast<const meshless::Body*>(&method);
  if (!flesh) return;
  const meshless::Cells& cells = flesh->model().cells;
  const auto note = [&](int count, const char* what) {
    if (count > 0) notes.push_back(fmt::format("{}: {} {}", name, count, what));
  };
  note(cells.widened,
       "points of its cells had too few nodes around them, or nodes in a plane, and see further");
  note(cells.constant,
       "of these still do not tell a strain (constant shape functions): use more nodes or a larger support");
  note(cells.lonely, "nodes in parts thinner than a cell have a cell of their own: use more nodes");
  note(flesh->unreached_cells(), "cells lie in parts without a bone and do not turn: give each part a bone");
}

}  // namespace pliant
