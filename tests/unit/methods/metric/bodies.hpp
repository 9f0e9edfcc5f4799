// SPDX-License-Identifier: Apache-2.0
// Bodies with strengths in J: spacing 1 m, 1 kg a node, lengths, areas, volumes and pillars of 200, 100, 200, 50 J times k, angles of 100 J,
// for which the reference values of these tests were computed.
#pragma once

#include <gtest/gtest.h>

#include <memory>
#include <random>

#include "pliant/methods/metric/body.hpp"

namespace pliant::metric {

inline NodeGraph lattice_graph(std::array<int, 3> nodes, const Vec3& h = {1, 1, 1}) {
  NodeGraph graph;
  for (int k = 0; k < nodes[2]; ++k)
    for (int j = 0; j < nodes[1]; ++j)
      for (int i = 0; i < nodes[0]; ++i) graph.positions.push_back(h.cwiseProduct(Vec3(i, j, k)));
  graph.volumes.assign(graph.positions.size(), 1.0);
  return graph;
}

inline Options with_strength(double k = 1, Options options = {}) {
  options.strength = 100 * k;
  if (!(options.area < not_given)) options.area = 1;
  if (!(options.volume < not_given)) options.volume = 2;
  options.angle = 1;
  return options;
}

inline Model lattice_model(std::array<int, 3> nodes, const Options& options, const Vec3& h = {1, 1, 1}) {
  Result<Model> model = make_model(lattice_graph(nodes, h), 1, options);
  EXPECT_TRUE(model) << model.error().text();
  return std::move(*model);
}

inline std::unique_ptr<Body> lattice_body(std::array<int, 3> nodes, const Options& options,
                                          const Damping& damping = {.mass = 0, .stiffness = 0}) {
  const Model model = lattice_model(nodes, options);
  std::vector<Index> all(model.rest.size());
  for (Index i = 0; i < model.nodes(); ++i) all[i] = i;
  return std::make_unique<Body>(model, Skin{pick(all)}, damping, options);
}

inline Points shaken(const Points& rest, double sigma, unsigned seed) {
  std::mt19937 random(seed);
  std::normal_distribution<double> noise(0, sigma);
  Points x = rest;
  for (Vec3& p : x) p += Vec3(noise(random), noise(random), noise(random));
  return x;
}

inline void put(Body& body, const Points& x) { body.place(x, Points(x.size(), Vec3::Zero())); }

inline double kinetic(const Body& body) {
  double sum = 0;
  const NodeState& s = body.nodes();
  for (std::size_t i = 0; i < s.x.size(); ++i) sum += 0.5 * s.mass[i] * s.v[i].squaredNorm();
  return sum;
}

inline StepReport run(Body& body, double seconds, double h, Pool& pool) {
  StepInput input;
  input.h = h;
  input.pool = &pool;
  StepReport report;
  for (int k = 0; k < int(std::lround(seconds / h)) && report.ok(); ++k) report = body.advance(input);
  EXPECT_TRUE(report.ok()) << report.trouble;
  return report;
}

}  // namespace pliant::metric
