// SPDX-License-Identifier: Apache-2.0
// The shipped scene cage/drop as it is (gravity, ground, a handle that pulls one end up and lets go), over
// three decades of stiffness and two time steps [Martin09, Fig. 3].
#include <gtest/gtest.h>

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <iostream>
#include <iterator>

#include "pliant/methods/cage/options.hpp"
#include "pliant/physics/metrics.hpp"
#include "pliant/scene/build.hpp"
#include "tests/support/places.hpp"

namespace pliant {
namespace cage_drop_scene_test {

ParsedScene drop(double stiffness, double h) {
  const std::string file = source_folder() + "/scenes/cage/drop.json";
  std::ifstream stream(file);
  ParsedScene out = parse_scene(std::string(std::istreambuf_iterator<char>(stream), {}), file, {});
  out.spec.bodies[0].options_of<cage::Options>().stiffness = stiffness;
  out.spec.frames = int(std::lround(5 / h));  // of 8 s: it lies by then
  out.spec.timestep = h;
  return out;
}

/// The handle of the scene as springs on the vertices it holds; it is as stiff as a whole however many it
/// has.
struct Handle {
  const Body& body;
  double stiffness;  ///< of one vertex, N/m

  Points targets(double time) const {
    const PlacedHold& placed = body.holds()[0];
    const Pose pose = placed.hold.motion.at(time);
    Points out;
    for (const Vec3& p : placed.start)
      out.push_back(placed.centre + pose.rotation * (p - placed.centre) + pose.translation);
    return out;
  }
  const Vec3& at(std::size_t k) const {
    return body.method().nodes().x[std::size_t(body.holds()[0].hold.nodes[k])];
  }
  double stored(double time) const {
    const Points to = targets(time);
    double sum = 0;
    for (std::size_t k = 0; k < to.size(); ++k) sum += stiffness / 2 * (to[k] - at(k)).squaredNorm();
    return sum;
  }
};

double lowest(const Points& surface) {
  double low = 1e300;
  for (const Vec3& p : surface) low = std::min(low, p.y());
  return low;
}

TEST(CageDrop,
     the_shipped_scene_gains_nothing_but_the_handle_s_work_whatever_the_stiffness_and_the_time_step) {
  for (const double stiffness : {500.0, 5e3, 5e5})  // the ends of the range at both steps, its middle at one
    for (const double h : {1.0 / 60, 1.0 / 30}) {
      if (stiffness == 5e3 && h > 1.0 / 60) continue;
      const ParsedScene parsed = drop(stiffness, h);
      Result<Scene> scene = build_scene(parsed);
      ASSERT_TRUE(scene) << scene.error().text();
      Simulation& simulation = scene->simulation;
      const Body& body = simulation.bodies()[0];
      Vec3 low = body.surface()[0], high = low;
      for (const Vec3& p : body.surface()) low = low.cwiseMin(p), high = high.cwiseMax(p);
      const double size = (high - low).maxCoeff();
      const BodySpec& spec = scene->spec.bodies[0];
      const Handle handle{body, spec.options_of<cage::Options>().hold * stiffness * size /
                                    double(body.holds()[0].hold.nodes.size())};
      const auto stored = [&] {
        const NodeState& nodes = body.method().nodes();
        double sum = body.method().elastic_energy() + kinetic_energy(nodes);
        for (std::size_t i = 0; i < nodes.x.size(); ++i) sum += 10 * nodes.mass[i] * nodes.x[i].y();
        return sum;
      };
      double mass = 0;
      for (const double m : body.method().nodes().mass) mass += m;
      double before = stored(), gained = 0, gained_in_all = 0, most = before, deepest = 0, rest = 0,
             pushed = 0, resting = 0;
      const double start = before;
      for (int step = 0; step < parsed.spec.frames; ++step) {
        const double end = (step + 1) * h;
        // The handle moves the ends of its springs while the body stands still: its work. Then the body
        // moves, and nothing may be gained any more. Where it lets go what the springs store is lost.
        const bool held = end <= spec.handles[0].release + 1e-9;
        before = stored() + (held ? handle.stored(end) : 0);
        const auto failure = simulation.step();
        ASSERT_FALSE(failure) << failure->text();
        const double own = stored(), now = own + (held ? handle.stored(end) : 0);
        ASSERT_TRUE(std::isfinite(now)) << stiffness << " " << h << " step " << step;
        gained = std::max(gained, now - before);
        gained_in_all += std::max(now - before, 0.0);
        most = std::max(most, own);
        const double depth = -lowest(body.surface());
        deepest = std::max(deepest, depth);
        if (end > scene->spec.frames * h - 1) {
          rest = std::max(rest, depth);
          pushed += body.report().contact_impulse.y();
          resting += h;
        }
      }
      const double carried = pushed / (10 * mass * resting);
      std::cout << fmt::format(
          "E {:.0e} h 1/{:.0f}: {:.0f} J, pulled up to {:.0f} J; largest gain of a step {:.1e} J, all gains "
          "{:.1e} J; deepest {:.1e} m, in the last second {:.1e} m; the ground carries {:.4f} of the weight; "
          "{:.1e} m/s\n",
          stiffness, 1 / h, start, most, gained, gained_in_all, deepest, rest, carried,
          max_speed(body.method().nodes()));
      EXPECT_GT(most, 1.5 * start) << "it is pulled up";
      EXPECT_LT(gained, 2e-4 * start) << stiffness << " " << h;
      // Small gains of many steps would add up unseen by the line above.
      EXPECT_LT(gained_in_all, 0.01 * start) << stiffness << " " << h;
      EXPECT_LT(rest, 0.02 * size) << stiffness << " " << h;
      EXPECT_LT(deepest, 0.02 * size) << stiffness << " " << h;
      EXPECT_NEAR(carried, 1, 0.05) << stiffness << " " << h;
    }
}

}  // namespace cage_drop_scene_test
}  // namespace pliant
