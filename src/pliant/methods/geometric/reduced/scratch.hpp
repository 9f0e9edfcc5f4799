// SPDX-License-Identifier: Apache-2.0
// The arrays that a step works in. None is read before the same step has written it.
#pragma once

#include <array>

#include "pliant/methods/geometric/reduced/kernels.hpp"
#include "pliant/methods/geometric/reduced/matrix.hpp"

namespace pliant::geometric {

/// What every solver of the step works on.
struct ReducedVectors {
  Coordinates d;      ///< D, the step from the prediction Z0: the answer in the end
  Coordinates g;      ///< G(D), or the residual of its linear model
  Coordinates z;      ///< A^-1 g
  Coordinates p;      ///< search direction
  Coordinates hp;     ///< H p
  Coordinates trial;  ///< Z0 + D
};

struct ReducedScratch {
  explicit ReducedScratch(const ReducedModel& model) {
    const Coordinates zero = Coordinates::Zero(model.columns(), 3);
    for (Coordinates* c : {&hat_z, &hat_v, &start, &base, &new_z, &new_v, &acceleration, &velocity, &product})
      *c = zero;
    for (Coordinates* c : {&vectors.d, &vectors.g, &vectors.z, &vectors.p, &vectors.hp, &vectors.trial})
      *c = zero;
    iterate.fill(zero);
    increment.fill(zero);
    quaternions_before.resize(4 * std::size_t(model.batches) * reduced_lanes);
  }

  Coordinates hat_z, hat_v;  ///< Z^, V^ of the integrator
  Coordinates start;         ///< Z0 = Z^ + h' V^, prescribed columns as prescribed
  Coordinates base;          ///< the part of G that does not depend on D
  Coordinates new_z, new_v;  ///< the end of the step
  Coordinates acceleration;  ///< that BDF2 starts from
  Coordinates velocity, product;

  ReducedSprings springs;
  std::array<Vec3, max_grabs> spring_targets;  ///< m

  ReducedVectors vectors;
  static constexpr int window = 5;
  std::array<Coordinates, window + 1> iterate, increment;  ///< of Anderson acceleration
  AlignedVector<float> quaternions_before;                 ///< of the state before the step
};

}  // namespace pliant::geometric
