// SPDX-License-Identifier: Apache-2.0
#include "tests/support/linear_algebra.hpp"

#include "pliant/base/check.hpp"

// LAPACK comes with OpenBLAS. Eigen's own decompositions of matrices of any size take 15 s to compile.
extern "C" {
void dposv_(const char* uplo, const int* n, const int* columns, double* a, const int* lda, double* b,
            const int* ldb, int* info);
void dsysv_(const char* uplo, const int* n, const int* columns, double* a, const int* lda, int* pivots,
            double* b, const int* ldb, double* work, const int* lwork, int* info);
void dgelsy_(const int* m, const int* n, const int* columns, double* a, const int* lda, double* b,
             const int* ldb, int* pivots, const double* rcond, int* rank, double* work, const int* lwork,
             int* info);
void dsygv_(const int* type, const char* job, const char* uplo, const int* n, double* a, const int* lda,
            double* b, const int* ldb, double* w, double* work, const int* lwork, int* info);
}

namespace pliant {

Eigen::Quaterniond turn_between(const Vec3& a, const Vec3& b) {
  // Half way between no turn and twice the turn: q = (1 + a.b, a x b), normalised.
  const Vec3 p = a.normalized(), q = b.normalized();
  const double w = 1 + p.dot(q);
  if (w > 1e-12) {
    const Vec3 axis = p.cross(q);
    return Eigen::Quaterniond(w, axis.x(), axis.y(), axis.z()).normalized();
  }
  const Vec3 axis = p.unitOrthogonal();  // opposite directions: half a turn about any axis across
  return Eigen::Quaterniond(0, axis.x(), axis.y(), axis.z());
}

Eigen::MatrixXd solve_positive(const Eigen::MatrixXd& m, const Eigen::MatrixXd& b) {
  Eigen::MatrixXd a = m, x = b;
  const int n = int(m.rows()), columns = int(b.cols());
  int info = 0;
  dposv_("L", &n, &columns, a.data(), &n, x.data(), &n, &info);
  PLIANT_CHECK(info == 0);
  return x;
}

Eigen::MatrixXd solve_symmetric(const Eigen::MatrixXd& m, const Eigen::MatrixXd& b) {
  Eigen::MatrixXd a = m, x = b;
  const int n = int(m.rows()), columns = int(b.cols()), size = 64 * n;
  Eigen::VectorXi pivots(n);
  Eigen::VectorXd work(size);
  int info = 0;
  dsysv_("L", &n, &columns, a.data(), &n, pivots.data(), x.data(), &n, work.data(), &size, &info);
  PLIANT_CHECK(info == 0);
  return x;
}

Eigen::MatrixXd solve_any(const Eigen::MatrixXd& m, const Eigen::MatrixXd& b) {
  const int rows = int(m.rows()), n = int(m.cols()), columns = int(b.cols()), most = std::max(rows, n);
  Eigen::MatrixXd a = m, x = Eigen::MatrixXd::Zero(most, columns);
  x.topRows(rows) = b;
  Eigen::VectorXi pivots = Eigen::VectorXi::Zero(n);
  const int size = 4 * most + 2 * columns + 64 * (n + columns + 1);
  Eigen::VectorXd work(size);
  const double rcond = 1e-14;
  int rank = 0, info = 0;
  dgelsy_(&rows, &n, &columns, a.data(), &rows, x.data(), &most, pivots.data(), &rcond, &rank, work.data(),
          &size, &info);
  PLIANT_CHECK(info == 0);
  return x.topRows(n);
}

Eigen::VectorXd pencil_eigenvalues(const Eigen::MatrixXd& a, const Eigen::MatrixXd& m) {
  Eigen::MatrixXd left = a, right = m;
  const int n = int(a.rows()), size = 64 * n, type = 1;
  Eigen::VectorXd values(n), work(size);
  int info = 0;
  dsygv_(&type, "N", "L", &n, left.data(), &n, right.data(), &n, values.data(), work.data(), &size, &info);
  PLIANT_CHECK(info == 0);
  return values;
}

}  // namespace pliant
