// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/node_grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/base/check.hpp"

namespace pliant {
namespace {

constexpr double most_cells = 2e6;

struct Box {
  Vec3 low = Vec3::Zero(), high = Vec3::Zero();
};
Box box_of(const Points& points) {
  if (points.empty()) return {};
  Box box{points.front(), points.front()};
  for (const Vec3& p : points) {
    box.low = box.low.cwiseMin(p);
    box.high = box.high.cwiseMax(p);
  }
  return box;
}

}  // namespace

NodeGrid::NodeGrid(const Vec3& low, const Vec3& high, double cell) : low_(low), cell_(cell) {
  PLIANT_CHECK(cell > 0);
  const auto cells = [&] { return ((high - low) / cell_).array().floor().matrix() + Vec3::Ones(); };
  while (cells().prod() > most_cells) cell_ *= 1.25;
  for (int k = 0; k < 3; ++k) dims_[k] = std::max<Index>(1, Index(cells()[k]));
  head_.assign(std::size_t(dims_[0]) * dims_[1] * dims_[2], -1);
}

NodeGrid::NodeGrid(const Points& points, double cell)
    : NodeGrid(box_of(points).low, box_of(points).high, cell) {
  points_.reserve(points.size());
  next_.reserve(points.size());
  for (const Vec3& p : points) insert(p);
}

std::array<Index, 3> NodeGrid::cell_of(const Vec3& p) const {
  std::array<Index, 3> c;
  for (int k = 0; k < 3; ++k)
    c[k] = Index(std::clamp(std::floor((p[k] - low_[k]) / cell_), 0.0, double(dims_[k] - 1)));
  return c;
}

void NodeGrid::insert(const Vec3& point) {
  Index& first = head(cell_of(point));
  next_.push_back(first);
  first = size();
  points_.push_back(point);
}

void NodeGrid::nearest(const Vec3& p, int count, double within, std::vector<Found>& out) const {
  out.clear();
  const std::array<Index, 3> home = cell_of(p);
  const Index rings = std::max(
      {home[0], home[1], home[2], dims_[0] - 1 - home[0], dims_[1] - 1 - home[1], dims_[2] - 1 - home[2]});
  const double limit = within * within;
  for (Index ring = 0; ring <= rings; ++ring) {
    std::array<Index, 3> c;
    for (c[2] = std::max<Index>(0, home[2] - ring); c[2] <= std::min(dims_[2] - 1, home[2] + ring); ++c[2])
      for (c[1] = std::max<Index>(0, home[1] - ring); c[1] <= std::min(dims_[1] - 1, home[1] + ring);
           ++c[1]) {
        const bool face = std::abs(c[2] - home[2]) == ring || std::abs(c[1] - home[1]) == ring;
        const Index step = face || ring == 0 ? 1 : 2 * ring;  // inside a face of the shell only its two ends
        for (c[0] = home[0] - ring; c[0] <= home[0] + ring; c[0] += step) {
          if (c[0] < 0 || c[0] >= dims_[0]) continue;
          for (Index i = head(c); i >= 0; i = next_[i])
            if (const double d = (points_[i] - p).squaredNorm(); d <= limit) out.push_back({d, i});
        }
      }
    // Every point nearer than `ring` cells has been seen, also from a place outside the grid.
    const double seen = ring * cell_;
    if (seen >= within) break;
    if (Index(out.size()) >= count) {
      std::nth_element(out.begin(), out.begin() + count - 1, out.end());
      if (out[count - 1].squared <= seen * seen) break;
    }
  }
  const std::size_t keep = std::min<std::size_t>(out.size(), count);
  std::partial_sort(out.begin(), out.begin() + long(keep), out.end());
  out.resize(keep);
}

}  // namespace pliant
