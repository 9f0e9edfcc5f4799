// SPDX-License-Identifier: Apache-2.0
#include "pliant/render/shading_normals.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <numeric>

namespace pliant {
namespace {

Vec3 area_vector(const Points& x, const Triangle& t) {
  return (x[std::size_t(t[1])] - x[std::size_t(t[0])]).cross(x[std::size_t(t[2])] - x[std::size_t(t[0])]);
}

double angle_between(const Vec3& a, const Vec3& b) { return std::atan2(a.cross(b).norm(), a.dot(b)); }

/// For every vertex the lowest vertex at the same place.
std::vector<Index> welded(const Points& rest) {
  std::vector<Index> order(rest.size()), first(rest.size());
  std::iota(order.begin(), order.end(), 0);
  const auto key = [&](Index i) {
    return std::array{rest[std::size_t(i)].x(), rest[std::size_t(i)].y(), rest[std::size_t(i)].z(),
                      double(i)};
  };
  std::sort(order.begin(), order.end(), [&](Index a, Index b) { return key(a) < key(b); });
  for (std::size_t k = 0; k < order.size(); ++k) {
    const bool same = k > 0 && rest[std::size_t(order[k])] == rest[std::size_t(order[k - 1])];
    first[std::size_t(order[k])] = same ? first[std::size_t(order[k - 1])] : order[k];
  }
  return first;
}

struct Corner {
  Index vertex, triangle;
  int slot;
};

}  // namespace

ShadingNormals::ShadingNormals(const Points& rest, const std::vector<Triangle>& triangles,
                               double crease_degrees)
    : corners_(triangles.size()) {
  const std::vector<Index> weld = welded(rest);
  const double crease = crease_degrees * std::numbers::pi / 180;
  std::vector<Corner> all;
  Points flat(triangles.size());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    flat[t] = area_vector(rest, triangles[t]);
    for (int k = 0; k < 3; ++k) all.push_back({weld[std::size_t(triangles[t][std::size_t(k)])], Index(t), k});
  }
  std::stable_sort(all.begin(), all.end(),
                   [](const Corner& a, const Corner& b) { return a.vertex < b.vertex; });

  const auto other = [&](const Corner& c, int step) {
    return weld[std::size_t(triangles[std::size_t(c.triangle)][std::size_t((c.slot + step) % 3)])];
  };
  const auto share_edge = [&](const Corner& a, const Corner& b) {
    for (int i = 1; i <= 2; ++i)
      for (int j = 1; j <= 2; ++j)
        if (other(a, i) == other(b, j)) return true;
    return false;
  };
  Index groups = 0;
  std::vector<Index> label;
  for (std::size_t begin = 0; begin < all.size();) {
    std::size_t end = begin;
    while (end < all.size() && all[end].vertex == all[begin].vertex) ++end;
    // Corners of one vertex that are linked by edges flatter than the crease: spread the lowest label.
    label.resize(end - begin);
    std::iota(label.begin(), label.end(), 0);
    for (bool changed = true; changed;) {
      changed = false;
      for (std::size_t a = begin; a < end; ++a)
        for (std::size_t b = a + 1; b < end; ++b) {
          Index &la = label[a - begin], &lb = label[b - begin];
          if (la == lb || !share_edge(all[a], all[b])) continue;
          const Vec3 &na = flat[std::size_t(all[a].triangle)], &nb = flat[std::size_t(all[b].triangle)];
          if (angle_between(na, nb) > crease) continue;
          la = lb = std::min(la, lb);
          changed = true;
        }
    }
    for (std::size_t a = begin; a < end; ++a) {
      Index& corner = corners_[std::size_t(all[a].triangle)][std::size_t(all[a].slot)];
      const Index mine = label[a - begin];
      corner = mine == Index(a - begin) ? groups++
                                        : corners_[std::size_t(all[begin + std::size_t(mine)].triangle)]
                                                  [std::size_t(all[begin + std::size_t(mine)].slot)];
    }
    begin = end;
  }
  normals_.assign(std::size_t(groups), Eigen::Vector3f::UnitY());
  update(rest, triangles);
}

void ShadingNormals::update(const Points& positions, const std::vector<Triangle>& triangles) {
  sums_.assign(normals_.size(), Vec3::Zero());
  for (std::size_t t = 0; t < triangles.size(); ++t) {
    const Triangle& tri = triangles[t];
    const Vec3 area = area_vector(positions, tri);
    for (std::size_t k = 0; k < 3; ++k) {
      const Vec3& p = positions[std::size_t(tri[k])];
      const double angle = angle_between(positions[std::size_t(tri[(k + 1) % 3])] - p,
                                         positions[std::size_t(tri[(k + 2) % 3])] - p);
      sums_[std::size_t(corners_[t][k])] += angle * area;
    }
  }
  for (std::size_t g = 0; g < normals_.size(); ++g) {
    const double length = sums_[g].norm();
    if (length > 0) normals_[g] = (sums_[g] / length).cast<float>();
  }
}

}  // namespace pliant
