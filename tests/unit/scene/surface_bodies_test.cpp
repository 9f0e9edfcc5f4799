// SPDX-License-Identifier: Apache-2.0
// Bodies whose surface carries its own nodes, from scene to step.
#include <gtest/gtest.h>

#include "pliant/scene/build.hpp"

namespace pliant {
namespace surface_bodies_test {

Result<Scene> scene_of(const std::string& body, const std::string& rest = "") {
  return build_scene(parse_scene("{\"bodies\": [{\"name\": \"b\", " + body + "}]" + rest + "}", "test.json"));
}

const NodeState& nodes(const Scene& scene) { return scene.simulation.bodies()[0].method().nodes(); }

TEST(SurfaceBodies, an_operator_of_surfaces_makes_the_vertices_nodes_and_the_notes_say_so) {
  for (const std::string shape :
       {R"("sphere": {"nodes": 7})", R"("box": {"nodes": [4, 4, 4]})", R"("sheet": {"nodes": [5, 5]})",
        R"("torus": {"nodes": [5, 12]})", R"("blobs": {"parts": [{"radius": 0.2}], "resolution": 12})"}) {
    const auto scene = scene_of("\"shape\": {" + shape + R"(}, "geometric": {"preset": "shell"})");
    ASSERT_TRUE(scene) << shape << scene.error().text();
    EXPECT_EQ(nodes(*scene).x.size(), scene->simulation.bodies()[0].surface().size()) << shape;
    ASSERT_FALSE(scene->notes.empty());
    EXPECT_NE(scene->notes.front().find("vertices of its surface"), std::string::npos);
  }
  const auto filled = scene_of(R"("shape": {"sphere": {"nodes": 7}})");
  ASSERT_TRUE(filled);
  EXPECT_GT(nodes(*filled).x.size(), filled->simulation.bodies()[0].surface().size());
}

TEST(SurfaceBodies, one_layer_of_nodes_is_told_that_it_bends_too_stiffly) {
  const auto told = [](const std::string& shape, const std::string& settings) {
    const auto scene = scene_of("\"shape\": {" + shape + "}, \"geometric\": {" + settings + "}");
    EXPECT_TRUE(scene) << scene.error().text();
    for (const std::string& note : scene->notes)
      if (note.find("one layer of nodes") != std::string::npos) return true;
    return false;
  };
  EXPECT_TRUE(told(R"("sheet": {"nodes": [5, 5]})", ""));
  EXPECT_FALSE(told(R"("sheet": {"nodes": [5, 5]})", R"("preset": "shell")"));
  EXPECT_FALSE(told(R"("sheet": {"nodes": [5, 5]})", R"("operator": "edge")"));
  EXPECT_FALSE(told(R"("box": {"nodes": [3, 3, 3]})", ""));
}

TEST(SurfaceBodies, the_thickness_of_a_sheet_is_that_of_its_shell) {
  const auto mass = [](const char* thickness) {
    const auto scene = scene_of(std::string(R"("shape": {"sheet": {"size": [2, 3], "thickness": )") +
                                thickness + R"(}}, "density": 500, "geometric": {"operator": "edge"})");
    EXPECT_TRUE(scene) << scene.error().text();
    double sum = 0;
    for (const double m : nodes(*scene).mass) sum += m;
    return sum;
  };
  EXPECT_NEAR(mass("0.02"), 500 * 6 * 0.02, 1e-9);
  EXPECT_NEAR(mass("0.01"), 500 * 6 * 0.01, 1e-9);
}

TEST(SurfaceBodies, a_stretched_start_keeps_the_centre_of_mass_and_turns_afterwards) {
  const auto scene =
      scene_of(R"("shape": {"box": {"size": [1, 2, 1], "nodes": [3, 3, 3], "corner": [5, 0, 0]}},
      "initial": {"stretch": [1, 0.5, 2], "rotate": {"axis": [0, 0, 1], "degrees": 90}})");
  ASSERT_TRUE(scene) << scene.error().text();
  const auto bounds = bounds_of(nodes(*scene).x);
  EXPECT_LT((bounds.max - bounds.min - Vec3(1, 1, 2)).norm(), 1e-12);
  EXPECT_LT((0.5 * (bounds.max + bounds.min) - Vec3(5.5, 1, 0.5)).norm(), 1e-12);
  EXPECT_FALSE(scene_of(R"("shape": {"box": {}}, "initial": {"stretch": [1, 0, 1]})"));
}

TEST(SurfaceBodies, shells_solids_by_their_surface_and_plants_land_on_a_plane) {
  for (const std::string body :
       {R"("shape": {"sphere": {"nodes": 9}}, "geometric": {"preset": "shell", "stiffness": 1e6})",
        R"("shape": {"sphere": {"nodes": 9}}, "geometric": {"preset": "surface-solid", "stiffness": 1e6})",
        R"("shape": {"plant": {"leaves": 2}}, "geometric": {"preset": "shell", "stiffness": 1e8},
           "initial": {"rotate": {"axis": [1, 0, 0], "degrees": 80}})"}) {
    auto scene = scene_of(body, R"(, "colliders": [{"plane": {"point": [0, -0.6, 0]}}])");
    ASSERT_TRUE(scene) << scene.error().text();
    int contacts = 0;
    for (int step = 0; step < 90; ++step) {
      const auto failure = scene->simulation.step();
      ASSERT_FALSE(failure) << failure->text();
      contacts = std::max(contacts, scene->simulation.bodies()[0].report().contacts);
    }
    EXPECT_GT(contacts, 0) << body;
    EXPECT_GT(bounds_of(nodes(*scene).x).min.y(), -0.61) << body;
  }
}

TEST(SurfaceBodies, settings_that_do_not_fit_are_named) {
  const auto refused =
      scene_of(R"("shape": {"sphere": {"nodes": 7}}, "geometric": {"preset": "shell", "laplacian": 3})");
  ASSERT_FALSE(refused);
  EXPECT_NE(refused.error().text().find("geometric.laplacian"), std::string::npos) << refused.error().text();
  EXPECT_FALSE(scene_of(R"("shape": {"sphere": {"nodes": 7}}, "geometric": {"bending": 1})"));
}

}  // namespace surface_bodies_test
}  // namespace pliant
