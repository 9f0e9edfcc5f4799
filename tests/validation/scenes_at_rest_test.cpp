// SPDX-License-Identifier: Apache-2.0
// What a shipped scene promises, only its own motion shows: with everything taken out that moves it (gravity, forces,
// speeds, stretched and scrambled starts, the ways of handles, bones and colliders, keyed strengths), nothing moves, and
// an expectation is not met.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <nlohmann/json.hpp>

#include "pliant/scene/expect.hpp"
#include "tests/support/shipped_scene.hpp"

namespace pliant {
namespace scenes_at_rest_test {

/// At any depth: pins and handles keep what they select, and do not move it.
void forget(Json& json, const std::string& key) {
  if (json.is_object()) json.erase(key);
  if (json.is_structured())
    for (Json& inner : json) forget(inner, key);
}

Json without_causes(Json scene) {
  scene["gravity"] = {0, 0, 0};
  scene.erase("forces");
  forget(scene, "motion");
  for (Json& body : scene["bodies"]) {
    // What rests does so with any number of nodes.
    if (Json& shape = body["shape"]; shape.contains("mesh"))
      shape["nodes"] = std::min(2000, shape.value("nodes", 5000));
    for (const char* cause : {"velocity", "spin", "stretch", "scramble"})
      if (body.contains("initial")) body["initial"].erase(cause);
    if (body.contains("handles")) forget(body["handles"], "scale");
    if (body.contains("metric")) body["metric"].erase("keys");
    // A skeleton's file has the way of its bones; rotations that are diffused come from them.
    for (const char* method : {"meshless", "fem"})
      if (body.contains(method) && body[method].value("skeleton", Json::object()).contains("file"))
        for (const char* key : {"skeleton", "rotations"}) body[method].erase(key);
  }
  // What rests does so at any step: as few as the limit of `timestep` allows, over the same time.
  const double seconds = scene.value("frames", 300) * scene.value("timestep", 1.0 / 60);
  const double frames = std::max(3.0, std::ceil(seconds));
  scene["frames"] = int(frames);
  scene["timestep"] = seconds / frames;
  scene["substeps"] = 1;
  return scene;
}

double size_of(const Points& points) {
  Eigen::AlignedBox3d box;
  for (const Vec3& p : points) box.extend(p);
  return box.diagonal().norm();
}

/// How far a body is from where it was, at most, over its size.
double way_of(const Points& start, const Points& now) {
  double way = 0;
  for (std::size_t i = 0; i < now.size(); ++i) way = std::max(way, (now[i] - start[i]).norm());
  return way / size_of(start);
}

/// One test a scene, so that they run side by side.
class SceneAtRest : public testing::TestWithParam<std::string> {};

TEST_P(SceneAtRest, breaks_a_promise) {
  if (lacks_models(GetParam())) GTEST_SKIP() << GetParam() << " " << models_missing;
  const ParsedScene written = shipped(GetParam());
  Result<Scene> scene =
      build_scene(parse_scene(without_causes(Json::parse(written.text)).dump(), written.file));
  ASSERT_TRUE(scene) << scene.error().text();
  std::vector<Points> starts;
  for (const Body& body : scene->simulation.bodies()) starts.push_back(body.method().nodes().x);
  Recorder recorder(scene->simulation, scene->probes);
  recorder.note_frame(scene->simulation, 0);
  for (int frame = 1; frame <= scene->spec.frames; ++frame) {
    const auto failure = scene->simulation.step();
    ASSERT_FALSE(failure) << failure->text();
    recorder.note_step(scene->simulation);
    recorder.note_frame(scene->simulation, frame);
  }
  for (std::size_t b = 0; b < starts.size(); ++b)
    EXPECT_LT(way_of(starts[b], scene->simulation.bodies()[b].method().nodes().x),
              0.03)  // adaptive rotations by the naive way drift: 0.012
        << "something is left that moves " << scene->simulation.bodies()[b].name();
  const auto results = evaluate(scene->spec, recorder);
  EXPECT_TRUE(std::any_of(results.begin(), results.end(), [](const auto& result) { return !result.met; }))
      << "all expectations are met, and nothing moved";
}

INSTANTIATE_TEST_SUITE_P(Shipped, SceneAtRest, testing::ValuesIn(shipped_names()), test_name);

}  // namespace scenes_at_rest_test
}  // namespace pliant
