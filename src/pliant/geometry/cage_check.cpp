// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/cage_check.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>

#include "pliant/geometry/check_geometry.hpp"
#include "pliant/geometry/repair.hpp"
#include "pliant/geometry/surface_edges.hpp"
#include "pliant/geometry/triangle_gap.hpp"
#include "pliant/geometry/triangle_tree.hpp"

namespace pliant {
namespace {

constexpr double touching = 1e-9;  // of the diagonal: faces so near to each other touch
constexpr double flat = 1e-9;      // twice the area over the longest edge squared

std::string point_text(const Vec3& p) { return fmt::format("[{:.6g}, {:.6g}, {:.6g}]", p.x(), p.y(), p.z()); }
std::string face_text(const TriMesh& cage, Index face) {
  const Triangle& t = cage.triangles[face];
  return fmt::format("face {} (vertices {}, {}, {})", face, t[0], t[1], t[2]);
}
std::string and_more(std::size_t count) { return count > 1 ? fmt::format(", and {} more", count - 1) : ""; }

/// Corners that exist and are finite, faces with an area.
std::optional<Problem> check_faces(const TriMesh& cage) {
  if (cage.triangles.empty())
    return Problem{"", "a cage without faces", "a closed surface around the body", ""};
  for (Index f = 0; f < Index(cage.triangles.size()); ++f)
    for (const Index v : cage.triangles[f]) {
      if (v < 0 || v >= Index(cage.vertices.size()))
        return Problem{"", fmt::format("face {} with a vertex {}", f, v),
                       cage.vertices.empty() ? "vertices: there are none"
                                             : fmt::format("vertices from 0 to {}", cage.vertices.size() - 1),
                       ""};
      if (!cage.vertices[v].allFinite())
        return Problem{"", fmt::format("vertex {} at {}", v, point_text(cage.vertices[v])),
                       "finite coordinates", ""};
    }
  for (Index f = 0; f < Index(cage.triangles.size()); ++f) {
    const Triangle& t = cage.triangles[f];
    const Vec3 a = cage.vertices[t[1]] - cage.vertices[t[0]], b = cage.vertices[t[2]] - cage.vertices[t[1]],
               c = cage.vertices[t[0]] - cage.vertices[t[2]];
    const double longest = std::max({a.squaredNorm(), b.squaredNorm(), c.squaredNorm()});
    if (!(a.cross(b).norm() > flat * longest))
      return Problem{"", face_text(cage, f) + " without area", "faces with an area", "merge its vertices"};
  }
  return std::nullopt;
}

/// Every edge has two faces that run through it in opposite ways.
std::optional<Problem> check_edges(const TriMesh& cage) {
  const SurfaceEdges edges = surface_edges(Index(cage.vertices.size()), cage.triangles);
  std::optional<Problem> open, crowded, turned;
  for (Index e = 0; e < Index(edges.mate.size()); ++e) {
    const Index f = e / 3, from = cage.triangles[f][e % 3], to = cage.triangles[f][(e + 1) % 3];
    const std::string at = fmt::format("the edge of vertices {} and {} at face {}", from, to, f);
    if (edges.mate[e] == SurfaceEdges::border && !open)
      open =
          Problem{"", fmt::format("an open cage: {} has no second face{}", at, and_more(edges.border_edges)),
                  "a closed surface, two faces at every edge", "close its holes and weld its seams"};
    else if (edges.mate[e] == SurfaceEdges::non_manifold && !crowded)
      crowded = Problem{"", fmt::format("{} has more than two faces", at), "two faces at every edge", ""};
    else if (edges.mate[e] >= 0 && !turned) {
      const Index other = edges.mate[e];
      if (cage.triangles[other / 3][other % 3] == from)
        turned =
            Problem{"",
                    fmt::format("faces {} and {} run the same way through the edge of vertices {} and {}", f,
                                other / 3, from, to),
                    "all faces counter-clockwise seen from outside", "turn one of them"};
    }
  }
  return open ? open : crowded ? crowded : turned;
}

/// Of one piece, and no vertex that nothing ties down.
std::optional<Problem> check_pieces(const TriMesh& cage) {
  const std::vector<Index> piece = components_by_vertex(Index(cage.vertices.size()), cage.triangles);
  for (Index f = 0; f < Index(piece.size()); ++f)
    if (piece[f] != 0)
      return Problem{"",
                     fmt::format("a cage of {} pieces: face {} is not connected to face 0",
                                 1 + *std::max_element(piece.begin(), piece.end()), f),
                     "one piece", ""};
  std::vector<char> used(cage.vertices.size(), 0);
  for (const Triangle& t : cage.triangles)
    for (const Index v : t) used[v] = 1;
  for (std::size_t v = 0; v < used.size(); ++v)
    if (!used[v]) return Problem{"", fmt::format("vertex {} of no face", v), "vertices that faces use", ""};
  return std::nullopt;
}

std::optional<Problem> check_crossings(const TriMesh& cage) {
  const double gap = touching * diagonal(cage.vertices);
  const auto low = [&](Index f, int c) {
    const Triangle& t = cage.triangles[f];
    return std::min({cage.vertices[t[0]][c], cage.vertices[t[1]][c], cage.vertices[t[2]][c]}) - gap;
  };
  const auto high = [&](Index f, int c) {
    const Triangle& t = cage.triangles[f];
    return std::max({cage.vertices[t[0]][c], cage.vertices[t[1]][c], cage.vertices[t[2]][c]}) + gap;
  };
  // Swept along x: only faces whose ranges overlap meet.
  std::vector<Index> order(cage.triangles.size());
  std::iota(order.begin(), order.end(), 0);
  std::sort(order.begin(), order.end(),
            [&](Index a, Index b) { return low(a, 0) != low(b, 0) ? low(a, 0) < low(b, 0) : a < b; });
  std::size_t count = 0;
  std::pair<Index, Index> first{std::numeric_limits<Index>::max(), 0};
  for (std::size_t i = 0; i < order.size(); ++i) {
    const double end = high(order[i], 0);
    for (std::size_t j = i + 1; j < order.size() && low(order[j], 0) <= end; ++j) {
      const Index a = std::min(order[i], order[j]), b = std::max(order[i], order[j]);
      if (low(a, 1) > high(b, 1) || low(b, 1) > high(a, 1) || low(a, 2) > high(b, 2) ||
          low(b, 2) > high(a, 2))
        continue;
      if (!triangles_meet(cage.vertices, cage.triangles[a], cage.triangles[b], gap)) continue;
      ++count;
      first = std::min(first, {a, b});
    }
  }
  if (count == 0) return std::nullopt;
  return Problem{"",
                 fmt::format("a cage that crosses or touches itself: {} and {}{}",
                             face_text(cage, first.first), face_text(cage, first.second), and_more(count)),
                 "faces that meet at common edges and vertices only", ""};
}

std::optional<Problem> check_points(const TriMesh& cage, std::span<const Vec3> inside, double clearance) {
  const TriangleTree tree(cage.vertices, cage.triangles);
  const double size = diagonal(cage.vertices);
  const double least = clearance > 0 ? clearance : least_cage_clearance * size;
  std::size_t outside = 0;
  Index first = -1;
  for (std::size_t k = 0; k < inside.size(); ++k)
    if (!(inside[k].allFinite() && tree.winding(inside[k]) > 0.5)) {
      if (outside++ == 0) first = Index(k);
    }
  if (outside > 0)
    return Problem{"",
                   fmt::format("vertex {} of the body at {} outside the cage{}", first,
                               point_text(inside[std::size_t(first)]), and_more(outside)),
                   "a cage around every vertex", "make the cage larger there"};
  const CageClearance tight = cage_clearance(cage, inside);
  if (tight.point >= 0 && tight.distance < least)
    return Problem{"",
                   fmt::format("a cage that is too tight: vertex {} of the body at {} is {:.3g} m from {}",
                               tight.point, point_text(inside[std::size_t(tight.point)]), tight.distance,
                               face_text(cage, tight.face)),
                   fmt::format("at least {:.3g} m", least), "move the face outward"};
  return std::nullopt;
}

}  // namespace

CageClearance cage_clearance(const TriMesh& cage, std::span<const Vec3> inside) {
  if (inside.empty() || cage.triangles.empty() || !check_mesh(cage).empty()) return {};
  const TriangleTree tree(cage.vertices, cage.triangles);
  CageClearance tight{2 * diagonal(cage.vertices), -1, -1};  // farther away no point inside can be
  for (std::size_t k = 0; k < inside.size(); ++k) {
    const TriangleTree::Nearest found = tree.nearest(inside[k], tight.distance);
    if (found.triangle >= 0 && found.distance < tight.distance)
      tight = {found.distance, Index(k), found.triangle};
  }
  return tight;
}

std::optional<Problem> check_cage(const TriMesh& cage, std::span<const Vec3> inside, double clearance) {
  if (auto problem = check_faces(cage)) return problem;
  if (auto problem = check_edges(cage)) return problem;
  if (auto problem = check_pieces(cage)) return problem;
  // Before the volume: that of a cage that crosses itself may have either sign.
  if (auto problem = check_crossings(cage)) return problem;
  const double volume = enclosed_volume(cage.vertices, cage.triangles);
  if (!(volume > 0))
    return Problem{
        "",
        fmt::format("a cage inside out: {} points inward (volume {:.3g} m^3)", face_text(cage, 0), volume),
        "faces counter-clockwise seen from outside", "turn all faces"};
  return check_points(cage, inside, clearance);
}

}  // namespace pliant
