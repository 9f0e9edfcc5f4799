// SPDX-License-Identifier: Apache-2.0
#include "pliant/scene/build_colliders.hpp"

#include <fmt/format.h>

#include "pliant/contact/mesh_collider.hpp"
#include "pliant/geometry/repair.hpp"
#include "pliant/scene/mesh_fingerprint.hpp"

namespace pliant {
namespace {

struct MakeColliderShape {
  const std::filesystem::path& folder;
  const OwnMeshes& meshes;
  const std::string& place;
  BuiltColliders& out;

  Result<ColliderShape> operator()(const PlaneColliderSpec& s) const { return {PlaneCollider(s)}; }
  Result<ColliderShape> operator()(const SphereColliderSpec& s) const { return {SphereCollider(s)}; }
  Result<ColliderShape> operator()(const BoxColliderSpec& s) const {
    return {BoxCollider{s.center, s.size, rotation_matrix(s.rotate)}};
  }
  Result<ColliderShape> operator()(const CapsuleColliderSpec& s) const { return {CapsuleCollider(s)}; }
  Result<ColliderShape> operator()(const MeshColliderSpec& s) const {
    Result<PolygonMesh> surface = read_surface(s.file, folder, meshes);
    if (!surface) return surface.error();
    for (const std::string& remark : surface->remarks)
      out.notes.push_back(fmt::format("{}: {}: {}", place, s.file, remark));
    convert(*surface, s.scale * metres(s.unit), s.up);
    move(*surface, rotation_matrix(s.rotate), s.translate);
    Result<Repaired> repaired = repair(*surface);
    if (!repaired)
      return Error{meshes.contains(s.file) ? s.file : find_file(s.file, folder).string(),
                   repaired.error().problems};
    out.fingerprint = mesh_fingerprint(*surface, out.fingerprint);
    auto mesh = std::make_shared<const MeshCollider>(std::move(repaired->mesh), s.thin);
    constexpr const char* kinds[] = {"closed", "with holes or self-intersections", "a sheet"};
    out.notes.push_back(fmt::format("{}: {} triangles, {}; repaired: {}", place,
                                    mesh->mesh().triangles.size(), kinds[int(mesh->kind())],
                                    repaired->report.text()));
    return ColliderShape(std::move(mesh));
  }
};

/// Problems of a mesh file, told at the scene's key and naming the file.
void tell(const Error& error, const std::string& place, std::vector<Problem>& problems) {
  for (Problem problem : error.problems) {
    problem.place =
        fmt::format("{}: {}{}{}", place, error.file, problem.place.empty() ? "" : ": ", problem.place);
    problems.push_back(std::move(problem));
  }
}

}  // namespace

BuiltColliders build_colliders(const std::vector<ColliderSpec>& specs, const std::filesystem::path& folder,
                               std::uint64_t fingerprint, const OwnMeshes& meshes) {
  BuiltColliders out;
  out.fingerprint = fingerprint;
  for (std::size_t i = 0; i < specs.size(); ++i) {
    const std::string place = fmt::format("colliders.{}", i);
    const ColliderTraits& traits =
        std::visit([](const ColliderTraits& t) -> const ColliderTraits& { return t; }, specs[i].is);
    Result<ColliderShape> shape = std::visit(MakeColliderShape{folder, meshes, place, out}, specs[i].is);
    if (shape)
      out.colliders.emplace_back(std::move(*shape), Motion{traits.motion, traits.ease}, traits.friction,
                                 traits.restitution);
    else
      tell(shape.error(), place + ".mesh.file", out.problems);
  }
  return out;
}

}  // namespace pliant
