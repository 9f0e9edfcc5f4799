// SPDX-License-Identifier: Apache-2.0
// The cells of a regular lattice over a surface, and which of them belong to the solid inside it: all that are
// inside or that the surface passes through.
#pragma once

#include <array>
#include <functional>

#include "pliant/base/parallel.hpp"
#include "pliant/geometry/tri_mesh.hpp"
#include "pliant/geometry/triangle_tree.hpp"

namespace pliant {

/// Where the cells are.
struct CellLayout {
  Vec3 origin;               ///< lowest corner, m
  Vec3 step;                 ///< edges of a cell, m
  std::array<int, 3> count;  ///< along every axis
};
/// Cubes of edge h over the points, centred on their bounding box.
CellLayout centred_cells(const Points& points, double h);
/// The bounding box of the points cut into cells of edges between h / 2 and h: its faces are faces of cells. A
/// box thinner than h / 2 lies in the middle of a cell.
CellLayout fitted_cells(const Points& points, double h);

/// Which cells belong to the body.
class CellBox {
 public:
  explicit CellBox(const CellLayout& layout);

  /// A point in a cell.
  struct Place {
    std::array<int, 3> cell;
    Vec3 local;  ///< 0 .. 1 in the cell
  };

  const std::array<int, 3>& count() const { return at_.count; }
  const Vec3& step() const { return at_.step; }
  std::size_t index(int i, int j, int k) const {
    return (std::size_t(k) * std::size_t(at_.count[1]) + std::size_t(j)) * std::size_t(at_.count[0]) +
           std::size_t(i);
  }
  Vec3 corner(int i, int j, int k) const { return at_.origin + at_.step.cwiseProduct(Vec3(i, j, k)); }
  Vec3 centre(int i, int j, int k) const { return corner(i, j, k) + at_.step / 2; }
  bool filled(int i, int j, int k) const { return state_[index(i, j, k)] != 0; }
  bool cut(int i, int j, int k) const { return state_[index(i, j, k)] == 2; }
  void fill(int i, int j, int k) { state_[index(i, j, k)] = std::max<char>(1, state_[index(i, j, k)]); }

  /// The filled cell that the point lies in, or the one where it should be (false).
  bool find(const Vec3& p, Place& out) const;
  /// The surface passes through there.
  void touch(const Vec3& p);

 private:
  CellLayout at_;
  std::vector<char> state_;  ///< 0 outside, 1 inside, 2 cut
};

/// The cells of the solid inside the surface.
CellBox fill_cells(const TriMesh& surface, const TriangleTree& tree, const CellLayout& layout, Pool& pool);

/// The spacing of at most so many nodes, and not many fewer. volume: of the solid, m^3; count: nodes of a
/// spacing.
double spacing_for(const Points& vertices, double volume, int nodes,
                   const std::function<double(double)>& count);

}  // namespace pliant
