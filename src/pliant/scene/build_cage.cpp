// SPDX-License-Identifier: Apache-2.0
#include "pliant/scene/build_cage.hpp"

#include <fmt/format.h>

#include "pliant/geometry/cage.hpp"
#include "pliant/geometry/cage_check.hpp"
#include "pliant/geometry/repair.hpp"
#include "pliant/geometry/voxel_quadrature.hpp"
#include "pliant/io/read_mesh.hpp"
#include "pliant/scene/find_file.hpp"
#include "pliant/scene/mesh_fingerprint.hpp"

namespace pliant {
namespace {

Result<TriMesh> read_cage(const BodySpec& body, const CageSurroundings& around) {
  const std::filesystem::path file = find_file(body.cage.file, around.folder);
  const auto named = [&](Error error) {
    for (Problem& problem : error.problems)
      problem.place =
          fmt::format("cage.file: {}{}{}", file.string(), problem.place.empty() ? "" : ": ", problem.place);
    return error;
  };
  Result<PolygonMesh> polygons = read_polygons(file);
  if (!polygons) return named(polygons.error());
  if (3 * polygons->vertices.size() > std::size_t(most_cage_budget))
    return named({{},
                  {{{},
                    fmt::format("a cage of {} degrees of freedom", 3 * polygons->vertices.size()),
                    fmt::format("at most {}", most_cage_budget),
                    "`pliant prepare MESH --cage OUT --budget N` makes a coarse one"}}});
  around.fingerprint = mesh_fingerprint(*polygons, around.fingerprint);
  if (const auto* mesh = std::get_if<MeshSpec>(&body.shape.is)) {
    convert(*polygons, mesh->scale * metres(mesh->unit), mesh->up);
    move(*polygons, rotation_matrix(mesh->rotate), mesh->translate);
  }
  return TriMesh{polygons->vertices, fan_triangles(*polygons)};
}

Result<TriMesh> make_cage(const BodySpec& body, const Shape& shape, const CageSurroundings& around,
                          std::vector<std::string>& notes) {
  if (!body.cage.file.empty()) return read_cage(body, around);
  if (body.cage.cells[0] == 0) {
    const int budget = body.cage.budget > 0 ? body.cage.budget : cage::default_budget;
    Result<Cage> made = automatic_cage(shape.surface, {.budget = budget}, around.pool);
    if (!made) {
      Error error = made.error();
      for (Problem& problem : error.problems) problem.place = "cage.budget";
      return error;
    }
    for (const std::string& warning : made->report.warnings)
      notes.push_back(fmt::format("{}: {}", body.name, warning));
    return std::move(made->mesh);
  }
  return box_cage_around(shape.surface.vertices, body.cage.cells, body.cage.clearance);
}

}  // namespace

Result<CagedShape> make_caged_shape(const BodySpec& body, const Shape& shape,
                                    const CageSurroundings& around) {
  std::vector<std::string> notes;
  Result<TriMesh> cage = make_cage(body, shape, around, notes);
  if (!cage) return cage.error();
  if (const std::optional<Problem> problem = check_cage(*cage, shape.surface.vertices)) {
    Problem told = *problem;
    told.place = fmt::format("cage{}{}{}", body.cage.file.empty() ? "" : ".file",
                             told.place.empty() ? "" : ": ", told.place);
    return Error{{}, {told}};
  }
  const int points = cage::points_for(body.cage, int(cage->vertices.size()));
  CagedShape out{with_quadrature(shape, points), std::move(*cage), std::move(notes)};
  if (out.shape.graph.positions.empty())
    return Error{{},
                 {{"shape", "a surface with nothing inside", "a solid: a cage moves what is inside it",
                   "sheets and shells belong to the geometric method"}}};
  const std::size_t quadrature = out.shape.graph.positions.size() - out.shape.surface.vertices.size();
  const CageClearance clearance = cage_clearance(out.cage, shape.surface.vertices);
  out.notes.push_back(
      fmt::format("{}: a cage of {} vertices and {} faces, {} degrees of freedom, {:.3g} m from the surface "
                  "at vertex {}; {} "
                  "quadrature points",
                  body.name, out.cage.vertices.size(), out.cage.triangles.size(),
                  3 * out.cage.vertices.size(), clearance.distance, clearance.point, quadrature));
  return out;
}

}  // namespace pliant
