// SPDX-License-Identifier: Apache-2.0
#include "pliant/physics/secant_pairs.hpp"

#include <cmath>
#include <vector>

namespace pliant {
namespace {

constexpr std::size_t most_pairs = 12;
constexpr double flat = 1e-10;  // of |s| |y|: rounding

double dot(std::span<const Vec3> a, std::span<const Vec3> b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i) sum += a[i].dot(b[i]);
  return sum;
}

void add_to(std::span<Vec3> out, double factor, std::span<const Vec3> v) {
  for (std::size_t i = 0; i < out.size(); ++i) out[i] += factor * v[i];
}

}  // namespace

void SecantPairs::add(Points s, Points y) {
  const double product = dot(s, y);
  if (!(product > flat * std::sqrt(dot(s, s) * dot(y, y)))) return;
  if (pairs_.size() == most_pairs) pairs_.pop_front();
  pairs_.push_back({std::move(s), std::move(y), product});
}

std::string SecantPairs::direction(
    std::span<const Vec3> f, std::span<Vec3> d,
    const std::function<std::string(std::span<const Vec3>, std::span<Vec3>)>& solve) const {
  Points q(f.begin(), f.end());
  std::vector<double> along(pairs_.size());
  for (std::size_t k = pairs_.size(); k-- > 0;) {
    along[k] = dot(pairs_[k].s, q) / pairs_[k].product;
    add_to(q, -along[k], pairs_[k].y);
  }
  std::string trouble = solve(q, d);
  for (std::size_t k = 0; k < pairs_.size(); ++k)
    add_to(d, along[k] - dot(pairs_[k].y, d) / pairs_[k].product, pairs_[k].s);
  return trouble;
}

}  // namespace pliant
