// SPDX-License-Identifier: Apache-2.0
// A coarse closed surface around any mesh: an outer surface at a distance (outer_surface.hpp), made coarse by
// collapses that only grow it (progressive_hull.hpp).
#pragma once

#include <functional>
#include <optional>
#include <span>
#include <string>

#include "pliant/base/laps.hpp"
#include "pliant/base/parallel.hpp"
#include "pliant/base/result.hpp"
#include "pliant/geometry/polygon_mesh.hpp"
#include "pliant/geometry/tri_mesh.hpp"

namespace pliant {

/// Size and clearance of an automatic cage.
struct CageOptions {
  int budget = 168;  ///< degrees of freedom, three a vertex: the cage has no more, and as many as it can
  double clearance = 0.015;  ///< of every vertex from the cage, share of the mesh's diagonal
  std::optional<bool> solid =
      {};  ///< fill what holes open up; none: decided by the defect (geometry/inside.hpp)
  /// What begins now, a few words; a large cage takes half a minute.
  std::function<void(const std::string& stage)> progress = {};
};
inline constexpr int least_cage_budget = 12, most_cage_budget = 6000;
inline constexpr double least_clearance_option = 0.004, most_clearance_option = 0.2;

/// How a cage was made.
struct CageReport {
  Index freedoms = 0;     ///< 3 * vertices
  double clearance = 0;   ///< smallest distance of a vertex to the cage, m
  double volume = 0;      ///< of the cage, m^3
  int handles = 0;        ///< of the cage: 0 for a sphere, 1 for a ring
  double filled_gap = 0;  ///< > 0: gaps and handles narrower than this were filled, m
  bool box = false;       ///< a box of cells, because nothing else was found or nothing is tighter
  double ms = 0;
  std::vector<Laps::Lap> stages;
  std::vector<std::string> warnings;  ///< whole sentences
};

/// A cage and how it was made.
struct Cage {
  TriMesh mesh;
  CageReport report;
};

/// Watertight, of one piece, outward, without self-intersections, around every vertex that a face uses
/// (check_cage passes with the clearance asked for). Vertices of no face count for nothing. Same mesh, same
/// cage, whatever the number of threads. The error names no file; a mesh with problems (check_mesh) is one.
Result<Cage> automatic_cage(const PolygonMesh& mesh, const CageOptions& options, Pool& pool);
Result<Cage> automatic_cage(const TriMesh& mesh, const CageOptions& options, Pool& pool);

/// A box of the given number of cells an axis, checkered: diagonals of neighbouring squares run opposite
/// ways, so that none is preferred. 1 x 3 x 6 cells make 56 vertices, 168 degrees of freedom. No faces: what is asked for
/// is no box (fewer than one cell an axis, more than a million vertices, corners that are not finite).
TriMesh box_cage(const Vec3& low, const Vec3& high, const std::array<int, 3>& cells);
/// How many vertices it has; 0: it is no box.
int box_cage_vertices(const std::array<int, 3>& cells);

/// Such a box around points, `clearance` of a cell's edge away from them along every axis. No faces: there are no
/// points, or what is asked for is no box.
TriMesh box_cage_around(std::span<const Vec3> points, const std::array<int, 3>& cells, double clearance);

}  // namespace pliant
