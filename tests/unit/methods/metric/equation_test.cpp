// SPDX-License-Identifier: Apache-2.0
// One step against its equation, put together here from the model in double precision.
#include "pliant/contact/collider.hpp"
#include "tests/unit/methods/metric/bodies.hpp"

namespace pliant::metric {
namespace equation_test {

constexpr double h = 0.02;
constexpr Damping damping{.mass = 12, .stiffness = 0.03};

Points random_vectors(std::size_t n, double sigma, unsigned seed) {
  return shaken(Points(n, Vec3::Zero()), sigma, seed);
}

/// A d of the stable matrix, kappa = 1/2.
Points times_matrix(const Model& model, const Points& x, const Points& d) {
  Points out(x.size(), Vec3::Zero());
  model.each_length([&](Index a, Index b, double ih2, double eta, bool squared, std::size_t) {
    const double s = (x[b] - x[a]).squaredNorm() * ih2 - 1, alpha = eta * (squared ? s * std::abs(s) : s);
    const double weight = ih2 * (std::max(alpha, 0.0) + (squared ? 0.5 : 1) * eta);
    out[a] += weight * (d[a] - d[b]);
    out[b] += weight * (d[b] - d[a]);
  });
  return out;
}

TEST(MetricEquation, a_step_solves_it_with_gravity_forces_grabs_drag_and_held_nodes) {
  Pool pool(1);
  const auto body = lattice_body(
      {4, 5, 3},
      with_strength(3, {.orientation = 0, .tolerance = 1e-7, .iterations = 500, .keep_momentum = false}),
      damping);
  const std::size_t n = body->model().rest.size();
  const Points x = shaken(body->model().rest, 0.15, 1), v = random_vectors(n, 0.5, 2),
               outer = random_vectors(n, 30, 3);
  body->place(x, v);
  const std::vector<Index> held{7, 31};
  const Points targets{x[7] + Vec3(0.1, 0, -0.05), x[31]};
  const Grab grab{20, x[20] + Vec3(0, 1, 0), 150};
  StepInput input;
  input.h = h;
  input.gravity = {1, -9.81, 0.5};
  input.held = held, input.targets = targets;
  input.forces = outer;
  input.grabs = {&grab, 1};
  input.pool = &pool;
  Points elastic(n), d(n);
  body->elastic_forces(elastic);
  ASSERT_TRUE(body->advance(input).ok());
  for (std::size_t i = 0; i < n; ++i) d[i] = body->nodes().x[i] - x[i];
  const Points stiff = times_matrix(body->model(), x, d);
  for (std::size_t i = 0; i < n; ++i) {
    if (std::find(held.begin(), held.end(), Index(i)) != held.end()) continue;
    const double m = body->nodes().mass[i], c = damping.mass * m;
    Vec3 left = (m / (h * h) + c / (2 * h)) * d[i] + (1 + damping.stiffness / h) * stiff[i];
    const Vec3 right = elastic[i] + outer[i] + m * input.gravity + (m / h - c / 2) * v[i];
    if (Index(i) == grab.node) left += grab.stiffness * (d[i] - (grab.target - x[i]));
    EXPECT_LT((left - right).norm(), 2e-4 * right.norm() + 2e-3) << i;
    EXPECT_LT((body->nodes().v[i] - d[i] / h).norm(), 1e-12);
  }
  EXPECT_EQ(body->nodes().x[7], targets[0]);
}

TEST(MetricEquation, forces_and_grabs_change_the_momenta_of_a_free_body_by_what_they_are) {
  Pool pool(1);
  const auto body = lattice_body({4, 5, 3}, with_strength(3), {.mass = damping.mass, .stiffness = 0});
  const std::size_t n = body->model().rest.size();
  const Points x = shaken(body->model().rest, 0.05, 1), v = random_vectors(n, 0.5, 2),
               outer = random_vectors(n, 30, 3);
  body->place(x, v);
  const Grab grab{20, x[20] + Vec3(0, 1, 0), 150};
  StepInput input;
  input.h = h;
  input.gravity = {1, -9.81, 0.5};
  input.forces = outer;
  input.grabs = {&grab, 1};
  input.pool = &pool;
  ASSERT_TRUE(body->advance(input).ok());
  const Points &y = body->nodes().x, &w = body->nodes().v;
  const auto centre = [&](const Points& at) {
    Vec3 sum = Vec3::Zero();
    for (const Vec3& p : at) sum += p;
    return Vec3(sum / double(n));
  };
  const Vec3 from = centre(x), to = centre(y);
  Vec3 p = Vec3::Zero(), l = p, p_end = p, l_end = p, force = p, torque = p;
  for (std::size_t i = 0; i < n; ++i) {
    p += v[i], l += (x[i] - from).cross(v[i]);
    p_end += w[i], l_end += (y[i] - to).cross(w[i]);
    force += outer[i] + input.gravity;
    torque += (y[i] - to).cross(outer[i]);
  }
  const double before = 1 - h * damping.mass / 2, after = 1 + h * damping.mass / 2;
  // the spring pulls where the node was before the momenta were set
  const double slack = 150 * 0.02 * h;
  force += grab.stiffness * (grab.target - y[20]);
  torque += (y[20] - to).cross(grab.stiffness * (grab.target - y[20]));
  EXPECT_LT((after * p_end - before * p - h * force).norm(), slack);
  EXPECT_LT((after * l_end - before * l - h * torque).norm(), 5 * slack);
  EXPECT_GT((h * force).norm(), 20 * slack);
  EXPECT_GT((h * torque).norm(), 50 * slack);
}

TEST(MetricEquation, keys_hold_before_the_first_and_after_the_last) {
  const std::vector<StrengthKey> keys{{1, 0.25}, {3, 1}};
  EXPECT_EQ(factor_at({}, 5), 1);
  EXPECT_EQ(factor_at(keys, 0), 0.25);
  EXPECT_EQ(factor_at(keys, 1), 0.25);
  EXPECT_NEAR(factor_at(keys, 2), 0.625, 1e-15);
  EXPECT_EQ(factor_at(keys, 3), 1);
  EXPECT_EQ(factor_at(keys, 30), 1);
}

TEST(MetricEquation, a_step_has_the_strength_of_its_end) {
  Pool pool(1);
  Options growing = with_strength(1, {.tolerance = 1e-7, .iterations = 500}), constant = growing;
  growing.keys = {{0, 1}, {h, 3}};
  constant.strength *= 3;
  const auto a = lattice_body({4, 3, 3}, growing), b = lattice_body({4, 3, 3}, constant);
  const Points x = shaken(a->model().rest, 0.15, 1);
  put(*a, x), put(*b, x);
  StepInput input;
  input.h = h;
  input.pool = &pool;
  ASSERT_TRUE(a->advance(input).ok() && b->advance(input).ok());
  double moved = 0, apart = 0;
  for (std::size_t i = 0; i < x.size(); ++i) {
    moved = std::max(moved, (a->nodes().x[i] - x[i]).norm());
    apart = std::max(apart, (a->nodes().x[i] - b->nodes().x[i]).norm());
  }
  EXPECT_LT(apart, 1e-5 * moved);
}

/// Steps of a box under gravity on the ground.
void rest_on_ground(Body& body, double seconds, double restitution, double from, Pool& pool,
                    double* highest = nullptr) {
  Points x = body.model().rest;
  for (Vec3& p : x) p.y() += from;
  put(body, x);
  std::vector<Collider> colliders{Collider(PlaneCollider{{0, 0, 0}, {0, 1, 0}}, {}, 0.5, restitution)};
  StepInput input;
  input.h = 0.01;
  input.gravity = {0, -9.81, 0};
  input.pool = &pool;
  bool met = false;
  for (int k = 0; k < int(seconds / input.h); ++k) {
    for (Collider& c : colliders) c.aim(0, input.h);
    input.colliders = colliders;
    const StepReport report = body.advance(input);
    ASSERT_TRUE(report.ok()) << report.trouble;
    met |= report.contacts > 0;
    if (highest && met) *highest = std::max(*highest, body.nodes().v[0].y());
  }
}

TEST(MetricContact, without_the_orientation_term_no_two_points_rest_at_one_height) {
  Pool pool(1);
  for (const double orientation : {0.0, 2.0}) {
    const auto body =
        lattice_body({4, 4, 4}, with_strength(10, {.orientation = orientation}), {.mass = 3, .stiffness = 0});
    rest_on_ground(*body, 4, 0, 1, pool);
    double low = 1, high = -1;
    for (Index i = 0; i < body->model().nodes(); ++i)
      if (body->model().rest[i].y() == 0) {
        low = std::min(low, body->nodes().x[i].y());
        high = std::max(high, body->nodes().x[i].y());
      }
    if (orientation > 0) {
      EXPECT_LT(high - low, 2e-4);
    } else {
      EXPECT_GT(high - low, 5e-4);
      EXPECT_LT(high - low, 2e-3);
    }
  }
}

TEST(MetricContact, a_box_bounces_with_restitution_and_does_not_without) {
  Pool pool(1);
  double dead = 0, lively = 0;
  rest_on_ground(*lattice_body({3, 3, 3}, with_strength(1000)), 1, 0, 1, pool, &dead);
  rest_on_ground(*lattice_body({3, 3, 3}, with_strength(1000)), 1, 0.8, 1, pool, &lively);
  EXPECT_GT(lively, dead + 1);
}

/// The forces of an impact must not outlive it: a heavy body of many nodes on few touching points.
TEST(MetricContact, a_fallen_body_neither_floats_nor_sinks) {
  Pool pool(1);
  const auto body = lattice_body({6, 6, 6}, with_strength(50), {.mass = 0.5, .stiffness = 0});
  rest_on_ground(*body, 3, 0, 2, pool);
  double low = 1e9, fastest = 0;
  for (std::size_t i = 0; i < body->nodes().x.size(); ++i) {
    low = std::min(low, body->nodes().x[i].y());
    fastest = std::max(fastest, body->nodes().v[i].norm());
  }
  EXPECT_NEAR(low, 0, 2e-3);
  EXPECT_LT(fastest, 0.2);
}

}  // namespace equation_test
}  // namespace pliant::metric
