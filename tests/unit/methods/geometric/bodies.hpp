// SPDX-License-Identifier: Apache-2.0
// Bodies that the tests of the geometric method share.
#pragma once

#include <gtest/gtest.h>

#include <cmath>
#include <random>

#include "pliant/geometry/shape.hpp"
#include "pliant/methods/geometric/build.hpp"
#include "pliant/methods/geometric/energy.hpp"

namespace pliant::geometric {

/// A lattice with the same edge weight and mass everywhere, also on the boundary.
inline Rows lattice(std::array<int, 3> nodes, double spacing, double mass, double weight) {
  const Shape shape =
      make_shape(BoxShape{.size = spacing * Vec3(nodes[0] - 1, nodes[1] - 1, nodes[2] - 1), .nodes = nodes});
  Rows rows;
  rows.rest = shape.graph.positions;
  rows.edges = shape.graph.edges;
  rows.mass.assign(rows.rest.size(), mass);
  rows.edge_weight.assign(rows.edges.size(), weight);
  return rows;
}

/// Nodes moved by up to `amount` spacings, masses and weights between half and one and a half of before.
inline Rows jittered(Rows rows, double amount, unsigned seed = 1) {
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> move(-amount, amount), factor(0.5, 1.5);
  for (Vec3& r : rows.rest) r += Vec3(move(random), move(random), move(random));
  for (double& m : rows.mass) m *= factor(random);
  for (double& w : rows.edge_weight) w *= factor(random);
  return rows;
}

inline Points random_points(std::size_t count, double scale, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> normal(0, scale);
  Points out(count);
  for (Vec3& p : out) p = Vec3(normal(random), normal(random), normal(random));
  return out;
}

/// Bent, stretched and noisy, so that every row is strained and every node turned.
inline Points deformed(const Points& rest, double amount, unsigned seed = 2) {
  double size = 0;
  for (const Vec3& p : rest) size = std::max(size, p.norm());
  Points out = random_points(rest.size(), 0.02 * amount * size / std::cbrt(double(rest.size())), seed);
  const Eigen::AngleAxisd turn(1.1, Vec3(1, 2, -1).normalized());
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const Vec3 u = rest[i] / size;
    out[i] += turn * (rest[i] + amount * size * Vec3(u.z() * u.z(), 0.5 * u.x() * u.z(), -0.3 * u.y()));
  }
  return out;
}

inline Model model_of(Rows rows) {
  auto model = make_model(std::move(rows));
  EXPECT_TRUE(model) << model.error().text();
  return std::move(*model);
}

inline Rotations rotations_at(const Model& model, const Points& x) {
  Rotations rotations(std::size_t(model.owners()), Eigen::Quaterniond::Identity());
  update_rotations(model, x, rotations);
  return rotations;
}

inline std::unique_ptr<Method> body_of(Rows rows, const Options& options, Damping damping = {0, 0}) {
  auto body = build(std::move(rows), damping, options);
  EXPECT_TRUE(body) << body.error().text();
  return std::move(*body);
}

inline std::unique_ptr<Method> body_of(const Shape& shape, const Options& options, Damping damping = {0, 0}) {
  auto body = build(shape, 1000, damping, options);
  EXPECT_TRUE(body) << body.error().text();
  return std::move(*body);
}

/// The bar of the published period and tip: 0.4 x 0.4 x 2 m, spacing 0.05 m.
inline Shape stiff_bar() { return make_shape(BoxShape{.size = {0.4, 0.4, 2}, .nodes = {9, 9, 41}}); }
inline Options stiff_options() {
  Options options;
  options.stiffness = 5e6;
  return options;
}

/// Nodes of the lowest z layer, held where they rest.
struct Clamp {
  std::vector<Index> held;
  Points targets;
};
inline Clamp clamp(const Points& rest) {
  double low = rest[0].z();
  for (const Vec3& p : rest) low = std::min(low, p.z());
  Clamp out;
  for (std::size_t i = 0; i < rest.size(); ++i)
    if (rest[i].z() < low + 1e-9) out.held.push_back(Index(i)), out.targets.push_back(rest[i]);
  return out;
}

inline Index nearest_node(const Points& rest, const Vec3& place) {
  std::size_t best = 0;
  for (std::size_t i = 0; i < rest.size(); ++i)
    if ((rest[i] - place).norm() < (rest[best] - place).norm()) best = i;
  return Index(best);
}

inline double kinetic(const NodeState& s) {
  double sum = 0;
  for (std::size_t i = 0; i < s.x.size(); ++i) sum += 0.5 * s.mass[i] * s.v[i].squaredNorm();
  return sum;
}
inline Vec3 linear_momentum(const NodeState& s) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i < s.x.size(); ++i) sum += s.mass[i] * s.v[i];
  return sum;
}
inline Vec3 angular_momentum(const NodeState& s) {
  Vec3 sum = Vec3::Zero();
  for (std::size_t i = 0; i < s.x.size(); ++i) sum += s.mass[i] * s.x[i].cross(s.v[i]);
  return sum;
}

/// Implicit Euler with steps far longer than any vibration, until nothing moves.
inline void settle(Method& body, StepInput input, double h, int steps) {
  input.h = h;
  for (int i = 0; i < steps; ++i) {
    const StepReport report = body.advance(input);
    ASSERT_TRUE(report.ok()) << report.trouble;
  }
}

}  // namespace pliant::geometric
