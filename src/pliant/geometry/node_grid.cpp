// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/node_grid.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/base/check.hpp"

namespace pliant {
namespace {

constexpr double most_cells = 2e6;
constexpr double as_far = 1 + 1e-6;  // squared distances that may be a tie (Found)

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
  items_.reserve(points.size());
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
  items_.push_back({point, first});
  first = size() - 1;
}

/// Square of how far p is at least from the points in layer c of an axis. The outermost layers reach to
/// infinity; rounding may put a point into a layer it just does not belong to.
inline double NodeGrid::squared_gap(const Vec3& p, int axis, Index c) const {
  const double slack = 1e-9 * cell_;
  const double below = c > 0 ? low_[axis] + double(c) * cell_ - p[axis] : 0;
  const double above = c + 1 < dims_[axis] ? p[axis] - (low_[axis] + double(c + 1) * cell_) : 0;
  const double gap = std::max({below - slack, above - slack, 0.0});
  return gap * gap;
}

void NodeGrid::nearest(const Vec3& p, int count, double within, std::vector<Found>& out) const {
  out.clear();
  if (count <= 0) return;
  const std::array<Index, 3> home = cell_of(p);
  const Index rings = std::max(
      {home[0], home[1], home[2], dims_[0] - 1 - home[0], dims_[1] - 1 - home[1], dims_[2] - 1 - home[2]});
  double limit = within * within;
  const auto offer = [&](const Found& found) {
    if (Index(out.size()) == count) {
      if (!(found < out.back())) return;
      out.pop_back();
    }
    out.push_back(found);
    Found *const first = out.data(), *at = first + out.size() - 1;
    for (; at != first && found < *(at - 1); --at) *at = *(at - 1);
    *at = found;
    if (Index(out.size()) == count) limit = std::min(within * within, as_far * out.back().squared);
  };
  // The gaps of the layers around home are asked again and again.
  constexpr Index near = 4;
  double known[3][2 * near + 1];
  const auto gap = [&](int axis, Index c) {
    const Index k = c - home[axis] + near;
    return k >= 0 && k <= 2 * near ? known[axis][k] : squared_gap(p, axis, c);
  };
  for (Index ring = 0; ring <= rings; ++ring) {
    if (ring <= near)
      for (int axis = 0; axis < 3; ++axis)
        for (const Index k : {-ring, ring}) known[axis][near + k] = squared_gap(p, axis, home[axis] + k);
    std::array<Index, 3> c;
    bool any = false;
    for (c[2] = std::max<Index>(0, home[2] - ring); c[2] <= std::min(dims_[2] - 1, home[2] + ring); ++c[2]) {
      const double layer = gap(2, c[2]);
      if (layer > limit) continue;
      for (c[1] = std::max<Index>(0, home[1] - ring); c[1] <= std::min(dims_[1] - 1, home[1] + ring);
           ++c[1]) {
        const double row = layer + gap(1, c[1]);
        if (row > limit) continue;
        const bool face = std::abs(c[2] - home[2]) == ring || std::abs(c[1] - home[1]) == ring;
        const Index step = face || ring == 0 ? 1 : 2 * ring;  // inside a face of the shell only its two ends
        for (c[0] = home[0] - ring; c[0] <= home[0] + ring; c[0] += step) {
          if (c[0] < 0 || c[0] >= dims_[0] || row + gap(0, c[0]) > limit) continue;
          any = true;
          for (Index i = head(c); i >= 0; i = items_[std::size_t(i)].next)
            if (const double d = (items_[std::size_t(i)].point - p).squaredNorm(); d <= limit) offer({d, i});
        }
      }
    }
    if (!any) break;  // rings farther out are farther away
  }
}

}  // namespace pliant
