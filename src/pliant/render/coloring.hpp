// SPDX-License-Identifier: Apache-2.0
// Which number a picture shows in colour, and the range of its legend.
#pragma once

#include "pliant/render/render.hpp"
#include "pliant/render/sequence.hpp"

namespace pliant {

enum class Coloring { none, speed, stretch, rotation, active, distortion };

/// The numbers of one body at a frame, one a vertex; empty for Coloring::none. Speed is a central difference
/// over the frames before and after (one-sided at the ends): the sequence needs times and two frames. Active
/// needs a sequence that knows it (SurfaceTrack::active).
Result<std::vector<float>> color_values(const Sequence& sequence, int body, int frame, Coloring coloring);

/// One legend for all frames given: from the neutral value to a round number that only the highest 0.5 % of
/// the values exceed.
Result<Legend> color_legend(const Sequence& sequence, const std::vector<int>& frames, Coloring coloring);

}  // namespace pliant
