// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <random>

#include "pliant/base/simd.hpp"
#include "tests/support/allocation_counter.hpp"
#include "tests/support/meshless_bar.hpp"
#include "tests/support/relax_once.hpp"

namespace pliant::meshless {
namespace step_test {

/// Random rotations and positions of a small bar.
struct Scrambled {
  Bar bar = make_bar({.across = 4});
  const Model& model = bar.body().model();
  const PackedCells& packed = bar.body().packed();
  PackedCells::Quaternions q = packed.unturned();
  Points x = model.rest;
  Pool pool{2};

  Scrambled() {
    std::mt19937 random(5);
    std::normal_distribution<double> normal;
    for (Vec3& p : x) p += 0.1 * Vec3(normal(random), normal(random), normal(random));
    for (Index c = 0; c < packed.cells(); ++c)
      set_quaternion(q, c,
                     Eigen::Quaterniond(1 + normal(random), normal(random), normal(random), normal(random))
                         .normalized());
  }
  Stress<double> stress(bool rest) const {
    return {model.mu + model.kappa, model.mu - model.kappa, model.lambda, rest};
  }
};

double largest(const Points& vectors) {
  double most = 0;
  for (const Vec3& v : vectors) most = std::max(most, v.norm());
  return most;
}

TEST(MeshlessKernels, forces_are_the_gradient_of_the_energy) {
  Scrambled s;
  Points force(s.x.size()), reference(s.x.size());
  s.packed.apply(s.stress(true), s.q, {}, s.x.data(), force.data(), s.pool);
  gradient(s.model, s.q, {}, false, s.x, reference);
  double worst = 0, scale = 0;
  for (std::size_t i = 0; i < s.x.size(); ++i) {
    worst = std::max(worst, (force[i] - reference[i]).norm());
    scale = std::max(scale, reference[i].norm());
  }
  EXPECT_LT(worst, 3e-7 * scale);  // gradients are rounded to single precision
  // and the reference is the derivative of the energy
  std::mt19937 random(7);
  std::normal_distribution<double> normal;
  Points plus = s.x, minus = s.x;
  double slope = 0;
  for (std::size_t i = 0; i < s.x.size(); ++i) {
    const Vec3 d(normal(random), normal(random), normal(random));
    slope += reference[i].dot(d);
    plus[i] += 1e-5 * d, minus[i] -= 1e-5 * d;
  }
  EXPECT_NEAR((energy(s.model, s.q, {}, plus) - energy(s.model, s.q, {}, minus)) / 2e-5 / slope, 1, 1e-7);
}

TEST(MeshlessKernels, plastic_strain_shifts_the_force_free_shape) {
  Scrambled s;
  AlignedVector<double> flow(std::size_t(s.packed.batches()) * 6 * lanes), stress;
  for (std::size_t k = 0; k < flow.size(); ++k) flow[k] = 0.01 * std::sin(double(k));
  plastic_stress(s.model, flow, stress);
  Points force(s.x.size()), reference(s.x.size());
  s.packed.apply(s.stress(true), s.q, stress, s.x.data(), force.data(), s.pool);
  gradient(s.model, s.q, flow, false, s.x, reference);
  double scale = 0;
  for (const Vec3& f : reference) scale = std::max(scale, f.norm());
  for (std::size_t i = 0; i < s.x.size(); ++i)
    ASSERT_LT((force[i] - reference[i]).norm(), 3e-7 * scale);  // gradients are rounded to single precision
}

TEST(MeshlessKernels, rows_that_all_turn_alike_pull_as_cells_do_plastic_strain_included) {
  Scrambled s;
  AlignedVector<double> flow(std::size_t(s.packed.batches()) * 6 * lanes);
  for (std::size_t k = 0; k < flow.size(); ++k) flow[k] = 0.05 * std::sin(double(k));
  const Eigen::Quaterniond turn = Eigen::Quaterniond(0.8, 0.3, -0.4, 0.2).normalized();
  for (Index c = 0; c < s.packed.cells(); ++c) set_quaternion(s.q, c, turn);
  const std::vector<Mat3> turned(s.x.size(), turn.toRotationMatrix());
  Points force(s.x.size()), reference(s.x.size());
  row_forces(s.model, turned, flow, true, s.x, force);
  gradient(s.model, s.q, flow, false, s.x, reference);
  for (std::size_t i = 0; i < s.x.size(); ++i)
    ASSERT_LT((force[i] - reference[i]).norm(), 3e-7 * largest(reference));  // quaternions are single
}

TEST(MeshlessKernels, rounded_gradients_leave_no_net_force_and_none_after_a_rigid_motion) {
  Scrambled s;
  Points force(s.x.size());
  s.packed.apply(s.stress(true), s.q, {}, s.x.data(), force.data(), s.pool);
  Vec3 sum = Vec3::Zero();
  double scale = 0;
  for (const Vec3& f : force) sum += f, scale += f.norm();
  EXPECT_LT(sum.norm(), 1e-13 * scale);
  const Eigen::Quaterniond turn(0.5, -0.5, 0.5, 0.5);  // exact in single precision
  for (Index c = 0; c < s.packed.cells(); ++c) set_quaternion(s.q, c, turn);
  for (std::size_t i = 0; i < s.x.size(); ++i) s.x[i] = turn * s.model.rest[i] + Vec3(3, 4, 5);
  s.packed.apply(s.stress(true), s.q, {}, s.x.data(), force.data(), s.pool);
  for (const Vec3& f : force) ASSERT_LT(f.norm(), 1e-12 * scale);
}

TEST(MeshlessKernels, forces_of_a_step_agree_with_the_exact_ones_and_vanish_after_a_rigid_motion) {
  Scrambled s;
  AlignedVector<double> flow(std::size_t(s.packed.batches()) * 6 * lanes), stress;
  for (std::size_t k = 0; k < flow.size(); ++k) flow[k] = 0.01 * std::sin(double(k));
  plastic_stress(s.model, flow, stress);
  Points exact(s.x.size()), force(s.x.size());
  const Points scrambled = s.x;
  const PackedCells::Quaternions turned = s.q;
  const SimdLevel best = simd_level();
  for (const SimdLevel level : {SimdLevel::portable, SimdLevel::avx2, SimdLevel::avx512}) {
    if (set_simd_level(level) != level) continue;
    s.x = scrambled;
    s.q = turned;
    s.packed.apply(s.stress(true), s.q, stress, s.x.data(), exact.data(), s.pool);
    s.packed.forces(s.stress(true), s.q, stress, s.x.data(), force.data(), s.pool);
    const double scale = largest(exact);
    for (std::size_t i = 0; i < exact.size(); ++i)
      ASSERT_LT((force[i] - exact[i]).norm(), 1e-6 * scale) << name(level);
    // Small forces keep their digits: positions were in double precision until the strains were known.
    const Eigen::Quaterniond turn(0.5, -0.5, 0.5, 0.5);
    for (Index c = 0; c < s.packed.cells(); ++c) set_quaternion(s.q, c, turn);
    for (std::size_t i = 0; i < s.x.size(); ++i) s.x[i] = turn * s.model.rest[i] + Vec3(3, 4, 5);
    s.packed.forces(s.stress(true), s.q, {}, s.x.data(), force.data(), s.pool);
    for (const Vec3& f : force) ASSERT_LT(f.norm(), 1e-12 * scale) << name(level);
  }
  set_simd_level(best);
}

/// y = K x by the matrix of the iterations.
AlignedVector<Float4> iterated(Scrambled& s, const Points& x) {
  AlignedVector<Float4> in(x.size()), out(x.size());
  for (std::size_t i = 0; i < x.size(); ++i) in[i] = {float(x[i].x()), float(x[i].y()), float(x[i].z()), 0};
  const Stress<double> d = s.stress(false);
  s.packed.apply(Stress<float>{float(d.plus), float(d.minus), float(d.lambda), false}, s.q, in.data(),
                 out.data(), s.pool);
  return out;
}

TEST(MeshlessKernels, the_matrix_of_the_iterations_agrees_on_every_instruction_set) {
  Scrambled s;
  Points exact(s.x.size());
  s.packed.apply(s.stress(false), s.q, {}, s.x.data(), exact.data(), s.pool);
  const double scale = largest(exact);
  const SimdLevel best = simd_level();
  ASSERT_EQ(set_simd_level(SimdLevel::portable), SimdLevel::portable);
  const AlignedVector<Float4> portable = iterated(s, s.x);
  for (const SimdLevel level : {SimdLevel::portable, SimdLevel::avx2, SimdLevel::avx512}) {
    if (set_simd_level(level) != level) continue;
    const AlignedVector<Float4> y = iterated(s, s.x);
    for (std::size_t i = 0; i < exact.size(); ++i) {
      const Vec3 here(y[i].x, y[i].y, y[i].z);
      ASSERT_LT((here - exact[i]).norm(), 1e-5 * scale) << name(level);
      ASSERT_LT((here - Vec3(portable[i].x, portable[i].y, portable[i].z)).norm(), 1e-5 * scale)
          << name(level);
    }
  }
  set_simd_level(best);
}

TEST(MeshlessKernels, batches_of_a_lattice_share_their_numbers_and_those_of_scattered_nodes_do_not) {
  Bar bar = make_bar({.across = 8});
  const PackedCells& even = bar.body().packed();
  EXPECT_LT(even.tables(), even.batches() / 3);
  Cells uneven = bar.body().model().cells;
  std::mt19937 random(5);
  std::normal_distribution<double> normal;
  for (Vec3& g : uneven.gradient) g *= 1 + 1e-3 * normal(random);
  const PackedCells scattered(uneven, bar.body().model().rest,
                              std::vector<double>(std::size_t(uneven.count()), 1.0));
  EXPECT_EQ(scattered.tables(), scattered.batches());
}

TEST(MeshlessKernels, curvature_is_that_of_the_matrix_on_every_instruction_set) {
  Scrambled s;
  Points exact(s.x.size());
  s.packed.apply(s.stress(false), s.q, {}, s.x.data(), exact.data(), s.pool);
  double expected = 0;
  AlignedVector<Float4> x(s.x.size());
  for (std::size_t i = 0; i < s.x.size(); ++i) {
    expected += s.x[i].dot(exact[i]);
    x[i] = {float(s.x[i].x()), float(s.x[i].y()), float(s.x[i].z()), 0};
  }
  const Stress<double> d = s.stress(false);
  const Stress<float> rough{float(d.plus), float(d.minus), float(d.lambda), false};
  const SimdLevel best = simd_level();
  for (const SimdLevel level : {SimdLevel::portable, SimdLevel::avx2, SimdLevel::avx512}) {
    if (set_simd_level(level) != level) continue;
    EXPECT_NEAR(s.packed.curvature(rough, s.q, x.data(), s.pool) / expected, 1, 1e-5) << name(level);
  }
  set_simd_level(best);
}

TEST(MeshlessKernels, the_matrix_of_the_iterations_lets_go_of_a_translation) {
  Scrambled s;
  Points exact(s.x.size()), moved(s.x.size());
  s.packed.apply(s.stress(false), s.q, {}, s.x.data(), exact.data(), s.pool);
  for (std::size_t i = 0; i < s.x.size(); ++i) moved[i] = Vec3(1, 2, -4);
  for (const Float4& y : iterated(s, moved)) ASSERT_LT(Vec3(y.x, y.y, y.z).norm(), 1e-5 * largest(exact));
}

TEST(MeshlessStep, cells_leave_no_net_force_and_nodes_as_printed_do) {
  for (const Warping warping : {Warping::cell, Warping::node}) {
    Options options = bar_material();
    options.warping = warping;
    options.kappa = 0;
    BarOptions where{.bend = 90};
    where.corner = {-0.5, -0.5, 5};  // away from the origin
    Bar bar = make_bar(where, options);
    Pool pool(1);
    // One step turns the rotations; then the smoothly bent positions that the bones would give.
    StepInput input{.h = 1, .time = 10, .contact = {}, .pool = &pool};
    ASSERT_TRUE(bar.method->advance(input).ok());
    Points forces(bar.body().nodes().x.size());
    bar.method->elastic_forces(forces);
    Vec3 sum = Vec3::Zero();
    double scale = 0;
    for (const Vec3& f : forces) sum += f, scale += f.norm();
    if (warping == Warping::cell) {
      EXPECT_LT(sum.norm(), 1e-12 * scale);
    } else {
      EXPECT_GT(sum.norm(), 0.01 * scale);
    }
  }
}

TEST(MeshlessStep, statics_is_one_linear_solve_from_any_start) {
  Bar bar = make_bar({.bend = 90});
  Pool pool(2);
  const StepInput input{.time = 10, .contact = {}, .pool = &pool};
  const auto first = relax_once(*bar.method, input, 1e-7);
  ASSERT_TRUE(first.trouble.empty()) << first.trouble;
  EXPECT_EQ(first.steps, 1);
  const Points there = bar.method->nodes().x;
  Points elsewhere = bar.body().model().rest;
  for (std::size_t i = 0; i < elsewhere.size(); ++i)
    elsewhere[i] += Vec3(std::sin(double(i)), std::cos(3.0 * double(i)), 1);
  bar.method->place(elsewhere, Points(elsewhere.size(), Vec3::Zero()));
  const auto again = relax_once(*bar.method, input, 1e-7);
  ASSERT_TRUE(again.trouble.empty()) << again.trouble;
  for (std::size_t i = 0; i < there.size(); ++i)
    ASSERT_LT((bar.method->nodes().x[i] - there[i]).norm(), 1e-4);
}

TEST(MeshlessStep, bones_hold_the_flesh_where_they_are) {
  Bar bar = make_bar({.bend = 110});
  Pool pool(1);
  ASSERT_TRUE(relax_once(*bar.method, {.time = 10, .contact = {}, .pool = &pool}, 1e-6).trouble.empty());
  Rig::Scratch scratch;
  const Rig& rig = bar.body().rig();
  rig.pose(10, scratch);
  Points field(std::size_t(rig.rows().rows()));
  gather(rig.rows(), bar.method->nodes().x, field);
  for (std::size_t k = 0; k < field.size(); ++k)
    EXPECT_LT((field[k] - scratch.targets[k]).norm(), 2e-3);  // of a width of 1
}

TEST(MeshlessStep, a_step_with_bones_allocates_nothing_after_warm_up_and_repeats_on_two_threads) {
  Bar bar = make_bar({.bend = 90, .time = 0.3}), other = make_bar({.bend = 90, .time = 0.3});
  Pool one(1), two(2);
  for (int k = 0; k < 3; ++k) {
    bar.method->advance(
        {.h = 0.02, .time = 0.02 * (k + 1), .gravity = {0, -1, 0}, .contact = {}, .pool = &one});
    other.method->advance(
        {.h = 0.02, .time = 0.02 * (k + 1), .gravity = {0, -1, 0}, .contact = {}, .pool = &two});
  }
  const std::size_t before = allocations();
  for (int k = 3; k < 8; ++k)
    bar.method->advance(
        {.h = 0.02, .time = 0.02 * (k + 1), .gravity = {0, -1, 0}, .contact = {}, .pool = &one});
  EXPECT_EQ(allocations(), before);
  for (int k = 3; k < 8; ++k)
    other.method->advance(
        {.h = 0.02, .time = 0.02 * (k + 1), .gravity = {0, -1, 0}, .contact = {}, .pool = &two});
  EXPECT_EQ(bar.method->nodes().x, other.method->nodes().x);
  EXPECT_EQ(bar.method->nodes().v, other.method->nodes().v);
}

TEST(MeshlessStep, save_and_load_repeat_a_bent_bar) {
  Bar bar = make_bar({.bend = 90, .time = 0.3}), other = make_bar({.bend = 90, .time = 0.3});
  Pool pool(1);
  for (int k = 0; k < 5; ++k)
    bar.method->advance({.h = 0.02, .time = 0.02 * (k + 1), .contact = {}, .pool = &pool});
  Writer writer;
  bar.method->save(writer);
  Reader reader(writer.bytes());
  ASSERT_TRUE(other.method->load(reader));
  for (int k = 5; k < 8; ++k) {
    bar.method->advance({.h = 0.02, .time = 0.02 * (k + 1), .contact = {}, .pool = &pool});
    other.method->advance({.h = 0.02, .time = 0.02 * (k + 1), .contact = {}, .pool = &pool});
  }
  EXPECT_EQ(bar.method->nodes().x, other.method->nodes().x);
}

TEST(MeshlessStep, node_warping_without_holds_is_one_back_substitution) {
  Options options = bar_material();
  options.warping = Warping::node;
  options.rotations = Rotations::polar;
  options.iterations = 50;
  options.tolerance = 1e-4;
  const Shape shape = make_shape(BoxShape{.size = {1, 1, 2}, .nodes = {4, 4, 7}});
  auto method = build(shape, 1, {0, 0}, options);
  ASSERT_TRUE(method);
  Points x = shape.graph.positions, v(x.size(), Vec3::Zero());
  for (Vec3& p : x) p += 0.1 * Vec3(p.z() * p.z(), 0, 0);
  (*method)->place(x, v);
  Pool pool(1);
  EXPECT_LE((*method)->advance({.h = 0.02, .contact = {}, .pool = &pool}).iterations, 2);
}

TEST(MeshlessStep, a_pinned_and_pulled_bar_holds_its_field_at_the_pins) {
  Options options = bar_material();
  options.rotations = Rotations::polar;
  const Shape shape = make_shape(BoxShape{.size = {1, 1, 2}, .nodes = {4, 4, 7}});
  auto method = build(shape, 1, {1, 0}, options);
  ASSERT_TRUE(method);
  std::vector<Index> held;
  Points targets;
  for (Index i = 0; i < Index(shape.graph.positions.size()); ++i)
    if (shape.graph.positions[i].z() < 1e-9) held.push_back(i), targets.push_back(shape.graph.positions[i]);
  Pool pool(1);
  for (int k = 0; k < 20; ++k)
    ASSERT_TRUE((*method)
                    ->advance({.h = 0.05,
                               .gravity = {0, -9.81, 0},
                               .held = held,
                               .targets = targets,
                               .contact = {},
                               .pool = &pool})
                    .ok());
  Points surface(shape.surface.vertices.size());
  (*method)->surface(surface);
  for (std::size_t v = 0; v < surface.size(); ++v)
    if (shape.surface.vertices[v].z() < 1e-9) {
      EXPECT_LT((surface[v] - shape.surface.vertices[v]).norm(), 2e-3);
    }
}

/// a^T A b of a matrix of all coordinates.
double product(const SymmetricMatrix& matrix, const Points& a, const Points& b) {
  const auto at = [](const Points& x, Index row) { return x[std::size_t(row / 3)][row % 3]; };
  double sum = 0;
  for (Index i = 0; i < matrix.rows(); ++i)
    for (Index k = matrix.begin[std::size_t(i)]; k < matrix.begin[std::size_t(i) + 1]; ++k) {
      const Index j = matrix.column[std::size_t(k)];
      const double value = matrix.value[std::size_t(k)];
      sum += value * at(a, i) * at(b, j);
      if (j != i) sum += value * at(a, j) * at(b, i);
    }
  return sum;
}

Points difference(const Points& a, const Points& b) {
  Points out(a.size());
  for (std::size_t i = 0; i < a.size(); ++i) out[i] = a[i] - b[i];
  return out;
}

TEST(MeshlessStep, the_last_iteration_goes_as_far_as_its_direction_is_worth) {
  // What conjugate gradients leave is orthogonal, by the matrix, to the direction they took last. Bones, a
  // held node, a grab, inertia and both dampings stand in that matrix. The first direction moves what is
  // held; a grab, which the preconditioner does not know, comes with two more iterations.
  constexpr double h = 0.05, alpha = 2, beta = 0.02;
  const Vec3 away(0.1, 0.2, 0);
  const std::vector<Index> held{0};
  for (const double grab : {0.0, 400.0}) {
    Bar bar;
    std::vector<Points> x;
    for (const int iterations : {1, 2, 400}) {
      Options options = bar_material();
      options.warping = Warping::none;
      options.iterations = iterations;
      options.tolerance = 1e-9;
      bar = make_bar({.across = 3}, options);
      bar.body().set_live({.mass = alpha, .stiffness = beta}, bar.flesh.options);
      Pool pool(1);
      const Points& rest = bar.body().model().rest;
      if (x.empty()) x.push_back(rest);
      const std::vector<Vec3> targets{rest[0] + away};
      const std::vector<Grab> grabs(grab > 0 ? 1 : 0, {Index(rest.size()) - 1, rest.back() - 3 * away, grab});
      ASSERT_TRUE(bar.method
                      ->advance({.h = h,
                                 .gravity = {0, -9.81, 0},
                                 .held = held,
                                 .targets = targets,
                                 .grabs = grabs,
                                 .contact = {},
                                 .pool = &pool})
                      .ok());
      x.push_back(bar.body().nodes().x);
    }
    const Model& model = bar.body().model();
    std::vector<double> diagonal;
    for (const double m : model.mass) diagonal.push_back((1 + h * alpha) / (h * h) * m);
    Gather rows = bar.body().rig().rows();
    const Gather& at = model.at_nodes;
    const auto append = [&](std::size_t node, double scale) {
      for (std::size_t k = std::size_t(at.begin[node]); k < std::size_t(at.begin[node + 1]); ++k) {
        rows.column.push_back(at.column[k]);
        rows.weight.push_back(scale * at.weight[k]);
      }
      rows.begin.push_back(Index(rows.column.size()));
    };
    const double hold = Options{}.hold * model.young * model.spacing;
    append(0, 1);
    append(model.rest.size() - 1, std::sqrt(grab / hold));
    const SymmetricMatrix matrix = block_matrix(model, diagonal, 1 + beta / h, rows, hold);
    for (const std::size_t k : {1, 2}) {
      if (grab > 0 && k == 1) continue;  // its last direction began two iterations before
      const Points last = difference(x[k], x[k - 1]), left = difference(x.back(), x[k]);
      const double along = product(matrix, last, last);
      ASSERT_GT(along, 0);
      EXPECT_LT(std::abs(product(matrix, last, left)), 1e-3 * along) << grab << " " << k;
    }
  }
}

TEST(MeshlessStep, plastic_flesh_stays_longer) {
  for (const bool plastic : {false, true}) {
    Options options = bar_material();
    if (plastic) options.plasticity = Plasticity{{.yield = 0.02, .creep = 20, .cap = 0.9}};
    options.rotations = Rotations::polar;
    options.iterations = 20;
    const Shape shape = make_shape(BoxShape{.size = {0.5, 0.5, 2}, .nodes = {4, 4, 13}});
    auto method = build(shape, 1, {2, 0}, options);
    ASSERT_TRUE(method);
    Points x = shape.graph.positions, v(x.size(), Vec3::Zero());
    for (Vec3& p : x) p.z() *= 1.3;
    (*method)->place(x, v);
    Pool pool(1);
    for (int k = 0; k < 60; ++k)
      ASSERT_TRUE((*method)->advance({.h = 1.0 / 30, .contact = {}, .pool = &pool}).ok());
    double low = 10, high = -10;
    for (const Vec3& p : (*method)->nodes().x) low = std::min(low, p.z()), high = std::max(high, p.z());
    if (plastic) {
      EXPECT_GT(high - low, 2.04);
    } else {
      EXPECT_NEAR(high - low, 2, 0.02);
    }
  }
}

TEST(MeshlessBuild, diffused_rotations_without_a_skeleton_are_refused) {
  Options options;
  options.rotations = Rotations::diffused;
  const auto method = build(make_shape(BoxShape{.nodes = {4, 4, 4}}), 1000, {}, options);
  ASSERT_FALSE(method);
  EXPECT_EQ(method.error().problems[0].place, "meshless.rotations");
}

}  // namespace step_test
}  // namespace pliant::meshless
