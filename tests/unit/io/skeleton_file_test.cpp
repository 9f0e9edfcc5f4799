// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/skeleton_file.hpp"

#include <gtest/gtest.h>

#include <numbers>

#include "tests/support/mesh_messages.hpp"

namespace pliant {
namespace skeleton_file_test {

constexpr double pi = std::numbers::pi;

Result<Skeleton> read(const std::string& text) { return parse_skeleton(text, "a.json"); }

const char* const arm = R"({
  "description": "an arm",
  "joints": [
    {"name": "shoulder", "position": [0, 1, 0], "radius": 0.1},
    {"name": "elbow", "parent": "shoulder", "position": [0.3, 1, 0],  // a comment
     "turns": {"interpolation": "linear", "keys": [{"time": 0, "degrees": 0},
                                                   {"time": 2, "axis": [0, 0, 2], "degrees": 720}]}},
    {"name": "hand", "parent": "elbow", "position": [0.6, 1, 0],
     "moves": {"keys": [{"time": 0.5, "move": [0, 0, 0.1]}]}}
  ]})";

TEST(SkeletonFile, says_joints_parents_and_keys) {
  const Result<Skeleton> s = read(arm);
  ASSERT_TRUE(s) << message(s);
  ASSERT_EQ(s->joints.size(), 3u);
  EXPECT_EQ(s->joints[0].parent, -1);
  EXPECT_EQ(s->joints[2].parent, 1);
  EXPECT_EQ(s->joints[0].radius, 0.1);
  EXPECT_EQ(s->joints[1].turns.interpolation, Interpolation::linear);
  EXPECT_EQ(s->joints[2].moves.interpolation, Interpolation::smooth);
  EXPECT_LT((s->joints[1].turns.at(1) - Vec3(0, 0, 2 * pi)).norm(), 1e-14);
  EXPECT_LT((s->joints[1].turns.at(9) - Vec3(0, 0, 4 * pi)).norm(), 1e-14);
}

TEST(SkeletonFile, comes_back_as_it_was_written) {
  Skeleton s = *read(arm);
  s.joints[2].name = "a \"hand\"\n";
  s.joints[1].turns = {Interpolation::cubic,
                       {0, 1},
                       {Vec3(0.1, 0.2, 0.3), Vec3(1, -2, 7)},
                       {Eigen::Vector4d(1, 2, 3, 4), Eigen::Vector4d(5, 6, 7, 8)},
                       {Eigen::Vector4d(-1, 0, 1, 0), Eigen::Vector4d(0, 1, 0, -1)}};
  s.joints[0].moves = {Interpolation::cubic,
                       {0, 1},
                       {Vec3(1, 2, 3), Vec3(4, 5, 6)},
                       {Vec3(1, 0, 0), Vec3(0, 1, 0)},
                       {Vec3(0, 0, 1), Vec3(1, 1, 1)}};
  const Result<Skeleton> again = read(skeleton_text(s));
  ASSERT_TRUE(again) << message(again);
  ASSERT_EQ(again->joints.size(), s.joints.size());
  for (std::size_t j = 0; j < s.joints.size(); ++j) {
    const Joint &a = s.joints[j], &b = again->joints[j];
    EXPECT_EQ(a.name, b.name);
    EXPECT_EQ(a.parent, b.parent);
    EXPECT_EQ(a.position, b.position);
    EXPECT_EQ(a.radius, b.radius);
    EXPECT_EQ(a.turns.times, b.turns.times);
    EXPECT_EQ(a.turns.in, b.turns.in);
    EXPECT_EQ(a.turns.out, b.turns.out);
    EXPECT_EQ(a.moves.moves, b.moves.moves);
    EXPECT_EQ(a.moves.in, b.moves.in);
    for (double t : {0.0, 0.3, 1.0}) {
      EXPECT_LT((a.turns.at(t) - b.turns.at(t)).norm(), 1e-13);
      EXPECT_LT((a.moves.at(t) - b.moves.at(t)).norm(), 1e-15);
    }
  }
}

TEST(SkeletonFile, tells_all_problems_with_their_places) {
  const Result<Skeleton> s = read(R"({"joints": [
    {"name": "a", "position": [0, 0]},
    {"name": "a", "parent": "c", "position": [1, 0, 0], "weight": 3},
    {"name": "c", "parent": "a", "position": [2, 0, 0], "radius": -1,
     "turns": {"interpolation": "fast", "keys": [{"time": 1, "axis": [0, 0, 0], "degrees": 5},
                                                 {"time": 1, "axis": [1, 0, 0], "degrees": "x"}]},
     "moves": {"keys": []}}]})");
  ASSERT_FALSE(s);
  for (const char* part :
       {"joints.0.position: found a list, expected 3 finite numbers", "joints.1.name: found '\"a\"'",
        "joints.1.parent: found '\"c\"', expected the name of a joint before this one",
        "joints.1: found the key 'weight'", "joints.2.radius", "joints.2.turns.interpolation",
        "joints.2.turns.keys.0.axis: found an axis without length", "joints.2.turns.keys.1.time",
        "joints.2.turns.keys.1.degrees", "joints.2.moves.keys"})
    EXPECT_MESSAGE(s, part);
}

TEST(SkeletonFile, refuses_what_is_no_skeleton) {
  EXPECT_MESSAGE(read("{\"joints\": [\n  {]}"), "line 2, column 4: found broken JSON");
  EXPECT_MESSAGE(read("[]"), "expected an object");
  EXPECT_MESSAGE(read("{}"), "joints: found nothing");
  EXPECT_MESSAGE(read(R"({"joints": []})"), "0 joints and no bone");
  EXPECT_MESSAGE(read(R"({"joints": [{"name": "a", "position": [0, 0, 0]},
                          {"name": "b", "parent": "a", "position": [0, 0, 0]}]})"),
                 "2 joints and no bone");
  EXPECT_MESSAGE(read(R"({"joints": [{"name": "a", "position": [0, 0, 1e999]}]})"), "number too large");
}

}  // namespace skeleton_file_test
}  // namespace pliant
