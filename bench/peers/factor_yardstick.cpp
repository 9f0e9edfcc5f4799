// SPDX-License-Identifier: Apache-2.0
// CHOLMOD (supernodal, METIS) and Eigen's simplicial factor (AMD) on the step matrices of the direct-solve
// cases: double precision, one thread, three right-hand sides. Prints one JSON row a line for `pliant bench`.
//   factor_yardstick [--seconds S]      time spent on the solves of one case; default 1
#include <cblas.h>
#include <cholmod.h>
#include <fmt/format.h>

#include <Eigen/SparseCholesky>
#include <random>
#include <stdexcept>
#include <string_view>

#include "bench/cases/solid.hpp"
#include "bench/harness/report.hpp"

namespace {

using namespace pliant;
using namespace pliant::bench;

constexpr int solves_at_least = 10;
constexpr int setups = 3;  // the fastest counts, as in the cases of ours

struct Setup {
  double analyse_ms = 0, factor_ms = 0;
  double total() const { return analyse_ms + factor_ms; }
};

Eigen::MatrixX3d random_right_hand_sides(Index rows) {
  std::mt19937 random(1);
  std::uniform_real_distribution<double> number(-1, 1);
  return Eigen::MatrixX3d::NullaryExpr(rows, 3, [&] { return number(random); });
}

double residual(const SymmetricMatrix& a, const Eigen::MatrixX3d& x, const Eigen::MatrixX3d& b) {
  Eigen::MatrixX3d r = b;
  for (Index i = 0; i < a.rows(); ++i)
    for (Index k = a.begin[std::size_t(i)]; k < a.begin[std::size_t(i) + 1]; ++k) {
      const Index j = a.column[std::size_t(k)];
      r.row(i) -= a.value[std::size_t(k)] * x.row(j);
      if (j != i) r.row(j) -= a.value[std::size_t(k)] * x.row(i);
    }
  return r.norm() / b.norm();
}

// Our rows of the lower triangle are CHOLMOD's columns of the upper one (stype 1).
struct Cholmod {
  cholmod_common common;
  cholmod_sparse matrix{};
  cholmod_factor* factor = nullptr;
  cholmod_dense *x = nullptr, *y = nullptr, *e = nullptr;

  explicit Cholmod(SymmetricMatrix& a) {
    cholmod_start(&common);
    common.nmethods = 1;
    common.method[0].ordering = CHOLMOD_METIS;
    common.postorder = 1;
    common.supernodal = CHOLMOD_SUPERNODAL;
    matrix.nrow = matrix.ncol = std::size_t(a.rows());
    matrix.nzmax = a.column.size();
    matrix.p = a.begin.data();
    matrix.i = a.column.data();
    matrix.x = a.value.data();
    matrix.stype = 1;
    matrix.itype = CHOLMOD_INT;
    matrix.xtype = CHOLMOD_REAL;
    matrix.dtype = CHOLMOD_DOUBLE;
    matrix.sorted = matrix.packed = 1;
  }
  ~Cholmod() {
    cholmod_free_dense(&x, &common);
    cholmod_free_dense(&y, &common);
    cholmod_free_dense(&e, &common);
    cholmod_free_factor(&factor, &common);
    cholmod_finish(&common);
  }
  Cholmod(const Cholmod&) = delete;
  Cholmod& operator=(const Cholmod&) = delete;

  Setup set_up() {
    cholmod_free_factor(&factor, &common);
    Setup ms;
    const Stopwatch analyse;
    factor = cholmod_analyze(&matrix, &common);
    ms.analyse_ms = analyse.ms();
    const Stopwatch numbers;
    cholmod_factorize(&matrix, factor, &common);
    ms.factor_ms = numbers.ms();
    if (common.status != CHOLMOD_OK) throw std::runtime_error("CHOLMOD could not factor");
    return ms;
  }

  void solve(Eigen::MatrixX3d& b) {
    cholmod_dense right{};
    right.nrow = right.d = std::size_t(b.rows());
    right.ncol = 3;
    right.nzmax = std::size_t(b.size());
    right.x = b.data();
    right.xtype = CHOLMOD_REAL;
    right.dtype = CHOLMOD_DOUBLE;
    cholmod_solve2(CHOLMOD_A, factor, &right, nullptr, &x, nullptr, &y, &e, &common);
  }
};

struct EigenFactor {
  Eigen::SparseMatrix<double> matrix;
  Eigen::SimplicialLLT<Eigen::SparseMatrix<double>, Eigen::Lower> factor;
  Eigen::MatrixX3d x;

  explicit EigenFactor(const SymmetricMatrix& a)
      : matrix(Eigen::Map<const Eigen::SparseMatrix<double, Eigen::RowMajor>>(
            a.rows(), a.rows(), Eigen::Index(a.column.size()), a.begin.data(), a.column.data(),
            a.value.data())) {}

  Setup set_up() {
    Setup ms;
    const Stopwatch analyse;
    factor.analyzePattern(matrix);
    ms.analyse_ms = analyse.ms();
    const Stopwatch numbers;
    factor.factorize(matrix);
    ms.factor_ms = numbers.ms();
    if (factor.info() != Eigen::Success) throw std::runtime_error("Eigen could not factor");
    return ms;
  }
  void solve(Eigen::MatrixX3d& b) { x = factor.solve(b); }
};

template <class Factor>
Row measure(const std::string& name, Factor& factor, Index rows, Eigen::MatrixX3d& b, double seconds) {
  Setup best = factor.set_up();
  for (int i = 1; i < setups; ++i)
    if (const Setup ms = factor.set_up(); ms.total() < best.total()) best = ms;
  Row row{.name = name, .nodes = rows, .threads = 1};
  const std::vector<double> samples = time_calls(seconds, 2, solves_at_least, [&] { factor.solve(b); });
  row.ms_min = minimum(samples);
  row.ms_median = median(samples);
  row.setup_ms = best.total();
  row.more["analyse_ms"] = best.analyse_ms;
  row.more["factor_ms"] = best.factor_ms;
  return row;
}

void print(Row row, double error) {
  row.more["residual"] = error;
  row.more["load"] = load_average();
  fmt::print("{}\n", to_json(row).dump());
}

void run(const std::string& body, const Solid& solid, double seconds) {
  SymmetricMatrix matrix = step_matrix(solid);
  Eigen::MatrixX3d b = random_right_hand_sides(matrix.rows());
  {
    Cholmod cholmod(matrix);
    const Row row = measure("peer/cholmod/" + body, cholmod, matrix.rows(), b, seconds);
    print(row,
          residual(matrix, Eigen::Map<Eigen::MatrixX3d>(static_cast<double*>(cholmod.x->x), b.rows(), 3), b));
  }
  EigenFactor eigen(matrix);
  const Row row = measure("peer/eigen-llt/" + body, eigen, matrix.rows(), b, seconds);
  print(row, residual(matrix, eigen.x, b));
}

}  // namespace

int main(int argc, char** argv) {
  double seconds = 1;
  if (argc == 3 && std::string_view(argv[1]) == "--seconds") {
    seconds = std::atof(argv[2]);
  } else if (argc != 1) {
    fmt::print(stderr, "usage: factor_yardstick [--seconds S]\n");
    return 2;
  }
  openblas_set_num_threads(1);
  run("bar", make_bar(), seconds);
  run("solid-14k", make_solid(solid_14k_nodes), seconds);
}
