// SPDX-License-Identifier: Apache-2.0
// What the options of `pliant prepare` change, read from what it writes.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>
#include <numeric>

#include "pliant/io/read_mesh.hpp"
#include "tests/cli/command.hpp"
#include "tests/support/temp_folder.hpp"

namespace pliant {
namespace prepare_test {

using Json = nlohmann::json;

/// Boxes of 1 m with the first `faces` of their six faces, 2 m apart.
std::string boxes(int count, int faces = 6) {
  std::string vertices, corners;
  const int face[6][4] = {{1, 2, 4, 3}, {1, 5, 6, 2}, {1, 3, 7, 5}, {5, 7, 8, 6}, {3, 4, 8, 7}, {2, 6, 8, 4}};
  for (int k = 0; k < count; ++k) {
    for (int v = 0; v < 8; ++v)
      vertices += "v " + std::to_string((v >> 2) + 2 * k) + " " + std::to_string(v >> 1 & 1) + " " +
                  std::to_string(v & 1) + "\n";
    for (int f = 0; f < faces; ++f) {
      corners += "f";
      for (const int v : face[f]) corners += " " + std::to_string(v + 8 * k);
      corners += "\n";
    }
  }
  return vertices + corners;
}

class Prepare : public testing::Test {
 protected:
  TempFolder folder;
  std::string mesh(const std::string& text) const { return write_text(folder / "mesh.obj", text).string(); }
  /// Runs and tells what was said.
  CommandResult prepare(const std::string& what, const std::string& options) const {
    const auto result = run_pliant("prepare '" + what + "' " + options);
    EXPECT_EQ(result.exit, 0) << result.output;
    return result;
  }
  Json graph(const std::string& what, const std::string& options) const {
    const std::string file = (folder / "graph.json").string();
    prepare(what, "--nodes 200 --graph '" + file + "' " + options);
    return Json::parse(read_text(file));
  }
};

double volume(const Json& graph) {
  double sum = 0;
  for (const Json& v : graph["volumes"]) sum += v.get<double>();
  return sum;
}

/// Parts that no edge joins.
int parts(const Json& graph) {
  std::vector<std::size_t> of(graph["positions"].size());
  std::iota(of.begin(), of.end(), 0);
  const auto root = [&](std::size_t i) {
    while (of[i] != i) i = of[i];
    return i;
  };
  for (const Json& edge : graph["edges"])
    of[root(edge.at("nodes")[0].get<std::size_t>())] = root(edge.at("nodes")[1].get<std::size_t>());
  int count = 0;
  for (std::size_t i = 0; i < of.size(); ++i) count += of[i] == i;
  return count;
}

TEST_F(Prepare, a_shell_has_the_thickness_that_was_asked_for) {
  const std::string sheet = mesh("v 0 0 0\nv 1 0 0\nv 1 0 1\nv 0 0 1\nf 1 4 3 2\n");
  EXPECT_NEAR(volume(graph(sheet, "")), 0.01 * std::sqrt(2.0), 1e-9) << "0.01 of the diagonal";
  EXPECT_NEAR(volume(graph(sheet, "--thickness 0.04")), 0.04, 1e-9);
}

TEST_F(Prepare, half_a_box_is_a_shell_unless_it_is_said_to_be_solid) {
  const std::string half = mesh(boxes(1, 3));
  EXPECT_NEAR(volume(graph(half, "--thickness 0.01")), 3 * 0.01, 1e-6);
  EXPECT_GT(volume(graph(half, "--solid")), 0.1) << "what three of its six faces enclose";
}

TEST_F(Prepare, parts_stay_apart_unless_they_are_joined) {
  const std::string two = mesh(boxes(2));
  EXPECT_EQ(parts(graph(two, "")), 2);
  EXPECT_EQ(parts(graph(two, "--join")), 1);
}

TEST_F(Prepare, a_cage_keeps_the_clearance_that_was_asked_for) {
  const std::string box = mesh(boxes(1));
  for (const double clearance : {0.05, 0.1}) {
    const auto cage = folder / "cage.obj";
    prepare(box, "--budget 60 --cage '" + cage.string() + "' --clearance " + std::to_string(clearance));
    const Result<TriMesh> made = read_mesh(cage);
    ASSERT_TRUE(made) << made.error().text();
    Eigen::AlignedBox3d around;
    for (const Vec3& p : made->vertices) around.extend(p);
    const double least = clearance * std::sqrt(3.0);  // of the diagonal
    for (int c = 0; c < 3; ++c) {
      EXPECT_LT(around.min()[c], -least);
      EXPECT_GT(around.max()[c], 1 + least);
      EXPECT_LT(around.max()[c], 1 + 2 * least) << "and not much more";
    }
  }
}

TEST_F(Prepare, less_detail_leaves_small_limbs_of_a_skeleton_out) {
  const std::string rig = source_folder() + "/scenes/assets/rig.glb";
  const auto joints = [&](const std::string& detail) {
    const std::string file = (folder / "bones.json").string();
    prepare(rig, "--nodes 1500 --skeleton '" + file + "' --detail " + detail);
    return Json::parse(read_text(file))["joints"].size();
  };
  const std::size_t fine = joints("0.03"), coarse = joints("0.3");
  EXPECT_GE(coarse, 2u);
  EXPECT_GT(fine, coarse + 4) << "two arms, two legs: an end and a joint each";
}

}  // namespace prepare_test
}  // namespace pliant
