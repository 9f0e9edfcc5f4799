// SPDX-License-Identifier: Apache-2.0
// The paper's experiments with reduced bodies [Huang06, Fig. 4, 5, and 9 right]: the shipped scenes against
// the same scenes in full space. (Fig. 1 is in bar_fem_test, Fig. 2 and 9 left in surfaces_test, Fig. 3 in
// plastic_test, Fig. 6 to 8 in unit/methods/geometric/adaptive_rotations_test, the timing of Sec. 5 in
// rotation_visits_test.)
#include <gtest/gtest.h>

#include <fstream>
#include <iterator>

#include "pliant/scene/build.hpp"

namespace pliant {
namespace {

ParsedScene shipped(const std::string& name) {
  const std::string file = std::string(PLIANT_SOURCE_DIR) + "/scenes/geometric/" + name + ".json";
  std::ifstream stream(file);
  return parse_scene(std::string(std::istreambuf_iterator<char>(stream), {}), file, {});
}

/// The way of the scene's probe, one place a frame.
Points path(const ParsedScene& parsed, int frames) {
  Result<Scene> scene = build_scene(parsed);
  EXPECT_TRUE(bool(scene)) << (scene ? "" : scene.error().text());
  if (!scene) return {};
  const auto place = [&] {
    Vec3 sum = Vec3::Zero();
    for (const Index i : scene->probes[0].nodes) sum += scene->simulation.bodies()[0].method().nodes().x[i];
    return Vec3(sum / double(scene->probes[0].nodes.size()));
  };
  const Vec3 start = place();
  Points out;
  for (int frame = 0; frame < frames; ++frame) {
    const auto failure = scene->simulation.step();
    EXPECT_FALSE(failure) << (failure ? failure->text() : "");
    out.push_back(place() - start);
  }
  return out;
}

double lowest(const Points& path) {
  double least = 0;
  for (const Vec3& p : path) least = std::min(least, p.y());
  return least;
}

double farthest_back(const Points& path) {
  double least = 0;
  for (const Vec3& p : path) least = std::min(least, p.x());
  return -least;
}

double relative_error(const Points& got, const Points& truth) {
  double error = 0, size = 0;
  for (std::size_t t = 0; t < truth.size(); ++t) {
    error += (got[t] - truth[t]).squaredNorm();
    size += truth[t].squaredNorm();
  }
  return std::sqrt(error / size);
}

TEST(Experiments, four_samples_carry_a_bar_through_its_first_swing) {
  ParsedScene scene = shipped("samples-bar");
  const Points reduced = path(scene, 100);
  scene.spec.bodies[0].geometric.reduction.reset();
  const Points full = path(scene, 100);
  std::printf("samples-bar: falls by %.3f m, in full space by %.3f m; way of the tip off by %.3f\n",
              -lowest(reduced), -lowest(full), relative_error(reduced, full));
  EXPECT_NEAR(lowest(reduced) / lowest(full), 1, 0.05);
  EXPECT_LT(relative_error(reduced, full), 0.2);
}

TEST(Experiments, eight_modes_carry_a_torus_times_the_affine_functions_and_lock_alone) {
  ParsedScene scene = shipped("modal-torus");
  const Points reduced = path(scene, 90);
  scene.spec.bodies[0].geometric.reduction->kind = geometric::ModalKind::pure;
  const Points alone = path(scene, 90);
  scene.spec.bodies[0].geometric.reduction.reset();
  const Points full = path(scene, 90);
  std::printf("modal-torus: falls by %.3f m, in full space by %.3f m, with modes alone by %.3f m\n",
              -lowest(reduced), -lowest(full), -lowest(alone));
  std::printf("modal-torus: way of the tip off by %.3f, with modes alone by %.3f\n",
              relative_error(reduced, full), relative_error(alone, full));
  EXPECT_NEAR(lowest(reduced) / lowest(full), 1, 0.05);
  EXPECT_LT(relative_error(reduced, full), 0.1);
  EXPECT_GT(relative_error(alone, full), 0.5);
}

TEST(Experiments, four_and_fourteen_samples_carry_a_creature_of_14_000_nodes) {
  constexpr int frames = 30;
  ParsedScene fourteen = shipped("creature-reduced");
  const Points few = path(shipped("samples-creature"), frames), more = path(fourteen, frames);
  fourteen.spec.bodies[0].geometric.reduction.reset();
  const Points full = path(fourteen, frames);
  std::printf("creature: the head swings by %.3f m, with 12 functions by %.3f m, with 40 by %.3f m\n",
              farthest_back(full), farthest_back(few), farthest_back(more));
  std::printf("creature: way of the head off by %.3f with 12 functions, by %.3f with 40\n",
              relative_error(few, full), relative_error(more, full));
  // The samples pose head and tail, not the legs that carry them: what they do not contain is stiff.
  EXPECT_NEAR(farthest_back(more) / farthest_back(full), 1, 0.15);
  EXPECT_LT(farthest_back(few), 0.6 * farthest_back(full));
  EXPECT_LT(relative_error(more, full), relative_error(few, full));
}

}  // namespace
}  // namespace pliant
