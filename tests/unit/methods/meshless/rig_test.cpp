// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/rig.hpp"

#include <gtest/gtest.h>

#include <numeric>

#include "tests/support/meshless_bar.hpp"

namespace pliant::meshless {
namespace rig_test {

TEST(Rig, every_sample_is_a_node_and_nodes_beside_it_give_way) {
  Shape shape = make_shape(BoxShape{.size = {1, 1, 4}, .nodes = {5, 5, 17}, .corner = {-0.5, -0.5, 0}});
  const double volume = std::accumulate(shape.graph.volumes.begin(), shape.graph.volumes.end(), 0.0);
  Points samples;
  for (int k = 0; k < 12; ++k) samples.push_back({0.06, -0.03, 0.1 + 0.3 * k});
  const Shape with = with_samples(shape, samples);
  for (const Vec3& x : samples) {
    double nearest = 1;
    for (const Vec3& p : with.graph.positions)
      if (p != x) nearest = std::min(nearest, (p - x).norm());
    EXPECT_NE(std::find(with.graph.positions.begin(), with.graph.positions.end(), x),
              with.graph.positions.end());
    EXPECT_GE(nearest, 0.5 * 0.25 * (1 - 1e-9));
  }
  EXPECT_NEAR(std::accumulate(with.graph.volumes.begin(), with.graph.volumes.end(), 0.0), volume, 1e-12);
}

TEST(Rig, influence_rows_sum_to_one_and_stay_in_range) {
  Bar bar = make_bar({});
  const Rig& rig = bar.body().rig();
  EXPECT_EQ(rig.samples(), 17);
  double least = 0, most = 0;
  for (Index i = 0; i < bar.body().model().nodes(); ++i) {
    double sum = 0;
    for (Index s = 0; s < rig.samples(); ++s) {
      const double w = rig.influence()[std::size_t(i * rig.samples() + s)];
      sum += w;
      least = std::min(least, w), most = std::max(most, w);
    }
    EXPECT_NEAR(sum, 1, 1e-5);
  }
  EXPECT_GT(least, -0.8);  // measured -0.64
  EXPECT_LE(most, 1.01);
}

TEST(Rig, influence_at_the_cells_is_almost_that_of_a_mean) {
  // [notes, section 4]: at nodes parameters swing, at the centres of cells the field hardly does.
  Bar bar = make_bar({});
  const Rig& rig = bar.body().rig();
  const Cells& cells = bar.body().model().cells;
  double least = 0, most = 0;
  for (Index c = 0; c < cells.count(); ++c) {
    double sum = 0;
    for (Index s = 0; s < rig.samples(); ++s) {
      double w = 0;
      for (Index k = cells.begin[std::size_t(c)]; k < cells.begin[std::size_t(c) + 1]; ++k)
        w += cells.centre_value[std::size_t(k)] *
             rig.influence()[std::size_t(cells.node[std::size_t(k)] * rig.samples() + s)];
      sum += w;
      least = std::min(least, w), most = std::max(most, w);
    }
    ASSERT_NEAR(sum, 1, 1e-5);
  }
  std::printf("influence at cells: %.4f to %.4f\n", least, most);
  EXPECT_GT(least, -0.02);  // measured: -0.006
  EXPECT_NEAR(most, 0.46, 0.03);
}

/// Length of the blended quaternions before they are normalised, the shortest of the nodes.
double shortest_blend(const BarOptions& options, bool flipped) {
  Bar bar = make_bar(options);
  const Rig& rig = bar.body().rig();
  Rig::Scratch scratch;
  rig.pose(10, scratch);
  double shortest = 10;
  for (Index i = 0; i < bar.body().model().nodes(); ++i) {
    Eigen::Vector4d q = Eigen::Vector4d::Zero();
    for (Index s = 0; s < rig.samples(); ++s) {
      const Float4& v = scratch.quaternions[std::size_t(s)];
      const double sign = flipped && s % 2 == 0 ? -1 : 1;
      q += sign * rig.influence()[std::size_t(i * rig.samples() + s)] * Eigen::Vector4d(v.x, v.y, v.z, v.w);
    }
    shortest = std::min(shortest, q.norm());
  }
  return shortest;
}

TEST(Rig, blends_keep_their_length_up_to_200_degrees_because_signs_agree) {
  const double at[] = {45, 90, 110, 170, 200}, measured[] = {0.98, 0.92, 0.89, 0.71, 0.61};
  for (int k = 0; k < 5; ++k) {
    BarOptions bar;
    bar.bend = at[k];
    EXPECT_GT(shortest_blend(bar, false), measured[k] - 0.1) << at[k] << " degrees";
  }
  BarOptions bar;
  bar.bend = 90;
  EXPECT_LT(shortest_blend(bar, true), 0.5) << "signs that do not agree cancel";
}

TEST(Rig, a_joint_that_turns_720_degrees_makes_no_jump) {
  BarOptions options;
  options.twist = 1440;  // half of it at the middle joint: 720 degrees
  options.time = 1;
  Bar bar = make_bar(options);
  const Rig& rig = bar.body().rig();
  Rig::Scratch now, before;
  rig.pose(0, before);
  double furthest = 0;
  for (int k = 1; k <= 1440; ++k) {
    rig.pose(k / 1440.0, now);
    for (std::size_t s = 0; s < now.quaternions.size(); ++s) {
      const Float4 &a = now.quaternions[s], &b = before.quaternions[s];
      // Continuous in sign too: a degree of turn moves a quaternion by less than a hundredth.
      furthest = std::max(
          furthest, double(std::hypot(std::hypot(a.x - b.x, a.y - b.y), std::hypot(a.z - b.z, a.w - b.w))));
    }
    std::swap(now, before);
  }
  EXPECT_LT(furthest, 0.02);
}

}  // namespace rig_test
}  // namespace pliant::meshless
