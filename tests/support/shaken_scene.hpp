// SPDX-License-Identifier: Apache-2.0
// A shipped scene whose bodies start a little off their places, step by step, with a search for crossings after each.
#pragma once

#include <functional>
#include <random>

#include "pliant/scene/build.hpp"
#include "tests/support/meeting_world.hpp"
#include "tests/support/shipped_scene.hpp"

namespace pliant::test {

struct ShakenRun {
  int steps = 0, crossings = 0, shortened = 0;  ///< steps that lack a part of their motion in some body
  std::string trouble;
};

/// Every free body starts up to `far` of its size off its place and turned by up to `far` rad; seed 0: where the scene puts
/// it. far must be below what bodies keep from each other, 5e-3 of their size. most_steps: of the run.
inline ShakenRun run_shaken(const ParsedScene& parsed, unsigned seed, double far, int most_steps) {
  ShakenRun run;
  Result<Scene> scene = build_scene(parsed);
  if (!scene) {
    run.trouble = scene.error().text();
    return run;
  }
  Simulation& simulation = scene->simulation;
  std::mt19937 random(seed);
  std::uniform_real_distribution<double> part(-far, far);
  const auto any = [&] { return Vec3(part(random), part(random), part(random)); };
  for (int i = 0; seed > 0 && i < int(simulation.bodies().size()); ++i) {
    Body& body = simulation.body(i);
    const Vec3 shift = any(), turn = any();
    if (!body.holds().empty()) continue;
    Eigen::AlignedBox3d box;
    Points x = body.method().nodes().x;
    for (const Vec3& p : x) box.extend(p);
    const double size = box.diagonal().norm();
    const Mat3 turned = Eigen::AngleAxisd(turn.norm(), turn.normalized()).toRotationMatrix();
    for (Vec3& p : x) p = box.center() + turned * (p - box.center()) + size * shift;
    body.method().place(x, body.method().nodes().v);
  }
  if (seed > 0) simulation.rejoin(true);
  Crossings crossings(simulation);
  const int most = std::min(most_steps, scene->spec.frames * scene->spec.substeps);
  for (; run.steps < most; ++run.steps) {
    if (const auto failure = simulation.step()) {
      run.trouble = failure->text();
      break;
    }
    run.crossings += crossings.count(simulation);
    run.shortened += shortened(simulation) > 0;
  }
  return run;
}

}  // namespace pliant::test
