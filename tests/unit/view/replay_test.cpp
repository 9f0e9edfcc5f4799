// SPDX-License-Identifier: Apache-2.0
#include "pliant/view/replay.hpp"

#include "session_driver.hpp"

namespace pliant::view {
namespace replay_test {

using test::bar_scene;
using test::Driver;
using test::Json;

/// A run with everything that changes the motion.
Json touched_session(const char* method) {
  Driver driver(bar_scene(method));
  const Float3 tip = driver.vertex(driver.tip().vertex);
  driver.turns(3);
  driver.done("grab.begin", driver.grab_args(1, {tip[0], tip[1] + 0.1, tip[2]}));
  for (int k = 0; k < 12; ++k) {
    driver.give("grab.move", {{"grab", 1}, {"target", {tip[0], tip[1] + 0.02 * k, tip[2] + 0.01 * k}}});
    driver.give("grab.move", {{"grab", 1}, {"target", {tip[0], tip[1] + 0.021 * k, tip[2] + 0.01 * k}}});
    driver.turns(1);
  }
  driver.done("option.set", {{"path", "gravity"}, {"value", {0, -3, 0}}, {"final", true}});
  driver.turns(4);
  driver.done("option.set", {{"path", "timestep"}, {"value", 0.01}, {"final", true}});
  driver.turns(4);
  driver.done("option.set", {{"path", std::string("bodies.0.") + method + ".stiffness"}, {"value", 2e5}});
  driver.turns(4);
  driver.done("grab.begin", driver.grab_args(2, {tip[0], tip[1], tip[2] + 0.2}));
  driver.turns(6);
  driver.done("grab.end", {{"grab", 2}, {"keep", "pin"}});
  driver.turns(6);
  driver.done("undo");
  driver.turns(3);
  driver.done("pause");
  driver.done("grab.begin", driver.grab_args(3, {tip[0] + 0.1, tip[1], tip[2]}));
  driver.done("step", {{"n", 5}});
  driver.turns(8);
  return Json::parse(driver.saved("session"));
}

TEST(Replay, ASavedSessionGivesTheSameStateBitForBitWithEveryMethod) {
  for (const char* method : {"geometric", "metric", "cage", "meshless", "fem"}) {
    SCOPED_TRACE(method);
    const Json session = touched_session(method);
    EXPECT_GT(session["commands"].size(), 15u);
    for (const int threads : {1, 2}) {
      const auto replayed = replay(session, ".", threads);
      ASSERT_TRUE(replayed) << replayed.error().text();
      EXPECT_TRUE(replayed->refused.empty()) << replayed->refused.front();
      EXPECT_EQ(replayed->steps, session["steps"]);
      EXPECT_TRUE(replayed->same);
    }
  }
}

TEST(Replay, PosesMethodSwitchesAndResetsAreReplayed) {
  Driver driver(bar_scene());
  const Float3 tip = driver.vertex(driver.tip().vertex);
  driver.turns(2);
  driver.done("pose", {{"on", true}});
  driver.done("grab.begin", driver.grab_args(1, {tip[0], tip[1] + 0.1, tip[2]}));
  driver.turns(3);
  driver.done("grab.end", {{"grab", 1}, {"target", {tip[0], tip[1] + 0.15, tip[2]}}});
  driver.turns(50);
  driver.done("pose", {{"on", false}});
  driver.turns(5);
  driver.done("method", {{"body", 0}, {"name", "fem"}});
  driver.turns(5);
  driver.done("undo");
  driver.turns(5);
  driver.done("reset");
  driver.turns(7);
  const Json session = Json::parse(driver.saved("session"));
  const auto replayed = replay(session, ".");
  ASSERT_TRUE(replayed) << replayed.error().text();
  EXPECT_TRUE(replayed->same);
}

TEST(Replay, APinGivenWhileABodyIsBuiltIsInTheNewBody) {
  Driver driver(bar_scene());
  driver.session().want(driver.client(), only(Channel::surface) | only(Channel::surface_flags));
  const auto tip = driver.tip();
  const Float3 begin = driver.vertex(tip.vertex);
  driver.done("grab.begin", driver.grab_args(1, {begin[0], begin[1] + 0.1, begin[2]}));
  driver.turns(10);
  driver.give("method", {{"body", 0}, {"name", "cage"}});
  const std::uint32_t end = driver.give("grab.end", {{"grab", 1}, {"keep", "pin"}});
  driver.turns(1);
  ASSERT_TRUE(driver.reply(end)) << "it does not wait for the build";
  EXPECT_EQ(driver.shown()->model->bodies[0].method, "geometric");
  driver.turns(10);
  EXPECT_EQ(driver.shown()->model->bodies[0].method, "cage");
  EXPECT_TRUE(driver.shown()->bodies[0].surface_flags[tip.vertex] & flag_pinned);
  EXPECT_EQ(Json::parse(driver.saved("scene"))["bodies"][0]["pins"].size(), 2u);
  const auto replayed = replay(Json::parse(driver.saved("session")), ".");
  ASSERT_TRUE(replayed) << replayed.error().text();
  EXPECT_TRUE(replayed->refused.empty());
  EXPECT_TRUE(replayed->same);
}

TEST(Replay, ABodyThatLandsOnTheGroundIsReplayed) {
  Json scene = bar_scene();
  scene["gravity"] = {0, -9.81, 0};
  scene["bodies"][0].erase("pins");
  scene["bodies"][0]["initial"]["translate"] = {0, 0.1, 0};
  scene["colliders"] = Json::array({{{"plane", {{"point", {0, 0, 0}}, {"normal", {0, 1, 0}}}}}});
  Driver driver(scene);
  driver.turns(30);
  driver.done("grab.begin", driver.grab_args(1, {1.2, 0.5, 0.1}));
  driver.turns(20);
  driver.done("option.set", {{"path", "bodies.0.friction"}, {"value", 0.1}});
  driver.done("grab.end", {{"grab", 1}});
  driver.turns(30);
  const auto replayed = replay(Json::parse(driver.saved("session")), ".");
  ASSERT_TRUE(replayed) << replayed.error().text();
  EXPECT_TRUE(replayed->same);
}

TEST(Replay, ASessionThatBeganWithASceneOpenedByAPageIsReplayed) {
  Driver driver(bar_scene());
  Json ball{{"bodies", Json::array({{{"name", "ball"}, {"shape", {{"sphere", {{"nodes", 5}}}}}}})}};
  std::ofstream(driver.folder() / "ball.json") << ball.dump();
  driver.turns(2);
  driver.done("scene.load", {{"name", "ball"}});
  driver.turns(3);
  ASSERT_GT(driver.shown()->epoch, 1u);
  driver.done("grab.begin", driver.grab_args(1, {0.5, 1, 0}));  // says its epoch, as pages do
  driver.turns(5);
  driver.done("pin.set", {{"epoch", driver.shown()->epoch}, {"body", 0}, {"vertices", {0}}, {"on", true}});
  driver.turns(5);
  const auto replayed = replay(Json::parse(driver.saved("session")), ".");
  ASSERT_TRUE(replayed) << replayed.error().text();
  EXPECT_EQ(replayed->commands, 2u);
  EXPECT_TRUE(replayed->refused.empty()) << replayed->refused.front();
  EXPECT_TRUE(replayed->same);
}

TEST(Replay, AnotherCommandGivesAnotherState) {
  Json session = touched_session("geometric");
  for (Json& command : session["commands"])
    if (command["cmd"] == "grab.move") command["args"]["target"][1] = 0.5;
  const auto replayed = replay(session, ".");
  ASSERT_TRUE(replayed);
  EXPECT_FALSE(replayed->same);
}

TEST(Replay, WhatIsNoSessionIsRefused) {
  EXPECT_FALSE(replay(Json::object(), "."));
  EXPECT_FALSE(replay(5, "."));
  Json session{{"pliant_session", 1}, {"scene", bar_scene()}, {"commands", {5}}, {"steps", 3u}, {"hash", ""}};
  EXPECT_FALSE(replay(session, "."));
  session["commands"] = Json::array();
  session["name"] = 7;
  EXPECT_FALSE(replay(session, "."));
  session["name"] = "bar";
  session["scene"]["bodies"][0]["density"] = -1;
  EXPECT_FALSE(replay(session, "."));
}

}  // namespace replay_test
}  // namespace pliant::view
