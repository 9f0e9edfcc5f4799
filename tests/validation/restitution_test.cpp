// SPDX-License-Identifier: Apache-2.0
// Restitution of the ground, for every method that meets colliders: a body leaves with the share that is asked
// of the speed with which it came, or with what its own elasticity gives back where that is more.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include "pliant/scene/build.hpp"

namespace pliant {
namespace restitution_test {

struct Bounce {
  double ratio = 0;  ///< of the speeds of the centre of mass after and before
  double gain = 0;   ///< largest energy over that of the start, of m g times the fall
};

struct Setting {
  std::string method, shape, more;
  double modulus, steps_a_second;
};

constexpr double fall = 0.5;

Bounce bounce(const Setting& s, double restitution) {
  const std::string shape =
      s.shape == "ball" ? R"({"sphere": {"radius": 0.15, "nodes": 9, "center": [0, 0.65, 0]}})"
                        : R"({"box": {"size": [0.3, 0.3, 0.3], "nodes": [5, 5, 5], "corner": [0, 0.5, 0]}})";
  const ParsedScene parsed = parse_scene(
      fmt::format(R"({{"timestep": {}, "bodies": [{{"method": "{}", "shape": {}, "{}": {{"stiffness": {}{}}},
          "damping": {{"mass": 0, "stiffness": 0}}}}],
          "colliders": [{{"plane": {{"restitution": {}}}}}]}})",
                  1 / s.steps_a_second, s.method, shape, s.method, s.modulus, s.more, restitution),
      "bounce.json");
  Result<Scene> scene = build_scene(parsed);
  EXPECT_TRUE(bool(scene)) << (scene ? "" : scene.error().text());
  if (!scene) return {};
  const Body& body = scene->simulation.bodies()[0];
  const auto sums = [&](double& mass, Vec3& momentum) {
    const NodeState& nodes = body.method().nodes();
    mass = 0, momentum = Vec3::Zero();
    double energy = body.method().elastic_energy();
    for (std::size_t i = 0; i < nodes.x.size(); ++i) {
      mass += nodes.mass[i];
      momentum += nodes.mass[i] * nodes.v[i];
      energy += nodes.mass[i] * (nodes.v[i].squaredNorm() / 2 + 9.81 * nodes.x[i].y());
    }
    return energy;
  };
  double mass, down = 0;
  Vec3 momentum;
  const double start = sums(mass, momentum);
  Bounce out;
  bool met = false;
  for (int k = 0; k < int(0.9 * s.steps_a_second); ++k) {
    const auto failure = scene->simulation.step();
    EXPECT_FALSE(failure) << failure->text();
    const double energy = sums(mass, momentum);
    met = met || body.report().contact_impulse.y() > 0;
    if (!met) down = -momentum.y() / mass;
    if (met) out.ratio = std::max(out.ratio, momentum.y() / mass / down);
    out.gain = std::max(out.gain, (energy - start) / (mass * 9.81 * fall));
  }
  return out;
}

class Restitution : public testing::TestWithParam<Setting> {};

TEST_P(Restitution, more_of_it_never_gives_less_rebound_and_no_energy) {
  double last = 0;
  // The body falls on by up to g h before it touches.
  const double touching = 1 + 9.81 / GetParam().steps_a_second / std::sqrt(2 * 9.81 * fall);
  for (const double asked : {0.0, 0.3, 0.5, 0.9}) {
    const Bounce now = bounce(GetParam(), asked);
    RecordProperty(fmt::format("restitution_{}", asked), fmt::format("{:.3f}", now.ratio));
    EXPECT_GE(now.ratio, last - 1e-3) << "restitution " << asked;
    EXPECT_GE(now.ratio, 0.99 * asked);
    if (GetParam().modulus > 1e7) {
      EXPECT_LE(now.ratio, touching * asked + 0.02);
    }
    EXPECT_LE(now.gain, 1e-3);
    last = now.ratio;
  }
}

std::vector<Setting> settings() {
  std::vector<Setting> out;
  for (const char* method : {"geometric", "metric", "meshless", "cage"})
    for (const char* shape : {"ball", "box"})
      for (const double modulus : {1e5, 1e6, 1e8}) {
        const bool cage = method == std::string("cage");
        if (cage && modulus == 1e5) continue;  // its contact steps are slow
        out.push_back({method, shape, cage ? R"(, "cells": [2, 2, 2])" : "", modulus, 60});
      }
  out.push_back({"geometric", "ball", R"(, "integrator": "euler")", 1e6, 60});
  out.push_back({"geometric", "ball", "", 1e6, 240});
  out.push_back({"geometric", "box", "", 1e5, 120});
  out.push_back({"metric", "ball", "", 1e6, 240});
  out.push_back({"meshless", "ball", "", 1e6, 240});
  return out;
}

INSTANTIATE_TEST_SUITE_P(Methods, Restitution, testing::ValuesIn(settings()), [](const auto& given) {
  const Setting& s = given.param;
  return s.method + "_" + s.shape + "_1e" + std::to_string(int(std::log10(s.modulus) + 0.5)) + "_" +
         std::to_string(int(s.steps_a_second)) + (s.more.find("euler") != std::string::npos ? "_euler" : "");
});

}  // namespace restitution_test
}  // namespace pliant
