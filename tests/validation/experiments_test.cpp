// SPDX-License-Identifier: Apache-2.0
// The paper's experiments with reduced bodies [Huang06, Fig. 4, 5 and 9b]: the shipped scenes against the
// same scenes in full space. (Fig. 1 is in bar_fem_test, Fig. 2 and 9a in surfaces_test, Fig. 3 in
// plastic_test, Fig. 6 to 8 in adaptive_rotations_test, the timing of Sec. 5 in rotation_visits_test.)
#include <gtest/gtest.h>

#include <chrono>

#include "pliant/methods/geometric/options.hpp"
#include "pliant/scene/build.hpp"
#include "tests/support/points.hpp"
#include "tests/support/shipped_scene.hpp"

namespace pliant {
namespace experiments_test {

/// The way of the scene's probe, one place a frame.
struct Way {
  Points places;
  double step_ms = 1e9;  ///< of the fastest step: for the reader; `pliant bench` is what measures
};

Way way(const ParsedScene& parsed, int frames) {
  Result<Scene> scene = build_scene(parsed);
  EXPECT_TRUE(bool(scene)) << (scene ? "" : scene.error().text());
  if (!scene) return {};
  const auto place = [&] {
    Vec3 sum = Vec3::Zero();
    for (const Index i : scene->probes[0].nodes) sum += scene->simulation.bodies()[0].method().nodes().x[i];
    return Vec3(sum / double(scene->probes[0].nodes.size()));
  };
  const Vec3 start = place();
  Way out;
  for (int frame = 0; frame < frames; ++frame) {
    const auto before = std::chrono::steady_clock::now();
    const auto failure = scene->simulation.step();
    const std::chrono::duration<double, std::milli> took = std::chrono::steady_clock::now() - before;
    EXPECT_FALSE(failure) << (failure ? failure->text() : "");
    out.step_ms = std::min(out.step_ms, took.count());
    out.places.push_back(place() - start);
  }
  return out;
}

Points path(const ParsedScene& parsed, int frames) { return way(parsed, frames).places; }

double lowest(const Points& path) {
  double least = 0;
  for (const Vec3& p : path) least = std::min(least, p.y());
  return least;
}

TEST(Experiments, four_samples_carry_a_bar_through_its_first_swing) {
  ParsedScene scene = shipped("geometric/samples-bar");
  const Points reduced = path(scene, 100);
  scene.spec.bodies[0].options_of<geometric::Options>().reduction.reset();
  const Points full = path(scene, 100);
  std::printf("samples-bar: falls by %.3f m, in full space by %.3f m; way of the tip off by %.3f\n",
              -lowest(reduced), -lowest(full), relative_error(reduced, full));
  EXPECT_NEAR(lowest(reduced) / lowest(full), 1, 0.05);
  EXPECT_LT(relative_error(reduced, full), 0.22);
}

/// How far the head of a shipped creature is off the full body's in the first second, share of its way.
double error_of_creature(const std::string& name) {
  ParsedScene scene = shipped(name);
  const Way reduced = way(scene, 60);
  scene.spec.bodies[0].options_of<geometric::Options>().reduction.reset();
  scene.spec.bodies[0].options_of<geometric::Options>().adaptive.reset();
  const Way full = way(scene, 60);
  const auto reach = [](const Way& way) { return farthest(way.places, Points(60, Vec3::Zero())); };
  const double error = relative_error(reduced.places, full.places);
  std::printf("%s: head goes %.3f m far, in full space %.3f m; its way in the first second off by %.3f\n",
              name.c_str(), reach(reduced), reach(full), error);
  std::printf("%s: fastest step %.2f ms, in full space %.2f ms\n", name.c_str(), reduced.step_ms,
              full.step_ms);
  return error;
}

TEST(Experiments, four_samples_carry_a_creature_of_14_000_nodes_through_a_push_that_is_not_among_them) {
  EXPECT_LT(error_of_creature("geometric/samples-creature"), 0.25);
}

TEST(Experiments, fourteen_samples_carry_it_better) {
  EXPECT_LT(error_of_creature("geometric/creature-reduced"), 0.13);
}

TEST(Experiments, adaptive_rotations_do_not_take_it_off_its_way) {
  EXPECT_LT(error_of_creature("geometric/adaptive-reduced"), 0.13);
}

TEST(Experiments, eight_modes_carry_a_torus_times_the_affine_functions_and_lock_alone) {
  ParsedScene scene = shipped("geometric/modal-torus");
  const Points reduced = path(scene, 90);
  scene.spec.bodies[0].options_of<geometric::Options>().reduction->kind = geometric::ModalKind::pure;
  const Points alone = path(scene, 90);
  scene.spec.bodies[0].options_of<geometric::Options>().reduction.reset();
  const Points full = path(scene, 90);
  std::printf("modal-torus: falls by %.3f m, in full space by %.3f m, with modes alone by %.3f m\n",
              -lowest(reduced), -lowest(full), -lowest(alone));
  std::printf("modal-torus: way of the tip off by %.3f, with modes alone by %.3f\n",
              relative_error(reduced, full), relative_error(alone, full));
  EXPECT_NEAR(lowest(reduced) / lowest(full), 1, 0.05);
  EXPECT_LT(relative_error(reduced, full), 0.1);
  EXPECT_GT(relative_error(alone, full), 0.5);
}

}  // namespace experiments_test
}  // namespace pliant
