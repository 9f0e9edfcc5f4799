// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/sheet/bending.hpp"

#include <algorithm>
#include <cmath>
#include <span>
#include <tuple>

namespace pliant::geometric {
namespace {

using Vec2 = Eigen::Vector2d;

constexpr double least_area = 1e-6;      // of the longest side's square: thinner triangles have no plane
constexpr double conic = 0.1;            // delta
constexpr double least_distance = 1e-6;  // of an unfolded corner from the edge, of its length
constexpr double nothing_left = 1e-9;    // of a modulus in some direction

const double root2 = std::sqrt(2.0);

Vec3 monomials(const Vec2& u) { return {u.x() * u.x() / 2, u.y() * u.y() / 2, u.x() * u.y() / root2}; }

/// (d mon/du)(u) n
Vec3 monomial_slope(const Vec2& u, const Vec2& n) {
  return {u.x() * n.x(), u.y() * n.y(), (u.x() * n.y() + u.y() * n.x()) / root2};
}

/// sum of weight * x_node.
struct Form {
  std::vector<std::pair<Index, double>> terms;

  void add(Index node, double weight) { terms.emplace_back(node, weight); }
  void add(double s, const Form& other) {
    for (const auto& [node, weight] : other.terms) terms.emplace_back(node, s * weight);
  }
};

/// A triangle at an edge: which, and the edge's number in it.
struct Side {
  Index triangle = 0;
  int edge = 0;
};

/// The other triangles at every side of every triangle.
class Neighbours {
 public:
  Neighbours(const std::vector<Triangle>& triangles, const std::vector<FlatTriangle>& flat) {
    struct Entry {
      Index a, b;
      Side side;
    };
    std::vector<Entry> all;
    for (Index t = 0; t < Index(triangles.size()); ++t)
      for (int k = 0; k < 3 && flat[t].area > 0; ++k) {
        const Index i = triangles[t][(k + 1) % 3], j = triangles[t][(k + 2) % 3];
        all.push_back({std::min(i, j), std::max(i, j), {t, k}});
      }
    std::sort(all.begin(), all.end(), [](const Entry& l, const Entry& r) {
      return std::tie(l.a, l.b, l.side.triangle) < std::tie(r.a, r.b, r.side.triangle);
    });
    begin_.assign(3 * triangles.size() + 1, 0);
    const auto each_group = [&](auto&& visit) {
      for (std::size_t first = 0, last; first < all.size(); first = last) {
        for (last = first; last < all.size() && all[last].a == all[first].a && all[last].b == all[first].b;)
          ++last;
        visit(first, last);
      }
    };
    // A triangle on top of another one continues nothing.
    const auto continues = [&](const Side& here, const Side& there) {
      return here.triangle != there.triangle &&
             triangles[here.triangle][here.edge] != triangles[there.triangle][there.edge];
    };
    const auto each_pair = [&](auto&& visit) {
      each_group([&](std::size_t first, std::size_t last) {
        for (std::size_t n = first; n < last; ++n)
          for (std::size_t m = first; m < last; ++m)
            if (continues(all[n].side, all[m].side)) visit(all[n].side, all[m].side);
      });
    };
    each_pair([&](const Side& here, const Side&) { ++begin_[3 * here.triangle + here.edge + 1]; });
    for (std::size_t n = 1; n < begin_.size(); ++n) begin_[n] += begin_[n - 1];
    side_.resize(std::size_t(begin_.back()));
    std::vector<Index> next(begin_.begin(), begin_.end() - 1);
    each_pair(
        [&](const Side& here, const Side& there) { side_[next[3 * here.triangle + here.edge]++] = there; });
  }

  std::span<const Side> at(Index triangle, int edge) const {
    const Side* first = side_.data();
    return {first + begin_[3 * triangle + edge], first + begin_[3 * triangle + edge + 1]};
  }

 private:
  std::vector<Index> begin_;
  std::vector<Side> side_;
};

/// Edge k of a triangle in its plane.
struct FlatEdge {
  double length;
  Vec2 along, outward, middle;
  Vec3 nn, nt;

  FlatEdge(const FlatTriangle& t, int k) {
    const Vec2 &from = t.corner[(k + 1) % 3], &to = t.corner[(k + 2) % 3];
    length = (to - from).norm();
    along = (to - from) / length;
    outward = {along.y(), -along.x()};
    middle = (from + to) / 2;
    const Vec2 &n = outward, &s = along;
    nn = {n.x() * n.x(), n.y() * n.y(), root2 * n.x() * n.y()};
    nt = {n.x() * s.x(), n.y() * s.y(), (n.x() * s.y() + n.y() * s.x()) / root2};
  }
};

/// What triangles see of a surface: the normal derivatives at the middles of their edges.
class Slopes {
 public:
  Slopes(const Points& rest, const std::vector<Triangle>& triangles, const std::vector<FlatTriangle>& flat,
         const Neighbours& neighbours)
      : rest_(rest), triangles_(triangles), flat_(flat), neighbours_(neighbours) {}

  /// y_k of the triangle, k = 0, 1, 2.
  std::array<Form, 3> seen_from(Index t) const {
    const Triangle& corners = triangles_[t];
    const FlatTriangle& flat = flat_[t];
    Form difference[3];
    Mat3 q = Mat3::Zero();  // one row an edge
    for (int k = 0; k < 3; ++k) q.row(k) = across(t, k, difference[k]).transpose();
    const Mat3 fit = (q.transpose() * q + conic * conic * Mat3::Identity()).inverse() * q.transpose();
    std::array<Form, 3> out;
    for (int k = 0; k < 3; ++k) {
      const FlatEdge edge(flat, k);
      Vec3 bend = monomial_slope(edge.middle, edge.outward);
      for (int v = 0; v < 3; ++v) {
        const double slope = edge.outward.dot(flat.gradient[v]);
        out[k].add(corners[v], slope);
        bend -= slope * monomials(flat.corner[v]);
      }
      const Vec3 share = fit.transpose() * bend;
      for (int n = 0; n < 3; ++n) out[k].add(share[n], difference[n]);
    }
    return out;
  }

 private:
  /// r_k over |Q_k| in `out`; returns Q_k over its length.
  Vec3 across(Index t, int k, Form& out) const {
    const FlatTriangle& flat = flat_[t];
    const Triangle& corners = triangles_[t];
    const Index i = corners[(k + 1) % 3], j = corners[(k + 2) % 3];
    const FlatEdge edge(flat, k);
    const auto others = neighbours_.at(t, k);
    Vec3 sum = Vec3::Zero();
    for (const Side& side : others) {
      const Index far = triangles_[side.triangle][side.edge];
      const Vec3 arm = rest_[far] - rest_[i], line = (rest_[j] - rest_[i]) / edge.length;
      const double a = arm.dot(line), b = (arm - a * line).norm();
      if (!(b > least_distance * edge.length)) continue;
      const Vec2 u = flat.corner[(k + 1) % 3] + a * edge.along + b * edge.outward;
      sum += monomials(u);
      out.add(far, 1);
      for (int v = 0; v < 3; ++v) {
        const double weight = (v == 0) + flat.gradient[v].dot(u - flat.corner[0]);
        sum -= weight * monomials(flat.corner[v]);
        out.add(corners[v], -weight);
      }
    }
    const double size = sum.norm();
    if (!(size > 0)) return out.terms.clear(), Vec3::Zero();
    for (auto& term : out.terms) term.second /= size;
    return sum / size;
  }

  const Points& rest_;
  const std::vector<Triangle>& triangles_;
  const std::vector<FlatTriangle>& flat_;
  const Neighbours& neighbours_;
};

Mat3 isotropic(double poisson) {
  const Vec3 c(1, 1, 0);
  return (1 - poisson) * Mat3::Identity() + poisson * c * c.transpose();
}

}  // namespace

FlatTriangle flatten(const Points& x, const Triangle& t) {
  FlatTriangle out;
  const Vec3 a = x[t[1]] - x[t[0]], b = x[t[2]] - x[t[0]];
  const double longest = std::max({a.squaredNorm(), b.squaredNorm(), (b - a).squaredNorm()});
  const double twice = a.cross(b).norm();
  if (!(twice > 2 * least_area * longest)) return out;
  out.area = twice / 2;
  out.axis[0] = a.normalized();
  out.axis[1] = a.cross(b).cross(a).normalized();
  out.corner[0] = Vec2::Zero();
  for (int v = 1; v < 3; ++v) {
    const Vec3& side = v == 1 ? a : b;
    out.corner[v] = {side.dot(out.axis[0]), side.dot(out.axis[1])};
  }
  for (int v = 0; v < 3; ++v) {
    const Vec2 opposite = out.corner[(v + 2) % 3] - out.corner[(v + 1) % 3];
    out.gradient[v] = Vec2(-opposite.y(), opposite.x()) / twice;
  }
  return out;
}

std::vector<CurvatureForm> curvature_forms(const Points& rest, const std::vector<Triangle>& triangles,
                                           double poisson) {
  std::vector<FlatTriangle> flat;
  for (const Triangle& t : triangles) flat.push_back(flatten(rest, t));
  const Neighbours neighbours(triangles, flat);
  const Slopes slopes(rest, triangles, flat, neighbours);
  std::vector<std::array<Form, 3>> seen(triangles.size());
  for (Index t = 0; t < Index(triangles.size()); ++t)
    if (flat[t].area > 0) seen[t] = slopes.seen_from(t);

  std::vector<CurvatureForm> out(triangles.size());
  for (Index t = 0; t < Index(triangles.size()); ++t) {
    if (!(flat[t].area > 0)) continue;
    CurvatureForm& form = out[t];
    form.modulus = isotropic(poisson);
    int borders = 0;
    for (int k = 0; k < 3; ++k) {
      const FlatEdge edge(flat[t], k);
      const Vec3 turned = edge.nt / flat[t].area;
      form.terms.push_back({triangles[t][(k + 2) % 3], turned});
      form.terms.push_back({triangles[t][(k + 1) % 3], -turned});
      const auto others = neighbours.at(t, k);
      if (others.empty()) {
        const Vec3 lost = form.modulus * edge.nn;
        if (const double left = edge.nn.dot(lost); left > nothing_left)
          form.modulus -= lost * lost.transpose() / left;
        ++borders;
        continue;
      }
      const Vec3 weight = edge.length / (2 * flat[t].area) * edge.nn;
      for (const auto& [node, s] : seen[t][k].terms) form.terms.push_back({node, s * weight});
      for (const Side& side : others)
        for (const auto& [node, s] : seen[side.triangle][side.edge].terms)
          form.terms.push_back({node, -s / double(others.size()) * weight});
    }
    if (borders == 3) form.terms.clear();
  }
  return out;
}

}  // namespace pliant::geometric
