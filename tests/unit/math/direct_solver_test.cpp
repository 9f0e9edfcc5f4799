// SPDX-License-Identifier: Apache-2.0
#include "pliant/math/direct_solver.hpp"

#include <gtest/gtest.h>

#include <Eigen/SparseCholesky>
#include <cmath>
#include <cstring>
#include <limits>
#include <memory>

#include "pliant/base/simd.hpp"
#include "tests/support/allocation_counter.hpp"
#include "tests/unit/math/matrix_samples.hpp"

#ifdef PLIANT_HAVE_CHOLMOD
#include <cholmod.h>
#endif

// As OpenBLAS declares them; its header is not part of pliant's interface.
extern "C" int openblas_get_num_threads(void);
extern "C" void openblas_set_num_threads(int);

namespace pliant {
namespace direct_solver_test {

using namespace samples;
using Sparse = Eigen::SparseMatrix<double>;
using Columns = Eigen::Matrix<double, Eigen::Dynamic, 3>;

/// Restores the level of the processor at the end of a test.
struct SimdLevelGuard {
  SimdLevel before = simd_level();
  ~SimdLevelGuard() { set_simd_level(before); }
};

struct Sample {
  const char* name;
  Sparse a;
};

/// I + s K with s lambda_max = 10, the worst ratio h^2 lambda / m for which a body relies on single
/// precision.
Sparse body_matrix(const Sparse& k, const std::set<Index>& pinned = {}) {
  return shifted(k, 10 / largest_eigenvalue(k), pinned);
}

const std::vector<Sample>& sample_matrices() {
  static const std::vector<Sample> all = [] {
    std::set<Index> end_layer, scattered;
    for (Index i = 0; i < 81; ++i) end_layer.insert(i);
    for (Index i = 5; i < 1200; i += 17) scattered.insert(i);
    const Sparse bar = laplacian(lattice(9, 9, 41)), ring = laplacian(lattice(7, 8, 20));
    const Sparse irregular = laplacian(random_graph(1200, .13, 5));
    LinkGraph star{300, {}};
    for (Index i = 1; i < 300; ++i) star.links.emplace_back(0, i);
    LinkGraph dense{70, {}};
    for (Index i = 0; i < 70; ++i)
      for (Index j = 0; j < i; ++j) dense.links.emplace_back(j, i);
    std::vector<Sample> list;
    list.push_back({"bar", body_matrix(bar)});
    list.push_back({"bar with a held end", body_matrix(bar, end_layer)});
    list.push_back({"irregular graph", body_matrix(irregular)});
    list.push_back({"irregular graph with pins", body_matrix(irregular, scattered)});
    list.push_back({"two-ring", body_matrix(Sparse(ring * ring))});
    list.push_back({"disconnected", body_matrix(laplacian(random_graph(500, .07, 6)))});
    list.push_back({"chain", body_matrix(laplacian(lattice(200, 1, 1)))});
    list.push_back({"star", body_matrix(laplacian(star))});
    list.push_back({"dense", body_matrix(laplacian(dense))});
    list.push_back({"diagonal", shifted(Sparse(100, 100), 0)});
    list.push_back({"one row", shifted(Sparse(1, 1), 0)});
    return list;
  }();
  return all;
}

std::vector<Float4> right_hand_side(Index rows, unsigned seed = 3) {
  std::mt19937 random(seed);
  std::normal_distribution<float> normal;
  std::vector<Float4> b(rows);
  for (Float4& v : b) v = {normal(random), normal(random), normal(random), 0};
  return b;
}

Columns columns(const std::vector<Float4>& v) {
  Columns c(v.size(), 3);
  for (std::size_t i = 0; i < v.size(); ++i) c.row(i) << v[i].x, v[i].y, v[i].z;
  return c;
}

std::vector<Float4> solve(DirectSolver& solver, const std::vector<Float4>& b, int threads = 1) {
  Pool pool(threads);
  std::vector<Float4> z(b.size(), Float4{9, 9, 9, 9});
  solver.solve(b.data(), z.data(), pool);
  return z;
}

bool same_bits(const std::vector<Float4>& a, const std::vector<Float4>& b) {
  return a.size() == b.size() && std::memcmp(a.data(), b.data(), a.size() * sizeof(Float4)) == 0;
}

SymmetricMatrix small_matrix() { return lower_rows(shifted(laplacian(lattice(4, 3, 3)), 1)); }

TEST(DirectSolver, solves_as_eigen_does_on_every_kind_of_matrix) {
  for (const Sample& sample : sample_matrices()) {
    SCOPED_TRACE(sample.name);
    DirectSolver solver;
    const auto report = solver.factor(lower_rows(sample.a));
    ASSERT_TRUE(report.ok()) << report.trouble;
    const std::vector<Float4> b = right_hand_side(Index(sample.a.rows()));
    const std::vector<Float4> z = solve(solver, b);
    const Columns exact = Eigen::SimplicialLLT<Sparse>(sample.a).solve(columns(b));
    EXPECT_LE((sample.a * columns(z) - columns(b)).norm(), 1e-5 * columns(b).norm());
    EXPECT_LE((columns(z) - exact).norm(), 1e-6 * exact.norm());
    for (const Float4& v : z) ASSERT_EQ(v.w, 0);
  }
}

TEST(DirectSolver, solves_to_round_off_through_the_double_factor) {
  for (const Sample& sample : sample_matrices()) {
    SCOPED_TRACE(sample.name);
    DirectSolver solver;
    solver.keep_double(true);
    ASSERT_TRUE(solver.factor(lower_rows(sample.a)).ok());
    const Columns b = columns(right_hand_side(Index(sample.a.rows())));
    std::vector<Vec3> z(b.rows());
    for (Index i = 0; i < b.rows(); ++i) z[i] = b.row(i);
    solver.solve(z.data(), z.data());
    Columns x(b.rows(), 3);
    for (Index i = 0; i < b.rows(); ++i) x.row(i) = z[i];
    const Columns exact = Eigen::SimplicialLLT<Sparse>(sample.a).solve(b);
    EXPECT_LE((x - exact).norm(), 1e-13 * exact.norm());
  }
}

#ifdef PLIANT_HAVE_CHOLMOD
TEST(DirectSolver, solves_as_cholmod_does) {
  for (const Sample& sample : sample_matrices()) {
    SCOPED_TRACE(sample.name);
    SymmetricMatrix a = lower_rows(sample.a);
    DirectSolver solver;
    ASSERT_TRUE(solver.factor(a).ok());
    const std::vector<Float4> b = right_hand_side(a.rows());
    cholmod_common common;
    cholmod_start(&common);
    cholmod_sparse m{};
    m.nrow = m.ncol = a.rows();
    m.nzmax = a.column.size();
    m.p = a.begin.data(), m.i = a.column.data(), m.x = a.value.data();
    m.stype = 1;
    m.itype = CHOLMOD_INT, m.xtype = CHOLMOD_REAL, m.dtype = CHOLMOD_DOUBLE;
    m.sorted = m.packed = 1;
    cholmod_factor* factor = cholmod_analyze(&m, &common);
    cholmod_factorize(&m, factor, &common);
    cholmod_dense* rhs = cholmod_allocate_dense(a.rows(), 3, a.rows(), CHOLMOD_REAL, &common);
    Eigen::Map<Columns>(static_cast<double*>(rhs->x), a.rows(), 3) = columns(b);
    cholmod_dense* x = cholmod_solve(CHOLMOD_A, factor, rhs, &common);
    const Columns exact = Eigen::Map<Columns>(static_cast<double*>(x->x), a.rows(), 3);
    EXPECT_LE((columns(solve(solver, b)) - exact).norm(), 1e-6 * exact.norm());
    cholmod_free_dense(&x, &common);
    cholmod_free_dense(&rhs, &common);
    cholmod_free_factor(&factor, &common);
    cholmod_finish(&common);
  }
}
#endif

TEST(DirectSolver, gives_the_same_bits_for_any_number_of_threads) {
  for (const Sample& sample : sample_matrices()) {
    SCOPED_TRACE(sample.name);
    DirectSolver solver;
    ASSERT_TRUE(solver.factor(lower_rows(sample.a)).ok());
    const std::vector<Float4> b = right_hand_side(Index(sample.a.rows()));
    const std::vector<Float4> once = solve(solver, b, 1);
    for (int threads : {1, 2, 3})
      for (int round = 0; round < 5; ++round) EXPECT_TRUE(same_bits(once, solve(solver, b, threads)));
  }
}

TEST(DirectSolver, agrees_at_every_simd_level) {
  const SimdLevelGuard guard;
  for (const Sample& sample : sample_matrices()) {
    SCOPED_TRACE(sample.name);
    set_simd_level(SimdLevel::portable);
    DirectSolver solver;
    ASSERT_TRUE(solver.factor(lower_rows(sample.a)).ok());
    const std::vector<Float4> b = right_hand_side(Index(sample.a.rows()));
    const Columns portable = columns(solve(solver, b));
    for (SimdLevel level : {SimdLevel::avx2, SimdLevel::avx512}) {
      if (set_simd_level(level) != level) continue;
      EXPECT_LE((columns(solve(solver, b)) - portable).norm(), 1e-6 * portable.norm()) << name(level);
    }
  }
}

TEST(DirectSolver, in_16_bits_it_solves_a_near_symmetric_matrix_on_every_instruction_set) {
  const SimdLevelGuard guard;
  for (const Sample& sample : sample_matrices()) {
    SCOPED_TRACE(sample.name);
    DirectSolver solver;
    solver.use_16_bits(true);
    ASSERT_TRUE(solver.factor(lower_rows(sample.a)).ok());
    const std::vector<Float4> b = right_hand_side(Index(sample.a.rows()));
    const std::vector<Float4> c = right_hand_side(Index(sample.a.rows()), 4);
    const Columns exact = Eigen::SimplicialLLT<Sparse>(sample.a).solve(columns(b));
    set_simd_level(SimdLevel::portable);
    const Columns portable = columns(solve(solver, b));
    for (SimdLevel level : {SimdLevel::portable, SimdLevel::avx2, SimdLevel::avx512}) {
      if (set_simd_level(level) != level) continue;
      const std::vector<Float4> z = solve(solver, b);
      EXPECT_LE((columns(z) - exact).norm(), 2e-4 * exact.norm()) << name(level);
      EXPECT_LE((columns(z) - portable).norm(), 1e-6 * portable.norm()) << name(level);
      EXPECT_NEAR((columns(c).array() * columns(z).array()).sum(),
                  (columns(b).array() * columns(solve(solver, c)).array()).sum(),
                  1e-6 * columns(c).norm() * exact.norm())
          << name(level);
      for (int threads : {2, 3}) EXPECT_TRUE(same_bits(z, solve(solver, b, threads)));
    }
  }
}

TEST(DirectSolver, in_16_bits_it_stays_positive_where_stiff_meets_soft) {
  // Two nodes of weight 1 on a spring of 1e12: the first diagonal of L^-1 is 1e-6 of what stands below it.
  Sparse a(2, 2);
  a.insert(0, 0) = a.insert(1, 1) = 1e12 + 1;
  a.insert(0, 1) = a.insert(1, 0) = -1e12;
  a.makeCompressed();
  DirectSolver solver;
  solver.use_16_bits(true);
  ASSERT_TRUE(solver.factor(lower_rows(a)).ok());
  for (const float other : {-1.0f, 0.0f, 1.0f}) {
    const std::vector<Float4> b{{1, 0, 0, 0}, {other, 0, 0, 0}};
    EXPECT_GT((columns(b).array() * columns(solve(solver, b)).array()).sum(), 0) << other;
    const std::vector<Float4> c{{other, 0, 0, 0}, {1, 0, 0, 0}};
    EXPECT_GT((columns(c).array() * columns(solve(solver, c)).array()).sum(), 0) << other;
  }
}

TEST(DirectSolver, solves_panels_of_every_width) {
  // Dense matrices of 1 .. 40 rows are one panel each: all remainders of groups and blocks.
  for (Index rows = 1; rows <= 40; ++rows) {
    LinkGraph dense{rows, {}};
    for (Index i = 0; i < rows; ++i)
      for (Index j = 0; j < i; ++j) dense.links.emplace_back(j, i);
    const Sparse a = shifted(laplacian(dense), 10. / rows);
    const SimdLevelGuard guard;
    for (SimdLevel level : {SimdLevel::portable, SimdLevel::avx2, SimdLevel::avx512}) {
      if (set_simd_level(level) != level) continue;
      DirectSolver solver;
      ASSERT_TRUE(solver.factor(lower_rows(a)).ok());
      const std::vector<Float4> b = right_hand_side(rows);
      const Columns exact = Eigen::SimplicialLLT<Sparse>(a).solve(columns(b));
      EXPECT_LE((columns(solve(solver, b)) - exact).norm(), 1e-6 * exact.norm()) << rows << name(level);
    }
  }
}

TEST(DirectSolver, refactors_to_the_same_bits_as_a_new_factor) {
  const Sparse k = laplacian(lattice(9, 9, 20));
  const SymmetricMatrix soft = lower_rows(shifted(k, .1)), stiff = lower_rows(shifted(k, 3));
  DirectSolver fresh, reused;
  ASSERT_TRUE(fresh.factor(stiff).ok());
  ASSERT_TRUE(reused.factor(soft).ok());
  const std::vector<Float4> b = right_hand_side(stiff.rows());
  EXPECT_FALSE(same_bits(solve(fresh, b), solve(reused, b)));
  const auto report = reused.refactor(stiff);
  ASSERT_TRUE(report.ok()) << report.trouble;
  EXPECT_TRUE(same_bits(solve(fresh, b), solve(reused, b)));
}

TEST(DirectSolver, solves_in_place) {
  DirectSolver solver;
  const SymmetricMatrix a = lower_rows(shifted(laplacian(lattice(9, 9, 20)), 1));
  ASSERT_TRUE(solver.factor(a).ok());
  std::vector<Float4> b = right_hand_side(a.rows());
  const std::vector<Float4> z = solve(solver, b);
  Pool pool(2);
  solver.solve(b.data(), b.data(), pool);
  EXPECT_TRUE(same_bits(b, z));
}

TEST(DirectSolver, leaves_the_number_of_blas_threads_as_it_was) {
  const int before = openblas_get_num_threads();
  for (int threads : {1, 2}) {
    openblas_set_num_threads(threads);
    ASSERT_TRUE(DirectSolver().factor(small_matrix()).ok());
    EXPECT_EQ(openblas_get_num_threads(), threads);
  }
  openblas_set_num_threads(before);
}

TEST(DirectSolver, order_is_a_permutation) {
  DirectSolver solver;
  ASSERT_TRUE(solver.factor(small_matrix()).ok());
  std::set<Index> seen(solver.order().begin(), solver.order().end());
  EXPECT_EQ(seen.size(), 36u);
  EXPECT_EQ(*seen.begin(), 0);
  EXPECT_EQ(*seen.rbegin(), 35);
}

TEST(DirectSolver, allocates_nothing_in_a_solve) {
  DirectSolver solver;
  const SymmetricMatrix a = lower_rows(shifted(laplacian(lattice(9, 9, 41)), 1));
  ASSERT_TRUE(solver.factor(a).ok());
  const std::vector<Float4> b = right_hand_side(a.rows());
  std::vector<Float4> z(b.size());
  for (int threads : {1, 2}) {
    Pool pool(threads);
    const std::size_t before = allocations();
    for (int i = 0; i < 10; ++i) solver.solve(b.data(), z.data(), pool);
    EXPECT_EQ(allocations(), before);
  }
  // The counter itself counts.
  const std::size_t before = allocations();
  const auto one = std::make_unique<std::vector<double>>(10);
  EXPECT_EQ(allocations(), before + 2);
}

TEST(DirectSolver, recovers_after_a_solve_of_something_not_finite) {
  DirectSolver solver;
  const SymmetricMatrix a = lower_rows(shifted(laplacian(lattice(9, 9, 20)), 1));
  ASSERT_TRUE(solver.factor(a).ok());
  const std::vector<Float4> b = right_hand_side(a.rows());
  const std::vector<Float4> z = solve(solver, b);
  std::vector<Float4> bad = b;
  bad[7].y = std::numeric_limits<float>::quiet_NaN();
  bad[100].x = std::numeric_limits<float>::infinity();
  solve(solver, bad);
  EXPECT_TRUE(same_bits(z, solve(solver, b)));
}

TEST(DirectSolver, names_the_row_of_a_pivot_that_is_not_positive) {
  SymmetricMatrix a = small_matrix();
  a.value[a.begin[18] - 1] = -5;  // diagonal of row 17
  DirectSolver solver;
  auto report = solver.factor(a);
  EXPECT_FALSE(report.ok());
  EXPECT_NE(report.trouble.find("not positive definite at row 17:"), std::string::npos) << report.trouble;
  EXPECT_TRUE(solver.order().empty());
  // The same solver takes a good matrix afterwards, and a bad one is found by refactor as well.
  ASSERT_TRUE(solver.factor(small_matrix()).ok());
  report = solver.refactor(a);
  EXPECT_NE(report.trouble.find("not positive definite at row 17:"), std::string::npos) << report.trouble;
  ASSERT_TRUE(solver.refactor(small_matrix()).ok());
}

TEST(DirectSolver, refuses_a_free_body_without_mass) {
  const Sparse k = laplacian(lattice(5, 5, 5));
  const Sparse a = shifted(k, 1) - shifted(Sparse(125, 125), 0);  // K alone: constant vectors cost nothing
  SymmetricMatrix m = lower_rows(a);
  for (Index i = 0; i < m.rows(); ++i) m.value[m.begin[i + 1] - 1] -= 1e-9;  // beyond round-off
  EXPECT_NE(DirectSolver().factor(m).trouble.find("not positive definite"), std::string::npos);
}

TEST(DirectSolver, names_entries_that_are_not_finite) {
  for (double value : {std::numeric_limits<double>::quiet_NaN(), std::numeric_limits<double>::infinity()}) {
    SymmetricMatrix a = small_matrix();
    a.value[a.begin[5]] = value;
    const auto report = DirectSolver().factor(a);
    EXPECT_NE(report.trouble.find("row 5, column"), std::string::npos) << report.trouble;
  }
}

TEST(DirectSolver, refuses_what_is_no_lower_triangle_with_diagonal) {
  EXPECT_EQ(DirectSolver().factor({}).trouble, "the matrix is empty");
  SymmetricMatrix no_diagonal = small_matrix();
  no_diagonal.column[no_diagonal.begin[8] - 1] = 3;
  EXPECT_NE(DirectSolver().factor(no_diagonal).trouble.find("row 7"), std::string::npos);
  SymmetricMatrix not_ascending = small_matrix();
  std::swap(not_ascending.column[not_ascending.begin[35]], not_ascending.column[not_ascending.begin[35] + 1]);
  EXPECT_NE(DirectSolver().factor(not_ascending).trouble.find("row 35"), std::string::npos);
  SymmetricMatrix short_of_values = small_matrix();
  short_of_values.value.pop_back();
  EXPECT_FALSE(DirectSolver().factor(short_of_values).ok());
  SymmetricMatrix backwards = small_matrix();
  backwards.begin[4] = backwards.begin[6];
  EXPECT_FALSE(DirectSolver().factor(backwards).ok());
}

TEST(DirectSolver, refuses_to_refactor_another_pattern) {
  DirectSolver solver;
  EXPECT_FALSE(solver.refactor(small_matrix()).ok());
  ASSERT_TRUE(solver.factor(small_matrix()).ok());
  EXPECT_FALSE(solver.refactor(lower_rows(shifted(laplacian(lattice(3, 4, 3)), 1))).ok());
}

TEST(DirectSolver, names_the_row_that_single_precision_cannot_hold) {
  SymmetricMatrix a = lower_rows(shifted(Sparse(30, 30), 0));
  a.value[11] = 1e-80;
  const auto report = DirectSolver().factor(a);
  EXPECT_NE(report.trouble.find("exceeds single precision at row 11"), std::string::npos) << report.trouble;
}

TEST(DirectSolver, reports_what_it_stores) {
  DirectSolver solver;
  const auto report = solver.factor(lower_rows(shifted(laplacian(lattice(9, 9, 20)), 1)));
  EXPECT_GT(report.supernodes, 1);
  EXPECT_GE(report.panel_floats, report.factor_entries);
  EXPECT_GE(solver.bytes_per_solve(), 2 * sizeof(float) * report.panel_floats);
  EXPECT_GT(solver.memory_bytes(), sizeof(float) * report.panel_floats);
}

}  // namespace direct_solver_test
}  // namespace pliant
