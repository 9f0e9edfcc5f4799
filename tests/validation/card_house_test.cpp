// SPDX-License-Identifier: Apache-2.0
// A house of cards that is hit by a ball [Li20: 5_hitCardHouse]: it falls, and no card passes another. That it stands:
// scenes/together/cards.
#include <gtest/gtest.h>

#include "pliant/scene/build.hpp"
#include "tests/support/contact_rig.hpp"
#include "tests/support/meeting_world.hpp"
#include "tests/support/shipped_scene.hpp"

namespace pliant {
namespace card_house_test {

using namespace test;

TEST(CardHouse, that_a_ball_hits_falls_and_no_card_passes_another) {
  Result<Scene> scene = build_scene(shipped("together/cards"));
  ASSERT_TRUE(scene) << scene.error().text();
  MeetingWorld world;
  world.method.stiffness = 1e6;
  world.add(make_shape(EllipsoidShape{{0.02, 0.02, 0.02}, 5, {0, 0, 0}}), {{-0.09, 0.04, 0.003}, {1, 0, 0}});
  Simulation& simulation = scene->simulation;
  std::vector<Body> bodies = simulation.take_bodies();
  for (Body& body : bodies) world.bodies.push_back(std::move(body));
  world.colliders = simulation.colliders();
  world.options = simulation.options();
  WatchedRun run(std::move(world));
  const double high = run.height(run.simulation.bodies().size() - 1);
  const auto height = [&] { return run.height(run.simulation.bodies().size() - 1); };
  // Where the cards hang on each other for a while is chance.
  for (double time = 0.5; time < 1.6 && !(height() < 0.85 * high); time += 0.05) run.run_to(time);
  EXPECT_EQ(run.missing, 0);
  measured("high", high);
  measured("height", height());
  EXPECT_LT(height(), 0.85 * high);
}

}  // namespace card_house_test
}  // namespace pliant
