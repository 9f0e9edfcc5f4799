// SPDX-License-Identifier: Apache-2.0
// What reduced bodies promise against the full body: the bar of section 4 of the paper's setting (unit bar,
// one end clamped, weight switched on), and the stiff bar at 60 steps a second.
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>

#include "pliant/geometry/shape.hpp"
#include "pliant/methods/geometric/build.hpp"
#include "pliant/methods/geometric/free_stiffness.hpp"
#include "pliant/methods/geometric/reduced/build.hpp"
#include "tests/support/points.hpp"

namespace pliant::geometric {
namespace reduction_test {

struct Bar {
  Rows rows;
  std::vector<Index> clamped;
  std::vector<std::size_t> tip;
  double h = 0.05, gravity = 1;
  Options options;
};

/// Spacing 1, masses 1, every edge 1143: it swings about a drop of nearly half its length.
Bar unit_bar() {
  const Shape shape = make_shape(BoxShape{.size = {8, 8, 40}, .nodes = {9, 9, 41}});
  Bar bar;
  bar.rows.rest = shape.graph.positions;
  bar.rows.edges = shape.graph.edges;
  bar.rows.mass.assign(bar.rows.rest.size(), 1);
  bar.rows.edge_weight.assign(bar.rows.edges.size(), 1143);
  return bar;
}

/// geometric/bar-stiff.
Bar stiff_bar() {
  const Shape shape = make_shape(BoxShape{.size = {0.4, 0.4, 2}, .nodes = {9, 9, 41}});
  Bar bar;
  bar.options.stiffness = 5e6;
  bar.rows = *make_rows(shape.graph, 1000, bar.options);
  bar.h = 1.0 / 60;
  bar.gravity = 9.81;
  return bar;
}

Bar with_ends(Bar bar) {
  const double length = bar.rows.rest.back().z();
  for (std::size_t i = 0; i < bar.rows.rest.size(); ++i) {
    if (bar.rows.rest[i].z() < 1e-9) bar.clamped.push_back(Index(i));
    if (bar.rows.rest[i].z() > length - 1e-9) bar.tip.push_back(i);
  }
  return bar;
}

Model model_of(const Bar& bar) { return std::move(*make_model(bar.rows)); }

std::unique_ptr<Method> full_body(const Bar& bar) {
  auto body = build(bar.rows, {.mass = 0, .stiffness = 0}, bar.options);
  EXPECT_TRUE(body) << body.error().text();
  return std::move(*body);
}

std::unique_ptr<Method> reduced_body(const Bar& bar, const Reduction& reduction,
                                     const std::vector<Points>& samples = {}) {
  Model model = model_of(bar);
  Result<Basis> basis = make_basis(model, {{bar.clamped, false}}, reduction, samples);
  EXPECT_TRUE(basis) << basis.error().text();
  Cubature all = every_node(model);
  return build_reduced(std::move(model), {}, {.mass = 0, .stiffness = 0}, bar.options, std::move(*basis),
                       std::move(all));
}

struct Path {
  Points tip;
  std::vector<Points> snapshots;  ///< every eighth step
  int violent = 0;
};

Path path(const Bar& bar, Method& body, int steps) {
  Pool pool(1);
  StepInput input;
  input.h = bar.h;
  input.gravity = {0, -bar.gravity, 0};
  input.pool = &pool;
  input.held = bar.clamped;
  Points targets;
  for (Index i : bar.clamped) targets.push_back(bar.rows.rest[i]);
  input.targets = targets;
  Path out;
  for (int step = 0; step < steps; ++step) {
    const StepReport report = body.advance(input);
    EXPECT_TRUE(report.ok()) << report.trouble;
    out.violent += report.violent;
    Vec3 mean = Vec3::Zero();
    for (std::size_t i : bar.tip) mean += (body.nodes().x[i] - bar.rows.rest[i]) / double(bar.tip.size());
    out.tip.push_back(mean);
    if (step % 8 == 7) out.snapshots.push_back(body.nodes().x);
  }
  return out;
}

TEST(Reduction, bases_follow_the_full_bar_or_lock_as_they_should) {
  const Bar bar = with_ends(unit_bar());
  const int steps = 400;
  const Path truth = path(bar, *full_body(bar), steps);
  const auto error = [&](const char* name, const Reduction& reduction,
                         const std::vector<Points>& samples = {}) {
    const auto body = reduced_body(bar, reduction, samples);
    const double value = relative_error(path(bar, *body, steps).tip, truth.tip);
    fmt::print("{}: {} unknowns, tip trajectory off by {:.5f}\n", name, body->describe().freedoms, value);
    return value;
  };
  EXPECT_LT(error("12 components of snapshots", {.basis = 12}, truth.snapshots), 1e-3);
  EXPECT_LT(error("4 modes times affine functions", {.modal = 4}), 0.02);
  EXPECT_GT(error("20 modes alone", {.modal = 20, .kind = ModalKind::pure}), 0.5);
}

/// The functions {x z, y z, z} of the published figures, from the middle of the clamped end.
Eigen::MatrixXd products(const Bar& bar) {
  Eigen::MatrixXd out(Eigen::Index(bar.rows.rest.size()), 3);
  for (Eigen::Index i = 0; i < out.rows(); ++i) {
    const Vec3 X = bar.rows.rest[std::size_t(i)] - Vec3(4, 4, 0);
    out.row(i) << X.x() * X.z(), X.y() * X.z(), X.z();
  }
  return out;
}

Eigen::MatrixXd modes_and_products(const Bar& bar, int modes) {
  const Model model = model_of(bar);
  std::vector<unsigned char> held(model.rest.size(), 0);
  for (Index i : bar.clamped) held[std::size_t(i)] = 1;
  const Eigen::MatrixXd psi = FreeStiffness(model, held).modes(modes), more = products(bar);
  Eigen::MatrixXd out(psi.rows(), psi.cols() + more.cols());
  out << psi, more;
  return out;
}

TEST(Reduction, rotations_of_the_whole_body_beside_the_modes_lock_less_than_modes_alone) {
  // The paper's rotation samples. The reference has products with z, which every bar but no other body has,
  // in their place: 0.535, 0.318 and 0.278 with 8, 12 and 40 modes.
  const Bar bar = with_ends(unit_bar());
  const int steps = 400;
  const Points truth = path(bar, *full_body(bar), steps).tip;
  const auto error = [&](const Reduction& reduction) {
    return relative_error(path(bar, *reduced_body(bar, reduction), steps).tip, truth);
  };
  const double affine = error({.modal = 4});
  const std::pair<int, double> table[] = {{8, 0.535}, {12, 0.318}, {40, 0.278}};
  for (const auto& [modes, reference] : table) {
    const double pure = error({.modal = modes, .kind = ModalKind::pure}),
                 rotations = error({.modal = modes, .kind = ModalKind::rotations});
    Model model = model_of(bar);
    Result<Basis> basis = make_basis(model, {{bar.clamped, false}}, modes_and_products(bar, modes));
    ASSERT_TRUE(basis) << basis.error().text();
    Cubature all = every_node(model);
    const auto body = build_reduced(std::move(model), {}, {.mass = 0, .stiffness = 0}, bar.options,
                                    std::move(*basis), std::move(all));
    const double with_products = relative_error(path(bar, *body, steps).tip, truth);
    fmt::print("{} modes: alone {:.3f}, with rotations {:.3f}, with products {:.3f} (reference {:.3f})\n",
               modes, pure, rotations, with_products, reference);
    EXPECT_LT(rotations, 0.8 * pure);
    EXPECT_GT(rotations, affine);
    EXPECT_NEAR(with_products, reference, 0.08);
  }
}

/// Time of the first lowest point and of the return, between the steps by a parabola.
std::array<double, 2> turning_times(const Points& tip, double h) {
  std::array<double, 2> out{};
  int found = 0;
  for (std::size_t t = 1; t + 1 < tip.size() && found < 2; ++t) {
    const double a = tip[t - 1].y(), b = tip[t].y(), c = tip[t + 1].y();
    if ((b - a) * (c - b) <= 0)
      out[std::size_t(found++)] = (double(t + 1) + 0.5 * (a - c) / (a - 2 * b + c)) * h;
  }
  return out;
}

TEST(Reduction, a_stiff_reduced_bar_swings_as_fast_as_the_full_one) {
  const Bar bar = with_ends(stiff_bar());
  const Path truth = path(bar, *full_body(bar), 64);
  const auto wanted = turning_times(truth.tip, bar.h);
  const auto body = reduced_body(bar, {.basis = 12}, truth.snapshots);
  const Path reduced = path(bar, *body, 64);
  const auto got = turning_times(reduced.tip, bar.h);
  fmt::print("turning points of the full bar {:.4f} {:.4f} s, of 12 components {:.4f} {:.4f} s\n", wanted[0],
             wanted[1], got[0], got[1]);
  EXPECT_NEAR(got[0] / wanted[0], 1, 0.05);
  EXPECT_NEAR(got[1] / wanted[1], 1, 0.05);
  EXPECT_LT(relative_error(reduced.tip, truth.tip), 0.05);
}

}  // namespace reduction_test
}  // namespace pliant::geometric
