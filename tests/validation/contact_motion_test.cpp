// SPDX-License-Identifier: Apache-2.0
// Bodies that fall, roll, tip and tumble: no energy from contact, no jitter, and stiff bodies turn as rigid
// ones do.
#include "tests/support/contact_rig.hpp"

namespace pliant {
namespace contact_motion_test {

using geometric::Integrator;

enum class Fall { flat, corner, legs };

Shape box() {
  return make_shape(BoxShape{.size = {0.5, 0.5, 0.5}, .nodes = {7, 7, 7}, .corner = {-0.25, 0.5, -0.25}});
}

/// 13 x 9 x 7 nodes with four legs.
Shape four_legged() {
  const int nx = 13, ny = 9, nz = 7;
  Points nodes;
  std::vector<std::array<Index, 8>> cells;
  std::vector<Index> known(nx * ny * nz, -1);
  const auto node = [&](int x, int y, int z) {
    Index& k = known[(x * ny + y) * nz + z];
    if (k < 0) {
      k = Index(nodes.size());
      nodes.push_back(0.06 * Vec3(x, y, z) + Vec3(0, 0.5, 0));
    }
    return k;
  };
  for (int x = 0; x < nx - 1; ++x)
    for (int y = 0; y < ny - 1; ++y)
      for (int z = 0; z < nz - 1; ++z) {
        if (y < 4 && !((x < 3 || x >= 9) && (z < 2 || z >= 4))) continue;
        std::array<Index, 8> cell;
        for (int c = 0; c < 8; ++c) cell[c] = node(x + (c & 1), y + (c >> 1 & 1), z + (c >> 2));
        cells.push_back(cell);
      }
  return shape_from_cells(nodes, cells);
}

/// On a corner, half a metre up, three degrees off balance.
Points on_corner(Points x) {
  const Mat3 turn =
      Eigen::AngleAxisd(0.05, Vec3(0.3, 0, 1).normalized()).toRotationMatrix() *
      Eigen::AngleAxisd(std::atan(std::sqrt(2.0)), Vec3(1, 0, -1).normalized()).toRotationMatrix();
  double low = 1e9;
  for (Vec3& p : x) p = turn * (p - Vec3(0, 0.75, 0)), low = std::min(low, p.y());
  for (Vec3& p : x) p.y() += 0.5 - low;
  return x;
}

struct Setting {
  Fall fall;
  Integrator integrator;
  double modulus, steps_a_second;
  double gain;  ///< of energy in one step, share of m g h
  double rest;  ///< s
};

class Drop : public testing::TestWithParam<Setting> {};

TEST_P(Drop, gains_no_energy_stays_out_and_comes_to_rest) {
  const Setting& s = GetParam();
  ContactRig r(s.fall == Fall::legs ? four_legged() : box(), s.modulus, s.integrator, 1 / s.steps_a_second);
  if (s.fall == Fall::corner) r.body->place(on_corner(r.nodes().x), Points(r.nodes().x.size(), Vec3::Zero()));
  r.colliders.push_back(plane_collider(0.5));
  const double drop = r.mass() * 9.81 * 0.5, start = r.energy();
  double energy = start, gain = 0, rest = -1;
  while (r.time() < s.rest + 0.5) {
    ASSERT_TRUE(r.step());
    const double now = r.energy();
    gain = std::max(gain, now - energy);
    energy = now;
    ASSERT_LE(now, start * (1 + 1e-9));
    if (r.fastest() > 1e-3)
      rest = -1;
    else if (rest < 0)
      rest = r.time();
  }
  measured("gain", gain / drop);
  measured("rest", rest);
  measured("fastest", r.fastest());
  measured("deepest", r.deepest / (s.fall == Fall::legs ? 0.72 : 0.5));
  EXPECT_LE(gain / drop, s.gain);
  EXPECT_LE(r.deepest, 2e-4 * (s.fall == Fall::legs ? 0.72 : 0.5));
  EXPECT_GE(rest, 0) << "fastest node at the end: " << r.fastest() << " m/s";
  EXPECT_LE(rest, s.rest);
  EXPECT_NEAR(r.report.contact_impulse.y() / (r.mass() * 9.81 * r.h), 1, 1e-3);
}

INSTANTIATE_TEST_SUITE_P(
    Bodies, Drop,
    testing::Values(
        Setting{Fall::flat, Integrator::euler, 1e5, 30, 1e-2, 1.8},
        Setting{Fall::flat, Integrator::euler, 1e7, 60, 1e-2, 1.8},
        Setting{Fall::corner, Integrator::euler, 1e7, 30, 1e-2, 2.1},
        Setting{Fall::legs, Integrator::euler, 1e6, 60, 1e-2, 6},
        // BDF2's energy lives in two instants: what swings back shows a gain in one of them. The
        // same box set free in space at its deepest gains as much, docs/methods/contact.md. On a corner it
        // is 0.04 to 0.06, by where in a step the impact falls (heights of 0.48 to 0.53 m).
        Setting{Fall::flat, Integrator::bdf2, 1e6, 60, 1.2e-2, 1.8},
        Setting{Fall::flat, Integrator::bdf2, 1e7, 30, 1e-2, 1.8},
        Setting{Fall::corner, Integrator::bdf2, 1e7, 60, 6.5e-2, 2.4},
        Setting{Fall::legs, Integrator::bdf2, 1e6, 60, 1.5e-2, 6}),
    [](const auto& given) {
      const Setting& s = given.param;
      return std::string(s.fall == Fall::flat     ? "flat"
                         : s.fall == Fall::corner ? "corner"
                                                  : "legs") +
             (s.integrator == Integrator::bdf2 ? "_bdf2_1e" : "_euler_1e") +
             std::to_string(int(std::log10(s.modulus))) + "_" + std::to_string(int(s.steps_a_second));
    });

class Turning : public testing::TestWithParam<Integrator> {
 protected:
  static constexpr double radius = 0.25;
  static Shape ball() {
    return make_shape(
        EllipsoidShape{.radii = {radius, radius, radius}, .nodes = 19, .center = {0, radius, 0}});
  }
};

TEST_P(Turning, a_dropped_ball_gains_no_energy_and_comes_to_lie_at_the_height_of_its_radius) {
  for (double modulus : {1e5, 1e6, 1e7}) {
    ContactRig r(ball(), modulus, GetParam(), 1.0 / 60, {.mass = 0, .stiffness = 0.002});
    Points x = r.nodes().x;
    for (Vec3& p : x) p.y() += 0.5;
    r.body->place(x, Points(x.size(), Vec3::Zero()));
    r.colliders.push_back(plane_collider(0.5));
    const double drop = r.mass() * 9.81 * 0.5, start = r.energy();
    double energy = start, gain = 0;
    while (r.time() < 3) {
      ASSERT_TRUE(r.step());
      const double now = r.energy();
      gain = std::max(gain, now - energy);
      energy = now;
      ASSERT_LE(now, start * (1 + 1e-9));
    }
    measured(fmt::format("gain_{:.0e}", modulus), gain / drop);
    measured(fmt::format("height_{:.0e}", modulus), r.center().y() / radius);
    EXPECT_LE(gain / drop, GetParam() == Integrator::bdf2 ? 2.4e-2 : 1e-6);  // measured 1.2e-2 and 1e-9
    EXPECT_LE(r.deepest, 2e-4 * 2 * radius);
    // Its weight flattens it, by (3 F/(4 E' sqrt(R)))^(2/3) after Hertz, E' = E/(1 - nu^2) with nu = 1/4: 17
    // % of its radius at 1e5 Pa, and then it swings for long.
    const double stiffness = 4 * modulus / (1 - 1.0 / 16) * std::sqrt(radius);
    const double flat = std::pow(3 * r.mass() * 9.81 / stiffness, 2.0 / 3) / radius;
    EXPECT_NEAR(r.center().y() / radius, 1 - flat, modulus < 1e6 ? 0.05 : 0.015);
  }
}

TEST_P(Turning, a_stiff_ball_rolls_down_an_incline_like_a_rigid_one) {
  ContactRig r(ball(), 1e7, GetParam(), 1.0 / 60);
  r.gravity = incline(20);
  r.colliders.push_back(plane_collider(0.5));
  double inertia = 0;
  for (std::size_t i = 0; i < r.nodes().x.size(); ++i) {
    const Vec3 p = r.nodes().x[i] - Vec3(0, radius, 0);
    inertia += r.nodes().mass[i] * (p.x() * p.x() + p.y() * p.y());
  }
  const double rigid = r.gravity.x() / (1 + inertia / (r.mass() * radius * radius));
  for (int i = 0; i < 90; ++i) ASSERT_TRUE(r.step());
  measured("over_rigid", r.velocity().x() / r.time() / rigid);
  EXPECT_NEAR(r.velocity().x() / r.time() / rigid, 1, 0.04);  // measured 0.98 and 0.995
}

TEST_P(Turning, a_ball_that_rolls_freely_keeps_its_energy) {
  ContactRig r(ball(), 1e7, GetParam(), 1.0 / 60);
  r.colliders.push_back(plane_collider(0.5));
  Points v;
  for (const Vec3& x : r.nodes().x)
    v.push_back(Vec3(2, 0, 0) + Vec3(0, 0, -2 / radius).cross(x - Vec3(0, radius, 0)));
  r.body->place(r.nodes().x, v);
  const double still = r.mass() * 9.81 * radius, start = r.energy() - still;
  double most = 0;
  for (int i = 0; i < 120; ++i) {
    ASSERT_TRUE(r.step());
    most = std::max(most, r.energy() - still);
  }
  measured("most_energy", most / start);
  measured("speed", r.velocity().x());
  // Twice what was measured: 1 % more at most, and 1.97 of 2 m/s after rolling 4 m.
  EXPECT_LE(most / start, 1.02);
  EXPECT_GE(r.velocity().x(), 1.94);
}

TEST_P(Turning, a_stiff_box_tips_over_its_edge_in_the_time_of_a_rigid_one) {
  ContactRig r(make_shape(BoxShape{.size = {0.5, 0.5, 0.5}, .nodes = {7, 7, 7}}), 1e7, GetParam(), 1.0 / 120);
  const Points rest = r.nodes().x;
  Points x = rest;
  const Mat3 lean = Eigen::AngleAxisd(40 * M_PI / 180, Vec3::UnitZ()).toRotationMatrix();
  for (Vec3& p : x) p = lean * p;
  r.body->place(x, Points(x.size(), Vec3::Zero()));
  r.colliders.push_back(plane_collider(1));
  std::size_t tip = 0;
  for (std::size_t i = 0; i < rest.size(); ++i)
    if ((rest[i] - Vec3(0.5, 0, 0)).norm() < 1e-9) tip = i;
  while (r.nodes().x[tip].y() > 1e-3 && r.time() < 2) ASSERT_TRUE(r.step());
  // The rigid body: angle from balance q, I q'' = m g d sin q.
  double inertia = 0;
  for (std::size_t i = 0; i < rest.size(); ++i)
    inertia += r.nodes().mass[i] * rest[i].head<2>().squaredNorm();
  double q = 5 * M_PI / 180, rate = 0, time = 0;
  for (; q < M_PI / 4; time += 1e-5) {
    rate += 1e-5 * r.mass() * 9.81 * 0.25 * std::sqrt(2.0) * std::sin(q) / inertia;
    q += 1e-5 * rate;
  }
  measured("over_rigid", r.time() / time);
  EXPECT_NEAR(r.time() / time, 1, 0.06) << r.time() << " s, rigid " << time << " s";
}

TEST_P(Turning, a_box_falls_from_a_sphere_onto_the_floor_and_rests) {
  ContactRig r(
      make_shape(BoxShape{.size = {0.5, 0.5, 0.5}, .nodes = {7, 7, 7}, .corner = {-0.15, 0.9, -0.2}}), 1e6,
      GetParam(), 1.0 / 60);
  r.colliders.push_back(plane_collider(0.5));
  r.colliders.emplace_back(SphereCollider{{0, 0.4, 0}, 0.4}, Motion{}, 0.5, 0.0);
  const double wait = GetParam() == Integrator::bdf2 ? 8 : 4;  // s; BDF2 damps next to nothing
  while (r.time() < wait) ASSERT_TRUE(r.step());
  EXPECT_LT(r.fastest(), 1e-3);
  EXPECT_LE(r.deepest, 2e-4 * 0.5);
}

INSTANTIATE_TEST_SUITE_P(Integrators, Turning, testing::Values(Integrator::bdf2, Integrator::euler),
                         [](const auto& given) {
                           return given.param == Integrator::bdf2 ? "bdf2" : "euler";
                         });

TEST(Tumbling, a_soft_box_tumbles_down_equally_fast_at_every_time_step) {
  double least = 1e9, most = 0;
  for (double rate : {240.0, 120.0, 60.0}) {
    ContactRig r(
        make_shape(BoxShape{.size = {0.5, 0.5, 0.5}, .nodes = {5, 5, 5}, .corner = {-0.25, 0.05, -0.25}}),
        1e5, Integrator::bdf2, 1 / rate);
    r.gravity = incline(35);
    r.colliders.push_back(plane_collider(0.8));
    Points v;
    for (const Vec3& x : r.nodes().x) v.push_back(Vec3(3, 0, 0) + Vec3(0, 0, -15).cross(x - Vec3(0, 0.3, 0)));
    r.body->place(r.nodes().x, v);
    for (int i = 0; i < int(4 * rate + 0.5); ++i) ASSERT_TRUE(r.step());
    least = std::min(least, r.velocity().norm());
    most = std::max(most, r.velocity().norm());
  }
  measured("slowest", least);
  measured("fastest", most);
  // A tenth or so is within what the impacts' times leave: each falls somewhere in a step, and what it costs
  // depends on how far the box has turned.
  EXPECT_LT(most / least, 1.2) << least << " to " << most << " m/s";
}

}  // namespace contact_motion_test
}  // namespace pliant
