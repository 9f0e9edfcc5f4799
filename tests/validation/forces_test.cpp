// SPDX-License-Identifier: Apache-2.0
// Forces of the world (docs/forces.md) against closed forms.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "pliant/physics/metrics.hpp"
#include "pliant/scene/build.hpp"
#include "pliant/scene/parse.hpp"

namespace pliant {
namespace forces_test {

Scene scene_of(const std::string& text, const std::vector<std::string>& sets = {}) {
  Result<Scene> scene = build_scene(parse_scene(text, "forces.json", sets));
  EXPECT_TRUE(scene) << scene.error().text();
  return std::move(*scene);
}

const NodeState& nodes(const Scene& scene) { return scene.simulation.bodies()[0].method().nodes(); }

Vec3 velocity(const Scene& scene) { return linear_momentum(nodes(scene)) / total_mass(nodes(scene)); }
void run(Scene& scene, int steps) {
  for (int i = 0; i < steps; ++i) {
    const auto failure = scene.simulation.step();
    ASSERT_FALSE(failure) << failure->text();
  }
}

/// A plate of 1 m^2 that lies in the air and falls.
std::string plate(const std::string& method, double density, double h) {
  return fmt::format(R"({{"timestep": {},
    "bodies": [{{"name": "plate", {}, "density": {}, "damping": {{"mass": 0, "stiffness": 0}},
      "initial": {{"velocity": [0, -1, 0]}}}}],
    "forces": [{{"wind": {{"velocity": [0, 0, 0], "density": 1.2, "drag": 1.2, "lift": 1.2}}}}]}})",
                     h, method, density);
}

// m g = rho c A v^2 / 2
TEST(Wind, a_falling_plate_comes_to_its_terminal_velocity) {
  struct Case {
    const char* body;
    double thickness, density;
  };
  for (const auto& [body, thickness, density] :
       {Case{R"("method": "geometric", "geometric": {"preset": "shell", "stiffness": 1e7},
                "shape": {"sheet": {"size": [1, 1], "nodes": [6, 6], "thickness": 0.01}})",
             0.01, 100},
        Case{R"("method": "metric", "metric": {"stiffness": 1e6},
                "shape": {"box": {"size": [1, 0.2, 1], "nodes": [5, 3, 5]}})",
             0.2, 10}}) {
    for (const double h : {1.0 / 60, 1.0 / 240}) {
      Scene scene = scene_of(plate(body, density, h));
      const double terminal = std::sqrt(2 * density * thickness * 9.81 / (1.2 * 1.2));
      run(scene, int(4 / h));
      EXPECT_NEAR(-velocity(scene).y() / terminal, 1, 0.02) << body << ", h " << h;  // measured: 0.003
    }
  }
}

// In still air v' = -k v^2 without gravity: v = v0 / (1 + k v0 t).
TEST(Wind, slows_a_plate_as_the_solution_of_its_equation) {
  const double h = 1.0 / 240, density = 100, thickness = 0.01, v0 = 8,
               k = 0.5 * 1.2 * 1.2 / (density * thickness);
  Scene scene = scene_of(plate(R"("method": "geometric", "geometric": {"preset": "shell", "stiffness": 1e7},
                                  "shape": {"sheet": {"size": [1, 1], "nodes": [6, 6], "thickness": 0.01}})",
                               density, h),
                         {"gravity=[0,0,0]", "bodies.0.initial.velocity=[0,-8,0]"});
  run(scene, 240);
  EXPECT_NEAR(-velocity(scene).y() / (v0 / (1 + k * v0)), 1, 0.02);
}

// A body about the axis, within the radius: a = strength/radius axis x r is the acceleration of a rigid turn, so that
// it turns with w = strength/radius t. L = I w and the energy is the work, L w / 2.
TEST(Vortex, does_the_work_of_its_torque) {
  for (const std::string method :
       {R"("method": "geometric", "geometric": {"stiffness": 1e7})", R"("method": "rigid")"}) {
    Scene scene = scene_of(R"({"gravity": [0, 0, 0],
      "bodies": [{"name": "wheel", )" +
                           method + R"(, "density": 1000, "damping": {"mass": 0, "stiffness": 0},
        "shape": {"cylinder": {"radius": 0.5, "height": 0.4, "nodes": [7, 4]}}}],
      "forces": [{"vortex": {"strength": 2, "radius": 0.8, "reach": 5}}]})");
    run(scene, 60);
    const double inertia = 1000 * M_PI * 0.25 * 0.4 * 0.25 / 2;
    const double spin = angular_momentum(nodes(scene)).y(), turning = 2 * kinetic_energy(nodes(scene)) / spin;
    EXPECT_NEAR(turning / (2 / 0.8), 1, 0.01) << method;
    EXPECT_NEAR(spin / (inertia * 2 / 0.8), 1, 0.1) << method;  // a cylinder of few nodes
    EXPECT_LT(velocity(scene).norm(), 1e-3) << method;
  }
}

// Within the radius a point is a spring: x = x0 cos(w t), w^2 = strength/radius. Forces of the place at the beginning
// of a step would make BDF2 gain energy: e^(h w^2 t / 2) in speed, a factor of 1.8 here.
void swing_about_a_point(const std::string& method, double around) {
  SCOPED_TRACE(method);
  Scene scene = scene_of(R"({"gravity": [0, 0, 0],
    "bodies": [{"name": "ball", )" +
                         method +
                         R"(, "density": 1000,
      "damping": {"mass": 0, "stiffness": 0}, "initial": {"translate": [1, 0, 0]},
      "shape": {"sphere": {"radius": 0.1, "nodes": 5}}}],
    "forces": [{"point": {"strength": 32, "radius": 2}}]})");
  const double w = 4, period = 2 * 3.14159265358979 / w;
  double most = 0;
  const int steps = int(3 * period * 60);
  const double t = steps / 60.0;
  for (int i = 0; i < steps; ++i) {
    run(scene, 1);
    most = std::max(most, velocity(scene).norm());
  }
  EXPECT_NEAR(most / w, 1, around);
  EXPECT_NEAR(centre_of_mass(nodes(scene)).x(), std::cos(w * t), 0.05);
}

TEST(Point, is_a_spring_within_its_radius_and_keeps_the_energy) {
  swing_about_a_point(R"("method": "geometric", "geometric": {"stiffness": 1e6})", 0.02);
  swing_about_a_point(R"("method": "rigid")", 0.02);
}

/// A flag in the x-y plane, held along x = 0.
std::string flag(double density, double wind, double h) {
  return fmt::format(R"({{"timestep": {},
    "bodies": [{{"name": "flag", "method": "geometric", "geometric": {{"preset": "shell", "stiffness": 1e6}},
      "density": {}, "damping": {{"mass": 0, "stiffness": 0}},
      "shape": {{"sheet": {{"size": [1, 0.6], "nodes": [16, 10], "thickness": 0.0005, "center": [0.5, 0, 0]}}}},
      "pins": [{{"select": {{"halfspace": {{"point": [1e-4, 0, 0], "normal": [-1, 0, 0]}}}}}}]}}],
    "forces": [{{"wind": {{"velocity": [{}, 0.5, 1]}}}}]}})",
                     h, density, wind);
}

TEST(Wind, a_flag_flutters_without_ever_being_faster_than_the_air_allows) {
  // 0.1 kg/m^2 at 60 steps a second; 0.01 kg/m^2, lighter than tissue, at 20 in a storm.
  struct Case {
    double density, wind, h;
  };
  for (const auto& [density, wind, h] : {Case{200, 8, 1.0 / 60}, Case{20, 30, 1.0 / 20}}) {
    Scene scene = scene_of(flag(density, wind, h));
    const double most = total_mass(nodes(scene)) * wind * wind / 2;
    double late = 0;
    for (int i = 0; i < 120; ++i) {
      run(scene, 1);
      ASSERT_LT(kinetic_energy(nodes(scene)), most) << "step " << i;
      if (i >= 90) late = std::max(late, kinetic_energy(nodes(scene)));
    }
    EXPECT_GT(late, 1e-4 * most) << "it does not just hang";
  }
}

TEST(Wind, in_a_storm_a_free_tissue_flies_with_the_air_and_no_faster) {
  for (const double h : {1.0 / 10, 1.0 / 60}) {
    Scene scene = scene_of(plate(R"("method": "geometric", "geometric": {"preset": "shell", "stiffness": 1e6},
                                    "shape": {"sheet": {"size": [1, 1], "nodes": [8, 8], "thickness": 1e-4}})",
                                 100, h),
                           {"gravity=[0,0,0]", "forces.0.wind.velocity=[10,30,5]"});
    const double air = Vec3(10, 30, 5).norm();
    for (int i = 0; i < 60; ++i) {
      run(scene, 1);
      for (const Vec3& v : nodes(scene).v) ASSERT_LT(v.norm(), 1.1 * air) << "h " << h << ", step " << i;
    }
    EXPECT_NEAR((velocity(scene) - Vec3(10, 30, 5)).norm() / air, 0, 0.1);
  }
}

/// A bar of 1 m along x that is held at x = 0.
std::string bar(const std::string& method, const std::string& settings = "{}") {
  return fmt::format(R"({{"bodies": [{{"name": "bar", "method": "{0}", "{0}": {1}, "density": 100,
      "shape": {{"box": {{"size": [1, 0.1, 0.1], "nodes": [21, 3, 3]}}}},
      "pins": [{{"select": {{"halfspace": {{"point": [1e-4, 0, 0], "normal": [-1, 0, 0]}}}}}}]}}]}})",
                     method, settings);
}

double farthest(const Points& a, const Points& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.size(); ++i) most = std::max(most, (a[i] - b[i]).norm());
  return most;
}

PoseResult pose(Scene& scene) { return scene.simulation.pose(0, 0, {}); }

TEST(Pose, forces_on_nodes_bend_a_bar_of_any_method_as_gravity_does) {
  for (const auto& [method, settings] : std::vector<std::pair<std::string, std::string>>{
           {"geometric", R"({"stiffness": 1e6})"},
           {"geometric", R"({"stiffness": 1e6, "reduction": {"modal": 12}})"},
           {"metric", R"({"stiffness": 1e6})"},
           {"cage", R"({"stiffness": 1e6})"},
           {"meshless", R"({"stiffness": 1e6})"},
           {"fem", R"({"stiffness": 1e6})"}}) {
    Scene falls = scene_of(bar(method, settings)),
          pushed = scene_of(bar(method, settings), {"gravity=[0,0,0]"}),
          constant =
              scene_of(bar(method, settings),
                       {"gravity=[0,0,0]", R"(forces=[{"constant": {"acceleration": [0, -9.81, 0]}}])"});
    const Points rest = nodes(falls).x;
    Points forces;
    for (const double m : nodes(pushed).mass) forces.push_back(m * Vec3(0, -9.81, 0));
    pushed.simulation.body(0).set_forces(forces);
    for (Scene* scene : {&falls, &pushed, &constant}) {
      const PoseResult result = pose(*scene);
      ASSERT_TRUE(result.ok()) << method << settings << ": " << result.trouble;
    }
    const double sag = farthest(nodes(falls).x, rest);
    EXPECT_GT(sag, 0.01) << method;
    EXPECT_LT(farthest(nodes(falls).x, nodes(pushed).x), 1e-3 * sag) << method << settings;
    EXPECT_EQ(nodes(falls).x, nodes(constant).x) << method << settings;
  }
}

// The pressure rho c v^2 / 2 on its face of 0.1 m^2 against the same force spread over the volume.
TEST(Pose, a_bar_rests_in_the_wind_where_its_drag_is_balanced) {
  for (const std::string method : {"geometric", "fem"}) {
    const double speed = 20, force = 0.5 * 1.2 * 1.2 * 0.1 * speed * speed, mass = 1;
    Scene blown = scene_of(bar(method, R"({"stiffness": 1e8})"),
                           {"gravity=[0,0,0]", R"(forces=[{"wind": {"velocity": [0, 0, 20], "lift": 0}}])"}),
          heavy =
              scene_of(bar(method, R"({"stiffness": 1e8})"), {fmt::format("gravity=[0,0,{}]", force / mass)});
    const Points rest = nodes(blown).x;
    for (Scene* scene : {&blown, &heavy}) {
      const PoseResult result = pose(*scene);
      ASSERT_TRUE(result.ok()) << method << ": " << result.trouble;
    }
    EXPECT_NEAR(farthest(nodes(blown).x, rest) / farthest(nodes(heavy).x, rest), 1, 0.01) << method;
  }
}

}  // namespace forces_test
}  // namespace pliant
