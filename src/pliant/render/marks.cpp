// SPDX-License-Identifier: Apache-2.0
#include "pliant/render/marks.hpp"

#include <Eigen/Eigenvalues>
#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numbers>
#include <set>

#include "pliant/geometry/tube.hpp"

namespace pliant {
namespace {

Vec3 normal_of(const TriMesh& mesh, const Triangle& t) {
  const Vec3 &a = mesh.vertices[std::size_t(t[0])], &b = mesh.vertices[std::size_t(t[1])],
             &c = mesh.vertices[std::size_t(t[2])];
  return (b - a).cross(c - a).normalized();
}

double longest_side(const TriMesh& mesh, const Triangle& t) {
  double longest = 0;
  for (int k = 0; k < 3; ++k)
    longest = std::max(longest, (mesh.vertices[std::size_t(t[std::size_t(k)])] -
                                 mesh.vertices[std::size_t(t[std::size_t((k + 1) % 3)])])
                                    .norm());
  return longest;
}

/// A box from its centre, axes (columns) and half extents.
TriMesh box(const Vec3& center, const Mat3& axes, const Vec3& half) {
  CellCorners corners;
  for (int c = 0; c < 8; ++c)
    corners[std::size_t(c)] = center + axes * Vec3(c & 1 ? half.x() : -half.x(), c & 2 ? half.y() : -half.y(),
                                                   c & 4 ? half.z() : -half.z());
  return cell_surfaces({corners});
}

void add_cone(const Vec3& base, const Vec3& tip, double radius, TriMesh& out) {
  constexpr Index around = 16;
  const Vec3 axis = (tip - base).normalized();
  Index least = 0;
  axis.cwiseAbs().minCoeff(&least);
  const Vec3 side = axis.cross(Vec3::Unit(least)).normalized(), other = axis.cross(side);
  const Index first = Index(out.vertices.size());
  out.vertices.push_back(tip);
  out.vertices.push_back(base);
  for (Index k = 0; k < around; ++k) {
    const double turn = 2 * std::numbers::pi * k / around;
    out.vertices.push_back(base + radius * (std::cos(turn) * side + std::sin(turn) * other));
  }
  for (Index k = 0; k < around; ++k) {
    const Index p = first + 2 + k, q = first + 2 + (k + 1) % around;
    out.triangles.push_back({first, p, q});
    out.triangles.push_back({first + 1, q, p});
  }
}

}  // namespace

void append(const TriMesh& mesh, TriMesh& to) {
  const Index first = Index(to.vertices.size());
  to.vertices.insert(to.vertices.end(), mesh.vertices.begin(), mesh.vertices.end());
  for (const Triangle& t : mesh.triangles) to.triangles.push_back({t[0] + first, t[1] + first, t[2] + first});
}

std::vector<DrawnEdge> drawn_edges(const TriMesh& rest) {
  std::map<DrawnEdge, std::vector<const Triangle*>> sides;
  for (const Triangle& t : rest.triangles)
    for (int k = 0; k < 3; ++k) {
      const Index a = t[std::size_t(k)], b = t[std::size_t((k + 1) % 3)];
      sides[{std::min(a, b), std::max(a, b)}].push_back(&t);
    }
  std::vector<DrawnEdge> out;
  for (const auto& [edge, faces] : sides) {
    const double length =
        (rest.vertices[std::size_t(edge.first)] - rest.vertices[std::size_t(edge.second)]).norm();
    const auto is_diagonal = [&](const Triangle* t) { return length > longest_side(rest, *t) * (1 - 1e-9); };
    const bool diagonal = faces.size() == 2 && is_diagonal(faces[0]) && is_diagonal(faces[1]) &&
                          normal_of(rest, *faces[0]).dot(normal_of(rest, *faces[1])) > 1 - 1e-9;
    if (!diagonal) out.push_back(edge);
  }
  return out;
}

TriMesh rods(const Points& points, const std::vector<DrawnEdge>& edges, double radius) {
  TriMesh out;
  for (const auto& [i, j] : edges) {
    const Vec3 &a = points[std::size_t(i)], &b = points[std::size_t(j)];
    if ((b - a).norm() > 0) add_tube(a, b, (b - a).normalized(), radius, out);
  }
  return out;
}

TriMesh balls(const Points& points, double radius) {
  TriMesh out;
  std::set<std::array<long, 3>> taken;
  for (const Vec3& p : points) {
    std::array<long, 3> cube;
    for (int c = 0; c < 3; ++c) cube[std::size_t(c)] = std::lround(p[c] / (4 * radius));
    if (taken.insert(cube).second) add_tube(p, p, Vec3::UnitY(), radius, out);
  }
  return out;
}

// The sides of the plate are those of the smallest rectangle around the points, to a degree.
TriMesh plate(const Points& points, const Vec3& body, double thickness) {
  if (points.size() < 6) return {};
  Vec3 center = Vec3::Zero();
  for (const Vec3& p : points) center += p / double(points.size());
  Mat3 spread = Mat3::Zero();
  for (const Vec3& p : points) spread += (p - center) * (p - center).transpose();
  const Eigen::SelfAdjointEigenSolver<Mat3> solver(spread);
  const Vec3 width = solver.eigenvalues().cwiseMax(0).cwiseSqrt();  // ascending
  if (!(width[0] < 0.02 * width[2] && width[1] > 0.15 * width[2])) return {};
  Vec3 out = solver.eigenvectors().col(0);
  if (out.dot(body - center) > 0) out = -out;
  double least = std::numeric_limits<double>::infinity();
  Mat3 axes;
  Vec3 low, high;
  for (int degrees = 0; degrees < 90; ++degrees) {
    const Vec3 side = Eigen::AngleAxisd(degrees * std::numbers::pi / 180, out) * solver.eigenvectors().col(1);
    Mat3 turned;
    turned << out, side, out.cross(side);
    Vec3 from = Vec3::Constant(std::numeric_limits<double>::infinity()), to = -from;
    for (const Vec3& p : points) {
      const Vec3 at = turned.transpose() * (p - center);
      from = from.cwiseMin(at), to = to.cwiseMax(at);
    }
    const double area = (to - from).tail<2>().prod();
    if (area < least) least = area, axes = turned, low = from, high = to;
  }
  low.tail<2>().array() -= 1.2 * thickness, high.tail<2>().array() += 1.2 * thickness;
  low[0] = 0.02 * thickness, high[0] = thickness;
  return box(center + axes * (low + high) / 2, axes, (high - low) / 2);
}

TriMesh arrow(const Points& path, double radius) {
  TriMesh out;
  double length = 0;
  for (std::size_t i = 1; i < path.size(); ++i) length += (path[i] - path[i - 1]).norm();
  const double head = std::min(6 * radius, length / 2);
  if (!(length > 2 * radius)) return out;
  // The rod ends where the head begins.
  double gone = 0;
  Vec3 last = path.front();
  for (std::size_t i = 1; i < path.size() && gone < length - head; ++i) {
    Vec3 to = path[i];
    const double step = (to - last).norm();
    if (gone + step > length - head) to = last + (to - last) * ((length - head - gone) / step);
    if ((to - last).norm() > 0) add_tube(last, to, (to - last).normalized(), radius, out);
    gone += step;
    last = to;
  }
  if ((path.back() - last).norm() > 0) add_cone(last, path.back(), 2.6 * radius, out);
  return out;
}

TriMesh cell_surfaces(const std::vector<CellCorners>& cells) {
  static constexpr std::array<std::array<Index, 4>, 6> sides = {
      {{0, 4, 6, 2}, {1, 3, 7, 5}, {0, 1, 5, 4}, {2, 6, 7, 3}, {0, 2, 3, 1}, {4, 5, 7, 6}}};
  TriMesh out;
  for (const CellCorners& cell : cells)
    for (const auto& side : sides) {  // corners of their own: sides stay flat
      const Index first = Index(out.vertices.size());
      for (const Index c : side) out.vertices.push_back(cell[std::size_t(c)]);
      out.triangles.push_back({first, first + 1, first + 2});
      out.triangles.push_back({first, first + 2, first + 3});
    }
  return out;
}

}  // namespace pliant
