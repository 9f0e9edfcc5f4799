// SPDX-License-Identifier: Apache-2.0
#include "pliant/physics/wind.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

namespace pliant {
namespace {

constexpr double late_turn = 1.5;  // times a^2

/// Half the cross product of two edges: the normal, as long as the area.
Vec3 area_of(const Triangle& t, std::span<const Vec3> x) {
  const Vec3& a = x[std::size_t(t[0])];
  return (x[std::size_t(t[1])] - a).cross(x[std::size_t(t[2])] - a) / 2;
}

/// Mass per area of the surface that each node carries; 0 where it carries none or has no mass.
std::vector<double> node_densities(const Gather& w, std::span<const double> vertex_areas,
                                   std::span<const double> mass) {
  std::vector<double> area(mass.size(), 0);
  for (Index r = 0; r < w.rows(); ++r)
    for (Index k = w.begin[r]; k < w.begin[r + 1]; ++k)
      area[std::size_t(w.column[k])] += std::abs(w.weight[k]) * vertex_areas[std::size_t(r)];
  for (std::size_t i = 0; i < area.size(); ++i) area[i] = area[i] > 0 ? mass[i] / area[i] : 0;
  return area;
}

}  // namespace

WindShare limited(WindShare share, double most) {
  share.along = std::max(share.along, late_turn * share.across * share.across);
  const double sum = share.along + share.across;
  if (!(sum > most)) return share;
  share.across *= most / sum;
  share.along *= most / sum;
  return share;
}

void WindSurface::attach(const Gather& embedding, std::span<const Triangle> triangles,
                         std::span<const Vec3> rest, std::span<const double> mass, bool closed,
                         double within) {
  triangles_.assign(triangles.begin(), triangles.end());
  closed_ = closed;
  on_triangles_.resize(triangles.size());
  std::vector<double> vertex_areas(rest.size(), 0);
  double all = 0;
  for (const Triangle& t : triangles) {
    const double area = area_of(t, rest).norm();
    all += area;
    for (const Index v : t) vertex_areas[std::size_t(v)] += area / 3;
  }
  const double mean = std::accumulate(mass.begin(), mass.end(), within) / all;
  const std::vector<double> of_node = node_densities(embedding, vertex_areas, mass);
  // Nodes without mass of their own ride on the others: the body's mean stands for theirs.
  const auto at_vertex = [&](Index v) {
    double least = std::numeric_limits<double>::infinity();
    for (Index k = embedding.begin[v]; k < embedding.begin[v + 1]; ++k) {
      const double density = of_node[std::size_t(embedding.column[k])];
      least = std::min(least, density > 0 ? density : mean);
    }
    return least;
  };
  mass_.clear();
  lightest_ = std::numeric_limits<double>::infinity();
  for (const Triangle& t : triangles) {
    const double density = std::min({at_vertex(t[0]), at_vertex(t[1]), at_vertex(t[2])});
    mass_.push_back(density * area_of(t, rest).norm());
    lightest_ = std::min(lightest_, density);
  }
}

Vec3 WindSurface::on_triangle(const WindForce& wind, std::size_t t, std::span<const Vec3> vertices,
                              std::span<const Vec3> velocities, double h, double most) const {
  const Triangle& corner = triangles_[t];
  const auto mean = [&](std::span<const Vec3> of) -> Vec3 {
    return (of[std::size_t(corner[0])] + of[std::size_t(corner[1])] + of[std::size_t(corner[2])]) / 3;
  };
  const Vec3 u = wind.velocity - mean(velocities);
  const double speed = u.norm();
  const Vec3 area = area_of(corner, vertices);  // n A, outwards
  const double seen = std::abs(u.dot(area));    // u.n A
  if (!(seen > 0) || !(speed > 0) || (closed_ && u.dot(area) > 0)) return Vec3::Zero();
  const Vec3 along = u / speed, n = area * (u.dot(area) > 0 ? 1 : -1) / area.norm();
  const Vec3 across = n - n.dot(along) * along;
  const double slope = across.norm(), pressure = wind.density * seen / 2;  // kg/s
  if (h == 0 || !(mass_[t] > 0)) return pressure * (wind.drag * u + wind.lift * speed * across);
  const double unit = mass_[t] / h;
  const WindShare share = limited(
      {.along = pressure * wind.drag / unit, .across = pressure * std::abs(wind.lift) * slope / unit}, most);
  Vec3 force = share.along * unit * u;
  if (slope > 0) force += std::copysign(share.across, wind.lift) * unit * speed / slope * across;
  return force;
}

void WindSurface::add(const WindForce& wind, std::span<const Vec3> vertices, std::span<const Vec3> velocities,
                      double h, double most, std::span<Vec3> forces, Pool& pool) {
  for_blocks(pool, int(triangles_.size()), 1024, [&](int begin, int end) {
    for (int t = begin; t < end; ++t)
      on_triangles_[std::size_t(t)] = on_triangle(wind, std::size_t(t), vertices, velocities, h, most);
  });
  for (std::size_t t = 0; t < triangles_.size(); ++t)
    for (const Index v : triangles_[t]) forces[std::size_t(v)] += on_triangles_[t] / 3;
}

double WindSurface::fastest(const WindForce& wind, double h) const {
  return most_wind_share * 2 * lightest_ / (h * wind.density * (wind.drag + std::abs(wind.lift)));
}

}  // namespace pliant
