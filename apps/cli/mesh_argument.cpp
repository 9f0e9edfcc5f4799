// SPDX-License-Identifier: Apache-2.0
#include "mesh_argument.hpp"

#include <algorithm>

#include "pliant/geometry/stray_parts.hpp"
#include "pliant/io/read_mesh.hpp"

namespace pliant::cli {
namespace {

const std::vector<std::string> units{"m", "cm", "mm", "in", "ft"};  // in the order of LengthUnit

}  // namespace

void add_mesh_argument(CLI::App& command, MeshArgument& argument) {
  command.add_option("MESH", argument.file, "surface: obj, ply, stl, off or glb")->required();
  command.add_option("--unit", argument.unit, "unit of the file's coordinates: m, cm, mm, in or ft")
      ->check(CLI::IsMember(units))
      ->capture_default_str();
  command.add_option("--up", argument.up, "axis of the file that points up: y or z")
      ->check(CLI::IsMember({"y", "z"}))
      ->capture_default_str();
}

PolygonMesh read_argument(const MeshArgument& argument) {
  Result<PolygonMesh> mesh = read_polygons(argument.file);
  if (!mesh) throw InputError(mesh.error().text());
  leave_out_stray_parts(*mesh);
  const auto unit = LengthUnit(std::find(units.begin(), units.end(), argument.unit) - units.begin());
  convert(*mesh, metres(unit), argument.up == "z" ? UpAxis::z : UpAxis::y);
  return std::move(*mesh);
}

}  // namespace pliant::cli
