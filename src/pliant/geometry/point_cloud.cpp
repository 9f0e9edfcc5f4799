// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/point_cloud.hpp"

#include <fmt/format.h>

#include <Eigen/Dense>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "pliant/geometry/cloud_holes.hpp"
#include "pliant/geometry/moving_least_squares.hpp"
#include "pliant/geometry/node_grid.hpp"

namespace pliant {
namespace {

using Vec2 = Eigen::Vector2d;
constexpr int nearest_points = 20;    // that may bound a disc
constexpr double largest_disc = 1.5;  // radius, of the distance to the sixth nearest point
constexpr double same_face = 0.7;     // cosine between normals; beyond lies an edge of the surface
constexpr double least_slope = 0.1;   // of a plane against the disc: flatter ones do not bound it
constexpr int around = 8;             // nearest points that a point has triangles to
constexpr double widest_angle = 2.3;  // rad, of such a triangle at the point; wider is a border
constexpr double open_share = 0.03;   // of the area: a larger lid is an opening
constexpr double open_defect = 0.12;  // is_doubtful() of geometry/inside.hpp
constexpr double facts_depth = 0.5;   // of the spacing: where the winding number is asked
constexpr int cloud_block = 256;

/// Two unit vectors across n; a x b = n.
std::array<Vec3, 2> tangents(const Vec3& n) {
  const Vec3 other = std::abs(n.x()) < 0.6 ? Vec3(1, 0, 0) : Vec3(0, 1, 0);
  const Vec3 a = n.cross(other).normalized();
  return {a, n.cross(a)};
}

/// Keeps the part of a convex polygon where way . p <= limit.
void clip(std::vector<Vec2>& polygon, const Vec2& way, double limit) {
  std::vector<Vec2> kept;
  for (std::size_t k = 0; k < polygon.size(); ++k) {
    const Vec2 &p = polygon[k], &q = polygon[(k + 1) % polygon.size()];
    const double from = way.dot(p) - limit, to = way.dot(q) - limit;
    if (from <= 0) kept.push_back(p);
    if ((from < 0 && to > 0) || (from > 0 && to < 0)) kept.push_back(p + from / (from - to) * (q - p));
  }
  polygon = std::move(kept);
}

double size_of(const Points& points) {
  Vec3 low = points.front(), high = low;
  for (const Vec3& p : points) low = low.cwiseMin(p), high = high.cwiseMax(p);
  return (high - low).norm();
}

/// The disc of point i in the coordinates of its tangents; empty: a point before it has the same place.
std::vector<Vec2> disc(Index i, const Points& points, const Points& normals,
                       const std::vector<NodeGrid::Found>& found, double same_place) {
  const Vec3 &x = points[std::size_t(i)], &n = normals[std::size_t(i)];
  const auto [a, b] = tangents(n);
  const std::size_t sixth = std::min<std::size_t>(found.size() - 1, 6);
  const double radius = largest_disc * std::sqrt(found[sixth].squared);
  std::vector<Vec2> polygon{{-radius, -radius}, {radius, -radius}, {radius, radius}, {-radius, radius}};
  for (const auto& f : found) {
    if (f.id == i) continue;
    if (f.squared <= same_place * same_place) {
      if (f.id < i) return {};
      continue;
    }
    const Vec3 &y = points[std::size_t(f.id)], &m = normals[std::size_t(f.id)];
    if (n.dot(m) > same_face) {
      const Vec2 to(a.dot(y - x), b.dot(y - x));
      if (to.norm() > same_place) clip(polygon, to, to.squaredNorm() / 2);
      continue;
    }
    // The plane m . (p - y) = 0 beyond the edge, and the side of it that the point is on.
    const Vec2 across(a.dot(m), b.dot(m));
    if (across.norm() < least_slope) continue;
    const double side = m.dot(x - y) > 0 ? -1 : 1;
    clip(polygon, side * across, side * m.dot(y - x));
  }
  return polygon;
}

}  // namespace

TriMesh cloud_discs(const Points& points, const Points& normals, Pool& pool) {
  const double same_place = 1e-9 * size_of(points);
  const NodeGrid grid(points, std::max(median_nearest(points), 10 * same_place));
  std::vector<std::vector<Vec2>> discs(points.size());
  for_blocks(pool, int(points.size()), cloud_block, [&](int begin, int end) {
    std::vector<NodeGrid::Found> found;
    for (Index i = begin; i < end; ++i) {
      grid.nearest(points[std::size_t(i)], nearest_points + 1, std::numeric_limits<double>::infinity(),
                   found);
      discs[std::size_t(i)] = disc(i, points, normals, found, same_place);
    }
  });
  TriMesh out{points, {}};
  for (Index i = 0; i < Index(points.size()); ++i) {
    const auto [a, b] = tangents(normals[std::size_t(i)]);
    const Index first = Index(out.vertices.size()), count = Index(discs[std::size_t(i)].size());
    if (count < 3) continue;
    for (const Vec2& p : discs[std::size_t(i)])
      out.vertices.push_back(points[std::size_t(i)] + p.x() * a + p.y() * b);
    for (Index k = 0; k < count; ++k) out.triangles.push_back({i, first + k, first + (k + 1) % count});
  }
  return out;
}

CloudFacts cloud_facts(const Points& points, const Points& normals, const TriMesh& discs,
                       const TriangleTree& tree, Pool& pool) {
  CloudFacts facts;
  facts.spacing = median_nearest(points);
  Vec3 centre = Vec3::Zero();
  for (const Vec3& p : points) centre += p / double(points.size());
  Vec3 lid = Vec3::Zero();
  for (const Triangle& t : discs.triangles) {
    const Vec3& p = discs.vertices[std::size_t(t[0])];
    const Vec3 area =
        0.5 * (discs.vertices[std::size_t(t[1])] - p).cross(discs.vertices[std::size_t(t[2])] - p);
    facts.area += area.norm();
    lid += area;
    facts.volume += area.dot(p - centre) / 3;
  }
  // The areas of discs add up to the lid of one hole, but cancel for holes that face each other.
  facts.opening = std::max(lid.norm(), hole_area(points, normals, pool));
  // A few hundred points tell as much as all.
  const std::size_t stride = std::max<std::size_t>(1, points.size() / 1000);
  int asked = 0;
  for (std::size_t i = 0; i < points.size(); i += stride, ++asked) {
    const Vec3 step = facts_depth * facts.spacing * normals[i];
    const double under = tree.winding(points[i] - step), above = tree.winding(points[i] + step);
    facts.defect += std::min(1.0, std::abs(1 - under));
    facts.opposed += above > under;
  }
  facts.defect /= asked, facts.opposed /= asked;
  return facts;
}

std::string open_text(const CloudFacts& facts) {
  if (facts.opening > open_share * facts.area)
    return fmt::format(
        "the points leave an opening of {:.2g} % of their area; it is closed where inside and outside "
        "balance. "
        "Scan all sides for the true shape.",
        100 * facts.opening / facts.area);
  if (facts.defect > open_defect)
    return fmt::format(
        "the points do not enclose what is under them (defect {:.2f}): their normals or places are rough, or "
        "parts are thinner than the points are apart.",
        facts.defect);
  return {};
}

std::vector<Triangle> cloud_triangles(const Points& points, const Points& normals) {
  const double same_place = 1e-9 * size_of(points);
  const NodeGrid grid(points, std::max(median_nearest(points), 10 * same_place));
  std::vector<NodeGrid::Found> found;
  std::vector<std::pair<double, Index>> ring;
  std::vector<Triangle> out;
  for (Index i = 0; i < Index(points.size()); ++i) {
    const auto [a, b] = tangents(normals[std::size_t(i)]);
    grid.nearest(points[std::size_t(i)], around + 1, std::numeric_limits<double>::infinity(), found);
    ring.clear();
    for (const auto& f : found) {
      if (f.squared <= same_place * same_place) continue;
      const Vec3 to = points[std::size_t(f.id)] - points[std::size_t(i)];
      if (normals[std::size_t(f.id)].dot(normals[std::size_t(i)]) > 0)
        ring.emplace_back(std::atan2(b.dot(to), a.dot(to)), f.id);
    }
    std::sort(ring.begin(), ring.end());
    for (std::size_t k = 0; k < ring.size() && ring.size() > 1; ++k) {
      const auto& [from, p] = ring[k];
      const auto& [to, q] = ring[(k + 1) % ring.size()];
      const double angle = k + 1 < ring.size() ? to - from : to - from + 2 * std::numbers::pi;
      if (angle > widest_angle) continue;
      Triangle t{i, p, q};
      std::rotate(t.begin(), std::min_element(t.begin(), t.end()), t.end());
      out.push_back(t);
    }
  }
  std::sort(out.begin(), out.end());
  out.erase(std::unique(out.begin(), out.end()), out.end());
  return out;
}

MovedNormals::MovedNormals(const Points& rest, const Points& normals) : normals_(normals) {
  const NodeGrid grid(rest, std::max(median_nearest(rest), 1e-9 * size_of(rest)));
  std::vector<NodeGrid::Found> found;
  for (std::size_t i = 0; i < rest.size(); ++i) {
    grid.nearest(rest[i], neighbours + 1, std::numeric_limits<double>::infinity(), found);
    const auto [a, b] = tangents(normals[i]);
    std::vector<Vec2> to;
    Eigen::Matrix2d second = Eigen::Matrix2d::Zero();
    for (int k = 0; k <= neighbours; ++k) {
      const Index j = k < int(found.size()) ? found[std::size_t(k)].id : Index(i);
      if (j == Index(i) && k < int(found.size())) continue;
      if (neighbour_.size() == (i + 1) * neighbours) break;
      neighbour_.push_back(j);
      const Vec3 r = rest[std::size_t(j)] - rest[i];
      to.emplace_back(a.dot(r), b.dot(r));
      second += to.back() * to.back().transpose();
    }
    for (; neighbour_.size() < (i + 1) * neighbours; to.emplace_back(0, 0)) neighbour_.push_back(Index(i));
    const Eigen::Matrix2d inverse =
        second.fullPivLu().isInvertible() ? Eigen::Matrix2d(second.inverse()) : Eigen::Matrix2d::Zero();
    for (const Vec2& t : to) {
      const Vec2 w = inverse * t;
      weight_.push_back({w.x(), w.y()});
    }
  }
}

Points MovedNormals::at(const Points& x) const {
  Points out(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) {
    Vec3 a = Vec3::Zero(), b = Vec3::Zero();
    for (std::size_t k = neighbours * i; k < neighbours * (i + 1); ++k) {
      const Vec3 r = x[std::size_t(neighbour_[k])] - x[i];
      a += weight_[k][0] * r;
      b += weight_[k][1] * r;
    }
    const Vec3 n = a.cross(b);
    out[i] = n.norm() > 0 ? Vec3(n.normalized()) : normals_[i];
  }
  return out;
}

}  // namespace pliant
