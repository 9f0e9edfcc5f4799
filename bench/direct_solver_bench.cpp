// SPDX-License-Identifier: Apache-2.0
// The direct solver on lattices of 3 to 30 thousand nodes: set-up and solve times, the bytes a solve must
// move, beside CHOLMOD and Eigen on the same matrices.
#include <fmt/format.h>

#include <algorithm>
#include <chrono>
#include <cstdlib>
#include <cstring>
#include <random>

#include "pliant/base/simd.hpp"
#include "pliant/math/direct_solver.hpp"

#ifdef PLIANT_HAVE_CHOLMOD
#include <cblas.h>
#include <cholmod.h>
#endif
#include <Eigen/SparseCholesky>

namespace pliant {
namespace {

double now_ms() {
  return std::chrono::duration<double, std::milli>(std::chrono::steady_clock::now().time_since_epoch())
      .count();
}

struct Times {
  double least = 0, median = 0;
};

template <class F>
Times measure(int rounds, F&& f) {
  std::vector<double> ms;
  for (int i = 0; i < rounds; ++i) {
    const double start = now_ms();
    f();
    ms.push_back(now_ms() - start);
  }
  std::sort(ms.begin(), ms.end());
  return {ms.front(), ms[ms.size() / 2]};
}

/// A = I + stiffness K on a box lattice with 6, 14 (and cube diagonals) or 26 neighbours.
SymmetricMatrix lattice(int nx, int ny, int nz, int neighbours, double stiffness, bool pin_first_layer) {
  const int n = nx * ny * nz;
  std::vector<Index> free(n, 0);
  Index rows = 0;
  for (int i = 0; i < n; ++i) free[i] = pin_first_layer && i / (nx * ny) == 0 ? -1 : rows++;
  std::vector<std::vector<Index>> links(n);
  for (int z = 0; z < nz; ++z)
    for (int y = 0; y < ny; ++y)
      for (int x = 0; x < nx; ++x)
        for (int dz = -1; dz <= 1; ++dz)
          for (int dy = -1; dy <= 1; ++dy)
            for (int dx = -1; dx <= 1; ++dx) {
              const int steps = std::abs(dx) + std::abs(dy) + std::abs(dz);
              const bool linked =
                  steps == 1 || (neighbours == 14 && steps == 3) || (neighbours == 26 && steps > 0);
              const int X = x + dx, Y = y + dy, Z = z + dz;
              if (!linked || X < 0 || Y < 0 || Z < 0 || X >= nx || Y >= ny || Z >= nz) continue;
              links[(z * ny + y) * nx + x].push_back((Z * ny + Y) * nx + X);
            }
  SymmetricMatrix a;
  for (int i = 0; i < n; ++i) {
    if (free[i] < 0) continue;
    std::sort(links[i].begin(), links[i].end());
    for (Index j : links[i])
      if (j < i && free[j] >= 0) a.column.push_back(free[j]), a.value.push_back(-stiffness);
    a.column.push_back(free[i]), a.value.push_back(1 + stiffness * double(links[i].size()));
    a.begin.push_back(Index(a.column.size()));
  }
  return a;
}

void print(const char* what, Times t, double bytes = 0) {
  fmt::print("  {:<28} {:9.4f} min {:9.4f} median ms", what, t.least, t.median);
  if (bytes > 0) fmt::print("  {:6.1f} GB/s", bytes / t.least * 1e-6);
  fmt::print("\n");
}

#ifdef PLIANT_HAVE_CHOLMOD
void bench_cholmod(const SymmetricMatrix& a, const std::vector<Float4>& b, int rounds) {
  openblas_set_num_threads(1);
  cholmod_common c;
  cholmod_start(&c);
  c.supernodal = CHOLMOD_SUPERNODAL;
  c.nmethods = 1;
  c.method[0].ordering = CHOLMOD_METIS;
  cholmod_sparse m{};
  m.nrow = m.ncol = a.rows();
  m.nzmax = a.column.size();
  m.p = const_cast<Index*>(a.begin.data());
  m.i = const_cast<Index*>(a.column.data());
  m.x = const_cast<double*>(a.value.data());
  m.stype = 1;  // rows of the lower triangle are columns of the upper one
  m.itype = CHOLMOD_INT;
  m.xtype = CHOLMOD_REAL;
  m.dtype = CHOLMOD_DOUBLE;
  m.sorted = m.packed = 1;
  cholmod_factor* f = nullptr;
  print("cholmod analyse", measure(3, [&] {
          if (f) cholmod_free_factor(&f, &c);
          f = cholmod_analyze(&m, &c);
        }));
  print("cholmod factor", measure(3, [&] { cholmod_factorize(&m, f, &c); }));
  cholmod_dense* rhs = cholmod_allocate_dense(a.rows(), 3, a.rows(), CHOLMOD_REAL, &c);
  auto* x = static_cast<double*>(rhs->x);
  for (Index i = 0; i < a.rows(); ++i) x[i] = b[i].x, x[i + a.rows()] = b[i].y, x[i + 2 * a.rows()] = b[i].z;
  cholmod_dense *z = nullptr, *y = nullptr, *e = nullptr;
  print("cholmod solve",
        measure(rounds, [&] { cholmod_solve2(CHOLMOD_A, f, rhs, nullptr, &z, nullptr, &y, &e, &c); }));
  fmt::print("  cholmod nnz(L) {:.3f} M (stored {:.3f} M)\n", c.lnz * 1e-6, double(f->xsize) * 1e-6);
  cholmod_free_dense(&z, &c);
  cholmod_free_dense(&y, &c);
  cholmod_free_dense(&e, &c);
  cholmod_free_dense(&rhs, &c);
  cholmod_free_factor(&f, &c);
  cholmod_finish(&c);
}
#endif

void bench_eigen(const SymmetricMatrix& a, const std::vector<Float4>& b, int rounds) {
  std::vector<Eigen::Triplet<double>> entries;
  for (Index i = 0; i < a.rows(); ++i)
    for (Index k = a.begin[i]; k < a.begin[i + 1]; ++k) entries.emplace_back(i, a.column[k], a.value[k]);
  Eigen::SparseMatrix<double> m(a.rows(), a.rows());
  m.setFromTriplets(entries.begin(), entries.end());
  Eigen::MatrixXd rhs(a.rows(), 3), z;
  for (Index i = 0; i < a.rows(); ++i) rhs.row(i) << b[i].x, b[i].y, b[i].z;
  Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> llt;
  print("eigen analyse + factor", measure(1, [&] { llt.compute(m); }));
  print("eigen solve", measure(rounds, [&] { z = llt.solve(rhs); }));
}

void bench_case(const char* title, const SymmetricMatrix& a, bool peers) {
  const int rounds = a.rows() < 5000 ? 2000 : 100;
  std::mt19937 random(1);
  std::normal_distribution<float> normal;
  std::vector<Float4> b(a.rows()), z(a.rows());
  for (Float4& v : b) v = {normal(random), normal(random), normal(random), 0};
  DirectSolver solver;
  DirectSolver::Report report;
  std::vector<double> analyses, factors;
  for (int i = 0; i < 3; ++i) {
    report = solver.factor(a);
    analyses.push_back(report.analyse_ms), factors.push_back(report.factor_ms);
  }
  std::sort(analyses.begin(), analyses.end());
  std::sort(factors.begin(), factors.end());
  fmt::print("{}: {} rows, nnz(L) {:.3f} M, panels {:.3f} M, {} supernodes, {:.2f} MB a solve {}\n", title,
             a.rows(), double(report.factor_entries) * 1e-6, double(report.panel_floats) * 1e-6,
             report.supernodes, double(solver.bytes_per_solve()) * 1e-6, report.trouble);
  if (!report.ok()) return;
  print("analyse", {analyses[0], analyses[1]});
  print("factor", {factors[0], factors[1]});
  const double bytes = double(solver.bytes_per_solve());
  for (int threads : {1, 2}) {
    Pool pool(threads);
    print(threads == 1 ? "solve, 1 thread" : "solve, 2 threads",
          measure(rounds, [&] { solver.solve(b.data(), z.data(), pool); }), bytes);
  }
  if (peers) {
#ifdef PLIANT_HAVE_CHOLMOD
    bench_cholmod(a, b, rounds / 10);
#endif
    if (a.rows() < 20000) bench_eigen(a, b, rounds / 50);
  }
}

}  // namespace
}  // namespace pliant

int main(int argc, char** argv) {
  using namespace pliant;
  const bool peers = argc < 2 || std::strcmp(argv[1], "--alone") != 0;
  fmt::print("kernels: {}\n", name(simd_level()));
  bench_case("bar 9x9x41, 6 neighbours, first layer pinned", lattice(9, 9, 41, 6, 10, true), peers);
  bench_case("bar 9x9x41, 26 neighbours", lattice(9, 9, 41, 26, 10, true), peers);
  bench_case("cube 24^3, 14 neighbours", lattice(24, 24, 24, 14, 10, false), peers);
  bench_case("cube 31^3, 6 neighbours", lattice(31, 31, 31, 6, 10, false), peers);
}
