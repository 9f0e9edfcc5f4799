// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/prepare.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pliant/base/layout.hpp"
#include "pliant/geometry/cage.hpp"
#include "pliant/geometry/cage_check.hpp"
#include "pliant/geometry/voxel_quadrature.hpp"

namespace pliant::cage {
namespace {

Result<TriMesh> read_cage(const std::string& name, Making& making) {
  const auto named = [&](Error error) {
    for (Problem& problem : error.problems)
      problem.place = fmt::format("cage.file: {}{}{}", making.files.place(name),
                                  problem.place.empty() ? "" : ": ", problem.place);
    return error;
  };
  Result<PolygonMesh> polygons = making.files.mesh(name);
  if (!polygons) return named(polygons.error());
  if (3 * polygons->vertices.size() > std::size_t(most_cage_budget))
    return named({{},
                  {{{},
                    fmt::format("a cage of {} degrees of freedom", 3 * polygons->vertices.size()),
                    fmt::format("at most {}", most_cage_budget),
                    "`pliant prepare MESH --cage OUT --budget N` makes a coarse one"}}});
  if (making.placement) place_like(*making.placement, *polygons);
  return TriMesh{polygons->vertices, fan_triangles(*polygons)};
}

Result<TriMesh> make_cage(const Options& options, const Shape& shape, Making& making) {
  if (!options.file.empty()) return read_cage(options.file, making);
  if (options.cells[0] > 0) return box_cage_around(shape.surface.vertices, options.cells, options.clearance);
  const int budget = options.budget > 0 ? options.budget : default_budget;
  Result<Cage> made = automatic_cage(shape.surface, {.budget = budget}, making.pool);
  if (!made) {
    Error error = made.error();
    for (Problem& problem : error.problems) problem.place = "cage.budget";
    return error;
  }
  making.notes.insert(making.notes.end(), made->report.warnings.begin(), made->report.warnings.end());
  return std::move(made->mesh);
}

}  // namespace

std::vector<Problem> check(const Options& options) {
  std::vector<Problem> problems;
  const auto [least, most] = std::minmax_element(options.cells.begin(), options.cells.end());
  const int told = !options.file.empty() + (options.budget > 0) + (*most > 0);
  if (told > 1)
    problems.push_back({"cage", "more than one cage", "at most one of file, budget and cells",
                        "\"cage\": {\"cells\": [2, 2, 6]} is a box"});
  if (options.budget > 0 && options.budget < least_cage_budget)
    problems.push_back(
        {"cage.budget", std::to_string(options.budget), fmt::format("at least {}", least_cage_budget), {}});
  if (*most > 0 && *least < 1)
    problems.push_back({"cage.cells", value_text(options.cells), "at least 1 along every axis", {}});
  if (const int freedoms = 3 * box_cage_vertices(options.cells); *least > 0 && freedoms > most_cage_budget)
    problems.push_back({"cage.cells",
                        fmt::format("{}: {} degrees of freedom", value_text(options.cells), freedoms),
                        fmt::format("at most {} degrees of freedom", most_cage_budget),
                        {}});
  return problems;
}

std::vector<Problem> prepare(Options& options, Shape& shape, Making& making) {
  Result<TriMesh> cage = make_cage(options, shape, making);
  if (!cage) return cage.error().problems;
  if (std::optional<Problem> problem = check_cage(*cage, shape.surface.vertices)) {
    problem->place = fmt::format("cage{}{}{}", options.file.empty() ? "" : ".file",
                                 problem->place.empty() ? "" : ": ", problem->place);
    return {*problem};
  }
  const CageClearance clearance = cage_clearance(*cage, shape.surface.vertices);
  shape = with_quadrature(shape, points_for(options, int(cage->vertices.size())));
  if (shape.graph.positions.empty())
    return {{"shape", "a surface with nothing inside", "a solid: a cage moves what is inside it",
             "sheets and shells belong to the geometric method"}};
  making.notes.push_back(fmt::format(
      "a cage of {} vertices and {} faces, {} degrees of freedom, {:.3g} m from the surface "
      "at vertex {}; {} quadrature points",
      cage->vertices.size(), cage->triangles.size(), 3 * cage->vertices.size(), clearance.distance,
      clearance.point, shape.graph.positions.size() - shape.surface.vertices.size()));
  options.mesh = std::move(*cage);
  return {};
}

}  // namespace pliant::cage
