// SPDX-License-Identifier: Apache-2.0
// Flesh of another stiffness around a bone.
#include <gtest/gtest.h>

#include <random>

#include "tests/support/meshless_bar.hpp"
#include "tests/support/relax_once.hpp"

namespace pliant::meshless {
namespace regions_test {

/// The bar's upper half, around the bone that starts at the middle joint, is ten times as stiff.
Options stiff_above() {
  Options options = bar_material();
  options.regions = {{"middle", 10 * options.stiffness}};
  return options;
}

TEST(MeshlessRegions, flesh_belongs_to_the_bone_beside_it) {
  Bar bar = make_bar({}, stiff_above());
  const Model& model = bar.body().model();
  for (Index c = 0; c < model.cells.count(); ++c) {
    const double z = model.cells.centre[std::size_t(c)].z();
    if (std::abs(z - 2) < 0.3) continue;  // the joint's own flesh may go either way
    ASSERT_EQ(model.relative[std::size_t(c)], z < 2 ? 1 : 10) << z;
  }
}

TEST(MeshlessRegions, forces_are_the_gradient_of_the_energy) {
  Bar bar = make_bar({.across = 4}, stiff_above());
  const Model& model = bar.body().model();
  std::mt19937 random(3);
  std::normal_distribution<double> normal;
  const auto scatter = [&](double amount) {
    Points out(model.rest.size());
    for (Vec3& p : out) p = amount * Vec3(normal(random), normal(random), normal(random));
    return out;
  };
  const Points moved = scatter(0.05), direction = scatter(1), still(moved.size(), Vec3::Zero());
  const auto energy_at = [&](double t) {
    Points x = model.rest;
    for (std::size_t i = 0; i < x.size(); ++i) x[i] += moved[i] + t * direction[i];
    bar.method->place(x, still);
    return bar.method->elastic_energy();
  };
  const double slope = (energy_at(1e-5) - energy_at(-1e-5)) / 2e-5;
  energy_at(0);
  Points force(moved.size());
  bar.method->elastic_forces(force);
  double work = 0;
  for (std::size_t i = 0; i < force.size(); ++i) work -= force[i].dot(direction[i]);
  EXPECT_NEAR(work / slope, 1, 1e-5);
}

TEST(MeshlessRegions, soft_flesh_hangs_from_its_bone_ten_times_as_low) {
  Bar bar = make_bar({}, stiff_above());
  Pool pool(1);
  const auto settled =
      relax_once(*bar.method, {.time = 10, .gravity = {0, -1, 0}, .contact = {}, .pool = &pool}, 1e-6);
  ASSERT_TRUE(settled.trouble.empty()) << settled.trouble;
  // Half way along each bone; between bone and side.
  double soft = 0, stiff = 0;
  for (Index i = 0; i < bar.body().model().nodes(); ++i) {
    const Vec3 &from = bar.body().model().rest[std::size_t(i)], &to = bar.method->nodes().x[std::size_t(i)];
    if (std::abs(std::abs(from.x()) - 0.5) > 1e-9 || std::abs(from.y()) > 1e-9) continue;
    if (std::abs(from.z() - 1) < 1e-9) soft += from.y() - to.y();
    if (std::abs(from.z() - 3) < 1e-9) stiff += from.y() - to.y();
  }
  EXPECT_GT(stiff, 0);
  EXPECT_NEAR(soft / stiff, 10, 1.5);  // the ends differ: a root here, a tip there
}

TEST(MeshlessRegions, steps_of_uneven_flesh_take_no_more_iterations) {
  Options even = bar_material(), uneven = stiff_above();
  int took[2] = {0, 0};
  for (const bool is_uneven : {false, true}) {
    Options options = is_uneven ? uneven : even;
    options.iterations = 100, options.tolerance = 1e-4;
    Bar bar = make_bar({.bend = 60, .time = 0.3}, options);
    Pool pool(1);
    for (int k = 1; k <= 10; ++k)
      took[is_uneven] +=
          bar.method->advance({.h = 0.02, .time = 0.02 * k, .contact = {}, .pool = &pool}).iterations;
  }
  EXPECT_LE(took[1], 1.3 * took[0]) << "the scalar matrix knows the regions";
}

TEST(MeshlessRegions, a_bone_that_is_none_and_regions_without_a_skeleton_are_refused) {
  Options options = bar_material();
  options.regions = {{"middle", 1e4}, {"tip", 1e4}};
  const Flesh flesh = bar_flesh({}, options);
  const auto at_the_end = build(flesh.shape, 1, {}, flesh.options);
  ASSERT_FALSE(at_the_end);
  EXPECT_EQ(at_the_end.error().problems[0].place, "meshless.regions.1.bone");
  const auto boneless = build(make_shape(BoxShape{.nodes = {4, 4, 4}}), 1000, {}, options);
  ASSERT_FALSE(boneless);
  EXPECT_EQ(boneless.error().problems[0].place, "meshless.regions");
}

}  // namespace regions_test
}  // namespace pliant::meshless
