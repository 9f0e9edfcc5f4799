// SPDX-License-Identifier: Apache-2.0
// What must hold for every method on every shape. A method joins by adding its cases in method_cases.cpp.
#include <gtest/gtest.h>

#include <algorithm>
#include <numbers>
#include <numeric>
#include <random>

#include "pliant/base/hash.hpp"
#include "pliant/geometry/moments.hpp"
#include "pliant/methods/catalogue.hpp"
#include "pliant/physics/metrics.hpp"
#include "tests/invariants/method_case.hpp"
#include "tests/support/allocation_counter.hpp"

namespace pliant {
namespace method_invariants_test {

using std::numbers::pi;

struct NamedShape {
  std::string name;
  Shape shape;
  double volume = 0;            ///< of the solid, m^3
  Vec3 squares = Vec3::Zero();  ///< mean of the squares of the coordinates about its centre, m^2
};

const std::vector<NamedShape>& shapes() {
  static const std::vector<NamedShape> all{
      {"box", make_shape(BoxShape{.size = {0.4, 0.3, 1.2}, .nodes = {5, 4, 13}, .corner = {3, -2, 1}}), 0.144,
       Vec3(0.16, 0.09, 1.44) / 12},
      {"ellipsoid", make_shape(EllipsoidShape{.radii = {0.5, 0.4, 0.3}, .nodes = 9}), 4 * pi / 3 * 0.06,
       Vec3(0.25, 0.16, 0.09) / 5},
      {"cylinder", make_shape(CylinderShape{.nodes = {7, 9}}), pi / 4, {0.0625, 1.0 / 12, 0.0625}},
      {"torus",
       make_shape(TorusShape{.nodes = {5, 24}}),
       2 * pi * pi * 0.1225,
       {0.5 + 3 * 0.1225 / 8, 0.1225 / 4, 0.5 + 3 * 0.1225 / 8}},
      {"rod", make_shape(BoxShape{.size = {0.05, 0.04, 2}, .nodes = {3, 3, 33}, .corner = {-1, 0, -1}}),
       0.004, Vec3(0.0025, 0.0016, 4) / 12},
  };
  return all;
}

class Invariants : public testing::TestWithParam<std::tuple<int, int>> {
 protected:
  const MethodCase method = method_cases()[std::get<0>(GetParam())];
  const Shape shape = shape_for(method, shapes()[std::get<1>(GetParam())].shape);
  const double size = extent(shape);
  Pool pool{1};

  static double extent(const Shape& shape) {
    Vec3 low = shape.graph.positions[0], high = low;
    for (const Vec3& p : shape.graph.positions) low = low.cwiseMin(p), high = high.cwiseMax(p);
    return (high - low).norm();
  }

  StepInput free_input() {
    StepInput input;
    input.h = 1.0 / 60;
    input.pool = &pool;
    return input;
  }

  /// Smooth bending and stretching plus noise: every mode takes part.
  Points deformed(double amount, unsigned seed = 1) const {
    std::mt19937 random(seed);
    std::normal_distribution<double> noise(0, 0.01 * amount * size);
    Points x = shape.graph.positions;
    for (Vec3& p : x) {
      const Vec3 u = p / size;
      p += amount * size * Vec3(0.2 * u.z() * u.z(), 0.1 * u.x(), -0.15 * u.y() * u.z());
      p += Vec3(noise(random), noise(random), noise(random));
    }
    return x;
  }

  Points moving(const Points& x) const {
    Points v(x.size());
    for (std::size_t i = 0; i < x.size(); ++i)
      v[i] = Vec3(0.4, 1.0, -0.3) + Vec3(0.5, -1, 2).cross(x[i]) + 0.2 * Vec3(x[i].y(), 0, x[i].x());
    return v;
  }

  void start_moving(Method& body, double amount = 0.3) const {
    const Points x = deformed(amount);
    body.place(x, moving(x));
  }

  static std::uint64_t state_hash(const Method& body) {
    const NodeState& s = body.nodes();
    return hash_bytes(s.v.data(), s.v.size() * sizeof(Vec3),
                      hash_bytes(s.x.data(), s.x.size() * sizeof(Vec3)));
  }
};

double kinetic(const NodeState& s) { return kinetic_energy(s); }
/// About the origin.
Vec3 whole_angular_momentum(const NodeState& s) {
  return angular_momentum(s) + centre_of_mass(s).cross(linear_momentum(s));
}
double largest(const Points& vectors) {
  double most = 0;
  for (const Vec3& v : vectors) most = std::max(most, v.norm());
  return most;
}

TEST_P(Invariants, masses_are_density_times_the_volume_of_the_shape_and_turn_as_it_does) {
  const auto body = method.build(shape);
  const NodeState& s = body->nodes();
  Points places = s.x;
  std::vector<double> masses = s.mass;
  places.insert(places.end(), s.within.x.begin(), s.within.x.end());
  masses.insert(masses.end(), s.within.mass.begin(), s.within.mass.end());
  const Moments got = moments_of(places, masses);
  const NamedShape& named = shapes()[std::get<1>(GetParam())];
  double volume = named.volume;
  Vec3 squares = named.squares;
  if (method.tetrahedra) {  // they fill the mesh, which has fewer corners than the round shape
    const Moments inside = moments_of(shape.surface.vertices, shape.surface.triangles);
    volume = inside.volume;
    squares = inside.second.diagonal() / inside.volume;
  } else if (method.surface_nodes && !method.solid_by_surface) {
    volume = std::accumulate(shape.graph.volumes.begin(), shape.graph.volumes.end(), 0.0);
  }
  EXPECT_NEAR(got.volume / (1000 * volume), 1, 1e-6);
  if (method.surface_nodes && s.within.x.empty()) return;  // all mass on the skin
  const Vec3 r2 = got.second.diagonal() / got.volume;
  for (int k = 0; k < 3; ++k) {
    const int a = (k + 1) % 3, b = (k + 2) % 3;
    // Of the largest: what turns a rod about itself is a thousandth of that, and coarse points miss a quarter of it.
    EXPECT_NEAR((r2[a] + r2[b] - squares[a] - squares[b]) / squares.sum(), 0, 0.015) << "about axis " << k;
  }
}

TEST_P(Invariants, rest_is_force_free_and_stays_at_rest) {
  const auto body = method.build(shape);
  Points forces(body->nodes().x.size());
  body->elastic_forces(forces);
  EXPECT_LT(largest(forces), 1e-8);  // N, against 1e5 Pa
  EXPECT_LT(body->elastic_energy(), 1e-12);
  for (int i = 0; i < 10; ++i) ASSERT_TRUE(body->advance(free_input()).ok());
  for (std::size_t i = 0; i < forces.size(); ++i)
    ASSERT_LT((body->nodes().x[i] - shape.graph.positions[i]).norm(), method.rest_tolerance * size);
}

TEST_P(Invariants, rigid_motion_costs_nothing) {
  if (!method.turns) GTEST_SKIP() << "it is for small turns";
  if (!method.free) GTEST_SKIP() << "bones hold it";
  const auto body = method.build(shape);
  const Mat3 turn = (Eigen::AngleAxisd(2.5, Vec3(1, -2, 0.5).normalized())).toRotationMatrix();
  Points x = shape.graph.positions, still(x.size(), Vec3::Zero()), forces(x.size());
  for (Vec3& p : x) p = turn * p + Vec3(7, -3, 2);
  body->place(x, still);
  EXPECT_LT(body->elastic_energy(), 1e-10);
  body->elastic_forces(forces);
  EXPECT_LT(largest(forces), 1e-6);
}

TEST_P(Invariants, forces_are_minus_the_gradient_of_the_energy) {
  if (!method.elastic) GTEST_SKIP() << "it has none";
  const auto body = method.build(shape);
  const Points x = deformed(0.3), still(x.size(), Vec3::Zero());
  Points forces(x.size());
  body->place(x, still);
  body->elastic_forces(forces);
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  for (int round = 0; round < 3; ++round) {
    Points direction(x.size());
    double slope = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      direction[i] = Vec3(normal(random), normal(random), normal(random));
      slope -= forces[i].dot(direction[i]);
    }
    const auto energy_at = [&](double s) {
      Points y = x;
      for (std::size_t i = 0; i < y.size(); ++i) y[i] += s * direction[i];
      body->place(y, still);
      return body->elastic_energy();
    };
    // The error of differences is of second order: with ten times the step Laplacian rows showed 1e-3.
    const double s = 1e-6 * size;
    EXPECT_NEAR((energy_at(s) - energy_at(-s)) / (2 * s) / slope, 1, method.gradient_tolerance);
  }
}

TEST_P(Invariants, internal_forces_have_no_resultant_and_no_torque) {
  if (!method.elastic) GTEST_SKIP() << "it has none";
  const auto body = method.build(shape);
  const Points x = deformed(0.5), still(x.size(), Vec3::Zero());
  body->place(x, still);
  Points forces(x.size());
  body->elastic_forces(forces);
  Vec3 sum = Vec3::Zero(), torque = Vec3::Zero();
  double scale = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    sum += forces[i];
    torque += x[i].cross(forces[i]);
    scale += forces[i].norm();
  }
  EXPECT_LT(sum.norm(), 1e-11 * scale);
  if (method.turns && method.free) {
    EXPECT_LT(torque.norm(), 1e-10 * scale * (size + largest(x)));
  }
}

TEST_P(Invariants, a_free_body_keeps_linear_and_angular_momentum) {
  if (!method.free) GTEST_SKIP() << "bones hold it";
  const auto body = method.build(shape);
  start_moving(*body);
  const Vec3 p0 = linear_momentum(body->nodes()), l0 = whole_angular_momentum(body->nodes());
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(body->advance(free_input()).ok());
  EXPECT_LT((linear_momentum(body->nodes()) - p0).norm(), method.momentum_tolerance * p0.norm());
  EXPECT_LT((whole_angular_momentum(body->nodes()) - l0).norm(), method.angular_tolerance * l0.norm());
}

TEST_P(Invariants, energy_never_grows_without_load) {
  if (!method.free) GTEST_SKIP() << "bones go back to their places at once, with the flesh around them";
  for (double h : {1.0 / 240, 1.0 / 60, 1.0 / 15}) {
    const auto body = method.build(shape);
    start_moving(*body);
    const double start = kinetic(body->nodes()) + body->elastic_energy();
    StepInput input = free_input();
    input.h = h;
    for (int i = 0; i < 100; ++i) {
      ASSERT_TRUE(body->advance(input).ok());
      ASSERT_LT(kinetic(body->nodes()) + body->elastic_energy(), start * (1 + method.energy_growth))
          << "step " << i;
    }
  }
}

TEST_P(Invariants, one_and_two_threads_give_the_same_bits) {
  Pool two(2);
  const auto alone = method.build(shape), together = method.build(shape);
  start_moving(*alone);
  start_moving(*together);
  StepInput with_two = free_input();
  with_two.pool = &two;
  for (int i = 0; i < 20; ++i) {
    alone->advance(free_input());
    together->advance(with_two);
    ASSERT_EQ(state_hash(*alone), state_hash(*together)) << "step " << i;
  }
}

TEST_P(Invariants, a_step_allocates_nothing_after_warm_up) {
  const auto body = method.build(shape);
  start_moving(*body);
  for (int i = 0; i < 3; ++i) body->advance(free_input());
  const std::size_t before = allocations();
  for (int i = 0; i < 5; ++i) body->advance(free_input());
  EXPECT_EQ(allocations(), before);
}

TEST_P(Invariants, save_then_load_then_step_equals_step) {
  const auto body = method.build(shape), other = method.build(shape);
  start_moving(*body);
  for (int i = 0; i < 5; ++i) body->advance(free_input());
  Writer writer;
  body->save(writer);
  Reader reader(writer.bytes());
  ASSERT_TRUE(other->load(reader));
  EXPECT_TRUE(reader.at_end());
  for (int i = 0; i < 5; ++i) {
    body->advance(free_input());
    other->advance(free_input());
    ASSERT_EQ(state_hash(*body), state_hash(*other)) << "step " << i;
  }
}

/// The same shape with its nodes renumbered: node i becomes node to[i].
Shape renumbered(const Shape& shape, const std::vector<Index>& to) {
  Shape out = shape;
  for (std::size_t i = 0; i < to.size(); ++i) {
    out.graph.positions[to[i]] = shape.graph.positions[i];
    out.graph.volumes[to[i]] = shape.graph.volumes[i];
  }
  for (auto& e : out.graph.edges) {
    e.a = to[e.a], e.b = to[e.b];
    if (e.a > e.b) std::swap(e.a, e.b);
  }
  std::sort(out.graph.edges.begin(), out.graph.edges.end(),
            [](const auto& l, const auto& r) { return l.a != r.a ? l.a < r.a : l.b < r.b; });
  for (Triangle& t : out.graph.triangles)
    for (Index& node : t) node = to[node];
  for (auto& tetrahedron : out.graph.tetrahedra)
    for (Index& node : tetrahedron.node) node = to[node];
  for (auto& cell : out.graph.cells)
    for (Index& node : cell) node = to[node];
  for (Index& column : out.embedding.column) column = to[column];
  return out;
}

TEST_P(Invariants, node_order_does_not_matter) {
  if (!method.any_node_order) GTEST_SKIP() << "its basis may differ";
  std::vector<Index> to(shape.graph.positions.size());
  std::iota(to.begin(), to.end(), 0);
  std::shuffle(to.begin(), to.end(), std::mt19937(3));
  const auto body = method.build(shape), shuffled = method.build(renumbered(shape, to));
  const Points x = deformed(0.2), v = moving(x);
  Points sx(x.size()), sv(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) sx[to[i]] = x[i], sv[to[i]] = v[i];
  body->place(x, v);
  shuffled->place(sx, sv);
  if (method.elastic) {
    EXPECT_NEAR(shuffled->elastic_energy() / body->elastic_energy(), 1, 1e-10);
  }
  for (int i = 0; i < 20; ++i) {
    body->advance(free_input());
    shuffled->advance(free_input());
  }
  double worst = 0;
  for (std::size_t i = 0; i < x.size(); ++i)
    worst = std::max(worst, (body->nodes().x[i] - shuffled->nodes().x[to[i]]).norm());
  EXPECT_LT(worst, method.node_order_tolerance * size);
}

TEST_P(Invariants, a_fall_follows_the_parabola) {
  if (!method.free) GTEST_SKIP() << "bones hold it";
  const auto body = method.build(shape);
  StepInput input = free_input();
  input.gravity = {0, -9.81, 0};
  for (int i = 0; i < 60; ++i) ASSERT_TRUE(body->advance(input).ok());
  // Euler gives v exactly. BDF2 starts as if the step before had been a straight line, and so half a step
  // late: half a step's fall is missing from v for ever, not growing.
  for (const Vec3& v : body->nodes().v) ASSERT_NEAR(v.y(), -9.81, 9.81 * input.h / 2 + 1e-4);
  ASSERT_NEAR(shape.graph.positions[0].y() - body->nodes().x[0].y(), 4.905, 0.09);
  EXPECT_LT(body->elastic_energy(), 1e-8 * total_mass(body->nodes()) * 9.81 * 9.81 / 2);
}

TEST_P(Invariants, forces_in_proportion_to_the_masses_act_as_gravity) {
  if (!method.build(shape)->nodes().within.mass.empty()) GTEST_SKIP() << "its nodes carry no mass";
  const auto falls = method.build(shape), pulled = method.build(shape);
  start_moving(*falls);
  start_moving(*pulled);
  const Vec3 g(3, -9.81, 1);
  Points forces;
  for (const double mass : pulled->nodes().mass) forces.push_back(mass * g);
  StepInput with_gravity = free_input(), with_forces = free_input();
  with_gravity.gravity = g;
  with_forces.forces = forces;
  const int steps = 6;
  for (int i = 0; i < steps; ++i) {
    ASSERT_TRUE(falls->advance(with_gravity).ok());
    ASSERT_TRUE(pulled->advance(with_forces).ok());
  }
  // Schemes of order 1 may take gravity exactly and forces at the end of the step: half a step's fall a step. Frozen
  // cages strain by it, too: measured 0.2 % of the size.
  const double time = steps * free_input().h,
               late = 1.1 * g.norm() * time * free_input().h / 2 + 0.004 * size;
  for (std::size_t i = 0; i < forces.size(); ++i)
    ASSERT_LT((falls->nodes().x[i] - pulled->nodes().x[i]).norm(), late) << "node " << i;
  EXPECT_LT((linear_momentum(falls->nodes()) - linear_momentum(pulled->nodes())).norm(),
            1e-6 * linear_momentum(falls->nodes()).norm());
}

TEST_P(Invariants, forces_on_the_surface_change_the_momentum_by_their_sum) {
  if (!method.free) GTEST_SKIP() << "bones hold it";
  const auto body = method.build(shape);
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  Points on_surface(shape.surface.vertices.size()), forces(body->nodes().x.size(), Vec3::Zero());
  Vec3 sum = Vec3::Zero();
  double all = 0;
  for (Vec3& f : on_surface) {
    f = Vec3(1 + normal(random), normal(random), 0.5 + normal(random));
    all += f.norm();
  }
  // In all what the body weighs: a light rod is not torn.
  const double weight = 9.81 * total_mass(body->nodes());
  for (Vec3& f : on_surface) sum += f *= weight / all;
  all = weight;
  body->pull_back(on_surface, forces);
  StepInput input = free_input();
  input.forces = forces;
  for (int i = 0; i < 10; ++i) {
    const Vec3 before = linear_momentum(body->nodes());
    ASSERT_TRUE(body->advance(input).ok());
    const Vec3 change = linear_momentum(body->nodes()) - before;
    ASSERT_LT((change - input.h * sum).norm(), 1e-6 * input.h * all) << "step " << i;
  }
}

TEST_P(Invariants, held_nodes_go_exactly_where_they_are_told) {
  if (!method.holds_any_nodes) GTEST_SKIP() << "its pins are part of its basis, or hold its field";
  const auto body = method.build(shape);
  std::vector<Index> held;
  Points targets;
  for (Index i = 0; i < Index(shape.graph.positions.size()); i += 7) {
    held.push_back(i);
    targets.push_back(shape.graph.positions[i]);
  }
  StepInput input = free_input();
  input.held = held;
  for (int i = 0; i < 10; ++i) {
    for (Vec3& t : targets) t += Vec3(0.01, 0.002 * i, 0) * size;
    input.targets = targets;
    ASSERT_TRUE(body->advance(input).ok());
    for (std::size_t k = 0; k < held.size(); ++k) ASSERT_EQ(body->nodes().x[held[k]], targets[k]);
  }
}

TEST_P(Invariants, a_scrambled_start_stays_finite_and_loses_energy) {
  const auto body = method.build(shape);
  std::mt19937 random(5);
  std::uniform_real_distribution<double> place(-0.5 * size, 0.5 * size);
  Points x(shape.graph.positions.size()), still(x.size(), Vec3::Zero());
  for (Vec3& p : x) p = Vec3(place(random), place(random), place(random));
  body->place(x, still);
  const double start = body->elastic_energy();
  for (int i = 0; i < 100; ++i) ASSERT_TRUE(body->advance(free_input()).ok());
  const double end = kinetic(body->nodes()) + body->elastic_energy();
  EXPECT_TRUE(std::isfinite(end));
  if (method.elastic) {
    EXPECT_LT(end, start);
  }
}

TEST_P(Invariants, bad_input_is_reported_and_leaves_the_state_alone) {
  const auto body = method.build(shape);
  start_moving(*body);
  body->advance(free_input());
  const std::uint64_t before = state_hash(*body);
  StepInput input = free_input();
  input.gravity = {0, std::numeric_limits<double>::quiet_NaN(), 0};
  EXPECT_FALSE(body->advance(input).ok());
  EXPECT_EQ(state_hash(*body), before);
  input = free_input();
  input.h = 0;
  EXPECT_FALSE(body->advance(input).ok());
  EXPECT_EQ(state_hash(*body), before);
  EXPECT_TRUE(body->advance(free_input()).ok());
}

TEST_P(Invariants, a_step_without_a_finite_answer_leaves_the_state_alone) {
  const auto body = method.build(shape);
  start_moving(*body);
  for (int i = 0; i < 3; ++i) ASSERT_TRUE(body->advance(free_input()).ok());
  const std::uint64_t before = state_hash(*body);
  StepInput input = free_input();
  input.gravity = {0, 1e300, 0};
  if (!body->advance(input).ok()) {
    EXPECT_EQ(state_hash(*body), before);
    const StepReport next = body->advance(free_input());
    EXPECT_TRUE(next.ok()) << next.trouble;
  }
}

std::string case_name(const testing::TestParamInfo<std::tuple<int, int>>& info) {
  return method_cases()[std::get<0>(info.param)].name + "_" + shapes()[std::get<1>(info.param)].name;
}

/// A slender body is asked of the methods themselves, not of their variants. Samples of bones take the place of the nodes
/// around them, which are none in a lattice.
bool fits(const MethodCase& method, const std::string& shape) {
  const bool lattice = shape == "box" || shape == "ellipsoid" || shape == "rod";
  return (shape != "rod" || find_method(method.name)) && (lattice || method.free);
}

std::vector<std::tuple<int, int>> pairs_to_try() {
  std::vector<std::tuple<int, int>> pairs;
  for (int c = 0; c < int(method_cases().size()); ++c)
    for (int s = 0; s < int(shapes().size()); ++s)
      if (fits(method_cases()[c], shapes()[s].name)) pairs.push_back({c, s});
  return pairs;
}

INSTANTIATE_TEST_SUITE_P(AllMethods, Invariants, testing::ValuesIn(pairs_to_try()), case_name);

}  // namespace method_invariants_test
}  // namespace pliant
