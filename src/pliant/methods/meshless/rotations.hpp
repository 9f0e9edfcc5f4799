// SPDX-License-Identifier: Apache-2.0
// The rotations that a solve is given: diffused from the bones (rig.hpp), or polar ones of positions. Those
// of the cells and of the nodes (for warping at nodes and rows) are warm starts of the next step and part of
// the state. Scratch::node_rotation has those of the nodes as matrices.
#pragma once

#include "pliant/methods/meshless/cache.hpp"
#include "pliant/methods/meshless/scratch.hpp"
#include "pliant/methods/meshless/state.hpp"

namespace pliant::meshless {

/// Polar rotations of the positions x.
void turn_by_positions(const Model& model, const Points& x, State& state, Scratch& scratch, Pool& pool);

/// The rotations that the bones of scratch.posed give. Cells whose blend of them has no length keep theirs;
/// returns how many do, without those that no bone reaches.
int turn_by_bones(const Rig& rig, const Cache& cache, State& state, Scratch& scratch, Pool& pool);

/// Rotations of bones at rest. Returns the cells that no bone reaches.
int turn_upright(const Rig& rig, const Cache& cache, State& state, Scratch& scratch);

}  // namespace pliant::meshless
