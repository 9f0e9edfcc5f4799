// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/conjugate_gradients.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/methods/metric/stencil_kernels.hpp"

namespace pliant::metric {
/// Of r before and after, with z = d r where the preconditioner is that and z stored where it is not.
double ConjugateGradients::start(const Operator& matrix, const Preconditioner& preconditioner,
                                 const Floats& b, const Floats& x, Pool& pool) {
  const StencilKernels& kernels = stencil_kernels();
  const std::size_t n = std::size_t(matrix.points());
  if (const float* d = preconditioner.scales())
    return matrix.start(x.data(), b.data(), d, r_.data(), p_.data(), pool);
  matrix.apply(x.data(), q_.data(), pool);
  matrix.sweep(pool, [&](int begin, int end) {
    for (std::size_t k = 0; k < 3 * n; k += n)
      kernels.subtract(b.data() + k, q_.data() + k, r_.data() + k, begin, end);
  });
  return preconditioner.apply(r_.data(), p_.data(), pool);
}

double ConjugateGradients::lower(const Operator& matrix, const Preconditioner& preconditioner, float alpha,
                                 Pool& pool) {
  const StencilKernels& kernels = stencil_kernels();
  const std::size_t n = std::size_t(matrix.points());
  if (const float* d = preconditioner.scales())
    return matrix.sum(pool, [&](int begin, int end) {
      double sum = 0;
      for (std::size_t k = 0; k < 3 * n; k += n)
        sum += kernels.lower_scaled(alpha, d, q_.data() + k, r_.data() + k, begin, end);
      return sum;
    });
  matrix.sweep(pool, [&](int begin, int end) {
    for (std::size_t k = 0; k < 3 * n; k += n) kernels.add(-alpha, q_.data() + k, r_.data() + k, begin, end);
  });
  return preconditioner.apply(r_.data(), z_.data(), pool);
}

/// x += alpha p, and the next direction p = z + beta p.
void ConjugateGradients::turn(const Operator& matrix, const Preconditioner& preconditioner, float alpha,
                              float beta, Floats& x, Pool& pool) {
  const StencilKernels& kernels = stencil_kernels();
  const std::size_t n = std::size_t(matrix.points());
  const float* d = preconditioner.scales();
  matrix.sweep(pool, [&](int begin, int end) {
    for (std::size_t k = 0; k < 3 * n; k += n)
      if (d)
        kernels.turn_scaled(alpha, beta, d, r_.data() + k, p_.data() + k, x.data() + k, begin, end);
      else
        kernels.turn(alpha, beta, z_.data() + k, p_.data() + k, x.data() + k, begin, end);
  });
}

ConjugateGradients::Outcome ConjugateGradients::solve(const Operator& matrix,
                                                      const Preconditioner& preconditioner, const Floats& b,
                                                      Floats& x, double tolerance, int most, Pool& pool,
                                                      double floor) {
  const StencilKernels& kernels = stencil_kernels();
  const std::size_t n = std::size_t(matrix.points());
  for (Floats* f : {&r_, &z_, &p_, &q_})
    if (f->size() != x.size()) f->assign(x.size(), 0.0f);
  double rho = start(matrix, preconditioner, b, x, pool);
  const double first = rho;
  Outcome out;
  out.first = first;
  if (!(first > floor)) {
    out.broke = !(first >= 0);
    return out;
  }
  if (most == 0) return out;
  for (;;) {
    const double curvature = matrix.apply(p_.data(), q_.data(), pool);
    ++out.iterations;
    if (!(curvature > 0)) {
      out.broke = true;
      break;
    }
    const float alpha = float(rho / curvature);
    const double before = rho;
    rho = lower(matrix, preconditioner, alpha, pool);
    if (!(rho > std::max(tolerance * tolerance * first, floor)) || out.iterations >= most) {
      matrix.sweep(pool, [&](int begin, int end) {
        for (std::size_t k = 0; k < 3 * n; k += n)
          kernels.add(alpha, p_.data() + k, x.data() + k, begin, end);
      });
      break;
    }
    turn(matrix, preconditioner, alpha, float(rho / before), x, pool);
  }
  out.residual = std::sqrt(std::max(rho, 0.0) / first);
  return out;
}

}  // namespace pliant::metric
