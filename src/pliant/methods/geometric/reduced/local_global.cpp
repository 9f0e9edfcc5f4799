// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/reduced/local_global.hpp"

#include "pliant/math/anderson.hpp"

namespace pliant::geometric {
namespace {

constexpr double stiff_step = 150;  // as in full space (../local_global.cpp)

}  // namespace

void local_global(ReducedEquation& e, ReducedVectors& v) {
  const bool from_now = e.options.rotation_state == RotationState::current;
  v.d.setZero();
  if (from_now) {
    v.trial = e.state.z;
    e.residual(v.trial, true, v.g);
  }
  for (int k = 0; k < e.options.iterations; ++k) {
    v.trial = e.scratch.start + v.d;
    e.residual(v.trial, k > 0 || !from_now, v.g);
    e.solve(v.g, v.z);
    v.d -= v.z;
    ++e.report().iterations;
  }
}

void accelerated_local_global(ReducedEquation& e, ReducedVectors& v) {
  const int count = e.scheme().elastic * e.model.full.stiffness_ratio > stiff_step ? 20 : 8;
  auto &iterate = e.scratch.iterate, &increment = e.scratch.increment;
  Anderson<ReducedScratch::window> anderson;
  v.d.setZero();
  for (int k = 0; k < count; ++k) {
    const int now = anderson.next();
    v.trial = e.scratch.start + v.d;
    e.residual(v.trial, true, v.g);
    e.solve(v.g, v.z);
    iterate[now] = v.d;
    increment[now] = -v.z;
    // In the norm of the matrix' mass, as far as columns are orthonormal.
    anderson.weigh([&](int a, int b) { return dot(increment[a], increment[b]); });
    v.d = anderson.share(0) * (iterate[now] + increment[now]);
    for (int j = 1; j <= anderson.known(); ++j) {
      const int slot = anderson.slot(j);
      v.d += anderson.share(j) * (iterate[slot] + increment[slot]);
    }
    ++e.report().iterations;
  }
}

}  // namespace pliant::geometric
