// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/body.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>
#include <iostream>
#include <random>

#include "pliant/contact/collider.hpp"
#include "pliant/geometry/bumpy_bar.hpp"
#include "pliant/geometry/cage.hpp"
#include "pliant/geometry/cage_check.hpp"
#include "pliant/geometry/mesh_shape.hpp"
#include "pliant/geometry/voxel_quadrature.hpp"
#include "pliant/methods/cage/build.hpp"
#include "pliant/physics/metrics.hpp"

namespace pliant::cage {
namespace body_test {

/// A bar of 1.5 x 1.5 x 6 m in a box of 2 x 2 x 6 cells, 1 kg/m^3.
struct Bar {
  Shape shape;
  std::unique_ptr<Method> body;
  Pool pool{1};

  explicit Bar(Options options, const Damping& damping = {.mass = 0, .stiffness = 0}, double above = 1.5) {
    const Shape box =
        make_shape(BoxShape{.size = {1.5, 1.5, 6}, .nodes = {7, 7, 19}, .corner = {-0.75, above, -3}});
    if (options.cells[0] == 0) options.cells = {2, 2, 6};
    shape = with_quadrature(box, points_for(options, 58));
    auto built = build(shape, 1, damping, options);
    EXPECT_TRUE(built) << built.error().text();
    body = std::move(*built);
  }
  StepInput input(double h) {
    StepInput in;
    in.h = h;
    in.pool = &pool;
    return in;
  }
  std::vector<Index> nodes(bool (*chosen)(const Vec3&)) const {
    std::vector<Index> out;
    for (Index i = 0; i < Index(shape.graph.positions.size()); ++i)
      if (chosen(shape.graph.positions[std::size_t(i)])) out.push_back(i);
    return out;
  }
  Points places(const std::vector<Index>& of) const {
    Points out;
    for (const Index i : of) out.push_back(shape.graph.positions[std::size_t(i)]);
    return out;
  }
  double energy(double gravity) const {
    double sum = body->elastic_energy() + kinetic_energy(body->nodes());
    for (std::size_t i = 0; i < body->nodes().x.size(); ++i)
      sum += gravity * body->nodes().mass[i] * body->nodes().x[i].y();
    return sum;
  }
};

TEST(CageBody, a_bad_cage_is_refused_and_what_is_wrong_with_it_is_named) {
  const Shape shape = with_quadrature(make_shape(BoxShape{.nodes = {5, 5, 5}}), 60);
  const auto refused = [&](TriMesh cage) {
    const auto built = build(shape, std::move(cage), 1000, {}, {});
    EXPECT_FALSE(built);
    return built ? std::string() : built.error().text();
  };
  const auto expect_says = [](const std::string& said, std::initializer_list<const char*> words) {
    for (const char* word : words) EXPECT_NE(said.find(word), std::string::npos) << word << " in: " << said;
  };
  const TriMesh good = box_cage({-0.1, -0.1, -0.1}, {1.1, 1.1, 1.1}, {2, 2, 2});
  EXPECT_TRUE(build(shape, good, 1000, {}, {}));
  TriMesh open = good;
  open.triangles.pop_back();
  expect_says(refused(open), {"open", "face"});
  TriMesh turned = good;
  for (Triangle& t : turned.triangles) std::swap(t[0], t[1]);
  expect_says(refused(turned), {"inside out", "face 0"});
  expect_says(refused(box_cage({0.1, -0.1, -0.1}, {1.1, 1.1, 1.1}, {2, 2, 2})), {"vertex", "outside"});
  expect_says(refused(box_cage({-1e-7, -0.1, -0.1}, {1.1, 1.1, 1.1}, {2, 2, 2})), {"vertex", "too tight"});
  TriMesh crossed = good;
  crossed.vertices[0] = {2, 2, 2};
  expect_says(refused(crossed), {"crosses or touches itself", "face"});
}

TEST(CageBody, quadrature_points_fill_the_body) {
  const Bar bar({});
  double volume = 0;
  int points = 0;
  for (const double v : bar.shape.graph.volumes) volume += v, points += v > 0;
  EXPECT_NEAR(volume, 1.5 * 1.5 * 6, 1e-9);
  EXPECT_GE(points, 232);
  EXPECT_LE(points, 300);
}

/// How far nodes are from where they were told to be placed, over the body's size.
double placed_off(const Shape& shape, Method& body) {
  body.place(shape.graph.positions, Points(shape.graph.positions.size(), Vec3::Zero()));
  double most = 0;
  for (std::size_t i = 0; i < shape.graph.positions.size(); ++i)
    most = std::max(most, (body.nodes().x[i] - shape.graph.positions[i]).norm());
  return most;
}

TEST(CageBody, a_flat_solid_is_placed_at_rest_and_stays_there) {
  for (const auto& [size, cells] : {std::pair{Vec3(1, 0.03, 1), std::array{2, 1, 2}},
                                    {Vec3(1, 0.1, 1), std::array{4, 1, 4}},
                                    {Vec3(0.01, 1, 1), std::array{1, 3, 3}}}) {
    const Options options{.cells = cells, .stiffness = 1e5};
    const Shape shape =
        with_quadrature(make_shape(BoxShape{.size = size, .nodes = {5, 5, 5}}), points_for(options, 24));
    auto built = build(shape, 1000, {}, options);
    ASSERT_TRUE(built) << built.error().text();
    Method& body = **built;
    EXPECT_LT(placed_off(shape, body), 1e-6);
    Pool pool{1};
    for (int i = 0; i < 10; ++i) ASSERT_TRUE(body.advance({.contact = {}, .pool = &pool}).ok());
    EXPECT_LT(body.elastic_energy(), 1e-8);
    EXPECT_LT(max_speed(body.nodes()), 1e-4);
  }
}

TEST(CageBody, points_that_cannot_tell_where_the_cage_is_are_refused) {
  const Shape box = make_shape(BoxShape{.nodes = {5, 5, 5}});
  Shape flat = with_quadrature(box, 60);
  for (std::size_t i = 0; i < flat.graph.positions.size(); ++i)
    if (flat.graph.volumes[i] > 0) flat.graph.positions[i].y() = 0.5;
  const auto built = build(flat, 1000, {}, {.cells = {2, 2, 2}});
  ASSERT_FALSE(built);
  EXPECT_NE(built.error().text().find("in one plane"), std::string::npos) << built.error().text();
}

TEST(CageBody, there_is_a_quadrature_point_a_vertex_of_the_cage_at_least) {
  EXPECT_EQ(points_for({.points = 1}, 58), 58);
  EXPECT_EQ(points_for({.points = 210}, 58), 210);
}

TEST(CageBody, a_free_spin_keeps_its_angular_momentum_with_the_split_and_with_normals_that_follow) {
  for (const Normals normals : {Normals::rigid_split, Normals::consistent})
    for (const double h : {0.04}) {
      Bar bar({.stiffness = 1e4, .normals = normals, .precision = Precision::twice});
      Points v;
      for (const Vec3& p : bar.shape.graph.positions) v.push_back(Vec3(0, 1, 0).cross(p - Vec3(0, 2.25, 0)));
      bar.body->place(bar.shape.graph.positions, v);
      const double before = angular_momentum(bar.body->nodes()).y();
      for (int i = 0; i < int(std::lround(2 / h)); ++i) ASSERT_TRUE(bar.body->advance(bar.input(h)).ok());
      EXPECT_NEAR(angular_momentum(bar.body->nodes()).y() / before, 1, 0.01) << int(normals) << " " << h;
    }
}

TEST(CageBody, a_spinning_bar_is_longer_by_what_pulls_it_apart) {
  const double spin = 2, stiffness = 1e3, half = 3;
  Bar bar({.stiffness = stiffness, .poisson = 0});
  Points v;
  for (const Vec3& p : bar.shape.graph.positions) v.push_back(Vec3(0, spin, 0).cross(p - Vec3(0, 2.25, 0)));
  bar.body->place(bar.shape.graph.positions, v);
  const std::vector<Index> left = bar.nodes([](const Vec3&p) { return p.z() < -2.999; }),
                           right = bar.nodes([](const Vec3&p) { return p.z() > 2.999; });
  const auto middle = [&](const std::vector<Index>& of) {
    Vec3 sum = Vec3::Zero();
    for (const Index i : of) sum += bar.body->nodes().x[std::size_t(i)] / double(of.size());
    return sum;
  };
  for (int i = 0; i < 180; ++i) ASSERT_TRUE(bar.body->advance(bar.input(1.0 / 60)).ok());
  // rho w^2 l^3 / (3 E) at each end, with the spin that the longer bar still has
  const double longer = (middle(right) - middle(left)).norm() - 2 * half;
  const double slower = std::pow(2 * half / (2 * half + longer), 4);
  EXPECT_NEAR(longer / (2 * slower * spin * spin * half * half * half / (3 * stiffness)), 1, 0.15);
}

TEST(CageBody, frozen_normals_slow_a_spin_as_the_paper_says) {
  Bar bar({.stiffness = 1e4, .normals = Normals::frozen, .precision = Precision::twice});
  Points v;
  for (const Vec3& p : bar.shape.graph.positions) v.push_back(Vec3(0, 1, 0).cross(p - Vec3(0, 2.25, 0)));
  bar.body->place(bar.shape.graph.positions, v);
  const double before = angular_momentum(bar.body->nodes()).y();
  for (int i = 0; i < 50; ++i) ASSERT_TRUE(bar.body->advance(bar.input(0.04)).ok());
  EXPECT_LT(angular_momentum(bar.body->nodes()).y() / before, 0.9);
}

/// Steps of a bar that is bent and turning, and what it stores after them; in how many a matrix was factored.
struct Swing {
  double energy = 0;
  int factored = 0, iterations = 0;
  NodeState nodes;
};
Swing swing(const Options& options, bool grabbed) {
  Bar bar(options, {.mass = 0.1, .stiffness = 0.002});
  Points v;
  for (const Vec3& p : bar.shape.graph.positions)
    v.push_back(Vec3(0.5, 1, 0).cross(p - Vec3(0, 2.25, 0)) + Vec3(3 * std::cos(p.z()), 0, 0));
  bar.body->place(bar.shape.graph.positions, v);
  StepInput in = bar.input(1.0 / 60);
  std::vector<Index> end = bar.nodes([](const Vec3& p) { return p.z() < -2.999; });
  const Grab grab{
      .node = end[0], .target = bar.places(end)[0], .stiffness = 4e5};  // held, it has no frozen normals
  if (grabbed) in.grabs = {&grab, 1};
  Swing out;
  for (int i = 0; i < 40; ++i) {
    const StepReport report = bar.body->advance(in);
    EXPECT_TRUE(report.ok()) << report.trouble;
    out.factored += report.refactored;
    out.iterations = std::max(out.iterations, report.iterations);
  }
  out.energy = bar.body->elastic_energy();
  out.nodes = bar.body->nodes();
  return out;
}

TEST(CageBody, a_pinned_bar_swings_as_fast_with_short_steps_as_with_long_ones) {
  const auto fastest = [](int steps_a_second) {
    Bar bar({.stiffness = 3e3}, {});
    StepInput in = bar.input(1.0 / steps_a_second);
    in.gravity = {0, -2, 0};
    const std::vector<Index> end = bar.nodes([](const Vec3& p) { return p.z() < -2.6; });
    const Points targets = bar.places(end);
    in.held = end;
    in.targets = targets;
    double most = 0;
    for (int i = 0; i < steps_a_second; ++i) {
      const StepReport report = bar.body->advance(in);
      EXPECT_TRUE(report.ok()) << report.trouble;
      double sum = 0;
      for (const Vec3& v : bar.body->nodes().v) sum += v.squaredNorm();
      most = std::max(most, sum);
    }
    return most;
  };
  const double usual = fastest(60);
  EXPECT_GT(usual, 0);
  EXPECT_NEAR(fastest(960) / usual, 1, 0.2);
}

TEST(CageBody, steps_that_go_on_from_the_factor_at_rest_are_those_with_a_matrix_of_their_own) {
  for (const Precision precision : {Precision::single, Precision::twice})
    for (const bool grabbed : {false, true}) {
      Options options{.stiffness = 3e3, .precision = precision, .solver = Solver::direct};
      const Swing direct = swing(options, grabbed);
      options.solver = Solver::iterative;
      const Swing iterative = swing(options, grabbed);
      EXPECT_EQ(direct.factored, 40);
      EXPECT_LE(iterative.factored, 8);
      EXPECT_GT(iterative.iterations, 1);
      EXPECT_LE(iterative.iterations, 7);
      EXPECT_GT(direct.energy, 0.01) << "it is bent";
      EXPECT_NEAR(iterative.energy / direct.energy, 1, precision == Precision::single ? 1e-3 : 1e-6);
      for (std::size_t i = 0; i < direct.nodes.x.size(); ++i)
        ASSERT_LT((direct.nodes.x[i] - iterative.nodes.x[i]).norm(),
                  precision == Precision::single ? 1e-3 : 1e-6);
    }
}

/// A bar that is twisted at rest by so many radians a metre, and its first step.
StepReport twisted_step(double by, const Options& options) {
  Bar bar(options);
  Points x;
  for (const Vec3& p : bar.shape.graph.positions)
    x.push_back(Eigen::AngleAxisd(by * p.z(), Vec3::UnitZ()) * (p - Vec3(0, 2.25, 0)) + Vec3(0, 2.25, 0));
  bar.body->place(x, Points(x.size(), Vec3::Zero()));
  const double before = bar.body->elastic_energy();
  const StepReport report = bar.body->advance(bar.input(1.0 / 60));
  EXPECT_TRUE(report.ok()) << report.trouble;
  EXPECT_LT(bar.body->elastic_energy(), before);
  return report;
}

TEST(CageBody, a_step_that_does_not_converge_from_the_factor_at_rest_gets_a_matrix_of_its_own) {
  const Options options{.stiffness = 1e4, .solver = Solver::iterative};
  // A little: the factor at rest serves.
  const StepReport little = twisted_step(0.01, options);
  EXPECT_EQ(little.breakdowns, 0);
  EXPECT_GT(little.iterations, 1);
  // More: it is tried, and the iterations are not enough.
  const StepReport more = twisted_step(0.15, options);
  EXPECT_EQ(more.breakdowns, 0);  // it is solved
  EXPECT_TRUE(more.refactored);
  EXPECT_EQ(more.iterations, 1);
  // Wound up by half a turn at both ends: it is not tried.
  const StepReport far = twisted_step(M_PI / 3, options);
  EXPECT_EQ(far.breakdowns, 0);
  EXPECT_TRUE(far.refactored);
  EXPECT_EQ(far.iterations, 1);
}

TEST(CageBody, a_hold_is_as_stiff_as_a_whole_however_many_points_it_has) {
  for (const Index every : {1, 4}) {
    Bar bar({.stiffness = 1e3, .precision = Precision::twice});
    std::vector<Index> end = bar.nodes([](const Vec3&p) { return p.z() < -2.999; }), held;
    for (std::size_t k = 0; k < end.size(); k += std::size_t(every)) held.push_back(end[k]);
    const Points targets = bar.places(held);
    StepInput in = bar.input(1.0 / 60);
    RelaxMemory memory;
    in.held = held;
    in.targets = targets;
    in.gravity = {0, -1, 0};
    Relaxation now;
    for (int k = 0; k < 40 && !(k > 0 && now.residual < 1e-6); ++k) {
      now = bar.body->relax(in, 0, memory);
      ASSERT_TRUE(now.trouble.empty()) << now.trouble;
    }
    EXPECT_LT(now.residual, 1e-6);
    double apart = 0;
    for (std::size_t k = 0; k < held.size(); ++k)
      apart = std::max(apart, (bar.body->nodes().x[std::size_t(held[k])] - targets[k]).norm());
    EXPECT_LT(apart, 0.02);
    // The springs carry the weight of 13.5 N: all of them together have 20 E L.
    double hanging = 0;
    for (std::size_t k = 0; k < held.size(); ++k)
      hanging += (targets[k] - bar.body->nodes().x[std::size_t(held[k])]).y() / double(held.size());
    EXPECT_NEAR(hanging * 20 * 1e3 * 6 / 13.5, 1, 0.05);
    double low = 0;
    for (const Vec3& p : bar.body->nodes().x) low = std::min(low, p.y() - 1.5);
    EXPECT_NEAR(low, -0.8, 0.3);
  }
}

TEST(CageBody, one_vertex_is_dragged_by_a_handle_in_few_warm_iterations) {
  Bar bar({.stiffness = 1e3, .precision = Precision::twice});
  std::vector<Index> held = bar.nodes([](const Vec3& p) { return p.z() < -2.999; });
  const std::size_t base = held.size();
  const Index tip = bar.nodes([](const Vec3& p) { return p.z() > 2.999 && p.y() > 2.99; }).front();
  held.push_back(tip);
  Points targets = bar.places(held);
  std::vector<Index> sizes(base, Index(base));
  sizes.push_back(1);
  StepInput in = bar.input(1.0 / 60);
  RelaxMemory memory;
  in.held = held;
  in.hold_sizes = sizes;
  for (int drag = 1; drag <= 10; ++drag) {
    targets.back().y() += 0.2;
    in.targets = targets;
    int iterations = 0;
    double change = 1;
    while (change > 1e-4 && iterations < 30) {
      const Relaxation now = bar.body->relax(in, 0, memory);
      ASSERT_TRUE(now.trouble.empty()) << now.trouble;
      // where rounding is all that is left no step lowers the energy: that is rest, and nothing else is
      if (now.stuck) {
        EXPECT_LT(now.residual, 1e-4) << "stuck in drag " << drag;
        break;
      }
      change = now.change;
      ++iterations;
    }
    EXPECT_GT(iterations, 0) << "drag " << drag;
    EXPECT_LE(iterations, 10) << "drag " << drag;
    EXPECT_LT((bar.body->nodes().x[std::size_t(tip)] - targets.back()).norm(), 0.02) << "drag " << drag;
  }
  EXPECT_LT((bar.body->nodes().x[std::size_t(tip)] - targets.back()).norm(), 0.02);
}

/// Where a bar rests that begins turned by half a radian about the axis of the first two of its holds: the
/// farthest way of a node from there, and from its rest.
struct Turned {
  double from_start = 0, from_rest = 0, energy = 0;
};
Turned turned_and_held_by(std::size_t vertices) {
  Bar bar({.stiffness = 1e3, .precision = Precision::twice});
  std::vector<Index> held;
  for (const auto chosen : {+[](const Vec3& p) { return p.z() < -2.999 && p.y() > 2.999 && p.x() < -0.749; },
                            +[](const Vec3& p) { return p.z() > 2.999 && p.y() < 1.501 && p.x() < -0.749; },
                            +[](const Vec3& p) { return p.z() > 2.999 && p.y() > 2.999 && p.x() > 0.749; }})
    held.push_back(bar.nodes(chosen).front());
  const Points all = bar.places(held);
  const Eigen::AngleAxisd turn(0.5, (all[1] - all[0]).normalized());
  held.resize(vertices);
  Points start;
  for (const Vec3& p : bar.shape.graph.positions) start.push_back(all[0] + turn * (p - all[0]));
  bar.body->place(start, Points(start.size(), Vec3::Zero()));
  std::vector<std::pair<Index, Vec3>> sorted;
  for (std::size_t k = 0; k < vertices; ++k) sorted.push_back({held[k], all[k]});
  std::sort(sorted.begin(), sorted.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
  Points targets;
  for (std::size_t k = 0; k < vertices; ++k) {
    held[k] = sorted[k].first;
    targets.push_back(sorted[k].second);
  }
  StepInput in = bar.input(1.0 / 60);
  RelaxMemory memory;
  in.held = held;
  in.targets = targets;
  for (int k = 0; k < 60; ++k) {
    const Relaxation now = bar.body->relax(in, 0, memory);
    EXPECT_TRUE(now.trouble.empty()) << now.trouble;
    if (now.stuck || now.residual < 1e-9) break;
  }
  Turned out;
  out.energy = bar.body->elastic_energy();
  for (std::size_t i = 0; i < start.size(); ++i) {
    const Vec3& at = bar.body->nodes().x[i];
    out.from_start = std::max(out.from_start, (at - start[i]).norm());
    out.from_rest = std::max(out.from_rest, (at - bar.shape.graph.positions[i]).norm());
  }
  return out;
}

TEST(CageBody, one_held_vertex_fixes_a_place_two_leave_one_turn_free_and_three_fix_a_pose) {
  for (const std::size_t vertices : {1U, 2U}) {
    const Turned free = turned_and_held_by(vertices);
    EXPECT_LT(free.from_start, 1e-3) << vertices << ": it may stay turned";
    EXPECT_GT(free.from_rest, 0.3);
    EXPECT_LT(free.energy, 1e-6);
  }
  const Turned fixed = turned_and_held_by(3);
  EXPECT_GT(fixed.from_start, 0.3);
  EXPECT_LT(fixed.from_rest, 1e-3) << "it turns back";
  EXPECT_LT(fixed.energy, 1e-6);
}

// One end held, single vertices dragged from rest in one go as scene cage/pose has them [Martin09, Fig. 6]:
// one takes less than the 15 iterations that are asked for, both of that scene do not.
TEST(CageBody, single_vertices_are_posed_from_rest_in_few_iterations) {
  for (const int handles : {1, 2}) {
    Bar bar({.stiffness = 1e3, .precision = Precision::twice});
    std::vector<Index> held = bar.nodes([](const Vec3& p) { return p.z() < -2.6; });
    std::vector<Index> sizes(held.size(), Index(held.size()));
    Points targets = bar.places(held);
    const auto drag = [&](Index node, const Vec3& by) {
      held.push_back(node);
      sizes.push_back(1);
      targets.push_back(bar.shape.graph.positions[std::size_t(node)] + by);
    };
    const Index middle =
        bar.nodes([](const Vec3& p) { return p.y() > 2.999 && std::abs(p.z()) < 0.01; }).front();
    const Index tip = bar.nodes([](const Vec3& p) { return p.z() > 2.999 && p.y() > 2.99; }).front();
    if (handles == 2) drag(middle, {0, -0.4, 0});
    drag(tip, {0, 2, -1});
    StepInput in = bar.input(1.0 / 60);
    RelaxMemory memory;
    in.held = held;
    in.targets = targets;
    in.hold_sizes = sizes;
    int iterations = 0;
    double change = 1;
    while (change > 1e-4 && iterations < 60) {
      const Relaxation now = bar.body->relax(in, 0, memory);
      ASSERT_TRUE(now.trouble.empty()) << now.trouble;
      ASSERT_FALSE(now.stuck);
      change = now.change;
      ++iterations;
    }
    std::cout << handles << " single-vertex handle(s) from rest: " << iterations
              << " iterations to 1e-4 of the size\n";
    EXPECT_LT(iterations, handles == 1 ? 15 : 26);
    EXPECT_LT((bar.body->nodes().x[std::size_t(tip)] - targets.back()).norm(), 0.02);
  }
}

TEST(CageBody, a_drop_comes_to_rest_on_what_it_weighs) {
  for (const double stiffness : {5e3})
    for (const double h : {1.0 / 30}) {
      Bar bar({.stiffness = stiffness});
      std::vector<Collider> ground{Collider(PlaneCollider{{0, 0, 0}, {0, 1, 0}}, {}, 0.5, 0)};
      StepInput in = bar.input(h);
      in.gravity = {0, -10, 0};
      in.colliders = ground;
      double last = bar.energy(10);
      const double start = last;
      StepReport report;
      for (int i = 0; i < int(3 / h); ++i) {
        ground[0].aim(i * h, (i + 1) * h);
        report = bar.body->advance(in);
        ASSERT_TRUE(report.ok()) << report.trouble;
        const double now = bar.energy(10);
        ASSERT_LT(now, last + 1e-3 * start) << stiffness << " " << h << " step " << i;
        last = now;
      }
      EXPECT_LT(report.penetration, 0.02 * 6);
      EXPECT_LT(max_speed(bar.body->nodes()), 0.05) << stiffness << " " << h;
      EXPECT_NEAR(report.contact_impulse.y() / (10 * h * 13.5), 1, 0.02);
    }
}

/// A bar of 6 m with fine bumps, 1.5 m over the ground: 2700 vertices, of which 500 are spread contact
/// points.
struct BumpyDrop {
  Shape shape;
  std::unique_ptr<Method> body;
  Pool pool{1};
  std::vector<Collider> ground{Collider(PlaneCollider{{0, 0, 0}, {0, 1, 0}}, {}, 0.5, 0)};
  int step = 0;

  BumpyDrop() {
    BumpyBar bar;
    bar.resolution = {48, 56};
    bar.center = {0, 1.2, 0};
    const Result<MeshShape> solid =
        make_mesh_shape(bumpy_bar_surface(bar), {.nodes = 2000, .solid = true}, pool);
    EXPECT_TRUE(solid);
    const Options options{.cells = {1, 3, 6}, .stiffness = 5e3};
    shape = with_quadrature(solid->shape, points_for(options, 56));
    body = std::move(*build(shape, 1, {.mass = 0.1, .stiffness = 0}, options));
  }
  StepReport advance() {
    StepInput in;
    in.h = 1.0 / 60;
    in.gravity = {0, -10, 0};
    in.colliders = ground;
    in.pool = &pool;
    ground[0].aim(step * in.h, (step + 1) * in.h);
    ++step;
    return body->advance(in);
  }
  double depth() const {
    Points surface(shape.surface.vertices.size());
    body->surface(surface);
    double low = 0;
    for (const Vec3& p : surface) low = std::min(low, p.y());
    return -low;
  }
};

TEST(CageBody, penetration_is_that_of_the_whole_surface_and_a_bumpy_body_rests_on_it) {
  BumpyDrop drop;
  ASSERT_GT(drop.shape.surface.vertices.size(), 2000U);
  double deepest = 0;
  for (int i = 0; i < 180; ++i) {
    const StepReport report = drop.advance();
    ASSERT_TRUE(report.ok()) << report.trouble;
    ASSERT_NEAR(report.penetration, drop.depth(), 1e-5) << "step " << i;
    deepest = std::max(deepest, report.penetration);
  }
  EXPECT_GT(deepest, 0);
  EXPECT_LT(deepest, 0.02 * 6);
  EXPECT_LT(drop.depth(), 1e-3 * 6) << "at rest";
  EXPECT_LT(max_speed(drop.body->nodes()), 0.05);
}

TEST(CageBody, vertices_that_it_came_to_rest_on_are_part_of_its_state) {
  BumpyDrop first, second;
  for (int i = 0; i < 60; ++i) ASSERT_TRUE(first.advance().ok());
  const std::vector<Index>& more = static_cast<Body&>(*first.body).more_contact_points();
  ASSERT_LT(std::count(more.begin(), more.end(), -1), std::ptrdiff_t(more.size())) << "none went deep";
  Writer writer;
  first.body->save(writer);
  Reader reader(writer.bytes());
  ASSERT_TRUE(second.body->load(reader));
  second.step = first.step;
  for (int i = 0; i < 20; ++i) {
    ASSERT_TRUE(first.advance().ok());
    ASSERT_TRUE(second.advance().ok());
  }
  EXPECT_EQ(static_cast<Body&>(*first.body).cage_vertices(),
            static_cast<Body&>(*second.body).cage_vertices());
}

TEST(CageBody, what_begins_inside_the_ground_is_moved_out_and_does_not_jump) {
  Bar bar({.stiffness = 1e5}, {.mass = 0, .stiffness = 0}, -0.1);
  std::vector<Collider> ground{Collider(PlaneCollider{{0, 0, 0}, {0, 1, 0}}, {}, 0.5, 0)};
  StepInput in = bar.input(1.0 / 60);
  in.gravity = {0, -10, 0};
  in.colliders = ground;
  double fastest = 0;
  StepReport report;
  for (int i = 0; i < 60; ++i) {
    ground[0].aim(i * in.h, (i + 1) * in.h);
    report = bar.body->advance(in);
    ASSERT_TRUE(report.ok()) << report.trouble;
    fastest = std::max(fastest, max_speed(bar.body->nodes()));
  }
  EXPECT_GT(report.contacts, 0);
  EXPECT_LT(report.penetration, 0.01);
  EXPECT_LT(fastest, 0.5);
}

TEST(CageBody, restitution_throws_a_bar_back) {
  for (const double restitution : {0.0, 0.8}) {
    Bar bar({.stiffness = 1e6}, {.mass = 0, .stiffness = 0}, 0.2);
    std::vector<Collider> ground{Collider(PlaneCollider{{0, 0, 0}, {0, 1, 0}}, {}, 0, restitution)};
    StepInput in = bar.input(1.0 / 60);
    in.gravity = {0, -10, 0};
    in.colliders = ground;
    double rising = 0;
    for (int i = 0; i < 20; ++i) {
      ground[0].aim(i * in.h, (i + 1) * in.h);
      ASSERT_TRUE(bar.body->advance(in).ok());
      rising = std::max(rising, linear_momentum(bar.body->nodes()).y() / 13.5);
    }
    // It arrives with 2 m/s.
    if (restitution > 0)
      EXPECT_GT(rising, 0.8);
    else
      EXPECT_LT(rising, 0.4);
  }
}

TEST(CageBody, damping_by_mass_slows_a_free_body) {
  Bar bar({.stiffness = 1e4}, {.mass = 2, .stiffness = 0});
  bar.body->place(bar.shape.graph.positions, Points(bar.shape.graph.positions.size(), Vec3(1, 0, 0)));
  for (int i = 0; i < 30; ++i) ASSERT_TRUE(bar.body->advance(bar.input(1.0 / 60)).ok());
  EXPECT_NEAR(linear_momentum(bar.body->nodes()).x() / 13.5, std::pow(1 + 2.0 / 60, -30), 1e-4);
}

TEST(CageBody, a_grab_pulls_what_it_holds) {
  Bar bar({.stiffness = 1e4}, {.mass = 5, .stiffness = 0});
  const Index tip = bar.nodes([](const Vec3& p) { return p.z() > 2.999 && p.y() > 2.99; }).front();
  const Vec3 target = bar.shape.graph.positions[std::size_t(tip)] + Vec3(0, 1, 0);
  const Grab grab{.node = tip, .target = target, .stiffness = 500};
  StepInput in = bar.input(1.0 / 60);
  in.grabs = std::span(&grab, 1);
  for (int i = 0; i < 240; ++i) ASSERT_TRUE(bar.body->advance(in).ok());
  EXPECT_LT((bar.body->nodes().x[std::size_t(tip)] - target).norm(), 0.1);
}

TEST(CageBody, damping_by_stiffness_calms_a_pinned_bar) {
  const auto stored_after = [](double stiffness) {
    Bar bar({.stiffness = 3e3}, {.mass = 0, .stiffness = stiffness});
    std::vector<Index> end = bar.nodes([](const Vec3& p) { return p.z() < -2.6; });
    const Points targets = bar.places(end);
    Points v;
    for (const Vec3& p : bar.shape.graph.positions) v.push_back({0, p.z() > -2.6 ? p.z() + 3 : 0, 0});
    bar.body->place(bar.shape.graph.positions, v);
    StepInput in = bar.input(1.0 / 60);
    in.held = end;
    in.targets = targets;
    for (int i = 0; i < 30; ++i) EXPECT_TRUE(bar.body->advance(in).ok());
    return kinetic_energy(bar.body->nodes()) + bar.body->elastic_energy();
  };
  EXPECT_LT(stored_after(0.05), 0.9 * stored_after(0));
}

TEST(CageBody, friction_holds_a_block_on_a_slope_or_lets_it_slide) {
  for (const double friction : {0.6, 0.2}) {
    Bar bar({.stiffness = 1e5}, {.mass = 0, .stiffness = 0}, 0.001);
    std::vector<Collider> ground{Collider(PlaneCollider{{0, 0, 0}, {0, 1, 0}}, {}, friction, 0)};
    StepInput in = bar.input(1.0 / 60);
    const double angle = 25 * M_PI / 180;
    in.gravity = 9.81 * Vec3(0, -std::cos(angle), std::sin(angle));
    in.colliders = ground;
    for (int i = 0; i < 30; ++i) {
      ground[0].aim(i * in.h, (i + 1) * in.h);
      ASSERT_TRUE(bar.body->advance(in).ok());
    }
    const double way = centre_of_mass(bar.body->nodes()).z();
    const double expected = 0.125 * 9.81 * (std::sin(angle) - friction * std::cos(angle));
    EXPECT_NEAR(way, friction > 0.5 ? 0 : expected, 0.04) << friction;
  }
}

TEST(CageBody, plastic_strain_stays_and_volume_does_not_flow) {
  Options options{.stiffness = 1e3, .normals = Normals::consistent};
  options.plasticity = Plasticity{{.yield = 0.02, .creep = 5, .cap = 0.5}};
  Bar bar(options, {.mass = 2, .stiffness = 0.02});
  std::vector<Index> held = bar.nodes([](const Vec3& p) { return p.z() < -2.999; });
  const Points targets = bar.places(held);
  StepInput in = bar.input(1.0 / 60);
  in.held = held;
  in.targets = targets;
  in.gravity = {0, -4, 0};
  int yields = 0;
  for (int i = 0; i < 60; ++i) yields = std::max(yields, bar.body->advance(in).yields);
  EXPECT_GT(yields, 0);
  in.gravity = {0, 0, 0};
  for (int i = 0; i < 120; ++i) ASSERT_TRUE(bar.body->advance(in).ok());
  double low = 0;
  for (const Vec3& p : bar.body->nodes().x) low = std::min(low, p.y() - 1.5);
  EXPECT_LT(low, -0.1) << "it springs back";
  const std::vector<double>& e = static_cast<Body&>(*bar.body).plastic_strain();
  for (std::size_t q = 0; q < e.size(); q += 6) {
    Mat3 stretch;
    stretch << 1 + e[q], e[q + 5], e[q + 4], e[q + 5], 1 + e[q + 1], e[q + 3], e[q + 4], e[q + 3],
        1 + e[q + 2];
    ASSERT_NEAR(stretch.determinant(), 1, 1e-12);
  }
}

}  // namespace body_test
}  // namespace pliant::cage
