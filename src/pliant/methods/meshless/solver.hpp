// SPDX-License-Identifier: Apache-2.0
// Solves the equation for a correction: preconditioned conjugate gradients, or BiCGStab where the matrix is
// not symmetric (`warping: row`). Single precision, sums in double.
#pragma once

#include "pliant/methods/meshless/equation.hpp"

namespace pliant::meshless {

/// x += D, matrix D = r: until the residual has fallen to `tolerance` or after `most` iterations. Returns their
/// number.
int correct(Equation& e, const Points& r, double tolerance, int most, Points& x);

// Of the vectors of the solvers, one entry a node.
double dot(const AlignedVector<Float4>& a, const AlignedVector<Float4>& b);
/// a += factor b
void add(AlignedVector<Float4>& a, float factor, const AlignedVector<Float4>& b);
/// a = b + factor a
void follow(AlignedVector<Float4>& a, float factor, const AlignedVector<Float4>& b);

}  // namespace pliant::meshless
