// SPDX-License-Identifier: Apache-2.0
// Steps that are solved by a factor of their own Hessian: stiff strips and slender beams.
#include "pliant/contact/collider.hpp"
#include "pliant/geometry/surface_graph.hpp"
#include "pliant/methods/geometric/body.hpp"
#include "tests/support/allocation_counter.hpp"
#include "tests/unit/methods/geometric/bodies.hpp"

namespace pliant::geometric {
namespace factored_step_test {

constexpr double length = 0.3;

/// 4 cm x 30 cm x 1 mm: a leaf or a ribbon.
Shape strip() { return make_shape(SheetShape{.size = {0.04, length}, .nodes = {5, 31}, .thickness = 0.001}); }
/// The same by its surface, as operator edge has it.
Shape shell_strip() { return on_surface(strip(), 0.001); }
Shape slender_beam() { return make_shape(BoxShape{.size = {0.01, 0.01, 0.6}, .nodes = {3, 3, 61}}); }

Options with_stiffness(double stiffness) {
  Options options;
  options.stiffness = stiffness;
  return options;
}
Options shell_options(double stiffness) {
  Options options = with_stiffness(stiffness);
  options.op = Operator::edge;
  return options;
}

/// A body whose lowest two layers in z are held: it cannot turn about them.
struct Strip {
  std::unique_ptr<Method> body;
  Points rest;
  std::vector<Index> held;
  Points targets;
  Index tip = 0;
  Pool pool;

  Strip(const Shape& shape, const Options& options, Damping damping = {0, 0}, int threads = 1)
      : body(body_of(shape, options, damping)), rest(body->nodes().x), pool(threads) {
    const Clamp low = clamp(rest);
    for (std::size_t i = 0; i < rest.size(); ++i) {
      if (rest[i].z() < low.targets[0].z() + 0.0101) held.push_back(Index(i)), targets.push_back(rest[i]);
      if (rest[i].z() > rest[tip].z()) tip = Index(i);
    }
  }
  StepInput input(double gravity = 9.81, double h = 1.0 / 60) {
    StepInput in;
    in.h = h;
    in.gravity = {0, -gravity, 0};
    in.held = held;
    in.targets = targets;
    in.pool = &pool;
    return in;
  }
  StepReport step(const StepInput& in) {
    StepReport report = body->advance(in);
    EXPECT_TRUE(report.ok()) << report.trouble;
    return report;
  }
  double energy() const { return kinetic(body->nodes()) + body->elastic_energy(); }
};

TEST(FactoredStep, is_taken_by_stiff_slender_bodies_and_by_no_others) {
  const auto factored = [](const Shape& shape, const Options& options, double h = 1.0 / 60) {
    Strip body(shape, options);
    bool all = true, any = false;
    for (int k = 0; k < 3; ++k) {
      const StepReport report = body.step(body.input(9.81, h));
      all &= report.factored_hessian;
      any |= report.factored_hessian;
      // One Newton step; the first step has that of the trial which BDF2 starts from, too.
      if (report.factored_hessian) {
        EXPECT_EQ(report.iterations, k == 0 ? 2 : 1);
      }
      EXPECT_EQ(report.bytes.multiply_adds > 0, report.factored_hessian);
    }
    EXPECT_EQ(all, any);
    return all;
  };
  EXPECT_TRUE(factored(strip(), with_stiffness(1e8)));
  EXPECT_TRUE(factored(shell_strip(), shell_options(1e8)));
  EXPECT_TRUE(factored(slender_beam(), with_stiffness(1e9)));
  EXPECT_FALSE(factored(strip(), with_stiffness(1e4)));
  EXPECT_FALSE(factored(strip(), with_stiffness(1e8), 1e-4));  // soft for so short a step
  EXPECT_FALSE(factored(stiff_bar(), stiff_options()));
  // Neither where the Hessian has more than the stars' rows, nor where something else was asked for.
  Options options = with_stiffness(1e8);
  options.linear_solver = LinearSolver::multigrid;
  EXPECT_FALSE(factored(strip(), options));
  options = with_stiffness(1e8);
  options.step_solver = StepSolver::local_global;
  EXPECT_FALSE(factored(strip(), options));
  options = with_stiffness(1e8);
  options.covariance = Covariance::paper;
  EXPECT_FALSE(factored(strip(), options));
  options = shell_options(1e8);  // rows that are soft where they only turn
  options.op = Operator::mixed;
  options.laplacian = 1;
  EXPECT_FALSE(factored(shell_strip(), options));
  options = with_stiffness(1e9);
  options.volume = 1;
  EXPECT_FALSE(factored(slender_beam(), options));
  options = with_stiffness(1e9);
  options.adaptive.emplace();
  EXPECT_TRUE(factored(slender_beam(), options));
}

TEST(FactoredStep, follows_the_held_set_and_the_length_of_the_step) {
  Strip body(strip(), with_stiffness(1e8));
  EXPECT_TRUE(body.step(body.input()).factored_hessian);
  EXPECT_FALSE(body.step(body.input(9.81, 1e-4)).factored_hessian);
  EXPECT_TRUE(body.step(body.input()).factored_hessian);
  StepInput other = body.input();
  other.held = {};
  other.targets = {};
  EXPECT_TRUE(body.step(other).factored_hessian);
  EXPECT_TRUE(body.step(body.input()).factored_hessian);
  for (int k = 0; k < 20; ++k) body.step(body.input());
  EXPECT_LT(body.energy(), 1);
}

/// Bent by a tenth of a radian and swinging: what the next step starts from.
void bend(Strip& body) {
  Points x = body.rest, v(x.size(), Vec3::Zero());
  const double low = clamp(x).targets[0].z() + 0.0101, radius = 3;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const double angle = std::max(0.0, x[i].z() - low) / radius, arm = radius - x[i].y();
    if (angle == 0) continue;
    x[i] = Vec3(x[i].x(), radius - arm * std::cos(angle), low + arm * std::sin(angle));
    v[i] = Vec3(0.1, std::cos(angle), -std::sin(angle)) * angle;
  }
  body.body->place(x, v);
}

/// One step from there, by one solver or another.
Points after_one_step(const Shape& shape, const Options& options, Damping damping, bool factored) {
  Strip body(shape, options, damping);
  bend(body);
  EXPECT_EQ(body.step(body.input()).factored_hessian, factored);
  return body.body->nodes().x;
}

TEST(FactoredStep, ends_where_thousands_of_local_global_iterations_end) {
  for (bool shell : {false, true})
    for (double beta : {0.0, 0.002}) {
      const Shape shape = shell ? shell_strip() : strip();
      Options options = shell ? shell_options(1e7) : with_stiffness(1e7);
      const Damping damping{.mass = 0.2, .stiffness = beta};
      const Points got = after_one_step(shape, options, damping, true);
      options.step_solver = StepSolver::local_global;
      options.iterations = 8000;
      const Points nearly = after_one_step(shape, options, damping, false);
      options.iterations = 16000;
      const Points wanted = after_one_step(shape, options, damping, false);
      Strip start(shape, options);
      bend(start);
      double error = 0, left = 0, moved = 0;
      for (std::size_t i = 0; i < got.size(); ++i) {
        error = std::max(error, (got[i] - wanted[i]).norm());
        left = std::max(left, (nearly[i] - wanted[i]).norm());
        moved = std::max(moved, (start.body->nodes().x[i] - wanted[i]).norm());
      }
      EXPECT_GT(moved, 0.001);
      EXPECT_LT(left, 0.003 * moved);
      EXPECT_LT(error, 0.01 * moved) << shell << beta;
    }
}

/// The prediction of what turns is a straight one and swells it, and so does the Newton step.
TEST(FactoredStep, of_a_body_that_spins_fast_ends_there_too) {
  const auto spun = [](Options options, bool factored) {
    Strip body(strip(), options);
    Points v;
    for (const Vec3& p : body.rest) v.push_back(Vec3(8, 0, 2).cross(p));
    body.body->place(body.rest, v);
    StepInput in = body.input(0);
    in.held = {};
    in.targets = {};
    EXPECT_EQ(body.step(in).factored_hessian, factored);
    return body.body->nodes().x;
  };
  Options options = with_stiffness(1e7);
  options.angular_momentum = false;  // does not hide what the solver leaves
  const Points got = spun(options, true);
  options.step_solver = StepSolver::local_global;
  options.iterations = 8000;
  const Points wanted = spun(options, false);
  double error = 0;
  for (std::size_t i = 0; i < got.size(); ++i) error = std::max(error, (got[i] - wanted[i]).norm());
  EXPECT_LT(error, 3e-6);
}

TEST(FactoredStep, that_turns_too_far_is_taken_in_several_newton_steps) {
  Strip body(strip(), with_stiffness(1e7));
  int several = 0, violent = 0;
  for (int k = 0; k < 10; ++k) {
    const StepReport report = body.step(body.input(40, 0.1));
    several += report.iterations > 1 && !report.violent;
    violent += report.violent;
    EXPECT_TRUE(report.factored_hessian);
  }
  EXPECT_GE(several, 1);
  EXPECT_LE(violent, 1);
}

TEST(FactoredStep, threads_and_a_break_in_a_file_change_no_bit) {
  for (bool plastic : {false, true}) {
    Options options = with_stiffness(1e8);
    if (plastic) options.plasticity = Plasticity{{.yield = 0.002, .creep = 5, .cap = 0.5}, {}};
    const Damping damping{.mass = 0.1, .stiffness = 0.001};
    Strip a(strip(), options, damping), b(strip(), options, damping, 2), c(strip(), options, damping, 3);
    bend(a);
    bend(b);
    for (int k = 0; k < 7; ++k) {
      EXPECT_TRUE(a.step(a.input()).factored_hessian);
      b.step(b.input());
      ASSERT_EQ(a.body->nodes().x, b.body->nodes().x);
      ASSERT_EQ(a.body->nodes().v, b.body->nodes().v);
    }
    Writer writer;
    a.body->save(writer);
    Reader reader(writer.bytes());
    ASSERT_TRUE(c.body->load(reader));
    for (int k = 0; k < 7; ++k) {
      a.step(a.input());
      EXPECT_TRUE(c.step(c.input()).factored_hessian);
      ASSERT_EQ(a.body->nodes().x, c.body->nodes().x);
      ASSERT_EQ(a.body->nodes().v, c.body->nodes().v);
    }
  }
}

TEST(FactoredStep, allocates_nothing_after_warm_up) {
  Options options = with_stiffness(1e8);
  options.plasticity = Plasticity{{.yield = 0.002, .creep = 5, .cap = 0.5}, {}};
  Strip body(strip(), options, {.mass = 0.1, .stiffness = 0.001}, 2);
  Grab grab{body.tip, body.rest[body.tip] + Vec3(0, 0.01, 0), 0.5};
  StepInput in = body.input();
  in.grabs = {&grab, 1};
  for (int k = 0; k < 3; ++k) EXPECT_TRUE(body.step(in).factored_hessian);
  const std::size_t before = allocations();
  for (int k = 0; k < 3; ++k) body.body->advance(in);
  EXPECT_EQ(allocations(), before);
}

TEST(FactoredStep, a_grab_pulls_with_its_stiffness_and_the_strip_gives_way_to_it) {
  for (double stiffness : {0.5, 50.0}) {
    Strip body(strip(), with_stiffness(1e8), {.mass = 2, .stiffness = 0.002});
    Grab grab{body.tip, body.rest[body.tip], stiffness};
    StepInput in = body.input(0);
    for (int k = 0; k < 400; ++k) {
      grab.target = body.rest[body.tip] + Vec3(0, 0.03 * std::min(1.0, k / 60.0), 0);
      in.grabs = {&grab, 1};
      EXPECT_TRUE(body.step(in).factored_hessian);
    }
    Points forces(body.rest.size());
    body.body->elastic_forces(forces);
    const Vec3 pull = grab.stiffness * (grab.target - body.body->nodes().x[grab.node]);
    EXPECT_GT(pull.norm(), 1e-3) << stiffness;
    EXPECT_LT((pull + forces[grab.node]).norm(), 0.01 * pull.norm()) << stiffness;
    // Of 0.03 m; half of the measured 0.0039 and 0.0251 m.
    const double way = (body.body->nodes().x[grab.node] - body.rest[body.tip]).norm();
    EXPECT_GT(way, stiffness > 10 ? 0.0125 : 0.0019) << stiffness;
  }
}

TEST(FactoredStep, a_strip_that_sinks_on_the_ground_comes_to_rest_there) {
  Strip body(strip(), with_stiffness(1e7), {.mass = 5, .stiffness = 0.005});
  std::vector<Collider> ground{Collider(PlaneCollider{{0, -0.02, 0}, {0, 1, 0}}, {}, 0.5, 0)};
  StepInput in = body.input();
  int factored = 0, touching = 0;
  for (int k = 0; k < 90; ++k) {
    ground[0].aim(k / 60.0, (k + 1) / 60.0);
    in.colliders = ground;
    const StepReport report = body.step(in);
    factored += report.factored_hessian;
    touching += report.contacts > 0;
    ASSERT_TRUE(std::isfinite(body.energy()));
    ASSERT_LT(report.penetration, 0.002);
  }
  EXPECT_GT(factored, 2);
  EXPECT_GT(touching, 30);
  double low = 1, fastest = 0;
  for (const Vec3& p : body.body->nodes().x) low = std::min(low, p.y());
  for (const Vec3& v : body.body->nodes().v) fastest = std::max(fastest, v.norm());
  EXPECT_NEAR(low, -0.02, 0.001);
  EXPECT_LT(fastest, 0.01);
}

TEST(FactoredStep, a_plastic_strip_that_was_bent_stays_bent) {
  const auto bent_after = [](std::optional<Plasticity> plasticity) {
    Options options = with_stiffness(1e8);
    options.plasticity = plasticity;
    Strip body(strip(), options, {.mass = 3, .stiffness = 0.002});
    StepInput in = body.input(0);
    Grab grab{body.tip, body.rest[body.tip] + Vec3(0, 0.15, -0.05), 5};
    int yields = 0;
    for (int k = 0; k < 400; ++k) {
      in.grabs = {&grab, std::size_t(k < 150)};
      const StepReport report = body.step(in);
      EXPECT_TRUE(report.factored_hessian || report.violent);
      yields += report.yields > 0;
    }
    EXPECT_EQ(yields > 0, plasticity.has_value());
    return body.body->nodes().x[body.tip].y();
  };
  EXPECT_LT(std::abs(bent_after({})), 0.005);
  EXPECT_GT(bent_after(Plasticity{{.yield = 0.001, .creep = 20, .cap = 0.5}, {}}), 0.02);
}

struct Extremes {
  double most = 0, last = 0;  ///< energy relative to the start
  int violent = 0;
};

/// 40 steps without gravity, from a state that `prepare` sets.
template <class Prepare>
Extremes run(const Shape& shape, double stiffness, double h, bool clamped, const Prepare& prepare) {
  Strip body(shape, with_stiffness(stiffness));
  prepare(body);
  const double start = body.energy();
  StepInput in = body.input(0, h);
  if (!clamped) in.held = {}, in.targets = {};
  Extremes out;
  for (int k = 0; k < 40; ++k) {
    out.violent += body.step(in).violent;
    out.last = body.energy() / start;
    EXPECT_TRUE(std::isfinite(out.last));
    out.most = std::max(out.most, out.last);
  }
  return out;
}

TEST(FactoredStep, a_stretched_body_gains_no_energy_from_soft_to_hard_in_short_and_long_steps) {
  for (const Shape& shape : {strip(), slender_beam()})
    for (double stiffness : {1e3, 1e5, 1e7, 1e9, 1e11})
      for (double h : {1.0 / 1000, 1.0 / 60, 1.0 / 5}) {
        const Extremes end = run(shape, stiffness, h, true, [](Strip& body) {
          Points x = body.rest;
          for (Vec3& p : x) p.z() *= 1.05;
          for (std::size_t n = 0; n < body.held.size(); ++n) body.targets[n] = x[body.held[n]];
          body.body->place(x, Points(x.size(), Vec3::Zero()));
        });
        EXPECT_LT(end.most, 1.001) << stiffness << " Pa, " << h << " s";
      }
}

/// In single precision the forces of a stiff strip do not cancel, and a factor makes a bending of what they
/// leave: at 1e11 Pa the strip had 1e5 times its energy.
TEST(FactoredStep, a_body_that_spins_gains_no_energy_however_stiff) {
  for (const Shape& shape : {strip(), slender_beam()})
    for (double stiffness : {1e7, 1e9, 1e11})
      for (double h : {1.0 / 1000, 1.0 / 60}) {
        const Extremes end = run(shape, stiffness, h, false, [](Strip& body) {
          Vec3 centre = Vec3::Zero();
          for (const Vec3& p : body.rest) centre += p / double(body.rest.size());
          Points v;
          for (const Vec3& p : body.rest) v.push_back(Vec3(3, 1, 0.5).cross(p - centre));
          body.body->place(body.rest, v);
        });
        EXPECT_LT(end.most, 1.01) << stiffness << " Pa, " << h << " s";
        EXPECT_EQ(end.violent, 0) << stiffness << " Pa, " << h << " s";
      }
}

TEST(FactoredStep, a_stiff_strip_under_gravity_stays_where_it_is_clamped) {
  for (double stiffness : {1e9, 1e11}) {
    Strip body(strip(), with_stiffness(stiffness));
    double fastest = 0;
    for (int k = 0; k < 120; ++k) {
      const StepReport report = body.step(body.input());
      EXPECT_TRUE(report.factored_hessian && !report.violent);
      for (const Vec3& v : body.body->nodes().v) fastest = std::max(fastest, v.norm());
    }
    EXPECT_LT(fastest, stiffness > 1e10 ? 0.002 : 0.05) << stiffness;
  }
}

TEST(FactoredStep, a_static_direction_solves_with_the_hessian) {
  // Clamped and loaded: one direction from rest is the linear answer, which a factor finds at once.
  Strip body(strip(), with_stiffness(1e9));
  StepInput in = body.input();
  in.gravity = Vec3(0, -1e-6, 0);
  RelaxMemory memory{.caution = 1e-3, .start = {}};  // M/h^2 is nothing
  const Relaxation now = body.body->relax(in, 0, memory);
  ASSERT_EQ(now.trouble, "");
  EXPECT_FALSE(now.stuck);
  Points forces(body.rest.size());
  body.body->elastic_forces(forces);
  double error = 0, size = 0;
  std::vector<char> held(forces.size(), 0);
  for (Index i : body.held) held[i] = 1;
  for (std::size_t i = 0; i < forces.size(); ++i) {
    if (held[i]) continue;
    const Vec3 weight = body.body->nodes().mass[i] * in.gravity;
    error += (forces[i] + weight).squaredNorm();
    size += weight.squaredNorm();
  }
  EXPECT_LT(std::sqrt(error / size), 0.02);
}

}  // namespace factored_step_test
}  // namespace pliant::geometric
