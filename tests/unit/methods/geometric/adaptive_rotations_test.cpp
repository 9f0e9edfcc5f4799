// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/adaptive_rotations.hpp"

#include "pliant/methods/geometric/body.hpp"
#include "tests/support/allocation_counter.hpp"
#include "tests/unit/methods/geometric/bent_bar.hpp"

namespace pliant::geometric {
namespace adaptive_rotations_test {

TEST(GeometricAdaptive, a_threshold_of_zero_computes_every_rotation) {
  const Bent bar;
  const Outcome all = spread(bar, {.threshold = 0});
  EXPECT_EQ(all.active, Index(bar.x.size()));
  EXPECT_LT(all.worst, 1e-5);
}

TEST(GeometricAdaptive, the_angle_error_stays_below_the_threshold_and_activity_falls_as_it_grows) {
  const Bent bar;
  int before = Index(bar.x.size()) + 1;
  double error_before = 0;
  for (const double threshold : {0.003, 0.01, 0.03, 0.06, 0.1, 0.2}) {
    const Outcome out = spread(bar, {.threshold = threshold, .correct = false});
    std::printf("threshold %.3f rad: %5.1f %% active, rms error %.4f, largest %.4f rad\n", threshold,
                100.0 * out.active / double(bar.x.size()), out.rms, out.worst);
    EXPECT_LE(out.worst, 1.2 * threshold);
    EXPECT_LT(out.active, before);
    EXPECT_GT(out.rms, error_before);
    before = out.active;
    error_before = out.rms;
  }
  EXPECT_LT(before, Index(bar.x.size()) / 4);
}

TEST(GeometricAdaptive, the_correction_makes_the_error_one_of_second_order) {
  const Bent bar;
  for (const double threshold : {0.01, 0.03, 0.1}) {
    const Outcome out = spread(bar, {.threshold = threshold});
    std::printf("threshold %.3f rad, corrected: %5.1f %% active, rms error %.5f, largest %.5f rad\n",
                threshold, 100.0 * out.active / double(bar.x.size()), out.rms, out.worst);
    EXPECT_LE(out.worst, 0.25 * threshold);
    EXPECT_LT(out.rms, spread(bar, {.threshold = threshold, .correct = false}).rms);
  }
}

TEST(GeometricAdaptive, every_node_but_a_seed_follows_a_neighbour_one_step_nearer) {
  const Bent bar;
  for (const RotationSeeds seeds : {RotationSeeds::end, RotationSeeds::tips, RotationSeeds::first}) {
    AdaptiveRotations adaptive;
    adaptive.choose(bar.model, {.seeds = seeds});
    int seed_count = 0;
    for (Index i = 0; i < bar.model.nodes(); ++i) {
      const Index before = adaptive.predecessor(i);
      if (before < 0) {
        EXPECT_EQ(adaptive.depth(i), 0);
        ++seed_count;
        continue;
      }
      EXPECT_EQ(adaptive.depth(i), adaptive.depth(before) + 1);
      EXPECT_DOUBLE_EQ((bar.model.rest[i] - bar.model.rest[before]).norm(), 1);
    }
    EXPECT_EQ(seed_count, seeds == RotationSeeds::tips ? 8 : 1);  // the tips of a box are its corners
  }
}

TEST(GeometricAdaptive, a_body_that_turned_as_a_whole_needs_the_seed_alone) {
  Bent bar;
  const Eigen::AngleAxisd turn(2.5, Vec3(1, -2, 0.5).normalized());
  for (std::size_t i = 0; i < bar.x.size(); ++i) bar.x[i] = turn * bar.model.rest[i];
  bar.exact = rotations_at(bar.model, bar.x);
  for (const RotationCriterion criterion :
       {RotationCriterion::angle, RotationCriterion::printed, RotationCriterion::naive_2}) {
    const Outcome out = spread(bar, {.criterion = criterion, .threshold = 0.01});
    EXPECT_EQ(out.active, 1) << int(criterion);
    EXPECT_LT(out.worst, 1e-5) << int(criterion);
  }
}

TEST(GeometricAdaptive, threads_do_not_change_the_answer) {
  const Bent bar;
  const Outcome one = spread(bar, {.threshold = 0.03}), two = spread(bar, {.threshold = 0.03}, 3);
  EXPECT_EQ(one.mask, two.mask);
  EXPECT_EQ(one.rms, two.rms);
}

TEST(GeometricAdaptive, an_inside_out_star_is_computed_not_taken_over) {
  Bent bar;
  const Index i = nearest_node(bar.model.rest, {2, 2, 20});
  const Adjacency& adj = bar.model.adjacency;
  for (Index k = adj.begin[i]; k < adj.begin[i + 1]; ++k) {
    const Index j = adj.target[k];
    bar.x[j] = bar.x[i] - (bar.x[j] - bar.x[i]);
  }
  EXPECT_TRUE(spread(bar, {.threshold = 3}).mask[std::size_t(i)]);
}

/// Whether the middle of a block is computed when its star alone has turned by `angle`.
bool middle_is_active(const Adaptive& options, double angle) {
  const Model model = model_of(lattice({3, 3, 3}, 1, 1, 1000));
  const Arrangement arrangement =
      arrange(breadth_first_order(model.adjacency), std::vector<unsigned char>(model.rest.size(), 0));
  AdaptiveRotations adaptive;
  adaptive.choose(model, options);
  adaptive.arrange(model, arrangement);
  const Index middle = nearest_node(model.rest, {1, 1, 1});
  std::vector<float> a(9 * 32, 0), q(4 * 32, 0), r(9 * 32, 0);
  for (Index i = 0; i < model.nodes(); ++i) {
    const Index place = arrangement.place[i];
    Mat3 m = covariance(model, model.rest, i);
    if (i == middle) m = Eigen::AngleAxisd(angle, Vec3(1, 2, 2) / 3) * m;
    for (int k = 0; k < 9; ++k)
      a[std::size_t(9 * 16 * (place / 16) + 16 * k + place % 16)] = float(m(k / 3, k % 3));
    q[std::size_t(4 * 16 * (place / 16) + place % 16)] = 1;
  }
  Pool pool(1);
  adaptive.spread(a.data(), q.data(), r.data(), pool);
  return adaptive.is_active(arrangement.place[middle]);
}

TEST(GeometricAdaptive, thresholds_mean_what_their_criteria_say) {
  // The middle's A0 is a 1 with a = 2000: turned by t, |axial(R A0)| = 2 a sin t, tr = a (1 + 2 cos t),
  // |B - B^T| = sqrt 8 a sin t, |R - 1| = sqrt 8 sin(t/2). Eq. 8 compares with |A0| of the predecessor, the
  // middle of a face: a diag(1, 1, 1/2), of norm 1.5 a.
  const double t = 0.1;
  const std::pair<RotationCriterion, double> table[] = {
      {RotationCriterion::angle, 3 * std::sin(t) / (1 + 2 * std::cos(t))},
      {RotationCriterion::printed, std::sqrt(8.0) / 1.5 * std::sin(t)},
      {RotationCriterion::naive_2, std::sqrt(8.0) * std::sin(t / 2)}};
  for (const auto& [criterion, limit] : table) {
    EXPECT_TRUE(middle_is_active({.criterion = criterion, .threshold = 0.99 * limit}, t)) << int(criterion);
    EXPECT_FALSE(middle_is_active({.criterion = criterion, .threshold = 1.01 * limit}, t)) << int(criterion);
  }
}

// ---- in the step ----

Options adaptive_options(double threshold) {
  Options options = stiff_options();
  options.adaptive = Adaptive{.threshold = threshold};
  return options;
}

StepInput input_of(const Clamp& held, Pool& pool) {
  StepInput input;
  input.gravity = {0, -9.81, 0};
  input.held = held.held;
  input.targets = held.targets;
  input.pool = &pool;
  return input;
}

TEST(GeometricAdaptive, a_step_with_threshold_zero_is_the_full_step_to_the_last_bit) {
  for (const double laplacian : {0.0, 5.0}) {
    Options full = stiff_options(), zero = adaptive_options(0);
    full.laplacian = zero.laplacian = laplacian;
    const Shape shape = make_shape(BoxShape{.size = {0.2, 0.2, 1}, .nodes = {5, 5, 21}});
    auto a = body_of(shape, full), b = body_of(shape, zero);
    const Clamp held = clamp(a->nodes().x);
    Pool pool(1);
    for (int step = 0; step < 20; ++step) {
      ASSERT_TRUE(a->advance(input_of(held, pool)).ok());
      const StepReport report = b->advance(input_of(held, pool));
      ASSERT_TRUE(report.ok());
      EXPECT_EQ(report.active_rotations, Index(a->nodes().x.size()));
    }
    if (laplacian == 0)
      EXPECT_EQ(a->nodes().x, b->nodes().x);
    else  // the Laplacian row's own term is summed in another order
      for (std::size_t i = 0; i < a->nodes().x.size(); ++i)
        EXPECT_NEAR((a->nodes().x[i] - b->nodes().x[i]).norm(), 0, 1e-5);
  }
}

/// The farthest that the tip of the swinging stiff bar gets from where it is with all rotations, in swings.
double swing_error(const Adaptive& how) {
  const Shape shape = stiff_bar();
  Options options = stiff_options();
  auto full = body_of(shape, options);
  options.adaptive = how;
  auto adaptive = body_of(shape, options);
  const Clamp held = clamp(full->nodes().x);
  const Index tip = nearest_node(full->nodes().x, {0.2, 0.2, 2});
  Pool pool(1);
  double worst = 0, active = 0, lowest = 0;
  const int steps = 60;
  for (int step = 0; step < steps; ++step) {
    EXPECT_TRUE(full->advance(input_of(held, pool)).ok());
    const StepReport report = adaptive->advance(input_of(held, pool));
    EXPECT_TRUE(report.ok());
    active += double(report.active_rotations) / double(shape.graph.positions.size()) / steps;
    worst = std::max(worst, (full->nodes().x[tip] - adaptive->nodes().x[tip]).norm());
    lowest = std::max(lowest, 0.2 - full->nodes().x[tip].y());
  }
  std::printf("threshold %.3f rad%s: mean activity %.2f %%, tip off by at most %.4f m of a swing of %.3f m\n",
              how.threshold, how.correct ? "" : ", as printed", 100 * active, worst, lowest);
  return worst / lowest;
}

TEST(GeometricAdaptive, the_stiff_bar_swings_as_with_all_rotations_unless_they_are_handed_on_as_printed) {
  EXPECT_LT(swing_error({.threshold = 0.03}), 0.01);
  EXPECT_LT(swing_error({.threshold = 0.005}), 0.01);
  EXPECT_GT(swing_error({.threshold = 0.03, .correct = false}), 0.1);
}

TEST(GeometricAdaptive, a_free_body_gains_no_energy_and_keeps_its_momenta) {
  Options options = adaptive_options(0.05);
  options.stiffness = 1e5;
  const Shape shape = make_shape(BoxShape{.size = {0.4, 0.4, 1}, .nodes = {5, 5, 11}});
  auto body = body_of(shape, options);
  const Points rest = body->nodes().x;
  Points v;
  for (const Vec3& p : rest) v.push_back(Vec3(1, 3, 2).cross(p) + Vec3(0, 0.5 * std::sin(5 * p.z()), 0));
  body->place(rest, v);
  Pool pool(1);
  StepInput input;
  input.pool = &pool;
  const double energy = kinetic(body->nodes()) + body->elastic_energy();
  const Vec3 momentum = linear_momentum(body->nodes()), angular = angular_momentum(body->nodes());
  double most = energy;
  for (int step = 0; step < 600; ++step) {
    ASSERT_TRUE(body->advance(input).ok());
    most = std::max(most, kinetic(body->nodes()) + body->elastic_energy());
  }
  std::printf("energy %.4f J at first, at most %.4f J\n", energy, most);
  EXPECT_LT(most, 1.02 * energy);
  EXPECT_LT((linear_momentum(body->nodes()) - momentum).norm(), 1e-9 * momentum.norm());
  EXPECT_LT((angular_momentum(body->nodes()) - angular).norm(), 1e-3 * angular.norm());
}

TEST(GeometricAdaptive, save_and_load_go_on_bit_for_bit_and_a_step_allocates_nothing) {
  const Shape shape = make_shape(BoxShape{.size = {0.2, 0.2, 1}, .nodes = {5, 5, 21}});
  auto body = body_of(shape, adaptive_options(0.03)), other = body_of(shape, adaptive_options(0.03));
  const Clamp held = clamp(body->nodes().x);
  Pool pool(1);
  for (int step = 0; step < 10; ++step) ASSERT_TRUE(body->advance(input_of(held, pool)).ok());
  Writer writer;
  body->save(writer);
  Reader reader(writer.bytes());
  ASSERT_TRUE(other->load(reader));
  const std::size_t before = allocations();
  for (int step = 0; step < 5; ++step) ASSERT_TRUE(body->advance(input_of(held, pool)).ok());
  EXPECT_EQ(allocations(), before);
  for (int step = 0; step < 5; ++step) ASSERT_TRUE(other->advance(input_of(held, pool)).ok());
  EXPECT_EQ(body->nodes().x, other->nodes().x);
}

TEST(GeometricAdaptive, the_surface_knows_where_rotations_are_computed) {
  const Shape shape = make_shape(BoxShape{.size = {0.2, 0.2, 1}, .nodes = {5, 5, 21}});
  auto full = body_of(shape, stiff_options()), adaptive = body_of(shape, adaptive_options(0.03));
  std::vector<float> shares(shape.surface.vertices.size());
  ASSERT_TRUE(full->activity(shares));
  for (const float share : shares) EXPECT_EQ(share, 1);
  const Clamp held = clamp(full->nodes().x);
  Pool pool(1);
  for (int step = 0; step < 15; ++step) ASSERT_TRUE(adaptive->advance(input_of(held, pool)).ok());
  ASSERT_TRUE(adaptive->activity(shares));
  float sum = 0;
  for (const float share : shares) {
    EXPECT_TRUE(share == 0 || share == 1);  // vertices of a box are nodes
    sum += share;
  }
  EXPECT_GT(sum, 0);
  EXPECT_LT(sum, float(shares.size()));
}

}  // namespace adaptive_rotations_test
}  // namespace pliant::geometric
