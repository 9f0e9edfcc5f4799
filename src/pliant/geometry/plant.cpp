// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/plant.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>
#include <random>

#include "pliant/base/check.hpp"
#include "pliant/geometry/surface_graph.hpp"

namespace pliant {
namespace {

constexpr int sides = 6, rings = 61;  // of the stem
constexpr int rows = 20;              // of a leaf
constexpr double golden_angle = std::numbers::pi * (3 - 2.23606797749979);
constexpr double pi = std::numbers::pi;

/// Numbers in [-1, 1] straight from the generator's bits: the same with every standard library.
class Chance {
 public:
  explicit Chance(int seed) : bits_{std::uint64_t(seed)} {}
  double operator()() { return double(bits_() >> 11) * 0x1.0p-52 - 1; }

 private:
  std::mt19937_64 bits_;
};

/// One plant of height 1 at the origin.
class Grower {
 public:
  Grower(int seed, int leaves) : chance_(seed) {
    grow_stem();
    for (int leaf = 0; leaf < leaves; ++leaf) grow_leaf(leaf, leaves);
  }
  TriMesh mesh;

 private:
  Index add(const Vec3& p) {
    mesh.vertices.push_back(p);
    return Index(mesh.vertices.size()) - 1;
  }
  /// a b on one line, c d on the next: two triangles, the diagonal from a to d.
  void strip(Index a, Index b, Index c, Index d) {
    mesh.triangles.push_back({a, b, d});
    mesh.triangles.push_back({a, d, c});
  }
  static Index stem(int ring, int side) { return ring * sides + (side + sides) % sides; }

  void grow_stem() {
    const double lean = 2 * pi * chance_(), bow = 0.03 + 0.01 * chance_();
    for (int r = 0; r < rings; ++r) {
      const double u = double(r) / (rings - 1), radius = 0.02 * (1 - 0.75 * u) + 0.004 * std::exp(-30 * u);
      const Vec3 middle(bow * std::cos(lean) * std::sin(2.5 * u), u, bow * std::sin(lean) * std::sin(4 * u));
      for (int s = 0; s < sides; ++s) {
        const double angle = 2 * pi * s / sides;
        add(middle + radius * Vec3(std::cos(angle), 0, -std::sin(angle)));
      }
    }
    for (int r = 0; r + 1 < rings; ++r)
      for (int s = 0; s < sides; ++s) strip(stem(r, s), stem(r, s + 1), stem(r + 1, s), stem(r + 1, s + 1));
  }

  void grow_leaf(int leaf, int leaves) {
    const double share = leaves > 1 ? double(leaf) / (leaves - 1) : 0.5;
    const int ring = std::clamp(int(std::lround(8 + (rings - 11) * std::pow(share, 0.8))), 2, rings - 2);
    const double wanted = golden_angle * leaf + 0.25 * chance_();
    const int side = int(std::lround(wanted / (2 * pi) * sides));
    // The stem offers six directions only: the leaf turns towards its own on the way out.
    const double turn = wanted - 2 * pi * side / sides;
    const double length = (0.62 - 0.36 * share) * (1 + 0.12 * chance_());
    const double width = length * (0.13 + 0.015 * chance_());
    const double rise = 0.85 + 0.45 * share + 0.1 * chance_(), droop = 1.5 - 0.6 * share + 0.2 * chance_();
    const Index upper = stem(ring, side), lower = stem(ring - 1, side);

    Vec3 place = mesh.vertices[upper];
    Index mid = upper, keel = lower, left[2] = {upper, stem(ring, side + 1)},
          right[2] = {upper, stem(ring, side - 1)};
    for (int r = 0; r < rows; ++r) {
      const double u = double(r + 1) / rows, heading = 2 * pi * side / sides + turn * std::min(1.0, 4 * u);
      const double elevation = rise - droop * u * (0.4 + 0.6 * u);
      const Vec3 out(std::cos(heading), 0, -std::sin(heading)),
          across(-std::sin(heading), 0, -std::cos(heading));
      const Vec3 along = std::cos(elevation) * out + Vec3(0, std::sin(elevation), 0);
      const Vec3 down = std::sin(elevation) * out - Vec3(0, std::cos(elevation), 0);
      place += length / rows * along;
      const Index new_mid = add(place), new_keel = add(place + length * (0.035 * (1 - u) + 0.006) * down);
      strip(mid, new_mid, keel, new_keel);
      // A stalk, then a blade that swells and narrows to a point; its halves are folded up a little.
      const double blade = std::max(0.0, (u - 0.22) / 0.78);
      const double half = 0.12 * width + width * std::pow(std::sin(pi * std::pow(blade, 0.8)), 0.9) * 0.9;
      const Vec3 fold = -0.35 * down;
      grow_half(half * (across + fold), r, mid, new_mid, left, true);
      grow_half(half * (-across + fold), r, mid, new_mid, right, false);
      mid = new_mid, keel = new_keel;
    }
  }

  /// The next row of a half blade: two nodes, none in the first row and the last.
  void grow_half(const Vec3& reach, int row, Index mid, Index new_mid, Index (&edge)[2], bool flip) {
    const auto triangle = [&](Index a, Index b, Index c) {
      flip ? mesh.triangles.push_back({a, b, c}) : mesh.triangles.push_back({a, c, b});
    };
    if (row == 0) {  // the stalk's foot holds on to the stem's own edge beside it
      triangle(edge[0], new_mid, edge[1]);
      edge[0] = edge[1] = new_mid;
      return;
    }
    if (row == rows - 1) {  // the tip
      triangle(mid, new_mid, edge[0]);
      triangle(edge[0], new_mid, edge[1]);
      return;
    }
    const Vec3 foot = mesh.vertices[new_mid];
    const Index inner = add(foot + 0.5 * reach), outer = add(foot + reach);
    triangle(mid, new_mid, inner);
    if (row > 1) {
      triangle(mid, inner, edge[0]);
      triangle(edge[0], inner, outer);
      triangle(edge[0], outer, edge[1]);
    } else {
      triangle(mid, inner, outer);
    }
    edge[0] = inner, edge[1] = outer;
  }

  Chance chance_;
};

constexpr double smallest_plant = 1e-12, largest_plant = 1e15;  // m: products of sizes stay numbers

}  // namespace

Shape make_shape(const PlantShape& plant) {
  constexpr int most_leaves = 10'000;
  Shape shape;
  const auto wrong = [&](const char* place, std::string found, std::string expected) {
    shape.problems.push_back({place, std::move(found), std::move(expected), {}});
  };
  if (plant.leaves < 1 || plant.leaves > most_leaves)
    wrong("leaves", std::to_string(plant.leaves), "1 to " + std::to_string(most_leaves));
  for (const auto& [place, value] : {std::pair{"height", plant.height}, {"thickness", plant.thickness}})
    if (!(value >= smallest_plant) || !(value <= largest_plant))
      wrong(place, std::to_string(value), "1e-12 to 1e+15 m");
  if (!plant.base.allFinite() || !(plant.base.cwiseAbs().maxCoeff() <= largest_plant))
    wrong("base", "a coordinate that is not finite or beyond 1e+15 m", "three numbers, m");
  if (!shape.problems.empty()) return shape;
  shape.surface = std::move(Grower(plant.seed, plant.leaves).mesh);
  for (Vec3& p : shape.surface.vertices) p = plant.base + plant.height * p;
  shape.closed = false;
  return on_surface(std::move(shape), plant.thickness);
}

}  // namespace pliant
