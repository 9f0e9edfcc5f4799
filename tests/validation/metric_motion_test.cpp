// SPDX-License-Identifier: Apache-2.0
// Metric bodies of a given stiffness that spin, rest, fall and are pressed: energy, speed and volume.
#include <gtest/gtest.h>

#include <algorithm>
#include <cmath>

#include "pliant/contact/collider.hpp"
#include "pliant/geometry/lattice_shape.hpp"
#include "pliant/methods/metric/body.hpp"
#include "pliant/methods/metric/rigid_motion.hpp"

namespace pliant::metric {
namespace metric_motion_test {

/// A body, and what it does in steps of h.
class Trial {
 public:
  Trial(const Shape& shape, const Options& options, double density = 1000)
      : model_(make(shape, options, density)),
        body_(model_, {shape.embedding, shape.contact}, {.mass = 0, .stiffness = 0}, options) {}

  Body& body() { return body_; }
  const Points& rest() const { return model_.rest; }
  void spin(const Vec3& w) {
    Points v = rest();
    const Vec3 centre = motion().centre;
    for (Vec3& p : v) p = w.cross(p - centre);
    body_.place(rest(), v);
  }
  void step() {
    StepInput input;
    input.h = h, input.gravity = gravity, input.colliders = colliders, input.pool = &pool_;
    for (Collider& c : colliders) c.aim(time, time + h);
    time += h;
    const StepReport report = body_.advance(input);
    ASSERT_TRUE(report.ok()) << report.trouble;
  }
  void run(double seconds) {
    for (int k = 0; k < int(std::lround(seconds / h)); ++k) step();
  }
  double energy() const {
    double sum = body_.elastic_energy();
    for (std::size_t i = 0; i < rest().size(); ++i)
      sum += 0.5 * body_.nodes().mass[i] * body_.nodes().v[i].squaredNorm();
    return sum;
  }
  double speed() const {
    double most = 0;
    for (const Vec3& v : body_.nodes().v) most = std::max(most, v.norm());
    return most;
  }
  CellState cells() const { return cell_state(model_, body_.nodes().x); }
  RigidMotion motion() {
    std::vector<RigidMotion> out(std::size_t(model_.parts)), scratch;
    measure(model_.part, model_.mass, body_.nodes().x, body_.nodes().v, out, pool_, scratch);
    return out[0];
  }

  double h = 1.0 / 60, time = 0;
  Vec3 gravity{0, 0, 0};
  std::vector<Collider> colliders;

 private:
  static Model make(const Shape& shape, const Options& options, double density) {
    Result<Model> model = make_model(shape.graph, density, options);
    EXPECT_TRUE(model) << model.error().text();
    return std::move(*model);
  }
  Model model_;
  Body body_;
  Pool pool_{1};
};

Collider ground(double friction = 0.5) {
  return Collider(PlaneCollider{{0, 0, 0}, {0, 1, 0}}, {}, friction, 0);
}

/// A ball on a lattice, its lowest point half a metre above the ground.
Shape ball(int nodes) {
  Pool pool(1);
  const Shape fine = make_shape(EllipsoidShape{.radii = {0.5, 0.5, 0.5}, .nodes = 24, .center = {0, 1, 0}});
  return on_lattice(fine.surface, moments_of(fine.graph.positions, fine.graph.volumes), 1.0 / (nodes - 1),
                    pool);
}

/// All different moments of inertia; spun about the middle one it flips over and over.
Shape racket() { return make_shape(BoxShape{.size = {1, 0.2, 0.6}, .nodes = {11, 3, 7}}); }

TEST(MetricMotion, a_free_spin_gains_no_energy) {
  for (const Integrator integrator : {Integrator::stable, Integrator::accurate, Integrator::lively})
    for (const double stiffness : {1e6, 1e7}) {
      if (integrator != Integrator::stable && stiffness > 1e6) continue;
      Trial trial(racket(), {.stiffness = stiffness, .integrator = integrator});
      trial.spin({0.3, 0, 6});
      const double start = trial.energy();
      double most = start;
      const int steps = integrator == Integrator::stable ? 600 : 200;
      for (int k = 0; k < steps; ++k) trial.step(), most = std::max(most, trial.energy());
      EXPECT_LE(most, 1.001 * start) << int(integrator) << ' ' << stiffness;
      EXPECT_GT(trial.energy(), 0.97 * start) << int(integrator) << ' ' << stiffness;
    }
}

/// When a rigid body of this inertia, spun by w, flips: its spin along the axis of the body changes sign.
std::vector<double> flips_of_euler(const Mat3& inertia, const Vec3& w, double seconds) {
  const Mat3 inverse = inertia.inverse();
  Vec3 m = inertia * w;
  std::vector<double> out;
  const double dt = 1e-4;
  const auto rate = [&](const Vec3& at) { return Vec3(at.cross(inverse * at)); };
  for (int k = 0; k < int(seconds / dt); ++k) {
    const Vec3 a = rate(m), b = rate(m + dt / 2 * a), c = rate(m + dt / 2 * b), d = rate(m + dt * c);
    const Vec3 next = m + dt / 6 * (a + 2 * b + 2 * c + d);
    if (next.z() * m.z() < 0) out.push_back(dt * k);
    m = next;
  }
  return out;
}

TEST(MetricMotion, a_tennis_racket_flips_when_eulers_equations_say) {
  Trial trial(racket(), {.stiffness = 1e7});
  trial.h = 1.0 / 240;
  trial.spin({0.3, 0, 6});
  const std::vector<double> theory = flips_of_euler(trial.motion().inertia, {0.3, 0, 6}, 10);
  const Index first = 0, last = [&] {  // two nodes of one column along z
    Index best = 0;
    for (Index i = 0; i < Index(trial.rest().size()); ++i)
      if ((trial.rest()[i] - trial.rest()[0]).cwiseAbs().head<2>().maxCoeff() < 1e-9) best = i;
    return best;
  }();
  const Vec3 spin = trial.motion().angular;
  std::vector<double> flips;
  double before = 1;
  for (int k = 0; k < 2400; ++k) {
    trial.step();
    const Vec3 z = trial.body().nodes().x[last] - trial.body().nodes().x[first];
    const double now = z.dot(spin);
    if (now * before < 0) flips.push_back(trial.time);
    before = now;
  }
  ASSERT_EQ(flips.size(), theory.size());
  EXPECT_NEAR(flips[0], theory[0], 0.01 * theory[0]);
  EXPECT_NEAR(flips.back(), theory.back(), 0.05 * theory.back());
}

TEST(MetricMotion, stiff_boxes_come_to_rest_on_the_ground) {
  for (const double stiffness : {1e5, 3e6, 1e7, 1e8})
    for (const std::array<int, 3> nodes : {std::array{5, 5, 5}, std::array{4, 9, 5}}) {
      Trial trial(
          make_shape(BoxShape{.size = {0.1 * (nodes[0] - 1), 0.1 * (nodes[1] - 1), 0.1 * (nodes[2] - 1)},
                              .nodes = nodes,
                              .corner = {0, 0.02, 0}}),
          {.stiffness = stiffness});
      trial.gravity = {0, -9.81, 0};
      trial.colliders = {ground()};
      trial.run(5);
      EXPECT_LT(trial.speed(), 1e-3) << stiffness;
    }
}

/// The step that lands, and the one after it, which starts with the forces of the blow.
TEST(MetricMotion, a_stiff_box_that_lands_does_not_pass_the_ground) {
  for (const Integrator integrator : {Integrator::bdf2, Integrator::stable, Integrator::accurate})
    for (const double height : {0.5, 0.52, 0.54}) {
      Trial trial(make_shape(BoxShape{.size = {0.4, 0.4, 0.4}, .nodes = {9, 9, 9}, .corner = {0, height, 0}}),
                  {.stiffness = 1e7, .integrator = integrator});
      trial.gravity = {0, -9.81, 0};
      trial.colliders = {ground()};
      double low = 0;
      for (int k = 0; k < 60; ++k) {
        trial.step();
        for (const Vec3& p : trial.body().nodes().x) low = std::min(low, p.y());
      }
      EXPECT_GT(low, -1e-3) << int(integrator) << ' ' << height;
    }
}

TEST(MetricMotion, a_box_squeezed_between_plates_widens_as_poisson_says) {
  Trial trial(make_shape(BoxShape{.size = {1, 1, 1}, .nodes = {7, 7, 7}}), {.stiffness = 1e6});
  const Motion down{.keys = {{.time = 0}, {.time = 2, .translate = {0, -0.2, 0}}}};
  trial.colliders = {ground(0), Collider(BoxCollider{{0.5, 1.1, 0.5}, {4, 0.2, 4}}, down, 0, 0)};
  trial.run(4);
  Vec3 low = trial.body().nodes().x[0], high = low;
  for (const Vec3& p : trial.body().nodes().x) low = low.cwiseMin(p), high = high.cwiseMax(p);
  // lateral Green's strain is -1/4 of that along the squeeze, (0.8^2 - 1)/2 = -0.18: sqrt(1.09) = 1.044
  for (const int axis : {0, 2}) EXPECT_NEAR(high[axis] - low[axis], 1.044, 0.02);
  EXPECT_NEAR(high.y() - low.y(), 0.8, 0.005);
  EXPECT_LT(trial.speed(), 1e-3);
}

TEST(MetricMotion, a_soft_ball_that_falls_stays_a_ball) {
  for (const double stiffness : {2e4, 3e4}) {
    Trial trial(ball(11), {.stiffness = stiffness});
    trial.gravity = {0, -9.81, 0};
    trial.colliders = {ground()};
    trial.run(5);
    EXPECT_EQ(trial.cells().inverted, 0) << stiffness;
    EXPECT_GT(trial.cells().volume_ratio, 0.8) << stiffness;
    EXPECT_LT(trial.speed(), stiffness > 2.5e4 ? 0.02 : 0.1) << stiffness;  // it still swings a little
  }
}

}  // namespace metric_motion_test
}  // namespace pliant::metric
