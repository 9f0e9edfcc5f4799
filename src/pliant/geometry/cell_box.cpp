// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/cell_box.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

constexpr double on_face = 1e-6;    // of a cell: a point so near to a neighbour lies in it, too
constexpr double most_cells = 2e8;  // of the bounding box
constexpr int search_steps = 8;     // for the spacing of a number of nodes

/// The lowest and the highest corner of a box around the points.
std::array<Vec3, 2> corners_of(const Points& points) {
  Vec3 low = points.front(), high = low;
  for (const Vec3& p : points) low = low.cwiseMin(p), high = high.cwiseMax(p);
  return {low, high};
}

double cells_of_box(const Points& points, double h) {
  const auto [low, high] = corners_of(points);
  return ((high - low) / h).array().max(1).prod();
}

CellBox::Place place_of(const Vec3& at, const std::array<int, 3>& cell) {
  CellBox::Place out{cell, {}};
  for (int c = 0; c < 3; ++c) out.local[c] = std::clamp(at[c] - cell[c], 0.0, 1.0);
  return out;
}

/// Points of a triangle so dense that no cell in its way is missed by much.
template <class Visit>
void sample_triangle(const Vec3& a, const Vec3& b, const Vec3& c, double step, Visit&& visit) {
  const double longest =
      std::sqrt(std::max({(b - a).squaredNorm(), (c - b).squaredNorm(), (a - c).squaredNorm()}));
  const int n = std::max(1, int(std::ceil(longest / step)));
  for (int i = 0; i <= n; ++i)
    for (int j = 0; i + j <= n; ++j) visit(Vec3(a + (b - a) * (double(i) / n) + (c - a) * (double(j) / n)));
}

}  // namespace

CellLayout centred_cells(const Points& points, double h) {
  const auto [low, high] = corners_of(points);
  const Vec3 wide = high - low;
  CellLayout out{{}, Vec3::Constant(h), {}};
  for (int c = 0; c < 3; ++c) out.count[c] = std::max(1, int(std::ceil(wide[c] / h - on_face)));
  out.origin = 0.5 * (low + high) - 0.5 * h * Vec3(out.count[0], out.count[1], out.count[2]);
  return out;
}

CellLayout fitted_cells(const Points& points, double h) {
  const auto [low, high] = corners_of(points);
  CellLayout out = centred_cells(points, h);
  for (int c = 0; c < 3; ++c) {
    out.step[c] = std::max((high[c] - low[c]) / out.count[c], h / 2);
    out.origin[c] = 0.5 * (low[c] + high[c]) - 0.5 * out.count[c] * out.step[c];
  }
  return out;
}

CellBox::CellBox(const CellLayout& layout) : at_(layout) {
  state_.assign(std::size_t(at_.count[0]) * std::size_t(at_.count[1]) * std::size_t(at_.count[2]), 0);
}

bool CellBox::find(const Vec3& p, Place& out) const {
  const Vec3 at = (p - at_.origin).cwiseQuotient(at_.step);
  std::array<int, 3> low, high;
  for (int c = 0; c < 3; ++c) {
    low[c] = std::clamp(int(std::floor(at[c] - on_face)), 0, at_.count[c] - 1);
    high[c] = std::clamp(int(std::floor(at[c] + on_face)), 0, at_.count[c] - 1);
  }
  for (int k = low[2]; k <= high[2]; ++k)
    for (int j = low[1]; j <= high[1]; ++j)
      for (int i = low[0]; i <= high[0]; ++i)
        if (filled(i, j, k)) {
          out = place_of(at, {i, j, k});
          return true;
        }
  out = place_of(at, high);
  return false;
}

void CellBox::touch(const Vec3& p) {
  Place at;
  find(p, at);
  state_[index(at.cell[0], at.cell[1], at.cell[2])] = 2;
}

CellBox fill_cells(const TriMesh& surface, const TriangleTree& tree, const CellLayout& layout, Pool& pool) {
  CellBox box(layout);
  // A cell is written by one part alone.
  pool.run(box.count()[2], [&](int k) {
    for (int j = 0; j < box.count()[1]; ++j)
      for (int i = 0; i < box.count()[0]; ++i)
        if (tree.winding(box.centre(i, j, k)) > 0.5) box.fill(i, j, k);
  });
  for (const Triangle& t : surface.triangles)
    sample_triangle(surface.vertices[t[0]], surface.vertices[t[1]], surface.vertices[t[2]],
                    layout.step.minCoeff() / 2, [&](const Vec3& p) { box.touch(p); });
  return box;
}

double spacing_for(const Points& vertices, double volume, int nodes,
                   const std::function<double(double)>& count) {
  double h = std::cbrt(volume / nodes);
  while (cells_of_box(vertices, h) > most_cells) h *= 1.25;
  double fits = 0;
  for (int step = 0; step < search_steps; ++step) {
    const double found = count(h);
    if (found <= nodes) fits = fits > 0 ? std::min(fits, h) : h;
    if (found <= nodes && found > 0.85 * nodes) break;
    // cut cells make the count fall less than with the cube of h
    h *= std::pow(found / (0.94 * nodes), 0.4);
  }
  while (fits == 0) {
    h *= 1.1;
    if (count(h) <= std::max(nodes, 8)) fits = h;
  }
  return fits;
}

}  // namespace pliant
