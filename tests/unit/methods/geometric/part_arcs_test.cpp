// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/part_arcs.hpp"

#include "tests/unit/methods/geometric/bodies.hpp"

namespace pliant::geometric {
namespace part_arcs_test {

/// A lattice at x, in places, and the step w x r + shift of its nodes.
struct Turned {
  Turned(const Vec3& w, const Vec3& shift)
      : model(model_of(jittered(lattice({4, 3, 5}, 0.1, 0.2, 1e3), 0.02))) {
    const std::size_t n = model.rest.size();
    arrangement = arrange(breadth_first_order(model.adjacency), std::vector<unsigned char>(n, 0));
    x.assign(4 * n, 0);
    step.assign(4 * n, 0);
    to.assign(4 * n, 0);
    double mass = 0;
    for (std::size_t i = 0; i < n; ++i) {
      mass += model.mass[i];
      center += model.mass[i] * model.rest[i];
    }
    center /= mass;
    for (std::size_t i = 0; i < n; ++i) {
      const Vec3 way = w.cross(model.rest[i] - center) + shift;
      for (int c = 0; c < 3; ++c) {
        x[4 * std::size_t(arrangement.place[i]) + c] = model.rest[i][c];
        step[4 * std::size_t(arrangement.place[i]) + c] = float(way[c]);
      }
    }
  }
  Model model;
  Arrangement arrangement;
  Vec3 center{0, 0, 0};
  std::vector<double> x;
  std::vector<float> step, to;
};

TEST(PartArcs, a_part_that_turns_keeps_its_shape) {
  const Vec3 w(0.3, -0.5, 0.2), shift(0.1, 0.2, -0.3);
  Turned t(w, shift);
  add_arcs(t.model, t.arrangement, {1}, t.x.data(), t.step.data(), t.to.data());
  const Eigen::AngleAxisd turn(w.norm(), w.normalized());
  for (std::size_t i = 0; i < t.model.rest.size(); ++i) {
    const Vec3 expected = t.center + turn * (t.model.rest[i] - t.center) + shift;
    for (int c = 0; c < 3; ++c) {
      const std::size_t at = 4 * std::size_t(t.arrangement.place[i]) + c;
      EXPECT_NEAR(t.x[at] + t.step[at] + t.to[at], expected[c], 1e-7);
    }
  }
}

TEST(PartArcs, a_part_that_does_not_turn_is_left_alone) {
  Turned still({0, 0, 0}, {0.1, 0, 0}), rod({0.3, 0, 0.2}, {0, 0, 0});
  add_arcs(still.model, still.arrangement, {1}, still.x.data(), still.step.data(), still.to.data());
  add_arcs(rod.model, rod.arrangement, {0}, rod.x.data(), rod.step.data(), rod.to.data());
  for (std::size_t k = 0; k < still.to.size(); ++k) {
    EXPECT_EQ(still.to[k], 0);
    EXPECT_EQ(rod.to[k], 0);
  }
}

}  // namespace part_arcs_test
}  // namespace pliant::geometric
