// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <unistd.h>

#include <cmath>
#include <condition_variable>
#include <mutex>

#include "session_driver.hpp"
#include "tests/support/places.hpp"
#include "tests/support/temp_folder.hpp"

namespace pliant::view {
namespace session_test {

using test::bar_scene;
using test::Driver;
using test::Json;

TEST(Session, StepsWhilePlayingAndStandsWhilePaused) {
  Driver driver(bar_scene());
  const std::uint32_t before = driver.shown()->step;
  driver.turns(5);
  EXPECT_EQ(driver.shown()->step, before + 5);
  driver.done("pause");
  const std::uint32_t paused = driver.shown()->step;
  driver.turns(5);
  EXPECT_EQ(driver.shown()->step, paused);
  EXPECT_TRUE(driver.shown()->paused);
  driver.done("step", {{"n", 3}});
  driver.turns(5);
  EXPECT_EQ(driver.shown()->step, paused + 3);
}

TEST(Session, TheFrameAfterAGrabContainsItAndThePointGoesToTheTarget) {
  Driver driver(bar_scene());
  const auto tip = driver.tip();
  const Float3 begin = driver.vertex(tip.vertex);
  const Json target{begin[0], begin[1] + 0.3, begin[2]};
  const Json reply = driver.done("grab.begin", driver.grab_args(1, target));
  const auto shown = driver.shown();
  EXPECT_GE(shown->applied.at(driver.client()), reply["id"].get<std::uint32_t>());
  EXPECT_LE(shown->step, reply["step"].get<std::uint32_t>() + 1);
  EXPECT_GT(shown->bodies[0].surface[tip.vertex][1], begin[1]) << "it follows in the first frame";
  ASSERT_EQ(shown->grabs.size(), 1u);
  EXPECT_GT(shown->grabs[0].force, 0);
  driver.turns(120);
  EXPECT_NEAR(driver.vertex(tip.vertex)[1], begin[1] + 0.3, 0.1);
  driver.done("grab.end", {{"grab", 1}});
  EXPECT_TRUE(driver.shown()->grabs.empty());
  driver.turns(400);
  EXPECT_NEAR(driver.vertex(tip.vertex)[1], begin[1], 0.05) << "let go, it comes back";
}

TEST(Session, EveryMethodTakesAGrab) {
  for (const char* method : {"geometric", "metric", "cage", "meshless", "fem"}) {
    SCOPED_TRACE(method);
    Driver driver(bar_scene(method));
    const auto tip = driver.tip();
    const Float3 begin = driver.vertex(tip.vertex);
    driver.done("grab.begin", driver.grab_args(7, {begin[0], begin[1] + 0.2, begin[2]}));
    driver.turns(60);
    EXPECT_GT(driver.vertex(tip.vertex)[1], begin[1] + 0.08);
    EXPECT_LT(driver.vertex(tip.vertex)[1], begin[1] + 0.3);
  }
}

TEST(Session, MovesOfOneGrabCountAsTheirLastAndEachIsAnswered) {
  Driver driver(bar_scene());
  const Float3 begin = driver.vertex(driver.tip().vertex);
  driver.done("grab.begin", driver.grab_args(1, {begin[0], begin[1], begin[2]}));
  const std::size_t before = driver.replies();
  std::uint32_t last = 0;
  for (int k = 1; k <= 20; ++k)
    last = driver.give("grab.move", {{"grab", 1}, {"target", {begin[0], begin[1] + 0.01 * k, begin[2]}}});
  driver.turns(1);
  EXPECT_EQ(driver.replies(), before + 20);
  EXPECT_EQ(driver.shown()->applied.at(driver.client()), last);
  EXPECT_NEAR(driver.shown()->grabs.at(0).target[1], begin[1] + 0.2, 1e-5);
}

TEST(Session, WhatIsWrongIsRefusedWithItsCode) {
  Driver driver(bar_scene());
  EXPECT_EQ(driver.code("fly"), "unknown_command");
  EXPECT_EQ(driver.code("grab.move", {{"grab", 9}, {"target", {0, 0, 0}}}), "bad_argument");
  EXPECT_EQ(
      driver.code("grab.begin", {{"epoch", 99}, {"grab", 1}, {"body", 0}, {"face", 0}, {"bary", {1, 0, 0}}}),
      "stale_epoch");
  EXPECT_EQ(driver.code("grab.begin", {{"grab", 1}, {"body", 0}, {"face", 1 << 20}, {"bary", {1, 0, 0}}}),
            "out_of_range");
  EXPECT_EQ(driver.code("grab.begin", {{"grab", 1}, {"body", 0}, {"face", 0}, {"bary", {3, 0, 0}}}),
            "bad_argument");
  EXPECT_EQ(
      driver.code("grab.begin",
                  {{"grab", 1}, {"body", 0}, {"face", 0}, {"bary", {1, 0, 0}}, {"target", {1e8, 0, 0}}}),
      "out_of_range");
  EXPECT_EQ(driver.code("speed", {{"x", -1}}), "out_of_range");
  EXPECT_EQ(driver.code("step", {{"n", 1001}}), "out_of_range");
  EXPECT_EQ(driver.code("option.set", {{"path", "bodies.0.geometric.stifness"}, {"value", 1}}),
            "unknown_path");
  EXPECT_EQ(driver.code("option.set", {{"path", "bodies.0.geometric.stiffness"}, {"value", -1}}),
            "bad_argument");
  EXPECT_EQ(driver.code("option.set", {{"path", "bodies.0.geometric.stiffness"}, {"value", "soft"}}),
            "bad_argument");
  EXPECT_EQ(driver.code("method", {{"body", 0}, {"name", "magic"}}), "bad_argument");
  EXPECT_EQ(driver.code("scene.load", {{"name", "nowhere"}}), "bad_argument");
  EXPECT_EQ(driver.code("undo"), "not_supported");
  EXPECT_EQ(driver.code("play", 5), "bad_argument");
  EXPECT_TRUE(driver.shown()->grabs.empty());
}

TEST(Session, APageThatWatchesMayNotCommand) {
  Driver driver(bar_scene());
  const int watcher = driver.session().join(true);
  const Json reply = driver.tell("pause", Json::object(), watcher);
  EXPECT_EQ(reply["error"]["code"], "read_only");
  EXPECT_FALSE(driver.shown()->paused);
}

TEST(Session, MoreThan256WaitingCommandsOfAPageAreTooMany) {
  Driver driver(bar_scene());
  std::uint32_t last = 0;
  for (int k = 0; k < 257; ++k) last = driver.give("play");
  ASSERT_TRUE(driver.reply(last));
  EXPECT_EQ((*driver.reply(last))["error"]["code"], "too_many");
  driver.turns(1);
  EXPECT_EQ(driver.replies(), 257u);
}

TEST(Session, AGrabEndsWhenItsPageGoes) {
  Driver driver(bar_scene());
  const int other = driver.session().join();
  driver.tell("grab.begin", driver.grab_args(1, {1, 1, 0}), other);
  EXPECT_EQ(driver.shown()->grabs.size(), 1u);
  EXPECT_EQ(driver.shown()->grabs[0].client, other);
  driver.session().leave(other);
  driver.turns(1);
  EXPECT_TRUE(driver.shown()->grabs.empty());
}

TEST(Session, ALiveOptionIsInForceAtTheNextStepAndAllPagesHear) {
  Driver driver(bar_scene());
  const std::uint32_t epoch = driver.shown()->epoch;
  const auto tip = driver.tip();
  driver.done("option.set", {{"path", "gravity"}, {"value", {0, -9.81, 0}}, {"final", true}});
  EXPECT_EQ(driver.shown()->epoch, epoch);
  EXPECT_EQ(driver.last("options")["changed"][0]["path"], "gravity");
  driver.turns(20);
  EXPECT_LT(driver.vertex(tip.vertex)[1], 0.19f);
  EXPECT_EQ(driver.option_text("gravity"), "[0,-9.81,0]");
}

TEST(Session, AnOptionThatNeedsABuildSwapsTheBodyAndKeepsItsMotion) {
  Driver driver(bar_scene());
  const auto tip = driver.tip();
  const Float3 begin = driver.vertex(tip.vertex);
  driver.done("grab.begin", driver.grab_args(1, {begin[0], begin[1] + 0.3, begin[2]}));
  driver.turns(60);
  const std::uint32_t epoch = driver.shown()->epoch;
  const Float3 bent = driver.vertex(tip.vertex);
  const std::uint32_t id =
      driver.give("option.set", {{"path", "bodies.0.geometric.stiffness"}, {"value", 2e5}});
  driver.turns(1);
  EXPECT_EQ(driver.shown()->epoch, epoch) << "the old body goes on";
  EXPECT_FALSE(driver.reply(id));
  EXPECT_GE(driver.count("build"), 1);
  driver.turns(1);
  ASSERT_TRUE(driver.reply(id));
  EXPECT_TRUE((*driver.reply(id))["ok"]) << driver.reply(id)->dump();
  EXPECT_EQ(driver.shown()->epoch, epoch + 1);
  EXPECT_NEAR(driver.vertex(tip.vertex)[1], bent[1], 0.05);
  EXPECT_EQ(driver.last("scene")["epoch"], epoch + 1);
  EXPECT_EQ(driver.shown()->grabs.size(), 1u) << "with the same nodes the hand goes on holding";
  driver.done("option.set", {{"path", "bodies.0.density"}, {"value", 500}});
  driver.done("grab.move", {{"grab", 1}, {"target", {begin[0], begin[1], begin[2]}}});
  driver.done("method", {{"body", 0}, {"name", "cage"}});
  EXPECT_TRUE(driver.shown()->grabs.empty()) << "with others it lets go";
}

TEST(Session, ABuildThatFailsKeepsTheOldBody) {
  Driver driver(bar_scene());
  const std::uint32_t epoch = driver.shown()->epoch;
  // a shape that the cage method cannot use is found out only while building
  Json sheet{{"gravity", {0, 0, 0}},
             {"bodies", Json::array({{{"name", "sheet"}, {"shape", {{"sheet", {{"nodes", {5, 5}}}}}}}})}};
  Driver thin(sheet);
  const Json reply = thin.tell("method", {{"body", 0}, {"name", "cage"}});
  EXPECT_FALSE(reply["ok"]);
  EXPECT_EQ(reply["error"]["code"], "build_failed") << reply.dump();
  const std::uint32_t step = thin.shown()->step;
  thin.turns(3);
  EXPECT_EQ(thin.shown()->step, step + 3);
  EXPECT_EQ(thin.shown()->model->bodies[0].method, "geometric");
  EXPECT_EQ(driver.shown()->epoch, epoch);
}

TEST(Session, TheMethodOfABodyCanBeSwitchedToEveryOtherAndBack) {
  Driver driver(bar_scene());
  for (const char* method : {"metric", "cage", "meshless", "rigid", "fem", "geometric"}) {
    const Json reply = driver.done("method", {{"body", 0}, {"name", method}});
    EXPECT_EQ(driver.shown()->model->bodies[0].method, method);
    driver.turns(5);
    EXPECT_FALSE(driver.shown()->stopped) << method;
  }
  driver.done("undo");
  EXPECT_EQ(driver.shown()->model->bodies[0].method, "fem");
  driver.done("redo");
  EXPECT_EQ(driver.shown()->model->bodies[0].method, "geometric");
}

TEST(Session, AMethodThatWasRefusedIsToldWithItsReasonUntilTheBodyChanges) {
  Json scene = bar_scene();
  scene["bodies"][0]["cage"]["file"] = "no-such-cage.obj";
  Driver driver(scene);
  const auto refused = [&] { return (*driver.session().scene_message())["bodies"][0]["refused_methods"]; };
  EXPECT_TRUE(refused().empty());
  EXPECT_EQ(driver.code("method", {{"body", 0}, {"name", "cage"}}), "build_failed");
  driver.turns(1);
  ASSERT_TRUE(refused().contains("cage")) << refused();
  EXPECT_NE(refused()["cage"].get<std::string>().find("no-such-cage.obj"), std::string::npos);
  EXPECT_EQ(refused().size(), 1u);
  EXPECT_EQ(driver.last("scene")["bodies"][0]["refused_methods"], refused()) << "all pages hear of it";
  driver.done("pin.set", {{"body", 0}, {"vertices", {driver.tip().vertex}}, {"on", true}});
  driver.turns(1);
  EXPECT_TRUE(refused().empty()) << "another body: it may be tried again";
}

TEST(Session, UndoTakesBackOptionsOneGestureAtATime) {
  Driver driver(bar_scene());
  const std::string path = "bodies.0.damping.mass";
  for (const double value : {2.0, 3.0, 4.0})
    driver.done("option.set", {{"path", path}, {"value", value}, {"final", false}});
  driver.done("option.set", {{"path", path}, {"value", 5.0}, {"final", true}});
  driver.done("option.set", {{"path", path}, {"value", 7.0}, {"final", true}});
  EXPECT_EQ(driver.option_text(path), "7.0");
  driver.done("undo");
  EXPECT_EQ(driver.option_text(path), "5.0");
  driver.done("undo");
  EXPECT_EQ(driver.option_text(path), "1");
  driver.done("redo");
  EXPECT_EQ(driver.option_text(path), "5.0");
  EXPECT_NE(driver.last("history")["undo"].get<std::string>().find("1"), std::string::npos);
}

TEST(Session, ResetPutsTheBodyBackAndCanBeUndone) {
  Driver driver(bar_scene());
  const auto tip = driver.tip();
  const Float3 begin = driver.vertex(tip.vertex);
  driver.done("option.set", {{"path", "gravity"}, {"value", {0, -9.81, 0}}});
  driver.turns(30);
  driver.done("pause");
  const Float3 bent = driver.vertex(tip.vertex);
  EXPECT_LT(bent[1], begin[1]);
  driver.done("reset");
  for (std::size_t c = 0; c < 3; ++c) EXPECT_NEAR(driver.vertex(tip.vertex)[c], begin[c], 1e-6);
  EXPECT_EQ(driver.shown()->time, 0);
  driver.done("undo");
  EXPECT_EQ(driver.vertex(tip.vertex), bent);
}

// Boxes that cross at the start and fly apart: without a new look after the reset they would be locked.
TEST(Session, AResetLooksAnewWhichBodiesCross) {
  const auto box = [](const char* name, double x, double speed) {
    return Json{{"name", name},
                {"shape",
                 {{"box", {{"size", {0.2, 0.2, 0.2}}, {"nodes", {3, 3, 3}}, {"corner", {x, x / 9, x / 8}}}}}},
                {"method", "geometric"},
                {"contact", {{"bodies", true}}},
                {"initial", {{"velocity", {speed, 0, 0}}}}};
  };
  Driver driver(
      Json{{"gravity", {0, 0, 0}}, {"bodies", Json::array({box("one", 0, 0), box("two", 0.15, 2)})}});
  const Float3 begin = driver.vertex(0, 1);
  std::array<float, 2> way{};
  for (float& went : way) {
    driver.turns(12);
    went = driver.vertex(0, 1)[0] - begin[0];
    driver.done("reset");
  }
  EXPECT_GT(way[0], 0.2F);
  EXPECT_NEAR(way[1], way[0], 0.05F);  // one turn more or less
}

TEST(Session, APinHoldsTheVertexWhereItIsAndUndoFreesIt) {
  Driver driver(bar_scene());
  driver.session().want(driver.client(), only(Channel::surface) | only(Channel::surface_flags));
  const auto tip = driver.tip();
  const Float3 begin = driver.vertex(tip.vertex);
  driver.done("grab.begin", driver.grab_args(1, {begin[0], begin[1] + 0.3, begin[2]}));
  driver.turns(60);
  const Float3 bent = driver.vertex(tip.vertex);
  driver.done("grab.end", {{"grab", 1}, {"keep", "pin"}});
  driver.turns(100);
  EXPECT_NEAR(driver.vertex(tip.vertex)[1], bent[1], 0.03);
  EXPECT_TRUE(driver.shown()->bodies[0].surface_flags[tip.vertex] & flag_pinned);
  driver.done("undo");
  driver.turns(300);
  EXPECT_NEAR(driver.vertex(tip.vertex)[1], begin[1], 0.05);
  driver.done("redo");
  driver.turns(60);
  EXPECT_NEAR(driver.vertex(tip.vertex)[1], bent[1], 0.03);
  driver.done("pin.set", {{"body", 0}, {"vertices", {tip.vertex}}, {"on", false}});
  driver.done("pin.clear", {{"body", 0}});
  EXPECT_EQ(driver.code("pin.set", {{"body", 0}, {"vertices", {tip.vertex}}, {"on", false}}), "bad_argument");
}

TEST(Session, AHandleIsMovedTurnedAndRemoved) {
  Driver driver(bar_scene());
  const auto tip = driver.tip();
  const Float3 begin = driver.vertex(tip.vertex);
  const Json select{{"halfspace", {{"point", {1, 0, 0}}, {"normal", {1, 0, 0}}}}};
  const Json reply = driver.done("handle.add", {{"body", 0}, {"select", select}});
  const Json handle = reply["result"]["handle"];
  driver.done("handle.move", {{"handle", handle}, {"translate", {0.1, 0.2, 0}}});
  driver.turns(60);
  EXPECT_NEAR(driver.vertex(tip.vertex)[0], begin[0] + 0.1, 0.01);
  EXPECT_NEAR(driver.vertex(tip.vertex)[1], begin[1] + 0.2, 0.01);
  const double s = std::sqrt(0.5);
  driver.done("handle.move", {{"handle", handle}, {"translate", {0.1, 0.2, 0}}, {"rotate", {s, 0, 0, s}}});
  driver.turns(60);
  EXPECT_NE(driver.vertex(tip.vertex)[2], begin[2]);
  driver.done("handle.remove", {{"handle", handle}});
  EXPECT_EQ(driver.code("handle.move", {{"handle", handle}, {"translate", {0, 0, 0}}}), "bad_argument");
  driver.turns(300);
  EXPECT_NEAR(driver.vertex(tip.vertex)[1], begin[1], 0.05);
}

TEST(Session, PosingSolvesStaticsAndTimeStands) {
  for (const char* method : {"geometric", "cage", "meshless"}) {
    SCOPED_TRACE(method);
    Driver driver(bar_scene(method));
    const auto tip = driver.tip();
    const Float3 begin = driver.vertex(tip.vertex);
    driver.done("pause");
    const double time = driver.shown()->time;
    driver.done("pose", {{"on", true}});
    EXPECT_TRUE(driver.shown()->posing);
    driver.done("grab.begin", driver.grab_args(1, {begin[0], begin[1] + 0.1, begin[2]}));
    driver.turns(60);
    EXPECT_NEAR(driver.vertex(tip.vertex)[1], begin[1] + 0.1, 0.02);
    EXPECT_EQ(driver.shown()->time, time);
    driver.done("grab.end", {{"grab", 1}});
    driver.done("pose", {{"on", false}});
    driver.done("play");
    driver.turns(30);
    EXPECT_NEAR(driver.vertex(tip.vertex)[1], begin[1] + 0.1, 0.02) << "the handle stays";
  }
}

TEST(Session, AVertexOfTheCageFollowsTheHand) {
  Driver driver(bar_scene("cage"));
  driver.session().want(driver.client(), only(Channel::surface) | only(Channel::cage));
  driver.turns(1);
  const auto& cage = driver.shown()->model->bodies[0].cage;
  std::size_t far = 0;
  for (std::size_t v = 0; v < cage.size(); ++v)
    if (cage[v][0] > cage[far][0]) far = v;
  const Float3 begin = cage[far];
  const Json target = Json::array({{begin[0], begin[1] + 0.1, begin[2]}});
  const Json move{{"body", 0}, {"vertices", {far}}, {"targets", target}};
  driver.done("cage.move", move);
  driver.turns(60);
  EXPECT_NEAR(driver.shown()->bodies[0].cage[far][1], begin[1] + 0.1, 0.02);
  Json last = move;
  last["final"] = true;
  driver.done("cage.move", last);
  driver.turns(300);
  EXPECT_NEAR(driver.shown()->bodies[0].cage[far][1], begin[1], 0.02) << "let go, it comes back";
  EXPECT_EQ(driver.code("cage.move", {{"body", 0}, {"vertices", {9999}}, {"targets", target}}),
            "out_of_range");
  driver.done("method", {{"body", 0}, {"name", "fem"}});
  EXPECT_EQ(driver.code("cage.move", move), "not_supported");
}

TEST(Session, AJointIsTurnedByHandAndUndoTurnsItBack) {
  Json scene = bar_scene("meshless");
  scene["bodies"][0].erase("pins");
  scene["bodies"][0]["meshless"]["skeleton"]["joints"] =
      Json::array({{{"name", "root"}, {"position", {0.1, 0.1, 0.1}}},
                   {{"name", "elbow"}, {"parent", "root"}, {"position", {0.5, 0.1, 0.1}}},
                   {{"name", "tip"}, {"parent", "elbow"}, {"position", {0.9, 0.1, 0.1}}}});
  Driver driver(scene);
  driver.session().want(driver.client(), only(Channel::surface) | only(Channel::joints));
  driver.turns(1);
  ASSERT_EQ(driver.shown()->bodies[0].joints.size(), 3u);
  const auto tip = driver.tip();
  const Float3 begin = driver.vertex(tip.vertex);
  const double s = std::sqrt(0.5);
  driver.done("joint.rotate", {{"body", 0}, {"joint", 1}, {"rotation", {0, 0, s, s}}, {"final", true}});
  driver.turns(120);
  EXPECT_GT(driver.vertex(tip.vertex)[1], begin[1] + 0.2) << "the forearm points up";
  EXPECT_GT(driver.shown()->bodies[0].joints[2].position[1], 0.4);
  driver.done("undo");
  driver.turns(60);
  EXPECT_NEAR(driver.vertex(tip.vertex)[1], begin[1], 0.05);
  driver.done("joint.move", {{"body", 0}, {"joint", 0}, {"target", {0.1, 0.6, 0.1}}, {"final", true}});
  driver.turns(120);
  EXPECT_NEAR(driver.vertex(tip.vertex)[1], begin[1] + 0.5, 0.1);
  EXPECT_EQ(driver.code("joint.rotate", {{"body", 0}, {"joint", 7}, {"rotation", {0, 0, 0, 1}}}),
            "out_of_range");
}

TEST(Session, AHandPullsTheJointsOfALoadedRodThroughTheFleshAndTheyComeBack) {
  Json scene = bar_scene("meshless");
  scene["bodies"][0].erase("pins");
  scene["bodies"][0]["damping"]["mass"] = 4;
  scene["bodies"][0]["meshless"]["skeleton"] = {
      {"elastic", true},
      {"loaded", true},
      {"joint_softness", 1},
      {"radius", 0.11},
      {"rod_stiffness", 1e10},
      {"joints", Json::array({{{"name", "root"}, {"position", {0, 0.1, 0.1}}},
                              {{"name", "tip"}, {"parent", "root"}, {"position", {1, 0.1, 0.1}}}})}};
  Driver driver(scene);
  driver.session().want(driver.client(), only(Channel::surface) | only(Channel::joints));
  driver.turns(1);
  const auto end = driver.tip();
  const Float3 begin = driver.vertex(end.vertex);
  const auto joint = [&](std::size_t j) { return driver.shown()->bodies[0].joints[j].position; };
  Json move{{"body", 0}, {"joint", 1}, {"target", {0.9, 0.5, 0.1}}};
  driver.done("joint.move", move);
  driver.turns(60);
  EXPECT_GT(joint(1)[1], 0.3) << "the joint is where the rod is";
  EXPECT_GT(driver.vertex(end.vertex)[1], begin[1] + 0.2) << "the flesh goes along";
  EXPECT_NEAR(joint(0)[1], 0.1, 1e-6) << "its root is clamped";
  move["final"] = true;
  driver.done("joint.move", move);
  driver.turns(120);
  EXPECT_NEAR(joint(1)[1], 0.1, 0.01) << "let go, it comes back";
  // The other way: a hand at the flesh bends the rod.
  driver.done("grab.begin", driver.grab_args(1, {0.9, 0.5, 0.1}));
  driver.turns(60);
  EXPECT_GT(joint(1)[1], 0.2);
  driver.done("grab.end", {{"grab", 1}});
  driver.done("joint.move", {{"body", 0}, {"joint", 0}, {"target", {0, 0.3, 0.1}}, {"final", true}});
  driver.turns(120);
  EXPECT_NEAR(joint(0)[1], 0.3, 1e-6) << "the root goes where it is put";
  EXPECT_NEAR(joint(1)[1], 0.3, 0.05);
  driver.done("pose", {{"on", true}});
  EXPECT_EQ(driver.code("joint.move", {{"body", 0}, {"joint", 1}, {"target", {1, 1, 0}}}), "not_supported");
}

const Json tip_that_rises{
    {"motion", Json::array({{{"time", 0}}, {{"time", 1}, {"translate", {0, 0.1, 0}}}})}};

/// A bar with one elastic bone whose tip has these keys.
Json boned_bar(Json more, Json tip) {
  Json scene = bar_scene("meshless");
  scene["bodies"][0].erase("pins");
  tip.update({{"name", "tip"}, {"parent", "root"}, {"position", {1, 0.1, 0.1}}});
  more.update({{"elastic", true},
               {"joints", Json::array({{{"name", "root"}, {"position", {0, 0.1, 0.1}}}, std::move(tip)})}});
  scene["bodies"][0]["meshless"]["skeleton"] = std::move(more);
  return scene;
}

TEST(Session, APointOfAnElasticRodBetweenItsJointsIsRefusedAsNoJoint) {
  Driver driver(boned_bar(Json::object(), tip_that_rises));
  driver.session().want(driver.client(), only(Channel::surface) | only(Channel::joints));
  driver.turns(1);
  const std::size_t points = driver.shown()->bodies[0].joints.size();
  ASSERT_GT(points, 3u) << "its samples are shown";
  const Json body = (*driver.session().scene_message())["bodies"][0];
  EXPECT_EQ(body["joints"].size(), 2u);
  EXPECT_TRUE(body["pulled_joints"].empty());
  for (const std::size_t joint : {std::size_t(1), std::size_t(2), points - 1})
    EXPECT_EQ(driver.code("joint.rotate", {{"body", 0}, {"joint", joint}, {"rotation", {0, 0, 0, 1}}}),
              "not_supported");
  EXPECT_EQ(driver.code("joint.rotate", {{"body", 0}, {"joint", points}, {"rotation", {0, 0, 0, 1}}}),
            "out_of_range");
}

TEST(Session, AJointOfALoadedRodThatKeysPlaceIsNotPulled) {
  const auto pulled = [](Json tip) {
    Driver driver(boned_bar({{"loaded", true}, {"radius", 0.11}}, std::move(tip)));
    const Json list = (*driver.session().scene_message())["bodies"][0]["pulled_joints"];
    return std::count(list.begin(), list.end(), Json(1));
  };
  EXPECT_EQ(pulled(Json::object()), 1);
  EXPECT_EQ(pulled(tip_that_rises), 0);
}

TEST(Session, ACloudOfPointsHasFacesToPointAt) {
  Json scene = bar_scene("meshless");
  scene["bodies"][0] = {{"name", "pear"},
                        {"shape", {{"mesh", source_folder() + "/scenes/assets/pear.ply"}, {"nodes", 60}}},
                        {"method", "meshless"}};
  Driver driver(scene);
  EXPECT_GT(driver.shown()->model->bodies[0].triangles.size(), 4000u);
  const auto tip = driver.tip();
  const Float3 begin = driver.vertex(tip.vertex);
  driver.done("grab.begin", driver.grab_args(1, {1, 0, 0}));
  driver.turns(20);
  EXPECT_GT(driver.vertex(tip.vertex)[0], begin[0] + 0.1);
}

/// Faces of a bar along x that a ray against y enters and leaves at x, z = 0.1.
Json through(const ModelBody& body, float x) {
  Json sample;
  for (std::size_t f = 0; f < body.triangles.size(); ++f) {
    const auto& t = body.triangles[f];
    const auto corner = [&](std::size_t c) { return body.surface[t[c]]; };
    const auto side = [&](std::size_t a, std::size_t b) {
      return (corner(b)[0] - corner(a)[0]) * (0.1f - corner(a)[2]) -
             (corner(b)[2] - corner(a)[2]) * (x - corner(a)[0]);
    };
    const float u = side(1, 2), v = side(2, 0), w = side(0, 1), sum = u + v + w;
    if (std::abs(sum) < 1e-6f || u / sum < 0 || v / sum < 0 || w / sum < 0) continue;
    const bool top = corner(0)[1] > 0.1f;
    sample[top ? "in" : "out"] = {{"face", f}, {"bary", {u / sum, v / sum, w / sum}}};
  }
  return sample;
}

TEST(Session, ClicksThroughTheBodyMakeASkeletonMidwayAndUndoTakesItAway) {
  Driver driver(bar_scene());
  const ModelBody& bar = driver.shown()->model->bodies.front();
  const Json samples = Json::array({through(bar, 0.15f), through(bar, 0.55f), through(bar, 0.95f)});
  for (const Json& sample : samples) ASSERT_TRUE(sample.contains("in") && sample.contains("out"));
  driver.done("skeleton.set", {{"body", 0}, {"samples", samples}});
  const Json body = driver.last("scene")["bodies"][0];
  EXPECT_EQ(body["method"], "meshless");
  ASSERT_EQ(body["joints"].size(), 3u);
  driver.session().want(driver.client(), only(Channel::surface) | only(Channel::joints));
  driver.turns(3);
  const auto& joints = driver.shown()->bodies[0].joints;
  ASSERT_EQ(joints.size(), 3u);
  EXPECT_NEAR(joints[1].position[0], 0.55, 1e-4);
  EXPECT_NEAR(joints[1].position[1], 0.1, 1e-4) << "midway between the two hits";
  EXPECT_NEAR(joints[1].position[2], 0.1, 1e-4);
  driver.done("undo");
  EXPECT_EQ(driver.last("scene")["bodies"][0]["method"], "geometric");
  EXPECT_TRUE(driver.last("scene")["bodies"][0]["joints"].empty());

  EXPECT_EQ(driver.code("skeleton.set", {{"body", 0}, {"samples", Json::array({samples[0]})}}),
            "bad_argument");
  Json ahead = samples;
  ahead[1]["parent"] = 2;
  EXPECT_EQ(driver.code("skeleton.set", {{"body", 0}, {"samples", ahead}}), "out_of_range");
  EXPECT_EQ(driver.code("skeleton.set", {{"body", 0}, {"samples", {1, 2}}}), "bad_argument");
}

TEST(Session, TimeWaitsForThePageWhereItIsAskedTo) {
  SessionOptions options;
  options.wait_for_page = true;
  Driver driver(bar_scene(), options);
  driver.turns(5);
  EXPECT_EQ(driver.shown()->step, 0u);
  EXPECT_TRUE(driver.session().waiting());
  driver.session().begin();
  driver.turns(5);
  EXPECT_EQ(driver.shown()->step, 5u);
  Driver commanded(bar_scene(), options);
  commanded.turns(5);
  EXPECT_EQ(commanded.shown()->step, 0u);
  commanded.give("speed", {{"x", 1}});
  commanded.turns(3);
  EXPECT_EQ(commanded.shown()->step, 3u);
}

TEST(Session, ADentStaysInAPlasticBodyAndUndoTakesItBack) {
  Json scene = bar_scene();
  scene["bodies"][0]["geometric"]["plasticity"] = {{"yield", 0.01}};
  Driver driver(scene);
  const auto tip = driver.tip();
  const Float3 begin = driver.vertex(tip.vertex);
  Json args = driver.grab_args(1, nullptr);
  args["dent"] = 1;
  args["radius"] = 0.15;
  const Json reply = driver.done("dent.begin", args);
  EXPECT_TRUE(reply["result"]["stays"]);
  driver.done("dent.move", {{"dent", 1}, {"depth", 0.1}});
  driver.turns(40);
  driver.done("dent.end", {{"dent", 1}});
  driver.turns(200);
  const auto moved = [&] {
    const Float3 now = driver.vertex(tip.vertex);
    return std::hypot(now[0] - begin[0], now[1] - begin[1], now[2] - begin[2]);
  };
  EXPECT_GT(moved(), 0.01);
  driver.done("undo");
  EXPECT_LT(moved(), 0.005);
}

TEST(Session, AnotherSceneIsLoadedByName) {
  Driver driver(bar_scene());
  Json ball{{"bodies", Json::array({{{"name", "ball"}, {"shape", {{"sphere", {{"nodes", 5}}}}}}})}};
  std::ofstream(driver.folder() / "ball.json") << ball.dump();
  driver.done("option.set", {{"path", "bodies.0.damping.mass"}, {"value", 2}});
  driver.done("scene.load", {{"name", "ball"}});
  EXPECT_EQ(driver.shown()->model->bodies[0].name, "ball");
  EXPECT_EQ(driver.last("scene")["name"], "ball");
  EXPECT_EQ(driver.code("undo"), "not_supported") << "another scene has its own history";
  driver.turns(5);
  EXPECT_FALSE(driver.shown()->stopped);
}

TEST(Session, APageOpensNoFileOfTheMachine) {
  Driver driver(bar_scene());
  const auto secret = driver.folder() / "secret.txt";
  std::ofstream(secret) << "hunter2";
  std::ofstream(driver.folder() / "ball.json")
      << Json{{"bodies", Json::array({{{"name", "ball"}, {"shape", {{"sphere", {{"nodes", 5}}}}}}})}}.dump();
  for (const auto& file : {secret, driver.folder() / "ball.json", driver.folder() / "scene.json"}) {
    const Json reply = driver.tell("scene.load", {{"name", file.string()}});
    EXPECT_EQ(reply["error"]["code"], "bad_argument") << file;
    EXPECT_EQ(reply.dump().find("hunter2"), std::string::npos) << "what is in the file is not told";
  }
  EXPECT_EQ(driver.shown()->model->bodies[0].name, "bar");
}

TEST(Session, TheFirstBodyOfAnEmptySceneGetsTheGroundThatIsAskedFor) {
  const std::string text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  Driver driver(Json{{"bodies", Json::array()}});
  const auto add = [&](double ground) {
    const auto report = driver.session().upload("t.obj", {bytes, bytes + text.size()});
    driver.done("body.add", {{"upload", (*report.value)["upload"]},
                             {"units", "m"},
                             {"method", "geometric"},
                             {"nodes", 50},
                             {"ground", ground}});
  };
  add(-0.5);
  EXPECT_EQ((*driver.session().scene_message())["ground"], -0.5);
  add(-2);
  EXPECT_EQ((*driver.session().scene_message())["ground"], -0.5) << "a scene with bodies is left as it is";
  driver.done("undo");
  driver.done("undo");
  EXPECT_TRUE((*driver.session().scene_message())["ground"].is_null());
}

TEST(Session, ABodyAddedToASceneWithoutCollidersGetsTheGroundThatIsAskedFor) {
  const std::string text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  const auto ground_after = [&](Json scene) {
    Driver driver(std::move(scene));
    const auto report = driver.session().upload("t.obj", {bytes, bytes + text.size()});
    driver.done("body.add", {{"upload", (*report.value)["upload"]},
                             {"units", "m"},
                             {"method", "geometric"},
                             {"nodes", 50},
                             {"ground", -3}});
    return (*driver.session().scene_message())["ground"];
  };
  const Json block{{"name", "block"}, {"shape", {{"box", {{"nodes", {3, 3, 3}}}}}}};
  EXPECT_EQ(ground_after({{"bodies", Json::array({block})}}), -3);
  EXPECT_TRUE(ground_after({{"bodies", Json::array({block})}, {"gravity", {0, 0, 0}}}).is_null());
  Json balloon = block;
  balloon["geometric"] = {{"operator", "edge"}, {"keep_volume", true}};
  EXPECT_EQ(ground_after({{"bodies", Json::array({balloon})}}), -3);
}

/// Points of a ball as the text of an OBJ.
std::string ball_of_points(int count) {
  std::string text;
  for (int i = 0; i < count; ++i) {
    const double y = 1 - 2 * (i + 0.5) / count, r = std::sqrt(1 - y * y), turn = 2.4 * i;
    const std::string at = fmt::format("{} {} {}\n", r * std::cos(turn), y, r * std::sin(turn));
    text += "v " + at + "vn " + at + fmt::format("p {}\n", i + 1);
  }
  return text;
}

TEST(Session, ADroppedCloudOfPointsNamesTheMethodsThatTakeIt) {
  Driver driver(bar_scene());
  const auto report = [&](int points) {
    const std::string text = ball_of_points(points);
    const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
    const auto out = driver.session().upload("points.obj", {bytes, bytes + text.size()});
    EXPECT_TRUE(out) << out.refusal.message;
    EXPECT_EQ((*out.value)["points"], points);
    return (*out.value)["methods"];
  };
  const Json ball = report(200), few = report(12);
  EXPECT_EQ(ball["meshless"]["ok"], true);
  EXPECT_EQ(ball["geometric"]["ok"], false);
  EXPECT_EQ(few["meshless"]["ok"], false) << "a run would refuse it";
  EXPECT_EQ(few["meshless"]["why"], "12 points, expected at least 20");
}

TEST(Session, ADroppedMeshBecomesABody) {
  Driver driver(bar_scene());
  const std::string text = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  const auto* bytes = reinterpret_cast<const std::byte*>(text.data());
  const auto report = driver.session().upload("../tetra hedron.obj", {bytes, bytes + text.size()});
  ASSERT_TRUE(report) << report.refusal.message;
  EXPECT_EQ((*report.value)["triangles"], 4);
  EXPECT_EQ((*report.value)["watertight"], true);
  EXPECT_EQ((*report.value)["guess"]["units"], "m");
  driver.done("body.add", {{"upload", (*report.value)["upload"]},
                           {"units", "m"},
                           {"up", "y"},
                           {"method", "geometric"},
                           {"nodes", 200}});
  ASSERT_EQ(driver.shown()->model->bodies.size(), 2u);
  EXPECT_EQ(driver.shown()->model->bodies[1].name, "tetra_hedron");
  driver.turns(3);
  driver.done("method", {{"body", 1}, {"name", "fem"}});
  EXPECT_FALSE(Json::parse(driver.saved("scene"))["bodies"][1]["shape"].contains("cells"))
      << "tetrahedra on its nodes";
  driver.done("undo");
  driver.done("body.remove", {{"body", 0}});
  ASSERT_EQ(driver.shown()->model->bodies.size(), 1u);
  driver.done("undo");
  ASSERT_EQ(driver.shown()->model->bodies.size(), 2u);
  EXPECT_EQ(driver.shown()->model->bodies[0].name, "bar");
  const auto broken = driver.session().upload("x.obj", {bytes, bytes + 3});
  EXPECT_FALSE(broken);
  EXPECT_EQ(driver.session().upload("x.txt", {bytes, bytes + 3}).refusal.code, "not_supported");
  EXPECT_EQ(driver.code("body.add", {{"upload", "u99"}}), "bad_argument");
}

TEST(Session, TheSavedSceneCanBeLoadedAndHasTheEdits) {
  Driver driver(bar_scene());
  driver.done("option.set", {{"path", "bodies.0.geometric.stiffness"}, {"value", 3e5}});
  driver.done("pin.set", {{"body", 0}, {"vertices", {driver.tip().vertex}}, {"on", true}});
  const Json saved = Json::parse(driver.saved("scene"));
  EXPECT_EQ(saved["bodies"][0]["geometric"]["stiffness"], 3e5);
  EXPECT_EQ(saved["bodies"][0]["pins"].size(), 2u);
  Driver again(saved);
  again.turns(3);
  EXPECT_FALSE(again.shown()->stopped);
}

TEST(Session, PagesHearOfHandlesThatAnUndoBringsOrMoves) {
  Driver driver(bar_scene());
  const Json end{{"halfspace", {{"point", {0.99, 0, 0}}, {"normal", {1, 0, 0}}}}};
  const int handle = driver.done("handle.add", {{"body", 0}, {"select", end}})["result"]["handle"];
  for (const double y : {0.1, 0.2})
    driver.done("handle.move", {{"handle", handle}, {"translate", {0, y, 0}}, {"final", true}});
  const auto body = [&] { return (*driver.session().scene_message())["bodies"][0]; };
  const std::uint32_t epoch = driver.shown()->epoch;
  driver.done("undo");
  EXPECT_GT(driver.shown()->epoch, epoch);
  EXPECT_EQ(driver.last("scene")["bodies"][0]["handle_places"][0]["translate"], Json({0, 0.1, 0}));
  driver.done("undo");
  EXPECT_EQ(body()["handle_places"][0]["translate"], Json({0, 0, 0}));
  driver.done("undo");
  EXPECT_TRUE(driver.last("scene")["bodies"][0]["handles"].empty());
  driver.done("redo");
  EXPECT_EQ(driver.last("scene")["bodies"][0]["handles"], Json({handle}));
}

TEST(Session, TheSavedSceneHasTheScaleOfAHandle) {
  Driver driver(bar_scene());
  const Json end{{"halfspace", {{"point", {0.99, 0, 0}}, {"normal", {1, 0, 0}}}}};
  const int handle = driver.done("handle.add", {{"body", 0}, {"select", end}})["result"]["handle"];
  driver.done("handle.move", {{"handle", handle}, {"translate", {0.1, 0, 0}}, {"scale", {1, 2, 3}}});
  driver.turns(120);
  Driver again(Json::parse(driver.saved("scene")));
  again.turns(120);
  const std::size_t tip = driver.tip().vertex;
  EXPECT_NEAR(driver.vertex(tip)[0], 1.1, 1e-3);
  for (std::size_t v = 0; v < driver.shown()->bodies[0].surface.size(); ++v)
    for (int c = 0; c < 3; ++c)
      ASSERT_NEAR(again.vertex(v)[std::size_t(c)], driver.vertex(v)[std::size_t(c)], 2e-3) << v;
  const auto width = [](Driver& of) {
    float lo = 1e9f, hi = -1e9f;
    for (const Float3& p : of.shown()->bodies[0].surface)
      if (p[0] > 1.05f) lo = std::min(lo, p[2]), hi = std::max(hi, p[2]);
    return hi - lo;
  };
  EXPECT_NEAR(width(again), 0.6, 0.02) << "three times 0.2 m";
  driver.done("handle.move", {{"handle", handle}, {"scale", 1}});
  EXPECT_FALSE(Json::parse(driver.saved("scene"))["bodies"][0]["handles"][0].contains("scale"));
}

TEST(Session, TheSavedSceneHasTheJointsAsTheyWereTurned) {
  Json scene = bar_scene("meshless");
  scene["bodies"][0].erase("pins");
  scene["bodies"][0]["meshless"]["skeleton"]["joints"] =
      Json::array({{{"name", "root"}, {"position", {0.1, 0.1, 0.1}}},
                   {{"name", "elbow"}, {"parent", "root"}, {"position", {0.5, 0.1, 0.1}}},
                   {{"name", "tip"}, {"parent", "elbow"}, {"position", {0.9, 0.1, 0.1}}}});
  Driver driver(scene);
  EXPECT_FALSE(Json::parse(driver.saved("scene"))["bodies"][0]["meshless"]["skeleton"].contains("like_mesh"))
      << "nothing turned: written as it was given";
  const double s = std::sin(0.5), c = std::cos(0.5);  // one radian
  driver.done("joint.rotate", {{"body", 0}, {"joint", 1}, {"rotation", {0, 0, s, c}}, {"final", true}});
  driver.done("joint.move", {{"body", 0}, {"joint", 0}, {"target", {0.1, 0.3, 0.2}}, {"final", true}});
  Driver again(Json::parse(driver.saved("scene")));
  const auto joints = [](Driver& of) {
    of.session().want(of.client(), only(Channel::surface) | only(Channel::joints));
    of.turns(2);
    return of.shown()->bodies[0].joints;
  };
  const auto here = joints(driver), there = joints(again);
  ASSERT_EQ(here.size(), 3u);
  ASSERT_EQ(there.size(), 3u);
  for (std::size_t j = 0; j < 3; ++j)
    for (std::size_t k = 0; k < 3; ++k) EXPECT_NEAR(there[j].position[k], here[j].position[k], 1e-5) << j;
  EXPECT_NEAR(there[2].position[1], 0.3 + 0.4 * std::sin(1.0), 1e-4) << "the forearm points up";
}

TEST(Session, ASavedSkeletonThatOnlyTurnsKeepsItsKeys) {
  const TempFolder folder;
  const auto bones = folder.with("bones.json", R"({"joints": [
      {"name": "root", "position": [0.1, 0.1, 0.1]},
      {"name": "elbow", "parent": "root", "position": [0.5, 0.1, 0.1],
       "turns": {"keys": [{"time": 0, "degrees": 0}, {"time": 2, "axis": [0, 0, 1], "degrees": 40}]}},
      {"name": "tip", "parent": "elbow", "position": [0.9, 0.1, 0.1]}]})");
  Json scene = bar_scene("meshless");
  scene["bodies"][0].erase("pins");
  scene["bodies"][0]["meshless"]["skeleton"]["file"] = bones.string();
  Driver driver(scene);
  const double s = std::sin(0.1), c = std::cos(0.1);
  driver.done("joint.rotate", {{"body", 0}, {"joint", 0}, {"rotation", {0, 0, s, c}}, {"final", true}});
  const Json saved = Json::parse(driver.saved("scene"));
  const Json& elbow = saved["bodies"][0]["meshless"]["skeleton"]["joints"][1];
  ASSERT_EQ(elbow["motion"].size(), 2u) << elbow;
  EXPECT_EQ(elbow["motion"][1]["time"], 2);
  EXPECT_NEAR(elbow["motion"][1]["rotate"]["degrees"].get<double>(), 40, 1e-9);
  EXPECT_FALSE(elbow.contains("ease")) << "smooth, as the keys of a scene are";
}

TEST(Session, ThePosedMeshIsSavedAsItIs) {
  Driver driver(bar_scene());
  for (const char* format : {"obj", "ply", "stl", "glb"}) EXPECT_FALSE(driver.saved("mesh", format).empty());
  EXPECT_EQ(driver.session().save("mesh", "0", "doc").refusal.code, "not_supported");
  EXPECT_EQ(driver.session().save("mesh", "7", "obj").refusal.code, "bad_argument");
  EXPECT_EQ(driver.session().save("soul", "", "").refusal.code, "not_supported");
}

TEST(Session, ARecordingIsAFileOfAllFrames) {
  Driver driver(bar_scene());
  EXPECT_EQ(driver.session().save("recording", "", "").refusal.code, "not_supported");
  driver.done("record", {{"on", true}, {"format", "pc2"}});
  EXPECT_TRUE(driver.shown()->recording);
  EXPECT_EQ(driver.code("record", {{"on", true}}), "busy");
  driver.turns(10);
  driver.done("record", {{"on", false}});
  EXPECT_FALSE(driver.shown()->recording);
  const std::string tar = driver.saved("recording");
  EXPECT_NE(tar.find("bar.pc2"), std::string::npos);
  EXPECT_NE(tar.find("POINTCACHE2"), std::string::npos);
}

TEST(Session, WantedChannelsAreFilledAndOthersAreNot) {
  Driver driver(bar_scene("cage"));
  EXPECT_TRUE(driver.shown()->bodies[0].nodes.empty());
  driver.done("pause");
  driver.session().want(driver.client(), only(Channel::surface) | only(Channel::nodes) | only(Channel::cage) |
                                             only(Channel::scalar));
  driver.turns(1);
  const auto shown = driver.shown();
  EXPECT_EQ(shown->bodies[0].nodes.size(), shown->model->bodies[0].nodes.size());
  EXPECT_EQ(shown->bodies[0].cage.size(), shown->model->bodies[0].cage.size());
  EXPECT_FALSE(shown->bodies[0].cage.empty());
  EXPECT_EQ(shown->bodies[0].scalar.size(), shown->bodies[0].surface.size());
  EXPECT_TRUE(shown->bodies[0].surface_flags.empty());
}

TEST(Session, ContactsHaveAPlaceAndAForceAndGoWhenNothingTouches) {
  Json scene = bar_scene("geometric");
  scene["bodies"][0].erase("pins");
  scene["gravity"] = {0, -9.81, 0};
  scene["colliders"] = {{{"plane", {{"point", {0, -1, 0}}}}}};
  Driver driver(scene);
  driver.session().want(driver.client(), only(Channel::surface) | only(Channel::contacts));
  driver.turns(1);
  EXPECT_TRUE(driver.shown()->bodies[0].contacts.empty()) << "it falls";
  for (int i = 0; i < 200 && driver.shown()->bodies[0].contacts.empty(); ++i) driver.turns(1);
  const std::vector<Float3> contacts = driver.shown()->bodies[0].contacts;
  ASSERT_GE(contacts.size(), 2u);
  ASSERT_EQ(contacts.size() % 2, 0u);
  for (std::size_t k = 0; k < contacts.size(); k += 2) {
    EXPECT_NEAR(contacts[k][1], -1, 0.05) << "place";
    EXPECT_GT(contacts[k + 1][1], 0) << "force";
  }
}

TEST(Session, AnEmptySessionWaitsForABody) {
  SessionOptions options;
  options.clock = Clock::manual;
  auto session = Session::open("", options);
  ASSERT_TRUE(session);
  EXPECT_TRUE((*session)->turn());
  EXPECT_TRUE((*session)->newest()->bodies.empty());
  EXPECT_EQ((*(*session)->scene_message())["bodies"].size(), 0u);
  (*session)->stop();
  EXPECT_FALSE((*session)->turn());
}

TEST(Session, WhatGoesWrongInAStepStopsTheSimulationAndAResetGoesOn) {
  Json scene = bar_scene("metric");
  scene["bodies"][0]["metric"] = {{"integrator", "paper"}, {"stiffness", 1e9}};  // known to be unstable
  Driver driver(scene);
  const Float3 tip = driver.vertex(driver.tip().vertex);
  driver.done("grab.begin", driver.grab_args(1, {tip[0] + 1, tip[1] + 1, tip[2]}));
  driver.turns(2000);
  EXPECT_TRUE(driver.shown()->stopped);
  const Json event = driver.last("event");
  EXPECT_EQ(event["code"], "diverged");
  EXPECT_FALSE(event["advice"].get<std::string>().empty());
  const std::uint32_t step = driver.shown()->step;
  driver.turns(3);
  EXPECT_EQ(driver.shown()->step, step);
  driver.done("reset");
  driver.turns(3);
  EXPECT_FALSE(driver.shown()->stopped);
  EXPECT_EQ(driver.shown()->step, step + 4);
}

TEST(Session, AShapeWithoutCellsGetsThemForFiniteElements) {
  Json scene{{"gravity", {0, 0, 0}},
             {"bodies",
              Json::array(
                  {{{"name", "blob"},
                    {"shape",
                     {{"blobs",
                       {{"parts", Json::array({{{"from", {0, 0, 0}}, {"to", {0.5, 0, 0}}, {"radius", 0.2}}})},
                        {"resolution", 12},
                        {"nodes", 100}}}}}}})}};
  Driver driver(scene);
  for (const char* method : {"fem", "geometric"}) {
    driver.done("method", {{"body", 0}, {"name", method}});
    driver.turns(2);
    EXPECT_EQ(driver.shown()->model->bodies[0].method, method);
    EXPECT_FALSE(driver.shown()->stopped);
  }
}

TEST(Session, TheClockedSessionStepsByItselfAndStops) {
  SessionOptions options;
  Json scene = bar_scene();
  const auto file =
      std::filesystem::temp_directory_path() / ("pliant-clock-" + std::to_string(::getpid()) + ".json");
  std::ofstream(file) << scene.dump();
  std::mutex mutex;
  std::condition_variable changed;
  std::uint32_t step = 0;
  Session* running = nullptr;
  bool replied = false;
  SessionOutput output;
  output.message = [&](int, const Json& message) {
    const std::lock_guard lock(mutex);
    replied |= message["type"] == "reply" && message["ok"] == true;
    changed.notify_all();
  };
  output.snapshot = [&] {
    const std::lock_guard lock(mutex);
    ++step;
    changed.notify_all();
  };
  auto session = Session::open(file.string(), options, output);
  ASSERT_TRUE(session);
  running = session->get();
  const int client = running->join();
  running->want(client, only(Channel::surface));
  {
    std::unique_lock lock(mutex);
    EXPECT_TRUE(changed.wait_for(lock, std::chrono::seconds(60), [&] { return step >= 5; }));
  }
  running->submit(client, 1, "option.set", {{"path", "bodies.0.geometric.stiffness"}, {"value", 2e5}});
  {
    std::unique_lock lock(mutex);
    EXPECT_TRUE(changed.wait_for(lock, std::chrono::seconds(60), [&] { return replied; }));
  }
  EXPECT_TRUE(running->save("scene", "", ""));
  running->stop();
  const std::uint32_t at = running->step();
  EXPECT_GT(at, 0u);
  std::filesystem::remove(file);
}

}  // namespace session_test
}  // namespace pliant::view
