// SPDX-License-Identifier: Apache-2.0
// Solves the equation for a correction: preconditioned conjugate gradients, or BiCGStab where the matrix is
// not symmetric (`warping: row`). Single precision, sums in double.
#pragma once

#include "pliant/methods/meshless/equation.hpp"

namespace pliant::meshless {

class Solver {
 public:
  Solver(std::size_t nodes, bool symmetric);

  /// x += D, matrix D = r: until the residual has fallen to `tolerance` or after `most` iterations. Returns
  /// their number.
  int correct(Equation& equation, const Context& step, const Points& r, double tolerance, int most,
              Points& x);

 private:
  /// Both solve for d_ from the right side in f_, which becomes the residual.
  int conjugate_gradients(Equation& equation, const Context& step, double tolerance, int most);
  int bicgstab(Equation& equation, const Context& step, double tolerance, int most);

  AlignedVector<Float4> d_, f_, z_, p_, ap_;
  AlignedVector<Float4> s_, t_, shadow_;  // of BiCGStab
};

}  // namespace pliant::meshless
