// SPDX-License-Identifier: Apache-2.0
// What the integrators of all methods owe to mechanics: the order in which they converge, free fall, pendulums.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <functional>
#include <string_view>

#include "pliant/geometry/lattice_shape.hpp"
#include "pliant/geometry/surface_graph.hpp"
#include "pliant/geometry/voxel_quadrature.hpp"
#include "pliant/methods/fem/build.hpp"
#include "pliant/methods/geometric/build.hpp"
#include "pliant/methods/metric/build.hpp"
#include "pliant/physics/metrics.hpp"

namespace pliant {
namespace integrators_test {

const Damping undamped{.mass = 0, .stiffness = 0};
constexpr double g = 9.81;

using Built = std::unique_ptr<Method>;

template <class T>
Built take(Result<T> made) {
  EXPECT_TRUE(made) << made.error().text();
  return made ? std::move(*made) : nullptr;
}
Built geometric_body(const Shape& shape, const geometric::Options& options) {
  return take(geometric::build(shape, 1000, undamped, options));
}
Built fem_body(const Shape& shape, const fem::Options& options) {
  return take(fem::build(shape, 1000, undamped, options));
}
Built metric_body(const Shape& shape, const metric::Options& options) {
  return take(metric::build(shape, 1000, undamped, options));
}

/// A body under gravity that stays where `held` says.
struct Trial {
  Method& body;
  std::vector<Index> held = {};
  double h = 1.0 / 60, gravity = g;
  Points forces = {};

  void steps(int count) {
    Points targets;
    for (const Index i : held) targets.push_back(body.nodes().x[i]);
    StepInput input;
    input.h = h, input.gravity = {0, -gravity, 0}, input.held = held, input.targets = targets,
    input.pool = &pool, input.forces = forces;
    for (int k = 0; k < count; ++k) {
      input.time += h;
      const StepReport report = body.advance(input);
      ASSERT_TRUE(report.ok()) << report.trouble;
    }
  }
  Vec3 centre() const {
    Vec3 sum = Vec3::Zero();
    double mass = 0;
    const NodeState& now = body.nodes();
    for (std::size_t i = 0; i < now.x.size(); ++i) sum += now.mass[i] * now.x[i], mass += now.mass[i];
    return sum / mass;
  }

  Pool pool{1};
};

/// One way to make a body; the shape is what it is made of.
struct Way {
  const char* name;
  std::function<Built(const Shape&)> build;
  bool surface_nodes = false;

  Shape fit(const Shape& shape) const { return surface_nodes ? on_surface(shape, 0.05) : shape; }
};

std::vector<Way> second_order_ways() {
  using namespace geometric;
  const auto of = [](Options options) {
    return [options](const Shape& shape) { return geometric_body(shape, options); };
  };
  const double stiff = 2e6, exact = 0.01;  // steps solved so well that only the integrator errs
  return {
      {"geometric", of({.stiffness = stiff, .tolerance = exact})},
      {"multigrid", of({.stiffness = stiff, .tolerance = exact, .linear_solver = LinearSolver::multigrid})},
      {"local-global", of({.stiffness = stiff, .step_solver = StepSolver::local_global, .iterations = 120})},
      {"kept volume", of({.op = Operator::edge, .stiffness = stiff, .tolerance = exact, .keep_volume = true}),
       true},
      {"fem", [=](const Shape& shape) { return fem_body(shape, {.stiffness = stiff}); }},
      {"metric", [=](const Shape& shape) { return metric_body(shape, {.stiffness = stiff}); }},
      {"metric on a mesh", [=](const Shape& shape) {
         return metric_body(shape, {.lattice = metric::Lattice::mesh, .stiffness = stiff});
       }}};
}

/// Of first order, but they fall as theory says.
std::vector<Way> first_order_ways() {
  const auto of = [](metric::Integrator integrator) {
    return [=](const Shape& shape) { return metric_body(shape, {.integrator = integrator}); };
  };
  using metric::Integrator;
  return {{"metric stable", of(Integrator::stable)},
          {"metric accurate", of(Integrator::accurate)},
          {"metric lively", of(Integrator::lively)}};
}

/// Its steps are those of the full body in fewer functions (unit test of reduced bodies).
Way reduced() {
  return {"reduced", [](const Shape& shape) {
            return geometric_body(shape, {.reduction = geometric::Reduction{.modal = 4}});
          }};
}

/// For metric bodies edges between all nodes of a cell: on its edges alone one of length constraints has no shear
/// stiffness.
Shape bar(const Way& way) {
  const bool metric = std::string_view(way.name).starts_with("metric");
  return make_shape(BoxShape{.size = {1, 0.2, 0.2},
                             .nodes = {11, 3, 3},
                             .neighbourhood = metric ? Neighbourhood::all_pairs : Neighbourhood::edges});
}

std::vector<Index> nodes_where(const Method& body, const std::function<bool(const Vec3&)>& test) {
  std::vector<Index> out;
  for (std::size_t i = 0; i < body.nodes().x.size(); ++i)
    if (test(body.nodes().x[i])) out.push_back(Index(i));
  return out;
}

TEST(Integrators, free_fall_is_exact_from_the_first_step_on) {
  std::vector<Way> ways = second_order_ways();
  ways.push_back(reduced());
  for (const Way& way : first_order_ways()) ways.push_back(way);
  for (const Way& way : ways) {
    const Built body = way.build(way.fit(bar(way)));
    Trial run{*body};
    const double start = run.centre().y();
    run.steps(60);
    EXPECT_NEAR((start - run.centre().y()) / (g / 2), 1, 1e-5) << way.name;
    run.h = 1.0 / 120;  // a new step length is a new start
    run.steps(60);
    EXPECT_NEAR((start - run.centre().y()) / (g / 2 * 2.25), 1, 1e-5) << way.name;
  }
}

/// Bends the body in its first mode, 1 cm at its end, by inverse iteration: K u_new = M u. Steps far longer
/// than any period are static solves.
void bend_in_first_mode(Method& body, Trial& trial) {
  const Points rest = body.nodes().x, still(rest.size(), Vec3::Zero());
  Points u = rest;
  for (Vec3& p : u) p = {0, p.x() * p.x(), 0};
  for (int k = 0; k < 4; ++k) {
    for (std::size_t i = 0; i < u.size(); ++i) trial.forces[i] = body.nodes().mass[i] * u[i];
    body.place(rest, still);
    trial.h = 100;
    trial.steps(20);
    for (std::size_t i = 0; i < u.size(); ++i) u[i] = body.nodes().x[i] - rest[i];
    double scale = 0.01 / u.back().y();
    for (Vec3& p : u) p *= scale;
  }
  trial.forces.clear();
  Points x = rest;
  for (std::size_t i = 0; i < u.size(); ++i) x[i] += u[i];
  body.place(x, still);
}

/// Places of the end 15 times in half a second.
std::vector<double> swing(const Way& way, int steps_a_place) {
  const Built body = way.build(way.fit(bar(way)));
  Trial run{*body, nodes_where(*body, [](const Vec3& x) { return x.x() < 1e-6; })};
  run.gravity = 0;
  run.forces.resize(body->nodes().x.size());
  bend_in_first_mode(*body, run);
  run.h = 1.0 / (30 * steps_a_place);
  std::vector<double> out;
  for (int k = 0; k < 15; ++k) {
    run.steps(steps_a_place);
    out.push_back(body->nodes().x.back().y());
  }
  return out;
}

double apart(const std::vector<double>& a, const std::vector<double>& b) {
  double sum = 0;
  for (std::size_t k = 0; k < a.size(); ++k) sum += (a[k] - b[k]) * (a[k] - b[k]);
  return std::sqrt(sum / double(a.size()));
}

TEST(Integrators, the_swing_of_a_bar_converges_with_the_square_of_the_step) {
  for (const Way& way : second_order_ways()) {
    const std::vector<double> reference = swing(way, 64);
    const double coarse = apart(swing(way, 2), reference), middle = apart(swing(way, 4), reference),
                 fine = apart(swing(way, 8), reference);
    const double order = std::log2(coarse / fine) / 2;
    fmt::print("{}: order {:.2f}\n", way.name, order);
    EXPECT_GT(order, 1.9) << way.name << ' ' << coarse << ' ' << middle << ' ' << fine;
  }
}

}  // namespace integrators_test
}  // namespace pliant
