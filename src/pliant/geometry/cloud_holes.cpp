// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/cloud_holes.hpp"

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

#include "pliant/geometry/moving_least_squares.hpp"
#include "pliant/geometry/node_grid.hpp"

namespace pliant {
namespace {

constexpr int neighbours = 20;  // points scattered at random rarely leave a wide angle free of so many
constexpr double widest_gap =
    2.3;  // rad, between directions to neighbours; wider: a rim. Straight rims have pi
constexpr double other_face = 0.5;   // cosine between normals; beyond lies an edge of the surface
constexpr double other_side = -0.3;  // the skin goes on around a sharp edge
constexpr int least_rim = 3;         // of the neighbours; fewer: chance
constexpr int block = 256;

using Found = std::vector<NodeGrid::Found>;

bool at_rim(Index i, const Points& points, const Points& normals, const Found& found,
            std::vector<double>& angles) {
  const Vec3 &x = points[std::size_t(i)], &n = normals[std::size_t(i)];
  const Vec3 a = n.unitOrthogonal(), b = n.cross(a);
  angles.clear();
  const auto see = [&](const Vec3& way) { angles.push_back(std::atan2(b.dot(way), a.dot(way))); };
  for (const auto& f : found) {
    if (f.id == i) continue;
    const Vec3& m = normals[std::size_t(f.id)];
    if (m.dot(n) < other_side) return false;
    see(points[std::size_t(f.id)] - x);
    if (m.dot(n) < other_face) see(m), see(-m);  // a face beyond an edge, which may be at the point itself
  }
  if (angles.empty()) return false;
  std::sort(angles.begin(), angles.end());
  double gap = angles.front() + 2 * std::numbers::pi - angles.back();
  for (std::size_t k = 1; k < angles.size(); ++k) gap = std::max(gap, angles[k] - angles[k - 1]);
  return gap > widest_gap;
}

/// Sums over the points of a rim.
struct Rim {
  double count = 0;
  Vec3 sum = Vec3::Zero();
  Mat3 second = Mat3::Zero();

  /// Points all around an ellipse with half-axes p and q vary by p^2/2 and q^2/2 along them; its area is pi p q.
  double lid() const {
    const Mat3 spread = second / count - sum / count * (sum / count).transpose();
    const Vec3 values = Eigen::SelfAdjointEigenSolver<Mat3>(spread, Eigen::EigenvaluesOnly).eigenvalues();
    return 2 * std::numbers::pi * std::sqrt(std::max(0.0, values[1]) * std::max(0.0, values[2]));
  }
};

}  // namespace

double hole_area(const Points& points, const Points& normals, Pool& pool) {
  const NodeGrid grid(points,
                      std::max(median_nearest(points), 1e-9 * (points.front() - points.back()).norm()));
  const auto nearest = [&](Index i, Found& found) {
    grid.nearest(points[std::size_t(i)], neighbours + 1, std::numeric_limits<double>::infinity(), found);
  };
  std::vector<char> rim(points.size(), 0);
  for_blocks(pool, int(points.size()), block, [&](int begin, int end) {
    Found found;
    std::vector<double> angles;
    for (Index i = begin; i < end; ++i) {
      nearest(i, found);
      rim[std::size_t(i)] = at_rim(i, points, normals, found, angles);
    }
  });

  std::vector<Index> hole(points.size());  // a point of the same rim nearer to its root, or itself
  std::iota(hole.begin(), hole.end(), 0);
  const auto root = [&](Index i) {
    while (hole[std::size_t(i)] != i) i = hole[std::size_t(i)] = hole[std::size_t(hole[std::size_t(i)])];
    return i;
  };
  std::vector<Rim> rims(points.size());
  std::vector<Index> along;
  Found found;
  for (Index i = 0; i < Index(points.size()); ++i) {
    if (!rim[std::size_t(i)]) continue;
    nearest(i, found);
    std::erase_if(found, [&](const auto& f) { return f.id == i || !rim[std::size_t(f.id)]; });
    if (found.size() < least_rim) continue;
    along.push_back(i);
    for (const auto& f : found) hole[std::size_t(root(f.id))] = root(i);
  }
  for (const Index i : along) {
    Rim& sums = rims[std::size_t(root(i))];
    const Vec3 x = points[std::size_t(i)] - points.front();
    sums.count += 1, sums.sum += x, sums.second += x * x.transpose();
  }
  double area = 0;
  for (const Rim& r : rims)
    if (r.count > 0) area += r.lid();
  return area;
}

}  // namespace pliant
