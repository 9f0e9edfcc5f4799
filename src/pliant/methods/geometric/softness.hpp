// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <algorithm>
#include <cmath>
#include <span>

#include "pliant/math/symmetric_matrix.hpp"
#include "pliant/methods/geometric/arrangement.hpp"

namespace pliant::geometric {

/// How many times softer than A = mass M + stiffness K some motion is: the largest eigenvalue of H^-1 A, or a
/// little less, by the power method from a motion in which neighbours differ and the body's ends do, too.
/// solve(v): v <- H^-1 v, three numbers a free place.
template <class Solve>
double softest_motion(const Model& model, const Arrangement& arrangement, const SymmetricMatrix& k,
                      double mass, double stiffness, Solve&& solve) {
  constexpr int rounds = 8;
  const Index free = arrangement.free;
  const auto apply = [&](const std::vector<double>& v, std::vector<double>& out) {  // A v
    std::fill(out.begin(), out.end(), 0.0);
    for (Index i = 0; i < k.rows(); ++i) {
      const Index a = arrangement.place[i];
      if (a >= free) continue;
      for (int x = 0; x < 3; ++x) out[3 * a + x] += mass * model.mass[i] * v[3 * a + x];
      for (Index n = k.begin[i]; n < k.begin[i + 1]; ++n) {
        const Index b = arrangement.place[k.column[n]];
        if (b >= free) continue;
        for (int x = 0; x < 3; ++x) {
          out[3 * a + x] += stiffness * k.value[n] * v[3 * b + x];
          if (a != b) out[3 * b + x] += stiffness * k.value[n] * v[3 * a + x];
        }
      }
    }
  };
  std::vector<double> v(3 * std::size_t(free)), av(v.size());
  for (std::size_t n = 0; n < v.size(); ++n) {
    const Vec3& x = model.rest[arrangement.node[n / 3]];
    v[n] = std::sin(double(n)) + x[(n + 1) % 3] * x[(n + 2) % 3];
  }
  double softest = 0;
  for (int round = 0; round < rounds; ++round) {
    apply(v, av);
    double before = 0, after = 0;
    for (std::size_t n = 0; n < v.size(); ++n) before += v[n] * av[n];
    solve(std::span<double>(av));
    std::swap(v, av);
    apply(v, av);
    for (std::size_t n = 0; n < v.size(); ++n) after += v[n] * av[n];
    if (!(before > 0 && after > 0)) break;
    softest = std::sqrt(after / before);
    for (double& each : v) each /= std::sqrt(after);
  }
  return softest;
}

}  // namespace pliant::geometric
