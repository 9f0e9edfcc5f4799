// SPDX-License-Identifier: Apache-2.0
// Faces of the cage stay open. A face that has shrunk to a line turns its normal at once: there the body
// tears, and the normal's derivative has no bound. Steps that shrink a face too much are refused, and a small
// energy, which is no part of the elastic energy that is told, keeps faces open (normal_curvature.hpp).
#pragma once

#include "pliant/methods/cage/model.hpp"

namespace pliant::cage {

/// The energy that keeps the faces open at x, J; its force on the vertices is added to `force`, if given.
double opening_energy(const Model& model, const Eigen::Ref<const Columns>& x, Columns* force);

/// A face shrinks below a fifth of its area at `from`, or of that at rest where that is smaller. A search
/// that gets near a line creeps.
bool folds(const Model& model, const Columns& from, const Columns& to);

}  // namespace pliant::cage
