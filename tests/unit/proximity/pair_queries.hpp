// SPDX-License-Identifier: Apache-2.0
// Pairs that move, random and as degenerate as bodies make them; and their distances in long double, found by
// halving, not by formulas.
#pragma once

#include <algorithm>
#include <cmath>
#include <random>
#include <string>

#include "pliant/proximity/pair_distance.hpp"

namespace pliant::pair_queries {

struct PairQuery {
  PairKind kind = PairKind::vertex_triangle;
  PairPoints begin, end;
  double size = 1;  ///< of the points and their ways, m
  std::string family;
};

class PairMaker {
 public:
  explicit PairMaker(std::uint64_t seed) : bits_(seed) {}

  PairQuery make() {
    PairQuery q;
    q.kind = one_in(2) ? PairKind::vertex_triangle : PairKind::edge_edge;
    for (int k = 0; k < 4; ++k) q.begin[k] = anywhere(), q.end[k] = q.begin[k] + 2 * anywhere();
    const int family = int(bits_() % 9);
    static const char* const names[] = {"random", "lattice", "plane", "graze", "parallel",
                                        "still",  "needle",  "near",  "fast"};
    q.family = names[family];
    if (family == 1) to_lattice(q);
    if (family == 2) to_plane(q);
    if (family == 3) graze(q);
    if (family == 4) parallel(q);
    if (family == 5) still(q);
    if (family == 6) needle(q);
    if (family == 7) near(q);
    if (family == 8)
      for (int k = 0; k < (q.kind == PairKind::vertex_triangle ? 1 : 2); ++k)
        q.end[k] = q.begin[k] + 100 * (q.end[0] - q.begin[0]);
    place(q);
    return q;
  }

  double unit() { return double(bits_() >> 11) * 0x1p-53; }
  bool one_in(int n) { return bits_() % std::uint64_t(n) == 0; }
  Vec3 anywhere() { return {2 * unit() - 1, 2 * unit() - 1, 2 * unit() - 1}; }

 private:
  void to_lattice(PairQuery& q) {
    for (int k = 0; k < 4; ++k) {
      q.begin[k] = (2 * q.begin[k]).array().round();
      q.end[k] = (2 * q.end[k]).array().round();
    }
  }
  /// Everything in one plane, now and then from or to another side of it.
  void to_plane(PairQuery& q) {
    for (int k = 0; k < 4; ++k) q.begin[k].z() = q.end[k].z() = 0;
    if (one_in(2)) q.begin[0].z() = 0.1;
    if (one_in(2)) q.end[0].z() = -0.1;
  }
  /// Point s of side A meets point t of side B half-way, or misses it by next to nothing.
  void graze(PairQuery& q) {
    const bool vertex = q.kind == PairKind::vertex_triangle;
    const double s = one_in(3) ? double(one_in(2)) : unit(), t = one_in(3) ? double(one_in(2)) : unit();
    const auto a = [&](const PairPoints& x) { return vertex ? x[0] : Vec3((1 - s) * x[0] + s * x[1]); };
    const auto b = [&](const PairPoints& x) {
      return vertex ? Vec3((1 - t) * x[1] + t * (0.5 * x[2] + 0.5 * x[3])) : Vec3((1 - t) * x[2] + t * x[3]);
    };
    Vec3 off = 0.5 * (b(q.begin) + b(q.end)) - 0.5 * (a(q.begin) + a(q.end));
    off += (one_in(2) ? 0.0 : std::pow(10, -3 - 6 * unit())) * anywhere();
    for (int k = 0; k < (vertex ? 1 : 2); ++k) q.begin[k] += off, q.end[k] += off;
  }
  /// Edges or a side and its way that stay parallel, or nearly so.
  void parallel(PairQuery& q) {
    const double angle = one_in(2) ? 0 : std::pow(10, -16 * unit());
    const double along = one_in(2) ? 1 : -2 * unit();
    const Vec3 begin = along * (q.begin[3] - q.begin[2]) + angle * anywhere();
    q.begin[1] = q.begin[0] + begin;
    if (one_in(3)) q.begin[0] = q.begin[2] + unit() * begin, q.begin[1] = q.begin[0] + begin;  // collinear
    const Vec3 way = q.end[0] - q.begin[0];
    for (int k = 0; k < 4; ++k) q.end[k] = q.begin[k] + (k < 2 ? way : Vec3(-way));
  }
  void still(PairQuery& q) {
    if (one_in(3)) {
      for (int k = 1; k < 4; ++k) q.end[k] = q.begin[k] + (q.end[0] - q.begin[0]);  // as one
    } else {
      for (int k = 0; k < 4; ++k)
        if (!one_in(3)) q.end[k] = q.begin[k];
    }
  }
  void needle(PairQuery& q) {
    const double thin = one_in(3) ? 0 : std::pow(10, -17 * unit());
    for (PairPoints* x : {&q.begin, &q.end}) {
      (*x)[3] = (*x)[1] + 2 * unit() * ((*x)[2] - (*x)[1]) + thin * anywhere();
      if (one_in(4)) (*x)[2] = (*x)[3];
    }
  }
  /// Side A begins close to side B.
  void near(PairQuery& q) {
    const Vec3 target = q.kind == PairKind::vertex_triangle
                            ? Vec3(0.2 * q.begin[1] + 0.5 * q.begin[2] + 0.3 * q.begin[3])
                            : Vec3(0.4 * q.begin[2] + 0.6 * q.begin[3]);
    const Vec3 off = target - q.begin[0] + std::pow(10, -6 * unit()) * anywhere();
    for (int k = 0; k < (q.kind == PairKind::vertex_triangle ? 1 : 2); ++k) q.begin[k] += off;
  }
  void place(PairQuery& q) {
    static const double scales[] = {1, 1e-6, 1e6};
    const double scale = scales[bits_() % 3];
    const Vec3 origin = one_in(2) ? Vec3::Zero().eval() : Vec3(100 * scale * anywhere());
    for (int k = 0; k < 4; ++k) {
      q.begin[k] = origin + scale * q.begin[k];
      q.end[k] = origin + scale * q.end[k];
    }
    q.size = 0;
    for (int k = 0; k < 4; ++k)
      q.size = std::max({q.size, (q.begin[k] - q.begin[0]).norm(), (q.end[k] - q.begin[k]).norm()});
    q.size += scale;
  }

  std::mt19937_64 bits_;
};

using Long3 = Eigen::Matrix<long double, 3, 1>;
using LongPoints = std::array<Long3, 4>;

inline LongPoints as_long(const PairPoints& x) {
  return {x[0].cast<long double>(), x[1].cast<long double>(), x[2].cast<long double>(),
          x[3].cast<long double>()};
}

/// From p to the nearest point of segment ab.
struct ToSegment {
  Long3 way;
  bool inside;  ///< of the segment: the way is at right angles to it
};
inline ToSegment to_segment(const Long3& p, const Long3& a, const Long3& b) {
  const Long3 e = b - a;
  const long double squared = e.squaredNorm();
  if (!(squared > 0)) return {a - p, false};
  const long double t = e.dot(p - a) / squared;
  return {a + std::clamp(t, 0.0L, 1.0L) * e - p, t > 0 && t < 1};
}

/// v without its part along e.
inline Long3 across(const Long3& v, const Long3& e) {
  const long double squared = e.squaredNorm();
  return squared > 0 ? Long3(v - v.dot(e) / squared * e) : v;
}

/// Least of a convex function of 0 .. 1 whose derivative has the sign of slope(s), by halving.
template <class Slope>
long double lowest(const Slope& slope) {
  long double low = 0, high = 1;
  for (int i = 0; i < 64; ++i) {
    const long double middle = 0.5L * (low + high);
    (slope(middle) < 0 ? low : high) = middle;
  }
  return 0.5L * (low + high);
}

/// A point of one edge, or a parallel to a side of the triangle, is moved until it is nearest. Slopes of nearly
/// parallel sides are small differences: the parts that cancel are taken out before.
inline long double long_distance(PairKind kind, const LongPoints& x) {
  if (kind == PairKind::edge_edge) {
    const Long3 e = x[1] - x[0], part = across(e, x[3] - x[2]);
    const auto to = [&](long double s) { return to_segment(x[0] + s * e, x[2], x[3]); };
    const long double s = lowest([&](long double at) {
      const ToSegment here = to(at);
      return -here.way.dot(here.inside ? part : e);
    });
    return std::min({to(s).way.norm(), to(0).way.norm(), to(1).way.norm()});
  }
  // The segment from (1 - t) x1 + t x2 to (1 - t) x1 + t x3. Where it is nearest, only its motion counts:
  // d/dt of the nearest point is (that point - x1) / t.
  const auto to = [&](long double t) {
    return to_segment(x[0], x[1] + t * (x[2] - x[1]), x[1] + t * (x[3] - x[1]));
  };
  const Long3 part = across(x[2] - x[1], x[3] - x[2]);
  const long double t = lowest([&](long double at) {
    const ToSegment here = to(at);
    return here.way.dot(here.inside ? part : Long3(here.way + x[0] - x[1]));
  });
  return std::min({to(t).way.norm(), to(0).way.norm(), to(1).way.norm()});
}

}  // namespace pliant::pair_queries
