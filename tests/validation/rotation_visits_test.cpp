// SPDX-License-Identifier: Apache-2.0
// The timing of [Huang06, Sec. 5] on as many nodes: all rotations computed in the plain sweep; visited
// breadth first with all of them taken over; with none. What each pass does is asserted, what it takes
// printed
// (`pliant bench --filter kernel/rotations` measures it). The paper's times are 58, 7 and 16 + 58 ms.
#include <gtest/gtest.h>

#include <cmath>
#include <numbers>
#include <optional>

#include "pliant/base/clock.hpp"
#include "pliant/geometry/shape.hpp"
#include "pliant/methods/geometric/build.hpp"
#include "pliant/methods/geometric/sweeps.hpp"

namespace pliant::geometric {
namespace rotation_visits_test {

constexpr std::array<int, 3> lattice_nodes{15, 22, 43};  // 14190
constexpr int layers = lattice_nodes[2] - 1;

struct Bent {
  Model model;
  Arrangement arrangement;
  Doubles x;  ///< bent to a quarter circle along z, in the order of the step
};

Bent bent_solid() {
  const Vec3 size(lattice_nodes[0] - 1, lattice_nodes[1] - 1, layers);
  const Shape shape = make_shape(BoxShape{.size = 0.05 * size, .nodes = lattice_nodes});
  Bent out{std::move(*make_model(*make_rows(shape.graph, 1000, {}))), {}, {}};
  const Points& rest = out.model.rest;
  out.arrangement = arrange(streaming_order(out.model.adjacency), std::vector<unsigned char>(rest.size(), 0));
  out.x.assign(4 * (rest.size() + lanes), 0);
  const double radius = 0.05 * layers / (std::numbers::pi / 2);
  for (std::size_t i = 0; i < rest.size(); ++i) {
    const double angle = rest[i].z() / radius, out_there = radius + rest[i].y();
    double* place = out.x.data() + 4 * std::size_t(out.arrangement.place[i]);
    place[0] = rest[i].x();
    place[1] = out_there * std::cos(angle);
    place[2] = out_there * std::sin(angle);
  }
  return out;
}

struct Pass {
  int active = 0;
  double ms = 0;  ///< the fastest of a few
  std::vector<Eigen::Quaternionf> rotations;
};

/// The second pass on: rotations start from the last ones, as in a step.
Pass rotations_of(const Bent& solid, std::optional<double> threshold) {
  Sweeps sweeps;
  if (threshold) sweeps.adapt(solid.model, {.threshold = *threshold});
  sweeps.arrange(solid.model, solid.arrangement);
  Pool pool(1);
  Pass out;
  for (int k = 0; k < 8; ++k) {
    const auto start = Clock::now();
    sweeps.rotate(solid.x.data(), pool);
    const double ms = milliseconds_since(start);
    if (k < 2) continue;
    out.ms = k == 2 ? ms : std::min(out.ms, ms);
  }
  out.active = sweeps.active();
  for (Index place = 0; place < solid.model.nodes(); ++place) {
    float q[4];
    sweeps.quaternion(place, q);
    out.rotations.emplace_back(q[0], q[1], q[2], q[3]);
  }
  return out;
}

double largest_angle(const Pass& a, const Pass& b) {
  double most = 0;
  for (std::size_t i = 0; i < a.rotations.size(); ++i)
    most = std::max(most, double(a.rotations[i].angularDistance(b.rotations[i])));
  return most;
}

TEST(RotationVisits, compute_all_rotations_or_the_seed_alone_and_agree_with_the_plain_sweep) {
  const Bent solid = bent_solid();
  const int nodes = solid.model.nodes();
  ASSERT_EQ(nodes, 14190);
  const Pass all = rotations_of(solid, std::nullopt);
  const Pass accepted = rotations_of(solid, 3.0), none = rotations_of(solid, 0.0);
  std::printf(
      "rotations of %d nodes: all polar %.3f ms; visited, all accepted %.3f ms, none accepted %.3f ms\n",
      nodes, all.ms, accepted.ms, none.ms);
  std::printf("off the plain sweep: all accepted by %.2g rad, none accepted by %.2g rad\n",
              largest_angle(all, accepted), largest_angle(all, none));
  EXPECT_EQ(all.active, nodes);
  EXPECT_EQ(none.active, nodes);
  EXPECT_EQ(accepted.active, 1);
  EXPECT_LT(largest_angle(all, none), 2e-6);
  // The turn from node to node is taken over to first order.
  EXPECT_LT(largest_angle(all, accepted), 0.2 * std::numbers::pi / 2 / layers);
}

}  // namespace rotation_visits_test
}  // namespace pliant::geometric
