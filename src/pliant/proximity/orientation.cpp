// SPDX-License-Identifier: Apache-2.0
#include "pliant/proximity/orientation.hpp"

#include <array>
#include <cmath>

namespace pliant {
namespace {

constexpr double half_ulp = 0x1p-53;

int sign_of(double value) { return (value > 0) - (value < 0); }

/// A sum of doubles without rounding: parts that do not overlap, the smallest first [Shewchuk97, theorem 10].
class ExactSum {
 public:
  void add(double value) {
    int kept = 0;
    for (int k = 0; k < count_; ++k) {
      const double sum = value + part_[k], back = sum - value;
      const double error = (value - (sum - back)) + (part_[k] - back);
      if (error != 0) part_[kept++] = error;
      value = sum;
    }
    if (value != 0) part_[kept++] = value;
    count_ = kept;
  }
  void add_product(double a, double b) {
    const double product = a * b;
    add(product);
    add(std::fma(a, b, -product));
  }
  void add_product(double a, double b, double c) {
    const double product = a * b;
    add_product(product, c);
    add_product(std::fma(a, b, -product), c);
  }
  int sign() const { return count_ > 0 ? sign_of(part_[count_ - 1]) : 0; }

 private:
  double part_[200];  ///< 192 summands at most
  int count_ = 0;
};

/// a - b = large + small, exactly.
struct Difference {
  double part[2];
  Difference(double a, double b) {
    const double large = a - b, back = a - large;
    part[0] = large;
    part[1] = (a - (large + back)) + (back - b);
  }
};
using Differences = std::array<Difference, 3>;
Differences exact_difference(const Vec3& a, const Vec3& b) {
  return {Difference(a.x(), b.x()), Difference(a.y(), b.y()), Difference(a.z(), b.z())};
}

int exact_orientation(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Differences u = exact_difference(b, a), v = exact_difference(c, a), w = exact_difference(d, a);
  ExactSum sum;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    for (const double p : u[i].part)
      for (int m = 0; m < 2 && p != 0; ++m)
        for (int n = 0; n < 2; ++n) {
          sum.add_product(p, v[j].part[m], w[k].part[n]);
          sum.add_product(-p, v[k].part[m], w[j].part[n]);
        }
  }
  return sum.sign();
}

int exact_area(const Vec3& a, const Vec3& b, const Vec3& c, int j, int k) {
  const Differences u = exact_difference(b, a), v = exact_difference(c, a);
  ExactSum sum;
  for (int m = 0; m < 2; ++m)
    for (int n = 0; n < 2; ++n) {
      sum.add_product(u[j].part[m], v[k].part[n]);
      sum.add_product(-u[k].part[m], v[j].part[n]);
    }
  return sum.sign();
}

}  // namespace

int orientation_sign(const Vec3& a, const Vec3& b, const Vec3& c, const Vec3& d) {
  const Vec3 u = b - a, v = c - a, w = d - a;
  double value = 0, size = 0;
  for (int i = 0; i < 3; ++i) {
    const int j = (i + 1) % 3, k = (i + 2) % 3;
    const double plus = v[j] * w[k], minus = v[k] * w[j];
    value += u[i] * (plus - minus);
    size += std::abs(u[i]) * (std::abs(plus) + std::abs(minus));
  }
  // (7 + 56 half_ulp) half_ulp in [Shewchuk97]; 8 has room for the rounding of `size`.
  if (std::abs(value) > 8 * half_ulp * size) return sign_of(value);
  return exact_orientation(a, b, c, d);
}

int area_sign(const Vec3& a, const Vec3& b, const Vec3& c, int axis) {
  const int j = (axis + 1) % 3, k = (axis + 2) % 3;
  const double plus = (b[j] - a[j]) * (c[k] - a[k]), minus = (b[k] - a[k]) * (c[j] - a[j]);
  if (std::abs(plus - minus) > 4 * half_ulp * (std::abs(plus) + std::abs(minus)))
    return sign_of(plus - minus);
  return exact_area(a, b, c, j, k);
}

}  // namespace pliant
