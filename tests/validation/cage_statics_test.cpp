// SPDX-License-Identifier: Apache-2.0
// Statics of the cage method: tight bends from rest in one go, and what it was made for, local deformations
// that keep detail, against hexahedra on the same box [Martin09, Fig. 1 and 5].
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <Eigen/SVD>
#include <algorithm>
#include <cmath>
#include <iostream>
#include <map>

#include "pliant/geometry/bumpy_bar.hpp"
#include "pliant/geometry/mesh_shape.hpp"
#include "pliant/geometry/voxel_quadrature.hpp"
#include "pliant/methods/cage/build.hpp"
#include "pliant/scene/library.hpp"
#include "tests/support/temp_folder.hpp"

namespace pliant {
namespace {

struct Rest {
  int iterations = 0;
  double residual = 1;
  int inverted = 0;
};

/// A bumpy bar of 6 m in a cage of 58 vertices; what is beyond `cut` on one side is held, on the other turned
/// by so many degrees, along an arc that keeps the length between.
Rest bend(double cut, double degrees) {
  BumpyBar bar;
  bar.resolution = {32, 48};
  Pool pool{1};
  Result<MeshShape> solid = make_mesh_shape(bumpy_bar_surface(bar), {.nodes = 2000, .solid = true}, pool);
  EXPECT_TRUE(solid);
  cage::Options options{.cells = {2, 2, 6}, .stiffness = 1000, .precision = cage::Precision::twice};
  const Shape shape = with_quadrature(solid->shape, cage::points_for(options, 58));
  auto built = cage::build(shape, 1, {}, options);
  EXPECT_TRUE(built);
  Method& body = **built;
  const double angle = degrees * M_PI / 180, radius = 2 * cut / angle;
  const Mat3 turn = Eigen::AngleAxisd(-angle, Vec3::UnitX()).toRotationMatrix();
  const Vec3 end(0, radius * (1 - std::cos(angle)), -cut + radius * std::sin(angle));
  std::vector<Index> held;
  Points targets;
  int left = 0;
  for (Index i = 0; i < Index(shape.graph.positions.size()); ++i) {
    const Vec3& p = shape.graph.positions[std::size_t(i)];
    if (shape.graph.volumes[std::size_t(i)] > 0 || std::abs(p.z()) < cut) continue;
    held.push_back(i);
    targets.push_back(p.z() < 0 ? p : Vec3(end + turn * (p - Vec3(0, 0, cut))));
    left += p.z() < 0;
  }
  std::vector<Index> sizes;
  for (const Index i : held)
    sizes.push_back(shape.graph.positions[std::size_t(i)].z() < 0 ? left : Index(held.size()) - left);
  StepInput in;
  in.pool = &pool;
  in.held = held;
  in.targets = targets;
  in.hold_sizes = sizes;
  Rest out;
  while (out.iterations < 100 && out.residual > 1e-7) {
    const Method::Relaxation now = body.relax(in);
    ++out.iterations;
    out.residual = now.residual;
    EXPECT_TRUE(now.trouble.empty()) << now.trouble;
    if (now.stuck) break;
  }
  out.inverted = *body.inverted_cells();
  return out;
}

TEST(CageStatics, bends_and_a_tight_neck_converge_from_rest_in_one_go) {
  for (const auto& [cut, degrees] : {std::pair{2.4, 90.0}, {2.4, 120.0}, {0.8, 90.0}}) {
    const Rest at = bend(cut, degrees);
    EXPECT_LE(at.residual, 1e-7) << cut << " " << degrees;
    EXPECT_LE(at.iterations, 60) << cut << " " << degrees;
    EXPECT_EQ(at.inverted, 0);
    std::cout << fmt::format("{:.1f} m free, {:.0f} degrees: {} steps, {:.1e} of the forces left\n", 2 * cut,
                             degrees, at.iterations, at.residual);
  }
}

struct Distortion {
  double mean = 0, p95 = 0, kink = 0;  ///< singular values' ratio of the triangles' maps; degrees
};

Distortion distortion(const Points& rest, const Points& now, std::span<const Triangle> triangles) {
  std::vector<std::pair<double, double>> ratios;
  double area = 0, sum = 0;
  const auto normal = [](const Points& x, const Triangle& t) {
    const Vec3 a = x[std::size_t(t[0])];
    return Vec3((x[std::size_t(t[1])] - a).cross(x[std::size_t(t[2])] - a));
  };
  std::map<std::pair<Index, Index>, Index> across;
  Distortion out;
  for (Index f = 0; f < Index(triangles.size()); ++f) {
    const Triangle& t = triangles[std::size_t(f)];
    Eigen::Matrix2d from;
    Eigen::Matrix<double, 3, 2> to;
    const Vec3 v = rest[std::size_t(t[1])] - rest[std::size_t(t[0])],
               w = rest[std::size_t(t[2])] - rest[std::size_t(t[0])];
    const Vec3 x = v.normalized(), y = v.cross(w).normalized().cross(x);
    from << x.dot(v), x.dot(w), y.dot(v), y.dot(w);
    to << now[std::size_t(t[1])] - now[std::size_t(t[0])], now[std::size_t(t[2])] - now[std::size_t(t[0])];
    const Eigen::Matrix<double, 3, 2> map = to * from.inverse();
    const Eigen::Vector2d s = Eigen::JacobiSVD<Eigen::MatrixXd>(map).singularValues();
    const double weight = v.cross(w).norm() / 2;
    ratios.push_back({s[0] / s[1], weight});
    area += weight;
    sum += weight * s[0] / s[1];
    for (int k = 0; k < 3; ++k) {
      const Index a = t[k], b = t[(k + 1) % 3];
      const auto [other, first] = across.insert({{std::min(a, b), std::max(a, b)}, f});
      if (first) continue;
      const auto angle = [&](const Points& p) {
        const Vec3 m = normal(p, t), n = normal(p, triangles[std::size_t(other->second)]);
        const double turn = std::atan2(m.cross(n).norm(), m.dot(n));
        return m.cross(n).dot(p[std::size_t(b)] - p[std::size_t(a)]) > 0 ? turn : -turn;
      };
      out.kink =
          std::max(out.kink, std::abs(std::remainder(angle(now) - angle(rest), 2 * M_PI)) * 180 / M_PI);
    }
  }
  std::sort(ratios.begin(), ratios.end());
  double below = 0;
  for (const auto& [ratio, weight] : ratios) {
    below += weight;
    if (below >= 0.95 * area) {
      out.p95 = ratio;
      break;
    }
  }
  out.mean = sum / area;
  return out;
}

const std::string neck =
    R"("pins": [{"select": {"halfspace": {"point": [0, 0, -0.8], "normal": [0, 0, -1]}}}],
  "handles": [{"select": {"halfspace": {"point": [0, 0, 0.8], "normal": [0, 0, 1]}}, "ease": "linear", "motion": [
    {"time": 0},
    {"time": 0.5, "translate": [0, 0.5702, -0.0770], "rotate": {"axis": [1, 0, 0], "degrees": -18}},
    {"time": 1, "translate": [0, 1.0968, -0.3016], "rotate": {"axis": [1, 0, 0], "degrees": -36}},
    {"time": 1.5, "translate": [0, 1.5400, -0.6547], "rotate": {"axis": [1, 0, 0], "degrees": -54}},
    {"time": 2, "translate": [0, 1.8676, -1.1067], "rotate": {"axis": [1, 0, 0], "degrees": -72}},
    {"time": 2.5, "translate": [0, 2.0572, -1.6200], "rotate": {"axis": [1, 0, 0], "degrees": -90}}]}])";
const std::string patch =
    R"("pins": [{"select": {"halfspace": {"point": [0, 0, -2.6], "normal": [0, 0, -1]}}},
    {"select": {"halfspace": {"point": [0, 0, 2.6], "normal": [0, 0, 1]}}}],
  "handles": [{"select": {"sphere": {"center": [0, 0.75, 0], "radius": 0.5}},
    "motion": [{"time": 0}, {"time": 2.5, "translate": [0, 1, 0]}]}])";

struct Posed {
  Distortion at;
  double energy = 0;
};

/// At rest: the cage by its static solve, hexahedra by a damped run.
Posed posed(const std::string& shape, const std::string& method, const std::string& holds, bool statics) {
  const TempFolder folder;
  const auto file = folder.with(
      "scene.json", fmt::format(R"({{"gravity": [0, 0, 0], "frames": 240, "bodies": [{{"name": "bar",
        "shape": {{"bumpy_bar": {{"resolution": [64, 96], {}}}}}, {}, "density": 1, "damping": {{"mass": 4}}, {}}}]}})",
                                shape, method, holds));
  Result<Scene> scene = load_scene(file.string(), {});
  EXPECT_TRUE(scene) << scene.error().text();
  if (!scene) return {};
  Simulation& simulation = scene->simulation;
  if (statics) {
    const PoseResult result = simulation.pose(0, 2.5, {.tolerance = 1e-5});
    EXPECT_TRUE(result.ok()) << result.trouble;
  } else {
    for (int i = 0; i < 210; ++i) {
      const auto failure = simulation.step();
      EXPECT_FALSE(failure) << failure->text();
    }
  }
  const Body& body = simulation.bodies()[0];
  Posed out;
  out.at = distortion(body.rest_surface(), body.surface(), body.triangles());
  out.energy = body.method().elastic_energy();
  return out;
}

TEST(CageStatics, a_neck_stores_less_energy_than_with_hexahedra_and_on_few_freedoms_distorts_and_kinks_less) {
  const std::string cage =
      R"("method": "cage", "cage": {{"cells": {}, "points": {}, "stiffness": 1000, "precision": "double"}})";
  const std::string fem =
      R"("method": "fem", "fem": {"element": "hexahedron", "stiffness": 1000, "poisson": 0.3})";
  for (const auto& [name, holds] : {std::pair{"neck", &neck}, {"patch", &patch}})
    for (const auto& [freedoms, cells, points, blocks] :
         {std::tuple{48, "[1, 1, 3]", 330, "[1, 1, 3]"}, {174, "[2, 2, 6]", 676, "[2, 2, 5]"}}) {
      const Posed green =
          posed(R"("nodes": 2000)", fmt::format(fmt::runtime(cage), cells, points), *holds, true);
      const Posed hexa = posed(fmt::format(R"("cells": {})", blocks), fem, *holds, false);
      for (const auto& [kind, at] : {std::pair{"cage", green}, {"hexahedra", hexa}})
        std::cout << fmt::format("| {} | {} | {} | {:.3f} | {:.2f} | {:.0f} | {:.0f} |\n", name, kind,
                                 freedoms, at.at.mean, at.at.p95, at.at.kink, at.energy);
      // The patch, and distortion on 174 freedoms, are told: there hexahedra do better
      // (docs/methods/cage.md).
      if (holds != &neck) continue;
      EXPECT_LT(green.energy, hexa.energy) << freedoms;
      if (freedoms != 48) continue;
      EXPECT_LT(green.at.p95, hexa.at.p95);
      EXPECT_LT(green.at.kink, 0.6 * hexa.at.kink);
    }
}

}  // namespace
}  // namespace pliant
