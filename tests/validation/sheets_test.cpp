// SPDX-License-Identifier: Apache-2.0
// Sheets and shells against plate, beam and shell theory: thickness and stiffness mean what they say, whatever
// the mesh and the spacing over the thickness.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "pliant/contact/collider.hpp"
#include "pliant/geometry/surface_graph.hpp"
#include "pliant/methods/geometric/build.hpp"
#include "pliant/methods/geometric/energy.hpp"
#include "pliant/methods/geometric/sheet/energy.hpp"
#include "pliant/methods/geometric/surface_rows.hpp"
#include "pliant/physics/metrics.hpp"
#include "tests/support/linear_algebra.hpp"
#include "tests/support/sheet_meshes.hpp"

namespace pliant {
namespace sheets_test {

const double pi = std::acos(-1.0);

struct Sheet {
  TriMesh mesh;
  double thickness = 0.01, stiffness = 1e9, density = 1000, poisson = 0;

  NodeGraph graph() const { return surface_graph(mesh.vertices, mesh.triangles, thickness); }
  geometric::Options options() const {
    geometric::Options out;
    out.preset = geometric::Preset::shell;
    out.stiffness = stiffness;
    out.sheet.poisson = poisson;
    return out;
  }
  geometric::Rows rows() const { return *geometric::make_surface_rows(graph(), density, options()); }
  /// E I of a strip of this width, N m^2.
  double flexure(double width) const { return stiffness * width * std::pow(thickness, 3) / 12; }
};

std::unique_ptr<Method> body_of(geometric::Rows rows, const geometric::Options& options) {
  auto body = geometric::build(std::move(rows), {.mass = 0, .stiffness = 0}, options);
  EXPECT_TRUE(body) << body.error().text();
  return std::move(*body);
}

/// Nodes that a test holds where they rest.
struct Held {
  std::vector<Index> nodes;
  Points targets;

  template <class Choose>
  Held(const Points& rest, const Choose& choose) {
    for (std::size_t i = 0; i < rest.size(); ++i)
      if (choose(rest[i])) nodes.push_back(Index(i)), targets.push_back(rest[i]);
  }
  StepInput input(Pool& pool, const Vec3& gravity, double h = 1.0 / 60) const {
    return {.h = h, .gravity = gravity, .held = nodes, .targets = targets, .contact = {}, .pool = &pool};
  }
};

void settle(Method& body, const StepInput& input) {
  RelaxMemory memory;
  Relaxation now;
  for (int k = 0; k < 100; ++k) {
    now = body.relax(input, 1e-6, memory);
    ASSERT_TRUE(now.trouble.empty()) << now.trouble;
    if (now.residual <= 1e-6 || now.stuck) break;
  }
  EXPECT_LE(now.residual, 1e-5);
}

double mean_of(const Points& x, const std::vector<Index>& nodes, int axis) {
  double sum = 0;
  for (const Index i : nodes) sum += x[i][axis] / double(nodes.size());
  return sum;
}

std::vector<Index> tip_of(const Points& rest, double length) {
  return Held(rest, [&](const Vec3& p) { return p.z() > length - 1e-9; }).nodes;
}

// ---- cantilever of 1 x 0.2 m: two rows are held, the clamp lies midway between them ----

struct Strip {
  Sheet sheet;
  double spacing, clamped;  ///< m; length from the clamp on
  Strip(int along, double thickness, double stiffness, double jitter, unsigned seed = 1)
      : sheet{sheet_mesh({.across = along / 5, .along = along, .jitter = jitter, .seed = seed}), thickness,
              stiffness},
        spacing(1.0 / along),
        clamped(1 - spacing / 2) {}
  Held held() const {
    return {sheet.mesh.vertices, [&](const Vec3& p) { return p.z() < 1.01 * spacing; }};
  }
};

/// Tip under its own weight over q L^4/(8 E I), sinking by a hundredth of the length.
double sag_ratio(const Strip& strip) {
  const Sheet& s = strip.sheet;
  const double load = s.density * s.thickness * 0.2, ei = s.flexure(0.2), length = strip.clamped;
  const double gravity = 0.01 * 8 * ei / (load * std::pow(length, 3));
  auto body = body_of(s.rows(), s.options());
  Pool pool(2);
  const Held held = strip.held();
  settle(*body, held.input(pool, {0, -gravity, 0}));
  return -mean_of(body->nodes().x, tip_of(s.mesh.vertices, 1), 1) / (0.01 * length);
}

TEST(Sheets, a_cantilever_sags_as_plate_theory_says_for_spacing_over_thickness_2_to_50) {
  for (const double thickness : {0.0125, 0.01, 0.001, 0.0005})
    for (const double jitter : {0.0, 0.3}) {
      const double ratio = sag_ratio({40, thickness, 1e9, jitter});
      fmt::print("spacing {:g} times the thickness, jitter {}: sag {:.4f} of theory\n", 0.025 / thickness,
                 jitter, ratio);
      EXPECT_NEAR(ratio, 1, 0.01);
    }
  EXPECT_NEAR(sag_ratio({20, 0.01, 1e9, 0.3, 3}), 1, 0.02);  // coarser
  EXPECT_NEAR(sag_ratio({10, 0.01, 1e9, 0.0}), 1, 0.03);
}

/// The first period of a strip that is let go under gravity, at 60 steps a second, over theory's.
double period_ratio(const Strip& strip) {
  const Sheet& s = strip.sheet;
  const double first = 1.8751 * 1.8751 / (2 * pi) *
                       std::sqrt(s.stiffness * s.thickness * s.thickness / (12 * s.density)) /
                       (strip.clamped * strip.clamped);
  auto body = body_of(s.rows(), s.options());
  Pool pool(2);
  const Held held = strip.held();
  const std::vector<Index> tip = tip_of(s.mesh.vertices, 1);
  std::vector<double> height;
  for (int step = 0; step < 160; ++step) {
    const StepReport report = body->advance(held.input(pool, {0, -1, 0}));
    EXPECT_TRUE(report.ok()) << report.trouble;
    height.push_back(mean_of(body->nodes().x, tip, 1));
  }
  double mean = 0;
  for (const double y : height) mean += y / double(height.size());
  std::vector<double> crossings;
  for (std::size_t k = 1; k < height.size(); ++k)
    if (height[k - 1] < mean && height[k] >= mean)
      crossings.push_back(double(k) - (height[k] - mean) / (height[k] - height[k - 1]));
  EXPECT_GE(crossings.size(), 3u);
  return (crossings.back() - crossings.front()) / double(crossings.size() - 1) / 60 * first;
}

TEST(Sheets, a_cantilever_swings_with_its_first_frequency_at_60_steps_a_second) {
  for (const auto& [thickness, stiffness] : {std::pair{0.01, 1e9}, {0.001, 1e11}}) {
    const double ratio = period_ratio({40, thickness, stiffness, 0.3});
    fmt::print("spacing {:g} times the thickness: period {:.4f} of theory\n", 0.025 / thickness, ratio);
    EXPECT_NEAR(ratio, 1, 0.03);  // BDF2 is late by 0.8 %
  }
}

// ---- linear answers by a dense solve with the Hessian at rest ----

/// x of H x = f at rest on the nodes that are not held. `ground`, N/m, keeps a free body in place.
Points answer(const Sheet& sheet, const std::vector<Index>& held, const Points& f, double ground = 0) {
  const auto model = geometric::make_model(sheet.rows());
  const std::size_t n = model->rest.size();
  geometric::Rotations still(std::size_t(model->owners()), Eigen::Quaterniond::Identity());
  std::vector<char> is_held(n, 0);
  for (const Index i : held) is_held[i] = 1;
  std::vector<std::size_t> free;
  for (std::size_t i = 0; i < n; ++i)
    if (!is_held[i]) free.push_back(i);
  Eigen::MatrixXd h(3 * free.size(), 3 * free.size());
  Eigen::VectorXd load(3 * free.size());
  Points p(n, Vec3::Zero()), image(n);
  for (std::size_t k = 0; k < 3 * free.size(); ++k) {
    double& unit = p[free[k / 3]][Index(k % 3)];
    unit = 1;
    geometric::hessian_product(*model->sheet, model->rest, still, p, image);
    unit = 0;
    for (std::size_t i = 0; i < 3 * free.size(); ++i)
      h(Index(i), Index(k)) = image[free[i / 3]][Index(i % 3)];
    h(Index(k), Index(k)) += ground;
    load[Index(k)] = f[free[k / 3]][Index(k % 3)];
  }
  const Eigen::VectorXd x = solve_positive(h, load);
  Points out(n, Vec3::Zero());
  for (std::size_t k = 0; k < 3 * free.size(); ++k) out[free[k / 3]][Index(k % 3)] = x[Index(k)];
  return out;
}

TEST(Sheets, a_strip_twists_as_plate_theory_says) {
  // T L/(2 D (1 - nu) W); the clamp hinders warping, which makes it 0.97 of that at W/L = 0.2.
  for (const double jitter : {0.0, 0.2}) {
    const Strip strip(40, 0.01, 1e9, jitter);
    Points f(strip.sheet.mesh.vertices.size(), Vec3::Zero());
    const std::vector<Index> tip = tip_of(strip.sheet.mesh.vertices, 1);
    double torque = 0;
    for (const Index i : tip) {
      const double x = strip.sheet.mesh.vertices[i].x() - 0.1;
      f[i].y() = x;
      torque += x * x;
    }
    const Points u = answer(strip.sheet, strip.held().nodes, f);
    double turn = 0, square = 0;
    for (const Index i : tip) {
      const double x = strip.sheet.mesh.vertices[i].x() - 0.1;
      turn += x * u[i].y(), square += x * x;
    }
    const double d = strip.sheet.flexure(1), wanted = torque * strip.clamped / (2 * d * 0.2);
    fmt::print("twist, jitter {}: {:.4f} of theory\n", jitter, turn / square / wanted);
    EXPECT_NEAR(turn / square / wanted, 0.97, 0.05 * 0.97);
  }
}

TEST(Sheets, a_pinched_cylinder_with_free_ends_yields_as_shell_theory_says) {
  // R 4.953, length 10.35, t 0.094, E 10.5e6, nu 0.3125, two forces of 100 across the middle: 0.1139.
  for (const double jitter : {0.0, 0.25}) {
    Sheet sheet{tube_mesh(4.953, 10.35, 32, 10, jitter), 0.094, 10.5e6, 1, 0.3125};
    Points f(sheet.mesh.vertices.size(), Vec3::Zero());
    const std::size_t one = 5 * 32, other = one + 16;
    sheet.mesh.vertices[one] = {4.953, 0, 5.175};
    sheet.mesh.vertices[other] = {-4.953, 0, 5.175};
    f[one].x() = -100, f[other].x() = 100;
    const Points u = answer(sheet, {}, f, 1e-4);
    const double yields = (u[other].x() - u[one].x()) / 2;
    fmt::print("pinched cylinder, jitter {}: {:.4f} of theory\n", jitter, yields / 0.1139);
    EXPECT_NEAR(yields / 0.1139, 1, 0.05);
  }
}

// ---- large bending ----

TEST(Sheets, a_dead_load_at_the_tip_turns_it_by_60_degrees_as_the_elastica) {
  // P L^2/(E I) = 3.40541: tip at 0.71317, 0.63402 of the length.
  for (const auto& [along, thickness, jitter] :
       {std::tuple{40, 0.01, 0.3}, {20, 0.001, 0.0}, {40, 0.01, 0.0}}) {
    const Strip strip(along, thickness, 1e9, jitter);
    const Sheet& s = strip.sheet;
    geometric::Rows rows = s.rows();
    const std::vector<Index> tip = tip_of(s.mesh.vertices, 1);
    const double load = 3.40541 * s.flexure(0.2) / (strip.clamped * strip.clamped);
    for (double& m : rows.mass) m *= 1e-4;  // gravity acts on the tip alone
    const double width = 0.2 / double(tip.size() - 1);
    for (const Index i : tip) {
      const double x = s.mesh.vertices[i].x();
      rows.mass[i] = load * width / 0.2 * (x < 1e-9 || x > 0.2 - 1e-9 ? 0.5 : 1);
    }
    auto body = body_of(std::move(rows), s.options());
    Pool pool(2);
    const Held held = strip.held();
    settle(*body, held.input(pool, {0, -1, 0}));
    const double from = 1 - strip.clamped;
    const double z = (mean_of(body->nodes().x, tip, 2) - from) / strip.clamped;
    const double y = -mean_of(body->nodes().x, tip, 1) / strip.clamped;
    fmt::print("elastica, spacing {:g}, t {:g}, jitter {}: off by {:.4f}, {:.4f} of the length\n",
               strip.spacing, thickness, jitter, z - 0.71317, y - 0.63402);
    EXPECT_NEAR(z, 0.71317, 0.005);
    EXPECT_NEAR(y, 0.63402, 0.005);
  }
}

// ---- motion ----

struct Falling {
  double start = 0, most = 0, last = 0;  ///< energies, J
  double most_strain = 0;
  Points x;
};

/// A cloth of 1 m^2 and t 0.5 mm, pinned at two corners, falls from horizontal.
Falling fall(double stiffness, int steps, double tolerance = 0.1) {
  const TriMesh mesh = sheet_mesh({.width = 1, .length = 1, .across = 20, .along = 20, .jitter = 0.2});
  const Sheet sheet{mesh, 0.0005, stiffness, 400};
  geometric::Options options = sheet.options();
  options.tolerance = tolerance;
  auto body = body_of(sheet.rows(), options);
  const Held held(mesh.vertices, [](const Vec3& p) { return p.z() == 0 && (p.x() == 0 || p.x() == 1); });
  Pool pool(2);
  const Vec3 gravity(0, -9.81, 0);
  const auto energy = [&] {
    double sum = body->elastic_energy() + kinetic_energy(body->nodes());
    for (std::size_t i = 0; i < mesh.vertices.size(); ++i)
      sum -= body->nodes().mass[i] * gravity.dot(body->nodes().x[i]);
    return sum;
  };
  Falling out;
  out.start = out.most = energy();
  for (int step = 0; step < steps; ++step) {
    const StepReport report = body->advance(held.input(pool, gravity));
    EXPECT_TRUE(report.ok()) << report.trouble;
    out.last = energy();
    out.most = std::max(out.most, out.last);
  }
  out.x = body->nodes().x;
  return out;
}

TEST(Sheets, a_falling_cloth_never_has_more_energy_than_at_its_start) {
  const double weight = 0.0005 * 400 * 9.81;
  for (const double stiffness : {1e6, 1e8}) {
    const Falling cloth = fall(stiffness, 90);
    double lowest = 0;
    for (const Vec3& p : cloth.x) lowest = std::min(lowest, p.y());
    fmt::print("cloth, {:g} Pa: at most {:.2e} J above its start, {:.3f} J at last, lowest at {:.3f} m\n",
               stiffness, cloth.most - cloth.start, cloth.last - cloth.start, lowest);
    EXPECT_LT(cloth.most - cloth.start, 1e-4 * weight);
    EXPECT_LT(lowest, -0.8);
    EXPECT_GT(lowest, -1.6);
  }
}

TEST(Sheets, a_falling_cloth_is_where_fully_solved_steps_put_it_after_half_a_second) {
  for (const double stiffness : {1e6, 1e8}) {
    const Points x = fall(stiffness, 30).x, solved = fall(stiffness, 30, 0.003).x;
    double sum = 0;
    for (std::size_t i = 0; i < x.size(); ++i) sum += (x[i] - solved[i]).squaredNorm() / double(x.size());
    fmt::print("cloth, {:g} Pa: {:.4f} m from solved steps after 0.5 s\n", stiffness, std::sqrt(sum));
    EXPECT_LT(std::sqrt(sum), 0.01);
  }
}

TEST(Sheets, a_cloth_lies_down_on_a_ball_and_stays_outside_of_it) {
  const TriMesh mesh = sheet_mesh({.width = 1, .length = 1, .across = 20, .along = 20, .jitter = 0.2});
  const Sheet sheet{mesh, 0.001, 1e6, 400};
  Shape shape;
  shape.surface = mesh;
  shape = on_surface(shape, 0.001);
  auto built = geometric::build(shape, 400, {.mass = 1, .stiffness = 0.001}, sheet.options());
  ASSERT_TRUE(built) << built.error().text();
  const std::vector<Collider> colliders{
      Collider(SphereCollider{.center = {0.5, -0.35, 0.5}, .radius = 0.3}, {}, 0.5, 0)};
  Pool pool(2);
  StepInput input{.h = 1.0 / 60, .gravity = {0, -9.81, 0}, .contact = {}, .pool = &pool};
  input.colliders = colliders;
  double nearest = 1;
  int contacts = 0;
  for (int step = 0; step < 90; ++step) {
    const StepReport report = (*built)->advance(input);
    ASSERT_TRUE(report.ok()) << report.trouble;
    contacts = std::max(contacts, report.contacts);
    for (const Vec3& p : (*built)->nodes().x) nearest = std::min(nearest, (p - Vec3(0.5, -0.35, 0.5)).norm());
  }
  fmt::print("cloth on a ball: {} contacts, nearest {:.4f} m of 0.3\n", contacts, nearest);
  EXPECT_GT(contacts, 10);
  EXPECT_GT(nearest, 0.297);
}

}  // namespace sheets_test
}  // namespace pliant
