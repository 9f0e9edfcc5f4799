// SPDX-License-Identifier: Apache-2.0
// Numbers that carry their first and second derivatives by N variables: exact gradients and Hessians of small
// energies whose closed forms fill pages. A product costs about N^2 multiplications.
#pragma once

#include <Eigen/Core>
#include <cmath>

namespace pliant {

template <int N>
struct SecondOrder {
  using Gradient = Eigen::Matrix<double, N, 1>;
  using Hessian = Eigen::Matrix<double, N, N>;
  double value = 0;
  Gradient g = Gradient::Zero();
  Hessian h = Hessian::Zero();

  SecondOrder() = default;
  SecondOrder(double v) : value(v) {}
  /// The variable number k at the value v.
  static SecondOrder variable(double v, int k) {
    SecondOrder out(v);
    out.g[k] = 1;
    return out;
  }
  /// f(this) for a function of one variable with the value f and the derivatives f1 and f2.
  SecondOrder through(double f, double f1, double f2) const {
    SecondOrder out(f);
    out.g = f1 * g;
    out.h = f1 * h;
    out.h.noalias() += f2 * g * g.transpose();
    return out;
  }

  SecondOrder operator-() const { return through(-value, -1, 0); }
  SecondOrder& operator+=(const SecondOrder& o) {
    value += o.value;
    g += o.g;
    h += o.h;
    return *this;
  }
  SecondOrder& operator-=(const SecondOrder& o) {
    value -= o.value;
    g -= o.g;
    h -= o.h;
    return *this;
  }
  friend SecondOrder operator+(SecondOrder a, const SecondOrder& b) { return a += b; }
  friend SecondOrder operator-(SecondOrder a, const SecondOrder& b) { return a -= b; }
  friend SecondOrder operator*(double s, const SecondOrder& a) { return a.through(s * a.value, s, 0); }
  friend SecondOrder operator*(const SecondOrder& a, const SecondOrder& b) {
    SecondOrder out(a.value * b.value);
    out.g = a.value * b.g + b.value * a.g;
    out.h = a.value * b.h + b.value * a.h;
    const Hessian cross = a.g * b.g.transpose();
    out.h += cross + cross.transpose();
    return out;
  }
};

template <int N>
SecondOrder<N> sqrt(const SecondOrder<N>& a) {
  const double root = std::sqrt(a.value);
  return a.through(root, 0.5 / root, -0.25 / (root * a.value));
}

template <int N>
SecondOrder<N> inverse(const SecondOrder<N>& a) {
  const double i = 1 / a.value;
  return a.through(i, -i * i, 2 * i * i * i);
}

}  // namespace pliant
