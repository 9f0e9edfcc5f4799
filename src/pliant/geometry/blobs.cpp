// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/blobs.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

double end_radius(const BlobPart& part) { return part.end_radius > 0 ? part.end_radius : part.radius; }

/// Distance to the axis less the radius there. Exact for equal radii; else off by the slope of the cone.
double part_distance(const BlobPart& part, const Vec3& p) {
  const Vec3 axis = part.to - part.from;
  const double length2 = axis.squaredNorm();
  const double s = length2 > 0 ? std::clamp((p - part.from).dot(axis) / length2, 0.0, 1.0) : 0;
  return (p - part.from - s * axis).norm() - ((1 - s) * part.radius + s * end_radius(part));
}

Vec3 gradient(const Blobs& blobs, const Vec3& p, double step) {
  Vec3 g;
  for (int c = 0; c < 3; ++c) {
    const Vec3 d = step * Vec3::Unit(c);
    g[c] = (blob_distance(blobs, p + d) - blob_distance(blobs, p - d)) / (2 * step);
  }
  return g;
}

/// Values at the corners of a grid that holds the surface with room around it.
struct Grid {
  Vec3 origin{0, 0, 0};
  double cell = 0;
  std::array<Index, 3> corners{};  ///< per axis
  std::vector<float> value;

  Index at(Index x, Index y, Index z) const { return (z * corners[1] + y) * corners[0] + x; }
  Vec3 place(Index x, Index y, Index z) const { return origin + cell * Vec3(x, y, z); }
};

Grid sample(const Blobs& blobs) {
  Vec3 low = Vec3::Constant(INFINITY), high = -low;
  for (const BlobPart& part : blobs.parts)
    for (const auto& [point, radius] : {std::pair{part.from, part.radius}, {part.to, end_radius(part)}}) {
      low = low.cwiseMin(point - Vec3::Constant(radius));
      high = high.cwiseMax(point + Vec3::Constant(radius));
    }
  // Melting only adds: at most k log(parts).
  const double room = blobs.blend * std::log(double(blobs.parts.size()));
  Grid grid;
  grid.cell = (high - low + Vec3::Constant(2 * room)).maxCoeff() / blobs.resolution;
  const double margin = room + 1.6 * grid.cell;
  grid.origin = low - Vec3::Constant(margin);
  std::size_t count = 1;
  for (int c = 0; c < 3; ++c) {
    grid.corners[c] = Index((high[c] - low[c] + 2 * margin) / grid.cell) + 2;
    count *= std::size_t(grid.corners[c]);
  }
  grid.value.resize(count);
  for (Index z = 0; z < grid.corners[2]; ++z)
    for (Index y = 0; y < grid.corners[1]; ++y)
      for (Index x = 0; x < grid.corners[0]; ++x)
        grid.value[grid.at(x, y, z)] = float(blob_distance(blobs, grid.place(x, y, z)));
  return grid;
}

/// The mean of the places where the surface crosses the cell's edges; false: it does not.
bool cell_vertex(const Grid& grid, Index x, Index y, Index z, Vec3& out) {
  std::array<float, 8> v;
  for (int c = 0; c < 8; ++c) v[c] = grid.value[grid.at(x + (c & 1), y + (c >> 1 & 1), z + (c >> 2))];
  Vec3 sum = Vec3::Zero();
  int count = 0;
  for (int c = 0; c < 8; ++c)
    for (int axis = 0; axis < 3; ++axis) {
      const int other = c | 1 << axis;
      if (other == c || (v[c] < 0) == (v[other] < 0)) continue;
      const double s = v[c] / (v[c] - v[other]);
      Vec3 p(c & 1, c >> 1 & 1, c >> 2);
      p[axis] += s;
      sum += p;
      ++count;
    }
  if (count == 0) return false;
  out = grid.place(x, y, z) + grid.cell * sum / count;
  return true;
}

void move_onto_surface(const Blobs& blobs, double cell, Points& vertices) {
  for (Vec3& p : vertices)
    for (int k = 0; k < 2; ++k) {
      const Vec3 g = gradient(blobs, p, 1e-3 * cell);
      const double slope2 = g.squaredNorm();
      if (!(slope2 > 1e-4)) break;  // between two parts, where distance has no direction
      Vec3 step = -blob_distance(blobs, p) / slope2 * g;
      if (step.norm() > 0.5 * cell) step *= 0.5 * cell / step.norm();
      p += step;
    }
}

}  // namespace

double blob_distance(const Blobs& blobs, const Vec3& point) {
  double nearest = INFINITY;
  for (const BlobPart& part : blobs.parts) nearest = std::min(nearest, part_distance(part, point));
  if (!(blobs.blend > 0) || !std::isfinite(nearest)) return nearest;
  double sum = 0;
  for (const BlobPart& part : blobs.parts) {
    const double over = (part_distance(part, point) - nearest) / blobs.blend;
    if (over < 40) sum += std::exp(-over);
  }
  return nearest - blobs.blend * std::log(sum);
}

namespace {

/// Numbers that make no grid.
std::optional<Error> trouble_of(const Blobs& blobs) {
  constexpr double largest = 1e15;  // m
  constexpr int least_cells = 4, most_cells = 1024;
  const auto refuse = [](std::string place, std::string found, std::string expected) {
    return Error{{}, {{std::move(place), std::move(found), std::move(expected), {}}}};
  };
  if (blobs.resolution < least_cells || blobs.resolution > most_cells)
    return refuse("resolution", std::to_string(blobs.resolution),
                  fmt::format("{} to {} cells along the longest side", least_cells, most_cells));
  double size = 0, radius = 0;
  for (std::size_t i = 0; i < blobs.parts.size(); ++i) {
    const BlobPart& part = blobs.parts[i];
    if (!part.from.allFinite() || !part.to.allFinite())
      return refuse(fmt::format("parts.{}", i), "a place that is not finite", "numbers of at most 1e+15 m");
    for (const double value : {part.from.cwiseAbs().maxCoeff(), part.to.cwiseAbs().maxCoeff(), part.radius,
                               std::abs(part.end_radius)})
      if (!(value <= largest))
        return refuse(fmt::format("parts.{}", i), fmt::format("{:g}", value), "numbers of at most 1e+15 m");
    radius = std::max({radius, part.radius, end_radius(part)});
    size = std::max(size, (part.from - blobs.parts[0].from).norm());
  }
  if (!(blobs.blend >= 0) || !(blobs.blend <= 100 * (size + radius)))
    return refuse("blend", fmt::format("{:g}", blobs.blend), "0 m to a hundred times the size of the parts");
  return std::nullopt;
}

}  // namespace

Result<PolygonMesh> blob_surface(const Blobs& blobs) {
  if (blobs.parts.empty()) return Error{{}, {{"parts", "none", "at least one part", {}}}};
  for (std::size_t i = 0; i < blobs.parts.size(); ++i)
    if (!(blobs.parts[i].radius > 0))
      return Error{{},
                   {{fmt::format("parts.{}.radius", i),
                     fmt::format("{:g}", blobs.parts[i].radius),
                     "a radius > 0 m",
                     {}}}};
  if (auto wrong = trouble_of(blobs)) return *wrong;
  const Grid grid = sample(blobs);
  PolygonMesh mesh;
  std::vector<Index> vertex_of(grid.value.size(), -1);  // of the cell whose lowest corner it is
  for (Index z = 0; z + 1 < grid.corners[2]; ++z)
    for (Index y = 0; y + 1 < grid.corners[1]; ++y)
      for (Index x = 0; x + 1 < grid.corners[0]; ++x) {
        Vec3 p;
        if (!cell_vertex(grid, x, y, z, p)) continue;
        vertex_of[grid.at(x, y, z)] = Index(mesh.vertices.size());
        mesh.vertices.push_back(p);
      }
  // Around the grid edge from corner c along an axis lie four cells; their vertices, counter-clockwise seen
  // from outside, are a face.
  const std::array<Index, 3> stride{1, grid.corners[0], grid.corners[0] * grid.corners[1]};
  std::array<Index, 3> c;
  for (c[2] = 1; c[2] + 1 < grid.corners[2]; ++c[2])
    for (c[1] = 1; c[1] + 1 < grid.corners[1]; ++c[1])
      for (c[0] = 1; c[0] + 1 < grid.corners[0]; ++c[0]) {
        const Index here = grid.at(c[0], c[1], c[2]);
        for (int axis = 0; axis < 3; ++axis) {
          const bool inside = grid.value[here] < 0, ends_inside = grid.value[here + stride[axis]] < 0;
          if (inside == ends_inside) continue;
          const Index u = stride[(axis + 1) % 3], v = stride[(axis + 2) % 3];
          std::array<Index, 4> face{vertex_of[here], vertex_of[here - u], vertex_of[here - u - v],
                                    vertex_of[here - v]};
          if (ends_inside) std::swap(face[1], face[3]);
          mesh.corner.insert(mesh.corner.end(), face.begin(), face.end());
          mesh.face_begin.push_back(Index(mesh.corner.size()));
        }
      }
  move_onto_surface(blobs, grid.cell, mesh.vertices);
  return mesh;
}

}  // namespace pliant
