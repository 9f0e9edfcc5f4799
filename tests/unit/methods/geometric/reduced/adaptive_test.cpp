// SPDX-License-Identifier: Apache-2.0
// Adaptive rotations of reduced bodies.
#include "pliant/methods/geometric/reduced/body.hpp"
#include "pliant/methods/geometric/reduced/build.hpp"
#include "tests/support/allocation_counter.hpp"
#include "tests/support/points.hpp"
#include "tests/unit/methods/geometric/bodies.hpp"

namespace pliant::geometric {
namespace adaptive_test {

Rows small_bar() { return jittered(lattice({4, 4, 20}, 0.1, 1, 2e4), 0.003); }

Options adaptive_options(double threshold, bool correct = true) {
  Options options;
  options.adaptive = Adaptive{.threshold = threshold, .correct = correct};
  return options;
}

/// A bar that is held at one end and falls, in the space of a few modes.
struct Hang {
  Model model = model_of(small_bar());
  Clamp low;
  std::unique_ptr<Method> body;
  Pool pool;
  StepReport report;

  Hang(const Options& options, int threads = 1) : pool(threads) {
    for (Index i = 0; i < model.nodes(); ++i)
      if (model.rest[i].z() < 0.05) low.held.push_back(i), low.targets.push_back(model.rest[i]);
    Result<Basis> basis = make_basis(model, {{low.held, false}}, Reduction{.modal = 5}, {});
    EXPECT_TRUE(basis) << basis.error().text();
    body = build_reduced(model, {}, {0.5, 0.002}, options, std::move(*basis), every_node(model));
  }
  void run(int steps) {
    StepInput input;
    input.h = 1.0 / 60;
    input.pool = &pool;
    input.gravity = {-1, 0, 0};
    input.held = low.held;
    input.targets = low.targets;
    for (int k = 0; k < steps; ++k) {
      report = body->advance(input);
      ASSERT_TRUE(report.ok()) << report.trouble;
    }
  }
  double tip() const { return body->nodes().x.back().x() - model.rest.back().x(); }
};

TEST(ReducedAdaptive, threshold_zero_computes_every_rotation_and_gives_the_motion_without) {
  Hang all({}), none(adaptive_options(0));
  all.run(30);
  none.run(30);
  EXPECT_EQ(none.report.active_rotations, none.model.nodes());
  EXPECT_EQ(all.report.active_rotations, all.model.nodes());
  EXPECT_LT(all.tip(), -0.1);
  EXPECT_LT(farthest(all.body->nodes().x, none.body->nodes().x), 1e-5);
}

TEST(ReducedAdaptive, a_part_of_the_rotations_gives_the_motion_of_all) {
  Hang all({}), some(adaptive_options(0.02)), rough(adaptive_options(0.02, false));
  double most = 0, rough_most = 0;
  int active = 0;
  for (int k = 0; k < 90; ++k) {
    all.run(1);
    some.run(1);
    rough.run(1);
    most = std::max(most, farthest(all.body->nodes().x, some.body->nodes().x));
    rough_most = std::max(rough_most, farthest(all.body->nodes().x, rough.body->nodes().x));
    active = std::max(active, some.report.active_rotations);
  }
  std::printf("%d of %d rotations, off by %.4f m, without correction %.4f m\n", active, all.model.nodes(),
              most, rough_most);
  EXPECT_GT(active, 1);
  EXPECT_LT(active, all.model.nodes() / 2);
  EXPECT_LT(most, 0.01);
  EXPECT_GT(rough_most, most);
}

TEST(ReducedAdaptive, saves_and_loads_every_bit_on_any_number_of_threads) {
  Options options = adaptive_options(0.05);
  options.plasticity = Plasticity{{.yield = 0.01, .creep = 1, .cap = 0.5}, {}};
  Hang one(options), two(options, 2);
  one.run(40);
  Writer writer;
  one.body->save(writer);
  Reader reader(writer.bytes());
  ASSERT_TRUE(two.body->load(reader));
  EXPECT_TRUE(reader.at_end());
  one.run(20);
  two.run(20);
  EXPECT_EQ(one.body->nodes().x, two.body->nodes().x);
  EXPECT_EQ(one.report.active_rotations, two.report.active_rotations);
}

TEST(ReducedAdaptive, a_step_allocates_nothing) {
  Hang hang(adaptive_options(0.05));
  hang.run(3);
  const std::size_t before = allocations();
  hang.run(5);
  EXPECT_EQ(allocations(), before);
}

TEST(ReducedAdaptive, is_refused_with_cubature) {
  Options options = adaptive_options(0.1);
  options.reduction = Reduction{.modal = 3, .cubature = 20};
  Result<Model> few = reducible_model(small_bar(), options);
  ASSERT_FALSE(few);
  EXPECT_NE(few.error().text().find("adaptive"), std::string::npos) << few.error().text();
  options.reduction->cubature = 0;
  EXPECT_TRUE(reducible_model(small_bar(), options));
}

}  // namespace adaptive_test
}  // namespace pliant::geometric
