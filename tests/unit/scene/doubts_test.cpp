// SPDX-License-Identifier: Apache-2.0
#include "pliant/scene/doubts.hpp"

#include <gtest/gtest.h>

#include <limits>
#include <map>

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>

namespace pliant {
namespace doubts_test {

std::vector<std::string> doubts_after(Scene& scene, int frames) {
  Recorder recorder(scene.simulation, {});
  recorder.note_frame(scene.simulation, 0);
  for (int frame = 1; frame <= frames; ++frame) {
    const auto failure = scene.simulation.step();
    EXPECT_FALSE(failure) << (failure ? failure->text() : "");
    recorder.note_step(scene.simulation);
    recorder.note_frame(scene.simulation, frame);
  }
  return doubts_of(scene, recorder);
}

/// After so many frames.
std::vector<std::string> doubts(const std::string& text, int frames) {
  Result<Scene> scene = build_scene(parse_scene(text, "block.json", {}));
  EXPECT_TRUE(scene) << (scene ? "" : scene.error().text());
  if (!scene) return {};
  return doubts_after(*scene, frames);
}

/// A caged block of 1 m whose lower side starts at a height over the ground, after so many frames.
std::vector<std::string> doubts(double stiffness, int frames, double height = 0.1) {
  const std::string text = fmt::format(
      R"({{"gravity": [0, -10, 0], "frames": {}, "bodies": [{{"name": "block",
        "shape": {{"box": {{"size": [1, 1, 1], "nodes": [5, 5, 5], "corner": [0, {}, 0]}}}},
        "method": "cage", "cage": {{"cells": [1, 1, 1], "stiffness": {}}}, "density": 1000}}],
        "colliders": [{{"plane": {{}}}}]}})",
      frames, height, stiffness);
  return doubts(text, frames);
}

TEST(Doubts, a_body_that_stands_its_weight_raises_none) { EXPECT_TRUE(doubts(1e6, 40).empty()); }

TEST(Doubts, a_body_that_collapses_is_named_with_what_to_do) {
  const std::vector<std::string> said = doubts(100, 60);
  ASSERT_FALSE(said.empty());
  for (const char* word : {"block", "collapsed", "of its volume", "frame", "cage.stiffness (100 Pa)"})
    EXPECT_NE(said[0].find(word), std::string::npos) << word << " in: " << said[0];
}

// It is moved out by 5 % of its size a step at most, so that the first frames see it deep.
TEST(Doubts, a_body_that_starts_in_a_collider_is_named_with_what_to_do) {
  const std::vector<std::string> said = doubts(1e6, 5, -0.3);
  ASSERT_EQ(said.size(), 1U);
  for (const char* word : {"block", "starts", "inside a collider", "initial.translate"})
    EXPECT_NE(said[0].find(word), std::string::npos) << word << " in: " << said[0];
}

/// A bar of 1 x 1 x 4 m on one thick bone whose end twists within a second.
std::vector<std::string> twist_doubts(int degrees) {
  return doubts(fmt::format(R"({{"gravity": [0, 0, 0], "bodies": [{{"name": "limb", "method": "meshless",
        "shape": {{"box": {{"size": [1, 1, 4], "nodes": [7, 7, 25], "corner": [-0.5, -0.5, 0]}}}},
        "damping": {{"mass": 2, "stiffness": 0.02}},
        "meshless": {{"support": 1.5, "skeleton": {{"radius": 0.3, "joints": [{{"name": "root", "position": [0, 0, 0]}},
          {{"name": "tip", "parent": "root", "position": [0, 0, 4], "motion": [{{"time": 0}},
            {{"time": 1, "rotate": {{"axis": [0, 0, 1], "degrees": {}}}}}]}}]}}}}}}]}})",
                            degrees),
                65);
}

TEST(Doubts, flesh_that_follows_its_bones_raises_none) { EXPECT_TRUE(twist_doubts(90).empty()); }

void expect_said(const std::vector<std::string>& said, const std::vector<std::string>& words) {
  bool all = false;
  for (const std::string& sentence : said)
    all |= std::all_of(words.begin(), words.end(),
                       [&](const std::string& word) { return sentence.find(word) != std::string::npos; });
  EXPECT_TRUE(all) << fmt::format("{}", fmt::join(said, "\n"));
}

TEST(Doubts, flesh_that_its_bones_turn_inside_out_is_named_with_what_to_do) {
  expect_said(twist_doubts(720),
              {"limb", "cells are inside out", "the last frame (", "smaller angles", "longer bones"});
}

TEST(Doubts, flesh_whose_rotations_cancel_is_named_with_what_to_do) {
  expect_said(twist_doubts(1440),
              {"limb", "kept their last rotation", "frame", "smaller angles", "longer bones"});
}

/// A recorder whose first body has frames with these cells, all others 0, and its volume. The frames of the
/// other bodies have none.
using Cells = std::map<std::string, double>;
Recorder recorded(const Scene& scene, const std::vector<Cells>& frames) {
  Recorder out(scene.simulation, {});
  const auto& columns = out.columns();
  const auto column = [&](const std::string& metric) {
    return std::size_t(std::find(columns.begin(), columns.end(), metric) - columns.begin());
  };
  const int bodies = int(scene.simulation.bodies().size());
  Writer writer;
  writer.array(std::vector<std::uint64_t>(std::size_t(bodies), 0));  // hashes
  writer.array(std::vector<LargestForce>(std::size_t(bodies)));
  writer.array(std::vector<StopNote>{});
  writer.array(std::vector<Reaction>(std::size_t(bodies)));
  writer.value(std::uint64_t(frames.size()) * std::uint64_t(bodies));
  int frame = 0;
  for (const Cells& given : frames) {
    for (int body = 0; body < bodies; ++body) {
      std::vector<double> cells(columns.size(), 0.0);
      cells[column("volume_ratio")] = 1;
      if (body == 0)
        for (const auto& [metric, value] : given) cells.at(column(metric)) = value;
      writer.value(frame);
      writer.value(frame / 60.0);
      writer.value(body);
      writer.array(cells);
    }
    ++frame;
  }
  for (int body = 0; body < bodies; ++body) {
    writer.value(std::uint64_t(0));  // times of steps
    writer.array(std::vector<float>{});
  }
  Reader reader(writer.bytes());
  EXPECT_TRUE(out.load(reader));
  return out;
}

TEST(Doubts, a_body_that_stands_still_because_no_step_was_found_is_named) {
  const std::string text = R"({"bodies": [{"name": "plate", "method": "cage", "cage": {"cells": [1, 1, 1]},
        "shape": {"box": {"nodes": [5, 5, 5]}}}]})";
  const Result<Scene> scene = build_scene(parse_scene(text, "plate.json", {}));
  ASSERT_TRUE(scene) << scene.error().text();
  // At rest, or a solve that was done again in motion: no doubt.
  const Cells rest, broke{{"breakdowns", 1}, {"violent", 1}}, moves{{"kinetic", 1}};
  const Cells again{{"kinetic", 1}, {"breakdowns", 1}, {"violent", 1}};
  EXPECT_TRUE(doubts_of(*scene, recorded(*scene, {rest, again, rest})).empty());
  const std::vector<std::string> said = doubts_of(*scene, recorded(*scene, {rest, moves, broke, broke}));
  ASSERT_EQ(said.size(), 1U);
  for (const char* word : {"plate", "in 2 frames", "the first: 2", "stood still", "more substeps"})
    EXPECT_NE(said[0].find(word), std::string::npos) << word << " in: " << said[0];
}

TEST(Doubts, a_body_that_starts_squashed_is_not_said_to_be_too_soft_for_its_weight) {
  const std::string text = R"({"bodies": [{"name": "plate", "initial": {"stretch": [1, 0.5, 1]},
        "shape": {"box": {"nodes": [5, 5, 5]}}}]})";
  const Result<Scene> scene = build_scene(parse_scene(text, "plate.json", {}));
  ASSERT_TRUE(scene) << scene.error().text();
  const Cells half{{"volume_ratio", 0.5}}, deep{{"volume_ratio", 0.2}}, whole{{"volume_ratio", 1}};
  EXPECT_TRUE(doubts_of(*scene, recorded(*scene, {half, deep, whole})).empty());
}

TEST(Doubts, a_body_that_flew_apart_is_not_said_to_have_collapsed) {
  const std::string text = R"({"bodies": [{"name": "plate", "shape": {"box": {"nodes": [5, 5, 5]}}}]})";
  const Result<Scene> scene = build_scene(parse_scene(text, "plate.json", {}));
  ASSERT_TRUE(scene) << scene.error().text();
  const Cells whole{{"volume_ratio", 1}}, gone{{"volume_ratio", -1.8e7}};
  const std::vector<std::string> said = doubts_of(*scene, recorded(*scene, {whole, gone, gone}));
  ASSERT_EQ(said.size(), 1U);
  for (const char* word : {"plate", "inside out", "flew apart", "frame 1"})
    EXPECT_NE(said[0].find(word), std::string::npos) << word << " in: " << said[0];
  EXPECT_EQ(said[0].find("e+07"), std::string::npos) << said[0];
  EXPECT_EQ(said[0].find("weight"), std::string::npos) << said[0];
}

TEST(Doubts, a_body_that_was_stopped_on_its_way_is_named_with_what_may_be_the_cause) {
  const std::string text = R"({"bodies": [{"name": "card", "shape": {"box": {"nodes": [5, 5, 5]}}}]})";
  const Result<Scene> scene = build_scene(parse_scene(text, "card.json", {}));
  ASSERT_TRUE(scene) << scene.error().text();
  const std::vector<std::string> said = doubts_of(*scene, recorded(*scene, {{}, {{"shortened", 0.5}}, {}}));
  ASSERT_EQ(said.size(), 1U);
  for (const char* word : {"card", "1 frame ", "first: 1", "motion is missing", "more substeps", "handles"})
    EXPECT_NE(said[0].find(word), std::string::npos) << word << " in: " << said[0];
  EXPECT_EQ(said[0].find("stiffer"), std::string::npos) << said[0];
}

TEST(Doubts, a_thin_body_whose_steps_were_left_unsolved_is_named) {
  const std::string text = R"({"bodies": [{"name": "card", "shape": {"box": {"nodes": [5, 5, 5]}}}]})";
  const Result<Scene> scene = build_scene(parse_scene(text, "card.json", {}));
  ASSERT_TRUE(scene) << scene.error().text();
  const Cells solved{{"iterations", 211}}, left{{"iterations", 12}, {"breakdowns", 1}, {"kinetic", 1}};
  EXPECT_TRUE(doubts_of(*scene, recorded(*scene, {solved, solved})).empty());
  const std::vector<std::string> said = doubts_of(*scene, recorded(*scene, {solved, left, solved}));
  ASSERT_EQ(said.size(), 1U);
  for (const char* word : {"card", "1 frame ", "first: 1", "after 12 iterations", "more substeps"})
    EXPECT_NE(said[0].find(word), std::string::npos) << word << " in: " << said[0];
}

// A third of its own frames is often, whatever else is in the scene.
TEST(Doubts, a_thin_body_is_named_among_many_others) {
  std::string text = R"({"bodies": [{"name": "card", "shape": {"box": {"nodes": [3, 3, 3]}}})";
  for (int k = 0; k < 9; ++k)
    text += fmt::format(R"(, {{"name": "block{}", "shape": {{"box": {{"nodes": [3, 3, 3]}}}}}})", k);
  const Result<Scene> scene = build_scene(parse_scene(text + "]}", "cards.json", {}));
  ASSERT_TRUE(scene) << scene.error().text();
  const Cells solved, left{{"iterations", 12}, {"breakdowns", 1}, {"kinetic", 1}};
  const std::vector<std::string> said = doubts_of(*scene, recorded(*scene, {solved, left, solved}));
  ASSERT_EQ(said.size(), 1U);
  EXPECT_NE(said[0].find("card: "), std::string::npos) << said[0];
}

TEST(Doubts, cells_that_stay_inside_out_are_named) {
  const std::string text =
      R"({"bodies": [{"name": "pudding", "method": "metric", "metric": {"stiffness": 2e4},
        "shape": {"box": {"nodes": [5, 5, 5]}}}]})";
  const Result<Scene> scene = build_scene(parse_scene(text, "pudding.json", {}));
  ASSERT_TRUE(scene) << scene.error().text();
  const double none = std::numeric_limits<double>::quiet_NaN();
  const Cells whole{{"kept_rotations", none}}, folded{{"kept_rotations", none}, {"inverted", 7}};
  std::vector<Cells> frames(100, folded);
  frames.front() = frames.back() = whole;  // it came back
  EXPECT_TRUE(doubts_of(*scene, recorded(*scene, frames)).empty());
  frames.assign(50, folded);  // less than a second
  EXPECT_TRUE(doubts_of(*scene, recorded(*scene, frames)).empty());
  frames.assign(100, folded);
  frames.front() = whole;
  const std::vector<std::string> said = doubts_of(*scene, recorded(*scene, frames));
  ASSERT_EQ(said.size(), 1U);
  for (const char* word : {"pudding", "7 cells", "inside out", "1.63 s", "metric.stiffness (20000 Pa)"})
    EXPECT_NE(said[0].find(word), std::string::npos) << word << " in: " << said[0];
}

// A start that is scrambled or squashed is not a collapse under a load.
TEST(Doubts, a_body_that_starts_out_of_shape_is_told_of_its_start_and_not_of_its_weight) {
  const std::string text = R"({"bodies": [{"name": "bar", "shape": {"box": {"nodes": [3, 3, 3]}}}]})";
  const Result<Scene> scene = build_scene(parse_scene(text, "bar.json", {}));
  ASSERT_TRUE(scene) << scene.error().text();
  const double none = std::numeric_limits<double>::quiet_NaN();
  const Cells whole{{"kept_rotations", none}}, long_{{"kept_rotations", none}, {"volume_ratio", 1000}},
      flat{{"kept_rotations", none}, {"volume_ratio", -0.1}, {"inverted", 5}};
  EXPECT_TRUE(doubts_of(*scene, recorded(*scene, {flat, flat, whole})).empty()) << "it found back";
  EXPECT_TRUE(doubts_of(*scene, recorded(*scene, {long_, flat, whole})).empty()) << "it found back";
  const auto never = doubts_of(*scene, recorded(*scene, std::vector<Cells>(100, flat)));
  EXPECT_EQ(never.size(), 2u);
  expect_said(never, {"bar", "did not find back from its start", "-0.1 of its volume", "hourglass to 1"});
  expect_said(never, {"bar", "did not find back from its start", "5 cells stayed inside out", "1.65 s"});
  for (const std::string& sentence : never)
    for (const char* word : {"weight", "load", "gravity"})
      EXPECT_EQ(sentence.find(word), std::string::npos) << sentence;
  expect_said(doubts_of(*scene, recorded(*scene, {whole, flat, whole})),
              {"collapsed", "(frame 1)", "weight"});
}

}  // namespace doubts_test
}  // namespace pliant
