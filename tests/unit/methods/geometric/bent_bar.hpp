// SPDX-License-Identifier: Apache-2.0
// Adaptive rotations of a bent bar beside its exact ones.
#pragma once

#include "pliant/methods/geometric/adaptive_rotations.hpp"
#include "tests/unit/methods/geometric/bodies.hpp"

namespace pliant::geometric {

/// A bar that hangs from one end under its weight, its tip by half its length below.
struct Bent {
  Model model = model_of(lattice({5, 5, 41}, 1, 1, 1000));
  Points x;
  Rotations exact;

  Bent() {
    Options options;
    options.integrator = Integrator::euler;
    options.tolerance = 1e-4;
    auto body = body_of(lattice({5, 5, 41}, 1, 1, 1000), options);
    const Clamp held = clamp(model.rest);
    Pool pool(1);
    StepInput input;
    input.gravity = {0, -0.25, 0};
    input.held = held.held;
    input.targets = held.targets;
    input.pool = &pool;
    settle(*body, input, 10, 40);
    x = body->nodes().x;
    exact = rotations_at(model, x);
  }
};

struct Outcome {
  int active = 0;
  double worst = 0, rms = 0;  ///< angle from the exact rotations, rad
  std::vector<char> mask;
};

inline Outcome spread(const Bent& bar, const Adaptive& options, int threads = 1) {
  const Arrangement arrangement =
      arrange(breadth_first_order(bar.model.adjacency), std::vector<unsigned char>(bar.x.size(), 0));
  AdaptiveRotations adaptive;
  adaptive.choose(bar.model, options);
  adaptive.arrange(bar.model, arrangement);
  const std::size_t batches = (bar.x.size() + 15) / 16;
  std::vector<float> a(9 * 16 * batches, 0), q(4 * 16 * batches, 0), r(9 * 16 * batches, 0);
  const auto slot = [](int numbers, Index place, int k) {
    return std::size_t(numbers * 16 * (place / 16) + 16 * k + place % 16);
  };
  for (Index i = 0; i < Index(bar.x.size()); ++i) {
    const Index place = arrangement.place[i];
    const Mat3 m = covariance(bar.model, bar.x, i);
    for (int k = 0; k < 9; ++k) a[slot(9, place, k)] = float(m(k / 3, k % 3));
    q[slot(4, place, 0)] = 1;
  }
  Pool pool(threads);
  // Twice: as in a step, rotations start from the last ones.
  for (int k = 0; k < 2; ++k) adaptive.spread(a.data(), q.data(), r.data(), pool);

  Outcome out;
  out.active = adaptive.active();
  for (Index i = 0; i < Index(bar.x.size()); ++i) {
    const Index place = arrangement.place[i];
    Mat3 got;
    for (int k = 0; k < 9; ++k) got(k / 3, k % 3) = r[slot(9, place, k)];
    // sqrt|R - S|^2/2 is twice the sine of half the angle: right for small ones, where the trace has no
    // digits.
    const double angle =
        2 * std::asin(std::min(1.0, (got - bar.exact[i].toRotationMatrix()).norm() / std::sqrt(8.0)));
    out.worst = std::max(out.worst, angle);
    out.rms += angle * angle / double(bar.x.size());
    out.mask.push_back(adaptive.is_active(place));
  }
  out.rms = std::sqrt(out.rms);
  return out;
}

}  // namespace pliant::geometric
