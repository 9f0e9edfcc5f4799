// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/conjugate_gradients.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/methods/metric/stencil_kernels.hpp"

namespace pliant::metric {
namespace {

// r . z is of the order of squared displacements in m: below, single precision has nothing left to solve and
// products vanish.
constexpr double nothing_left = 1e-30;

}  // namespace

double ConjugateGradients::dot(const Operator& matrix, const Floats& a, const Floats& b, Pool& pool) const {
  const StencilKernels& kernels = stencil_kernels();
  const std::size_t n = std::size_t(matrix.points());
  return matrix.sum(pool, [&](int begin, int end) {
    double sum = 0;
    for (std::size_t c = 0; c < 3; ++c) sum += kernels.dot(a.data() + c * n, b.data() + c * n, begin, end);
    return sum;
  });
}

ConjugateGradients::Outcome ConjugateGradients::solve(const Operator& matrix,
                                                      const Preconditioner& preconditioner, const Floats& b,
                                                      Floats& x, double tolerance, int most, Pool& pool) {
  const StencilKernels& kernels = stencil_kernels();
  const std::size_t n = std::size_t(matrix.points());
  for (Floats* f : {&r_, &z_, &p_, &q_})
    if (f->size() != x.size()) f->assign(x.size(), 0.0f);
  matrix.apply(x.data(), q_.data(), pool);
  for (std::size_t c = 0; c < 3; ++c)
    matrix.sweep(pool, [&](int begin, int end) {
      for (std::size_t k = c * n + std::size_t(begin); k < c * n + std::size_t(end); ++k)
        r_[k] = b[k] - q_[k];
    });
  preconditioner.apply(r_.data(), z_.data(), pool);
  double rho = dot(matrix, r_, z_, pool);
  const double first = rho;
  Outcome out;
  if (!(first > nothing_left)) {
    out.broke = !(first >= 0);
    return out;
  }
  std::copy(z_.begin(), z_.end(), p_.begin());
  for (;;) {
    const double curvature = matrix.apply(p_.data(), q_.data(), pool);
    ++out.iterations;
    if (!(curvature > 0)) {
      out.broke = true;
      break;
    }
    const float alpha = float(rho / curvature);
    for (std::size_t c = 0; c < 3; ++c)
      matrix.sweep(pool, [&](int begin, int end) {
        kernels.advance(alpha, p_.data() + c * n, q_.data() + c * n, x.data() + c * n, r_.data() + c * n,
                        begin, end);
      });
    preconditioner.apply(r_.data(), z_.data(), pool);
    const double before = rho;
    rho = dot(matrix, r_, z_, pool);
    if (!(rho > tolerance * tolerance * first) || out.iterations >= most) break;
    const float beta = float(rho / before);
    for (std::size_t c = 0; c < 3; ++c)
      matrix.sweep(pool, [&](int begin, int end) {
        kernels.turn(beta, z_.data() + c * n, p_.data() + c * n, begin, end);
      });
  }
  out.residual = std::sqrt(std::max(rho, 0.0) / first);
  return out;
}

}  // namespace pliant::metric
