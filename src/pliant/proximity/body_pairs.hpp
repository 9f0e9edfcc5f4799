// SPDX-License-Identifier: Apache-2.0
// Which of many boxes overlap, anew each time: sweep and prune along the axis on which they spread most.
#pragma once

#include <span>
#include <vector>

#include "pliant/proximity/box_tree.hpp"

namespace pliant {

/// Keeps memory between searches: after warm-up a search allocates nothing.
class BodyPairs {
 public:
  /// Pairs first < second whose boxes overlap, sorted. Replaces what `out` held. Empty boxes (low above high)
  /// overlap nothing.
  void find(std::span<const MotionBox> boxes, std::vector<IndexPair>& out);

 private:
  std::vector<Index> order_;  ///< by where the boxes begin
};

}  // namespace pliant
