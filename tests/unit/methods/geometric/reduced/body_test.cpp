// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/reduced/body.hpp"

#include <gtest/gtest.h>

#include "pliant/base/simd.hpp"
#include "pliant/contact/collider.hpp"
#include "pliant/methods/geometric/free_stiffness.hpp"
#include "pliant/methods/geometric/reduced/build.hpp"
#include "pliant/methods/geometric/reduced/cubature.hpp"
#include "pliant/methods/geometric/reduced/sample_fit.hpp"
#include "tests/support/linear_algebra.hpp"
#include "tests/support/points.hpp"
#include "tests/unit/methods/geometric/bodies.hpp"

namespace pliant::geometric {
namespace body_test {

using Eigen::MatrixXd;

Rows small_block() { return jittered(lattice({3, 4, 6}, 0.1, 1, 2e3), 0.01); }

Basis basis_of(const Model& model, const std::vector<HeldPiece>& pieces, const MatrixXd& functions) {
  Result<Basis> basis = make_basis(model, pieces, functions);
  EXPECT_TRUE(basis) << basis.error().text();
  return std::move(*basis);
}

Basis modal_basis(const Model& model, const std::vector<HeldPiece>& pieces, int modes) {
  Result<Basis> basis = make_basis(model, pieces, Reduction{.modal = modes}, {});
  EXPECT_TRUE(basis) << basis.error().text();
  return std::move(*basis);
}

std::unique_ptr<Method> reduced(const Rows& rows, const Options& options, Basis basis,
                                Damping damping = {0, 0}) {
  Model model = model_of(rows);
  Cubature all = every_node(model);
  return build_reduced(std::move(model), {}, damping, options, std::move(basis), std::move(all));
}

MatrixXd identity(const Model& model) { return MatrixXd::Identity(model.nodes(), model.nodes()); }

StepInput input_with(Pool& pool) {
  StepInput input;
  input.h = 1.0 / 60;
  input.pool = &pool;
  return input;
}

// The identity the whole reduction rests on, in double: with any Phi, K Z + sum C (1 - R^T) is Phi^T g.
TEST(GeometricReduced, the_gradient_is_the_full_one_seen_in_the_space) {
  Rows rows = small_block();
  rows.laplacian_weight = 500;
  const Model model = model_of(rows);
  const Basis basis = basis_of(model, {}, identity(model));
  const ReducedModel small = make_reduced_model(model, basis, every_node(model));
  ASSERT_EQ(basis.columns.cols(), model.nodes());
  const Points x = deformed(model.rest, 0.3);
  const Rotations rotations = rotations_at(model, x);
  Points g(x.size());
  gradient(model, x, rotations, g);
  MatrixXd full(model.nodes(), 3), shift(model.nodes(), 3);
  for (Index i = 0; i < model.nodes(); ++i) {
    full.row(i) = g[i].transpose();
    shift.row(i) = (x[i] - model.rest[i]).transpose();
  }
  const MatrixXd z = solve_any(basis.columns, shift);
  MatrixXd got = small.stiffness * z;
  for (Index i = 0; i < model.nodes(); ++i)
    got += pull_of(model, basis.columns, i, 1, nullptr) *
           (Mat3::Identity() - rotations[i].toRotationMatrix()).transpose();
  const MatrixXd wanted = basis.columns.transpose() * full;
  EXPECT_LT((got - wanted).norm(), 1e-10 * (small.stiffness * z).norm());
}

/// H of all columns of the space, 3k x 3k with the three rows of a column together, from C, K and J in
/// double: H p = K p - sum C dR^T,  dA = p^T C,  dR = R [J axial(R^T dA)]x.
MatrixXd reduced_hessian(const Model& model, const Basis& basis, const ReducedModel& small,
                         const Rotations& rotations) {
  const Index k = small.columns();
  std::vector<Coordinates> pull;
  for (Index i = 0; i < model.nodes(); ++i) pull.push_back(pull_of(model, basis.columns, i, 1, nullptr));
  MatrixXd out(3 * k, 3 * k);
  for (Index c = 0; c < 3 * k; ++c) {
    Coordinates p = Coordinates::Zero(k, 3);
    p(c / 3, c % 3) = 1;
    Coordinates hp = small.stiffness * p;
    for (Index i = 0; i < model.nodes(); ++i) {
      const Mat3 r = rotations[i].toRotationMatrix();
      const Mat3 b = r.transpose() * (p.transpose() * pull[i]);
      const Vec3 w = model.stars[i].slew * Vec3(b(2, 1) - b(1, 2), b(0, 2) - b(2, 0), b(1, 0) - b(0, 1));
      Mat3 cross;
      cross << 0, -w.z(), w.y(), w.z(), 0, -w.x(), -w.y(), w.x(), 0;
      hp -= pull[i] * (r * cross).transpose();
    }
    for (Index row = 0; row < 3 * k; ++row) out(row, c) = hp(row / 3, row % 3);
  }
  return out;
}

/// The same of the nodes, by the reference of the full body.
MatrixXd full_hessian(const Model& model, const Rotations& rotations) {
  const Index n = model.nodes();
  MatrixXd out(3 * n, 3 * n);
  for (Index c = 0; c < 3 * n; ++c) {
    Points p(std::size_t(n), Vec3::Zero()), hp(std::size_t(n), Vec3::Zero());
    p[c / 3][c % 3] = 1;
    hessian_product(model, rotations, p, hp);
    for (Index row = 0; row < 3 * n; ++row) out(row, c) = hp[row / 3][row % 3];
  }
  return out;
}

// With as many functions as nodes the Hessian, and with it a Newton step of implicit Euler, is the full one.
TEST(GeometricReduced, hessian_and_newton_step_are_those_of_the_full_body_to_ten_digits) {
  Rows rows = jittered(lattice({3, 3, 4}, 0.1, 1, 2e3), 0.01);
  rows.laplacian_weight = 500;
  const Model model = model_of(rows);
  const Basis basis = basis_of(model, {}, identity(model));
  const ReducedModel small = make_reduced_model(model, basis, every_node(model));
  const Index n = model.nodes();
  ASSERT_EQ(small.columns(), n);
  const Points x = deformed(model.rest, 0.3);
  const Rotations rotations = rotations_at(model, x);
  MatrixXd phi = MatrixXd::Zero(3 * n, 3 * n), mass = phi;
  for (Index i = 0; i < n; ++i)
    for (int c = 0; c < 3; ++c) {
      mass(3 * i + c, 3 * i + c) = model.mass[i];
      for (Index a = 0; a < n; ++a) phi(3 * i + c, 3 * a + c) = basis.columns(i, a);
    }
  const MatrixXd full = full_hessian(model, rotations),
                 reduced = reduced_hessian(model, basis, small, rotations);
  const MatrixXd seen = phi.transpose() * full * phi;
  EXPECT_LT((reduced - seen).norm(), 1e-10 * seen.norm());

  const double h = 1.0 / 60;
  Points g(x.size());
  gradient(model, x, rotations, g);
  Eigen::VectorXd force(3 * n);
  for (Index i = 0; i < n; ++i) force.segment<3>(3 * i) = -h * h * g[i];
  MatrixXd small_mass = MatrixXd::Zero(3 * n, 3 * n);
  for (Index a = 0; a < n; ++a)
    for (Index b = 0; b < n; ++b)
      for (int c = 0; c < 3; ++c) small_mass(3 * a + c, 3 * b + c) = small.mass(a, b);
  const Eigen::VectorXd wanted = solve_symmetric(mass + h * h * full, force);
  const Eigen::VectorXd got = phi * solve_symmetric(small_mass + h * h * reduced, phi.transpose() * force);
  std::printf("all functions of %d nodes: Hessian off by %.1e, Newton step by %.1e\n", int(n),
              (reduced - seen).norm() / seen.norm(), (got - wanted).norm() / wanted.norm());
  EXPECT_LT((got - wanted).norm(), 1e-10 * wanted.norm());
}

// Single precision in both: 1e-7 of the stresses a step, over 40 steps of violent motion.
TEST(GeometricReduced, all_functions_of_the_nodes_give_the_full_step) {
  const Rows rows = small_block();
  const Model model = model_of(rows);
  const Clamp clamped = clamp(model.rest);
  Pool pool(1);
  for (const StepSolver solver : {StepSolver::newton, StepSolver::local_global}) {
    Options options;
    options.step_solver = solver;
    options.iterations = 3;
    options.tolerance = 1e-3;
    options.angular_momentum = false;
    const auto full = body_of(rows, options, {0.1, 0.002});
    const auto small =
        reduced(rows, options, basis_of(model, {{clamped.held, false}}, identity(model)), {0.1, 0.002});
    StepInput input = input_with(pool);
    input.gravity = {3, -9.81, 0};
    input.held = clamped.held;
    input.targets = clamped.targets;
    // Two grabs of one node, forces, and another step length on the way.
    const Index last = Index(model.nodes() - 1);
    const Grab grabs[] = {{last, model.rest.back() + Vec3(0.1, 0.1, 0), 300},
                          {last, model.rest.back() + Vec3(0, 0.1, 0.1), 200}};
    Points forces(model.rest.size());
    for (std::size_t i = 0; i < forces.size(); ++i) forces[i] = Vec3(0, 2, 5) * model.rest[i].z();
    for (int step = 0; step < 40; ++step) {
      input.grabs = step < 20 ? std::span<const Grab>(grabs) : std::span<const Grab>();
      input.forces = step % 3 > 0 ? std::span<const Vec3>(forces) : std::span<const Vec3>();
      input.h = step < 30 ? 1.0 / 60 : 1.0 / 100;
      ASSERT_TRUE(full->advance(input).ok());
      const StepReport report = small->advance(input);
      ASSERT_TRUE(report.ok()) << report.trouble;
    }
    EXPECT_GT(farthest(full->nodes().x, model.rest), 0.02);
    EXPECT_LT(farthest(full->nodes().x, small->nodes().x), 2e-5);
  }
}

TEST(GeometricReduced, every_instruction_set_gives_the_same_motion) {
  const Rows rows = small_block();
  const Model model = model_of(rows);
  Points ends[3];
  for (const SimdLevel level : {SimdLevel::portable, SimdLevel::avx2, SimdLevel::avx512}) {
    const SimdLevel before = simd_level();
    set_simd_level(level);
    Pool pool(1);
    const auto body = reduced(rows, {}, modal_basis(model, {}, 3));
    body->place(deformed(model.rest, 0.2), Points(model.rest.size(), Vec3::Zero()));
    for (int step = 0; step < 10; ++step) ASSERT_TRUE(body->advance(input_with(pool)).ok());
    ends[int(level)] = body->nodes().x;
    set_simd_level(before);
  }
  EXPECT_LT(farthest(ends[0], ends[1]), 1e-5);
  EXPECT_LT(farthest(ends[0], ends[2]), 1e-5);
}

TEST(GeometricReduced, modes_solve_the_eigenproblem_in_ascending_order) {
  const Model model = model_of(small_block());
  const Clamp clamped = clamp(model.rest);
  for (const bool held : {false, true}) {
    std::vector<unsigned char> mask(model.rest.size(), 0);
    if (held)
      for (Index i : clamped.held) mask[i] = 1;
    const FreeStiffness stiffness(model, mask);
    ASSERT_EQ(stiffness.trouble(), "");
    const MatrixXd modes = stiffness.modes(7);
    ASSERT_EQ(modes.cols(), 7);
    const SymmetricMatrix k = stiffness_matrix(model);
    MatrixXd dense = MatrixXd::Zero(model.nodes(), model.nodes());
    for (Index i = 0; i < k.rows(); ++i)
      for (Index n = k.begin[i]; n < k.begin[i + 1]; ++n)
        dense(i, k.column[n]) = dense(k.column[n], i) = k.value[n];
    double before = 0;
    for (int m = 0; m < 7; ++m) {
      Eigen::VectorXd heavy = modes.col(m), image = dense * modes.col(m);
      for (Index i = 0; i < model.nodes(); ++i) {
        heavy[i] *= model.mass[i];
        if (!mask[i]) continue;
        image[i] = 0;
        ASSERT_EQ(modes(i, m), 0);
      }
      const double value = modes.col(m).dot(image);
      EXPECT_NEAR(modes.col(m).dot(heavy), 1, 1e-9);
      EXPECT_LT((image - value * heavy).norm(), 1e-5 * image.norm());
      EXPECT_GE(value, before * (1 - 1e-9));
      before = value;
    }
  }
}

TEST(GeometricReduced, handles_take_their_nodes_along_and_let_go) {
  const Rows rows = lattice({3, 3, 9}, 0.1, 1, 2e4);
  const Model model = model_of(rows);
  const Clamp bottom = clamp(model.rest);
  HeldPiece top{{}, true};
  for (Index i = 0; i < model.nodes(); ++i)
    if (model.rest[i].z() > 0.79) top.nodes.push_back(i);
  const auto body = reduced(rows, {}, modal_basis(model, {{bottom.held, false}, top}, 3));
  Pool pool(1);
  StepInput input = input_with(pool);
  std::vector<Index> held = bottom.held;
  held.insert(held.end(), top.nodes.begin(), top.nodes.end());
  std::sort(held.begin(), held.end());
  input.held = held;
  for (int step = 1; step <= 30; ++step) {
    const Eigen::AngleAxisd turn(0.02 * step, Vec3(0, 1, 1).normalized());
    Points targets;
    for (Index i : held)
      targets.push_back(model.rest[i].z() > 0.5 ? Vec3(turn * model.rest[i]) + Vec3(0.005 * step, 0, 0)
                                                : model.rest[i]);
    input.targets = targets;
    const StepReport report = body->advance(input);
    ASSERT_TRUE(report.ok()) << report.trouble;
    for (std::size_t k = 0; k < held.size(); ++k)
      ASSERT_LT((body->nodes().x[held[k]] - targets[k]).norm(), 1e-10);
  }
  input.held = bottom.held;
  input.targets = bottom.targets;
  const Vec3 bent = body->nodes().x[top.nodes[0]] - model.rest[top.nodes[0]];
  double nearest = bent.norm();
  for (int step = 0; step < 60; ++step) {
    const StepReport report = body->advance(input);
    ASSERT_TRUE(report.ok()) << report.trouble;
    nearest = std::min(nearest, (body->nodes().x[top.nodes[0]] - model.rest[top.nodes[0]]).norm());
  }
  EXPECT_LT(nearest, 0.5 * bent.norm());
}

TEST(GeometricReduced, what_the_basis_was_not_made_for_is_refused_and_changes_nothing) {
  const Rows rows = lattice({3, 3, 6}, 0.1, 1, 2e4);
  const Model model = model_of(rows);
  const Clamp bottom = clamp(model.rest);
  const auto body = reduced(rows, {}, modal_basis(model, {{bottom.held, false}}, 2));
  Pool pool(1);
  const auto refused = [&](const std::vector<Index>& held, const Points& targets) {
    StepInput input = input_with(pool);
    input.held = held;
    input.targets = targets;
    return !body->advance(input).ok();
  };
  Points moved = bottom.targets;
  moved[0].x() += 0.1;
  EXPECT_TRUE(refused({Index(model.nodes() - 1)}, {model.rest.back()}));
  EXPECT_TRUE(refused({bottom.held[0]}, {bottom.targets[0]}));
  EXPECT_TRUE(refused({}, {}));
  EXPECT_TRUE(refused(bottom.held, moved));
  StepInput input = input_with(pool);
  input.held = bottom.held;
  input.targets = bottom.targets;
  const Collider ground(PlaneCollider{}, {}, 0.5, 0);
  input.colliders = {&ground, 1};
  EXPECT_FALSE(body->advance(input).ok());
  EXPECT_EQ(farthest(body->nodes().x, model.rest), 0);
  EXPECT_FALSE(refused(bottom.held, bottom.targets));
}

TEST(GeometricReduced, a_body_on_a_hinge_falls_like_a_pendulum) {
  const Rows rows = lattice({3, 3, 11}, 0.1, 1, 1e6);
  const Model model = model_of(rows);
  std::vector<Index> hinge;
  Points targets;
  for (Index i = 0; i < model.nodes(); ++i)
    if (model.rest[i].z() < 1e-9 && std::abs(model.rest[i].y() - 0.1) < 1e-9)
      hinge.push_back(i), targets.push_back(model.rest[i]);
  const auto small = reduced(rows, {}, modal_basis(model, {{hinge, false}}, 2));
  const auto full = body_of(rows, {});
  Pool pool(1);
  StepInput input = input_with(pool);
  input.gravity = {0, -9.81, 0};
  input.held = hinge;
  input.targets = targets;
  for (int step = 0; step < 30; ++step) {
    ASSERT_TRUE(full->advance(input).ok());
    const StepReport report = small->advance(input);
    ASSERT_TRUE(report.ok()) << report.trouble;
  }
  EXPECT_GT(farthest(full->nodes().x, model.rest), 0.8);
  EXPECT_LT(farthest(full->nodes().x, small->nodes().x), 0.02);
}

TEST(GeometricReduced, a_sample_is_met_by_its_surface_and_filled_by_the_energy) {
  const Shape shape = make_shape(BoxShape{.size = {0.4, 0.4, 1.2}, .nodes = {5, 5, 13}});
  const Model model = model_of(*make_rows(shape.graph, 1000, {}));
  Points bent = model.rest;  // an arc, and a turn of the whole
  for (Vec3& p : bent) {
    const double angle = 0.8 * p.z(), radius = 1.25 - p.x();
    p = Eigen::AngleAxisd(1, Vec3(1, 1, 0).normalized()) *
        Vec3(1.25 - radius * std::cos(angle), p.y(), radius * std::sin(angle));
  }
  Points surface(shape.surface.vertices.size()), got(surface.size());
  gather(shape.embedding, bent, surface);
  const Result<std::vector<Points>> fits = fit_samples(model, shape.embedding, {surface});
  ASSERT_TRUE(fits) << fits.error().text();
  const Points& fit = fits->front();
  gather(shape.embedding, fit, got);
  EXPECT_LT(farthest(got, surface), 2e-3);
  EXPECT_LT(farthest(fit, bent), 0.01);
}

TEST(GeometricReduced, components_of_samples_span_the_samples) {
  const Model model = model_of(small_block());
  const std::vector<Points> samples{deformed(model.rest, 0.2, 3), deformed(model.rest, 0.4, 4)};
  Result<Basis> basis = make_basis(model, {}, Reduction{.basis = 6}, samples);
  ASSERT_TRUE(basis) << basis.error().text();
  EXPECT_LE(basis->columns.cols(), 10);  // six, and 1, x, y, z of a body that nothing holds
  const auto body = reduced(small_block(), {}, std::move(*basis));
  for (const Points& sample : samples) {
    body->place(sample, Points(sample.size(), Vec3::Zero()));
    EXPECT_LT(farthest(body->nodes().x, sample), 1e-9);
  }
}

TEST(GeometricReduced, a_few_trained_nodes_stand_for_all) {
  const Rows rows = lattice({5, 5, 21}, 0.1, 1, 2e4);
  const Model model = model_of(rows);
  const Clamp bottom = clamp(model.rest);
  const Basis basis = modal_basis(model, {{bottom.held, false}}, 3);
  double before = 1;
  for (const int count : {20, 80}) {
    const TrainedCubature trained = train_cubature(model, basis, count);
    EXPECT_LE(int(trained.points.nodes.size()), count);
    for (double w : trained.points.weights) EXPECT_GT(w, 0);
    EXPECT_LT(trained.error, 0.6 * before);
    before = trained.error;
  }
  EXPECT_LT(before, 0.1);
}

TEST(GeometricReduced, trained_nodes_carry_the_weight_of_the_body_as_far_as_their_error_says) {
  const Rows rows = lattice({5, 5, 21}, 0.1, 1, 2e4);
  const Model model = model_of(rows);
  const Clamp bottom = clamp(model.rest);
  const Basis basis = modal_basis(model, {{bottom.held, false}}, 3);
  Options options;
  options.integrator = Integrator::euler;
  options.tolerance = 1e-4;
  const auto hanging = [&](Cubature points) {
    const auto body = build_reduced(model_of(rows), {}, {1, 0}, options, basis, std::move(points));
    Pool pool(1);
    StepInput input = input_with(pool);
    input.gravity = {0, -0.6, 0};
    input.held = bottom.held;
    input.targets = bottom.targets;
    settle(*body, input, 1, 60);
    return body->nodes().x;
  };
  const Points truth = hanging(every_node(model));
  const double drop = farthest(truth, model.rest);
  EXPECT_GT(drop, 0.1);
  for (const int count : {20, 80}) {
    const TrainedCubature trained = train_cubature(model, basis, count);
    const double off = farthest(hanging(trained.points), truth) / drop;
    std::printf("%d trained nodes: error %.4f by the training's tests, a hanging bar off by %.4f\n", count,
                trained.error, off);
    EXPECT_LT(off, 2 * trained.error + 0.002);
    EXPECT_GT(off, 0.02 * trained.error);
  }
}

TEST(GeometricReduced, a_scrambled_body_of_all_functions_finds_its_shape_again) {
  // Violent steps: the safety net of the full body.
  const Rows rows = lattice({3, 4, 6}, 0.1, 1, 2e3);
  const Model model = model_of(rows);
  const Clamp held = clamp(model.rest);
  for (int seed = 1; seed <= 3; ++seed) {
    const auto body = reduced(rows, {}, basis_of(model, {{held.held, false}}, identity(model)), {4, 0.005});
    Points x = model.rest;
    std::mt19937 random{unsigned(seed)};
    std::uniform_real_distribution<double> unit(0, 1);
    for (Vec3& p : x)
      if (p.z() > 0.05) p = Vec3(0.2 * unit(random), 0.3 * unit(random), 0.5 * unit(random));
    for (std::size_t k = 0; k < held.held.size(); ++k) x[held.held[k]] = held.targets[k];
    body->place(x, Points(x.size(), Vec3::Zero()));
    Pool pool(1);
    StepInput input = input_with(pool);
    input.held = held.held;
    input.targets = held.targets;
    int violent = 0;
    for (int step = 0; step < 200; ++step) {
      const StepReport report = body->advance(input);
      ASSERT_TRUE(report.ok()) << report.trouble;
      violent += report.violent;
    }
    EXPECT_GT(violent, 0);
    EXPECT_LT(violent, 100);
    EXPECT_LT(farthest(body->nodes().x, model.rest), 0.05) << seed;
  }
}

}  // namespace body_test
}  // namespace pliant::geometric
