// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>

#include "tests/unit/methods/metric/bodies.hpp"

namespace pliant::metric {
namespace step_test {

double total(const Body& body) { return kinetic(body) + body.elastic_energy(); }

/// A box of 6^3 nodes squashed to 0.7 with 5 % noise, drag 0.2: a test of stability.
Points squashed(const Points& rest) {
  Points x = rest;
  for (Vec3& p : x) p.y() *= 0.7;
  return shaken(x, 0.05, 1);
}

struct Ride {
  double most = 0;  ///< largest energy over that at the start
  int breakdowns = 0;
  bool finite = true;
};
Ride ride(const Options& options, double h, double seconds, Pool& pool) {
  const auto body = lattice_body({6, 6, 6}, options, {.mass = 0.2, .stiffness = 0});
  put(*body, squashed(body->model().rest));
  const double start = total(*body);
  Ride out;
  StepInput input;
  input.h = h;
  input.pool = &pool;
  for (int k = 0; k < int(seconds / h); ++k) {
    const StepReport report = body->advance(input);
    out.breakdowns += report.breakdowns;
    if (!report.ok()) {
      out.finite = false;
      break;
    }
    out.most = std::max(out.most, total(*body) / start);
    if (out.most > 1e6) break;
  }
  return out;
}

TEST(MetricStep, implicit_steps_never_gain_energy_at_any_step) {
  Pool pool(1);
  for (const Kind kind : {Kind::improved, Kind::original})
    for (const Integrator integrator : {Integrator::bdf2, Integrator::stable, Integrator::accurate})
      for (const double k : {1.0, 10.0, 100.0}) {
        const Ride r = ride(
            with_strength(k, {.model = kind, .orientation = 0, .integrator = integrator, .tolerance = 1e-5}),
            0.2, 4, pool);
        EXPECT_TRUE(r.finite);
        EXPECT_EQ(r.breakdowns, 0);
        EXPECT_LT(r.most, 1.0 + 1e-6) << int(kind) << " " << int(integrator) << " k " << k;
      }
}

TEST(MetricStep, the_papers_scheme_explodes_or_its_solve_breaks) {
  Pool pool(1);
  for (const Kind kind : {Kind::improved, Kind::original}) {
    const Ride r =
        ride(with_strength(10, {.model = kind, .integrator = Integrator::paper, .tolerance = 1e-5}), 0.004, 4,
             pool);
    EXPECT_TRUE(r.most > 3 || r.breakdowns > 0 || !r.finite) << r.most;
  }
}

TEST(MetricStep, too_small_a_share_of_the_stiffness_explodes) {
  Pool pool(1);
  const Ride r = ride(with_strength(100, {.orientation = 0, .kappa = 0.25, .tolerance = 1e-5}), 0.2, 4, pool);
  EXPECT_GT(r.most, 3);
}

TEST(MetricStep, lively_takes_the_substeps_it_needs) {
  Pool pool(1);
  const Options base = with_strength(10, {.integrator = Integrator::lively});
  EXPECT_NEAR(lattice_body({6, 6, 6}, base)->model().lively_step, 0.0073, 3e-4);
  EXPECT_NEAR(
      lattice_body({6, 6, 6}, with_strength(1, {.integrator = Integrator::lively}))->model().lively_step,
      0.023, 1e-3);
  const Ride r =
      ride(with_strength(10, {.orientation = 0, .integrator = Integrator::lively, .tolerance = 1e-5}),
           1.0 / 30, 4, pool);
  EXPECT_LT(r.most, 1.5);
  const auto stiff = lattice_body({6, 6, 6}, with_strength(1e12, {.integrator = Integrator::lively}));
  StepInput input;
  input.pool = &pool;
  EXPECT_NE(stiff->advance(input).trouble.find("substeps"), std::string::npos);
  // the strongest moment of a step counts, be it its end or its beginning
  for (const double at_end : {1e6, 1e-3}) {
    Options changing = with_strength(1, {.integrator = Integrator::lively});
    changing.keys = {{0, 1e3 / at_end}, {0.1, at_end}};
    input.h = 0.1;
    const std::string trouble = lattice_body({3, 3, 3}, changing)->advance(input).trouble;
    EXPECT_NE(trouble.find("substeps"), std::string::npos) << at_end;
  }
}

TEST(MetricStep, held_nodes_move_evenly_through_the_substeps_of_a_step) {
  Pool pool(1);
  const auto body = lattice_body({3, 3, 3}, with_strength(1, {.integrator = Integrator::lively}));
  const std::vector<Index> held{0, 1, 2};
  Points targets;
  for (const Index i : held) targets.push_back(body->model().rest[i] + Vec3(0, 0, 0.05));
  StepInput input;
  input.h = 5.5 * body->model().lively_step;
  input.held = held, input.targets = targets;
  input.pool = &pool;
  ASSERT_TRUE(body->advance(input).ok());
  for (const Index i : held) {
    EXPECT_EQ(body->nodes().x[i], targets[std::size_t(i)]);
    EXPECT_NEAR(body->nodes().v[i].z(), 0.05 / input.h, 1e-9);
  }
}

/// An explicit step keeps E + h v . F/2 to second order: the energy swings about its start by a share that
/// halves with the step, and does not drift.
TEST(MetricStep, the_energy_of_lively_swings_in_proportion_to_its_substeps_and_does_not_grow) {
  Pool pool(1);
  const auto above = [&](double share, double from, double to) {
    const auto body =
        lattice_body({5, 5, 5}, with_strength(1, {.integrator = Integrator::lively, .tolerance = 1e-5}));
    Points x = body->model().rest, v;
    for (const Vec3& p : x) v.push_back(Vec3(0.3 * (p.y() - 2), -0.4 * (p.x() - 2), 0.2 * (p.z() - 2)));
    x = shaken(x, 0.02, 6);
    body->place(x, v);
    const double start = total(*body);
    StepInput input;
    input.h = share * body->model().lively_step;
    input.pool = &pool;
    double most = -1;
    for (int k = 1; k * input.h <= to; ++k) {
      EXPECT_TRUE(body->advance(input).ok());
      if (k * input.h > from) most = std::max(most, total(*body) / start - 1);
    }
    return most;
  };
  const double whole = above(1, 0, 2), half = above(0.5, 0, 2), quarter = above(0.25, 0, 2);
  fmt::print(
      "energy of lively above its start: {:.4f}, {:.4f}, {:.4f} at 1, 1/2, 1/4 of its step; late {:.4f}\n",
      whole, half, quarter, above(1, 18, 20));
  EXPECT_LT(whole, 0.5);  // at the limit of what is stable
  EXPECT_LT(half, 0.7 * whole + 1e-4);
  EXPECT_LT(quarter, 0.7 * half + 1e-4);
  EXPECT_LT(above(1, 18, 20), 0);
}

TEST(MetricStep, all_integrators_meet_as_the_step_shrinks_to_first_order) {
  Pool pool(1);
  const auto end = [&](Integrator integrator, double h) {
    const auto body = lattice_body(
        {4, 4, 4}, with_strength(1, {.orientation = 0, .integrator = integrator, .tolerance = 1e-6}));
    put(*body, shaken(body->model().rest, 0.03, 2));
    run(*body, 0.2, h, pool);
    return body->nodes().x;
  };
  const auto distance = [](const Points& a, const Points& b) {
    double sum = 0;
    for (std::size_t i = 0; i < a.size(); ++i) sum += (a[i] - b[i]).squaredNorm();
    return std::sqrt(sum);
  };
  for (const Integrator other : {Integrator::paper, Integrator::accurate}) {
    const double coarse = distance(end(Integrator::stable, 0.002), end(other, 0.002));
    const double fine = distance(end(Integrator::stable, 0.001), end(other, 0.001));
    const double finest = distance(end(Integrator::stable, 0.0005), end(other, 0.0005));
    EXPECT_LT(coarse, 0.1);
    EXPECT_NEAR(coarse / fine, 2, 0.3) << int(other);
    EXPECT_NEAR(fine / finest, 2, 0.3) << int(other);
  }
}

/// Stretched by a tenth, without drag: rebound and period.
TEST(MetricStep, a_stretched_box_swings_with_its_period_and_keeps_its_swing) {
  Pool pool(1);
  const auto swing = [&](Integrator integrator, double h, double& period) {
    const auto body =
        lattice_body({5, 9, 5}, with_strength(1, {.integrator = integrator, .tolerance = 1e-5}));
    Points x = body->model().rest;
    for (Vec3& p : x) p.y() = 4 + 1.1 * (p.y() - 4);
    put(*body, x);
    StepInput input;
    input.h = h;
    input.pool = &pool;
    std::vector<double> height;
    for (int k = 0; k < int(1.2 / h); ++k) {
      body->advance(input);
      double low = 1e9, high = -1e9;
      for (const Vec3& p : body->nodes().x) low = std::min(low, p.y()), high = std::max(high, p.y());
      height.push_back((high - low) / 8 - 1);
    }
    // the first rebound: the largest stretch after half a second
    const auto at =
        std::max_element(height.begin() + std::ptrdiff_t(0.5 / h), height.begin() + std::ptrdiff_t(1 / h));
    period = h * double(at - height.begin() + 1);
    return *at;
  };
  double period = 0;
  EXPECT_NEAR(swing(Integrator::stable, 0.001, period), 0.097, 0.006);
  EXPECT_NEAR(period, 0.727, 0.03);
  EXPECT_NEAR(swing(Integrator::stable, 0.01, period), 0.080, 0.01);
  EXPECT_NEAR(swing(Integrator::accurate, 0.01, period), 0.075, 0.01);
  EXPECT_GT(swing(Integrator::lively, 0.01, period), 0.09);
  const double of_bdf2 = swing(Integrator::bdf2, 0.01, period);
  EXPECT_GT(of_bdf2, 0.09);
  EXPECT_NEAR(period, 0.727, 0.03);
}

TEST(MetricStep, a_free_body_spins_on_and_without_the_split_the_stable_matrix_stops_it) {
  Pool pool(1);
  const auto spin_after = [&](bool keep, Integrator integrator) {
    const auto body =
        lattice_body({5, 4, 3}, with_strength(10, {.integrator = integrator, .keep_momentum = keep}));
    Points v;
    for (const Vec3& p : body->model().rest) v.push_back(Vec3(0, 0, 0.5).cross(p - Vec3(2, 1.5, 1)));
    body->place(body->model().rest, v);
    run(*body, 5, 1.0 / 60, pool);
    Vec3 angular = Vec3::Zero();
    for (std::size_t i = 0; i < v.size(); ++i)
      angular += (body->nodes().x[i] - Vec3(2, 1.5, 1)).cross(body->nodes().v[i]);
    Vec3 start = Vec3::Zero();
    for (std::size_t i = 0; i < v.size(); ++i) start += (body->model().rest[i] - Vec3(2, 1.5, 1)).cross(v[i]);
    return angular.norm() / start.norm();
  };
  EXPECT_NEAR(spin_after(true, Integrator::bdf2), 1, 1e-9);
  EXPECT_NEAR(spin_after(true, Integrator::stable), 1, 1e-9);
  EXPECT_LT(spin_after(false, Integrator::stable), 0.1);
  EXPECT_GT(spin_after(false, Integrator::accurate), 0.9);
}

/// The rigid motion that is split off must not take the centrifugal force with it: where the swinging has
/// died, every node is held on its circle by the forces on it.
TEST(MetricStep, a_spinning_body_stretches_until_its_forces_keep_it_on_its_circle) {
  Pool pool(1);
  const auto body =
      lattice_body({5, 3, 3}, with_strength(10, {.tolerance = 1e-6}), {.mass = 0, .stiffness = 0.5});
  const Vec3 centre(2, 1, 1);
  Points v;
  for (const Vec3& p : body->model().rest) v.push_back(Vec3(0, 0, 5).cross(p - centre));
  body->place(body->model().rest, v);
  run(*body, 20, 0.005, pool);
  const Points& x = body->nodes().x;
  Vec3 angular = Vec3::Zero();
  double inertia = 0, low = 1e9, high = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Vec3 arm = x[i] - centre, flat(arm.x(), arm.y(), 0);
    angular += arm.cross(body->nodes().v[i]);
    inertia += flat.squaredNorm();
    if (body->model().rest[i] == Vec3(0, 1, 1)) low = arm.norm();
    if (body->model().rest[i] == Vec3(4, 1, 1)) high = arm.norm();
  }
  const double spin = angular.z() / inertia;
  EXPECT_LT(spin, 4.95) << "wider, so slower";
  EXPECT_GT(std::min(low, high), 2.01);
  Points f(x.size());
  body->elastic_forces(f);
  for (std::size_t i = 0; i < x.size(); ++i) {
    const Vec3 arm = x[i] - centre, flat(arm.x(), arm.y(), 0);
    EXPECT_LT((f[i] + spin * spin * flat).norm(), 0.02 * spin * spin) << i;
  }
}

/// What is split off and what is left must together be Newton's law: without forces velocities stay, but for
/// terms of second order in the step.
TEST(MetricStep, nodes_that_nothing_joins_fly_apart_in_straight_lines) {
  Pool pool(1);
  const auto body = lattice_body({4, 3, 5}, with_strength(1e-9));
  Points x = body->model().rest, v;
  const Points noise = shaken(Points(x.size(), Vec3::Zero()), 1, 5);
  for (std::size_t i = 0; i < x.size(); ++i) v.push_back(Vec3(1, -2, 3).cross(x[i]) + noise[i]);
  body->place(x, v);
  StepInput input;
  input.h = 1e-3;
  input.pool = &pool;
  ASSERT_TRUE(body->advance(input).ok());
  double fastest = 0, v_wrong = 0, x_wrong = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    fastest = std::max(fastest, v[i].norm());
    v_wrong = std::max(v_wrong, (body->nodes().v[i] - v[i]).norm());
    x_wrong = std::max(x_wrong, (body->nodes().x[i] - x[i] - input.h * v[i]).norm());
  }
  const double turn = input.h * Vec3(1, -2, 3).norm();
  EXPECT_LT(v_wrong, 2 * turn * turn * fastest);
  EXPECT_LT(x_wrong, 2 * turn * input.h * fastest);
}

/// Corner 0 moved by t along the diagonal and let go, with drag; the volume, or area, that is left.
double after_push(std::array<int, 3> nodes, const Options& options, double t, Pool& pool) {
  const auto body = lattice_body(nodes, options, {.mass = 1, .stiffness = 0});
  Points x = body->model().rest;
  x[0] += t * Vec3(nodes[0] > 1, nodes[1] > 1, nodes[2] > 1);
  put(*body, x);
  run(*body, 20, 0.005, pool);
  const Points& y = body->nodes().x;
  if (nodes[2] == 1) return 0.5 * (y[3] - y[0]).cross(y[2] - y[1]).norm();  // of a fold: nothing
  return cell_state(body->model(), y).volume_ratio;
}

Options accurate(Options options) {
  options.integrator = Integrator::accurate;
  options.tolerance = 1e-5;
  options.orientation = 0;
  return with_strength(1, options);
}

TEST(MetricStep, a_face_collapses_to_a_line_by_angles_and_recovers_by_diagonals) {
  Pool pool(1);
  const Options original = accurate({.model = Kind::original}), improved = accurate({});
  EXPECT_NEAR(after_push({2, 2, 1}, original, 0.45, pool), 1, 0.02);
  for (const double t : {0.55, 0.8, 1.1}) EXPECT_NEAR(after_push({2, 2, 1}, original, t, pool), 0, 0.02) << t;
  for (const double t : {0.3, 0.45, 0.55})
    EXPECT_NEAR(after_push({2, 2, 1}, improved, t, pool), 1, 0.005) << t;
}

TEST(MetricStep, a_cell_comes_back_only_with_spatial_diagonals) {
  Pool pool(1);
  const double t[] = {0.3, 0.45, 0.55, 0.7, 0.9};
  const double by_angles[] = {1, 0.33, 0.33, 0.33, 1}, by_faces[] = {1, 1, 0.30, 0.30, 1};
  for (int k = 0; k < 5; ++k) {
    EXPECT_NEAR(after_push({2, 2, 2}, accurate({.model = Kind::original}), t[k], pool), by_angles[k], 0.02)
        << t[k];
    EXPECT_NEAR(after_push({2, 2, 2}, accurate({.volume = 0, .pillar = 0}), t[k], pool), by_faces[k], 0.02)
        << t[k];
    EXPECT_NEAR(after_push({2, 2, 2}, accurate({}), t[k], pool), 1, 0.005) << t[k];
    EXPECT_NEAR(after_push({2, 2, 2}, accurate({.squared = false}), t[k], pool), 1, 0.005) << t[k];
  }
}

TEST(MetricStep, grabs_pull_and_keys_change_the_strength) {
  Pool pool(1);
  Options options = with_strength();
  options.keys = {{1, 1}, {2, 0.1}};
  const auto body = lattice_body({3, 3, 3}, options, {.mass = 5, .stiffness = 0});
  StepInput input;
  input.h = 0.01;
  input.pool = &pool;
  const std::vector<Index> held{0};
  const Points targets{body->model().rest[0]};
  const Grab grab{26, {4, 4, 4}, 20};
  input.held = held, input.targets = targets;
  input.grabs = {&grab, 1};
  const auto stretch = [&] { return (body->nodes().x[26] - body->nodes().x[0]).norm() / std::sqrt(12.0); };
  for (int k = 0; k < 100; ++k) ASSERT_TRUE(body->advance(input).ok());
  const double before = stretch();
  for (int k = 0; k < 900; ++k) ASSERT_TRUE(body->advance(input).ok());
  EXPECT_GT(before, 1.02);
  EXPECT_GT(stretch(), before + 0.05) << "weaker later";
  EXPECT_NEAR(body->time(), 10, 1e-9);
}

TEST(MetricStep, a_static_pose_balances_gravity) {
  Pool pool(1);
  const auto body = lattice_body({3, 5, 3}, with_strength(4));
  StepInput input;
  input.h = 0.1;
  input.pool = &pool;
  std::vector<Index> held;
  for (Index i = 0; i < body->model().nodes(); ++i)
    if (body->model().rest[i].y() == 0) held.push_back(i);
  input.held = held;
  Points targets;
  for (const Index i : held) targets.push_back(body->model().rest[i]);
  input.targets = targets;
  input.gravity = {0, -9.81, 0};
  RelaxMemory memory;
  Relaxation now;
  for (int k = 0; k < 300 && !(k > 0 && now.residual < 1e-9); ++k) {
    now = body->relax(input, 0, memory);
    ASSERT_EQ(now.trouble, "");
    if (now.stuck) break;
  }
  const std::size_t n = body->model().rest.size();
  Points f(n);
  body->elastic_forces(f);
  double left = 0;
  for (std::size_t i = 0; i < n; ++i) {
    f[i] += body->model().mass[i] * input.gravity;
    if (!std::binary_search(held.begin(), held.end(), Index(i))) left = std::max(left, f[i].norm());
  }
  EXPECT_LT(left, 1e-4);
}

/// (2) of bdf2.cpp, with drag, inner drag apart, a force and a grab: nothing is left of it.
TEST(MetricStep, a_step_of_second_order_satisfies_its_equation) {
  Pool pool(1);
  const double h = 0.02, trial = 2 * h / 3, alpha = 0.5;
  const auto body =
      lattice_body({6, 3, 3}, with_strength(10, {.integrator = Integrator::bdf2, .tolerance = 1e-6}),
                   {.mass = alpha, .stiffness = 0});
  const Model& model = body->model();
  const std::size_t n = model.rest.size();
  std::vector<Index> held;
  Points targets, forces(n, Vec3::Zero());
  for (Index i = 0; i < model.nodes(); ++i)
    if (model.rest[i].x() == 0) held.push_back(i), targets.push_back(model.rest[i]);
  forces[n / 2] = {0, 3, 1};
  const std::vector<Grab> grabs{
      {.node = Index(n - 1), .target = model.rest[n - 1] + Vec3(0, 1, 0), .stiffness = 50}};
  StepInput input;
  input.h = h, input.gravity = {0, -9.81, 0}, input.held = held, input.targets = targets, input.pool = &pool;
  input.forces = forces, input.grabs = grabs;
  Points x[3], v[3];
  for (int k = 0; k < 12; ++k) {
    const StepReport report = body->advance(input);
    ASSERT_TRUE(report.ok());
    EXPECT_FALSE(report.violent);
    x[0] = x[1], x[1] = x[2], x[2] = body->nodes().x;
    v[0] = v[1], v[1] = v[2], v[2] = body->nodes().v;
  }
  Points f(n);
  body->elastic_forces(f);
  double left = 0;
  for (std::size_t i = 0; i < n; ++i) {
    const Vec3 hat_x = (4 * x[1][i] - x[0][i]) / 3, hat_v = (4 * v[1][i] - v[0][i]) / 3;
    EXPECT_LT((x[2][i] - hat_x - trial * v[2][i]).norm(), 1e-12);
    if (std::binary_search(held.begin(), held.end(), Index(i))) continue;
    Vec3 force = f[i] + forces[i] + model.mass[i] * (input.gravity - alpha * v[2][i]);
    if (Index(i) == grabs[0].node) force += grabs[0].stiffness * (grabs[0].target - x[2][i]);
    left = std::max(left, (model.mass[i] / trial * (v[2][i] - hat_v) - force).norm());
  }
  EXPECT_LT(left, 2e-2);  // N; a node weighs 10
}

}  // namespace step_test
}  // namespace pliant::metric
