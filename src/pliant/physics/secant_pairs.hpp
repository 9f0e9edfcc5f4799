// SPDX-License-Identifier: Apache-2.0
// What a model of a Hessian lacks, learnt from the steps taken: along a step s the forces change by -H s. L-BFGS around
// any solve: J. Nocedal and S. Wright, Numerical Optimization, 2006, Alg. 7.4, with the solve as H_0.
#pragma once

#include <deque>
#include <functional>
#include <span>
#include <string>

#include "pliant/base/types.hpp"

namespace pliant {

class SecantPairs {
 public:
  /// s: a step; y: how much the force against it grew. Where that is not positive nothing is learnt.
  void add(Points s, Points y);
  void clear() { pairs_.clear(); }

  /// d = a positive definite approximation of H^-1 times f. solve(q, d) sets d = H_0^-1 q and returns the trouble.
  std::string direction(
      std::span<const Vec3> f, std::span<Vec3> d,
      const std::function<std::string(std::span<const Vec3>, std::span<Vec3>)>& solve) const;

 private:
  struct Pair {
    Points s, y;
    double product;  ///< s . y
  };
  std::deque<Pair> pairs_;  ///< the oldest first
};

}  // namespace pliant
