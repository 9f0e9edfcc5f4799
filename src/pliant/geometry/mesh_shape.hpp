// SPDX-License-Identifier: Apache-2.0
// Any surface as a body: a graph of nodes inside it (solids) or on it (shells), and the user's own surface
// riding on them. No tetrahedra.
#pragma once

#include <functional>
#include <optional>
#include <string>

#include "pliant/base/laps.hpp"
#include "pliant/base/parallel.hpp"
#include "pliant/geometry/inside.hpp"
#include "pliant/geometry/shape.hpp"

namespace pliant {

/// How a mesh becomes a body.
struct MeshShapeOptions {
  int nodes = 5000;                                      ///< budget; 4 .. 10 million
  std::optional<bool> solid{};                           ///< none: decided by the defect
  double thickness = 0;                                  ///< of a shell, m; 0 = 0.01 of the diagonal
  bool join = false;                                     ///< link parts that nothing joins
  std::function<void(const char* stage)> progress = {};  ///< what begins now, a few words
  std::string for_sheets = {};  ///< what else to do where a lattice refuses a sheet, for the message
};

/// What was built, for `inspect`, `prepare` and the log of a run.
struct MeshShapeReport {
  RepairReport repair;
  Solidity solidity;
  bool solid = true;
  Index points = 0;    ///< of a cloud without faces; 0: a surface
  double volume = 0;   ///< m^3 (shell: area * thickness)
  double spacing = 0;  ///< lattice constant a, m
  Index nodes = 0, lattice_nodes = 0, cover_nodes = 0, frame_nodes = 0;
  Index bridges = 0;  ///< edges along the surface where nothing else joins two parts
  Index parts = 0;    ///< connected pieces of the graph
  Index least_degree = 0, most_degree = 0;
  double mean_degree = 0;
  double anisotropy = 1;  ///< of the stiffness tensor; above 2: thinner than one cell
  double setup_ms = 0;
  std::vector<Laps::Lap> stages;      ///< where that time went
  std::vector<std::string> warnings;  ///< whole sentences: parts that will fall apart, doubtful solidity, ...
};

/// The body at rest, and how it was made.
struct MeshShape {
  Shape shape;
  MeshShapeReport report;
};

/// Surface vertices of the shape are the input's, in its order. The error names no file; corners that do not exist,
/// coordinates that are not finite and arrays that do not fit each other are errors (check_mesh), dirt is not.
Result<MeshShape> make_mesh_shape(const PolygonMesh& mesh, const MeshShapeOptions& options, Pool& pool);

}  // namespace pliant
