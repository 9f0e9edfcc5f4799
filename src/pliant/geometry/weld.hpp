// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/base/types.hpp"

namespace pliant {

/// For every point with used[i] the index of the point that stands for it: itself, or the nearest earlier one
/// within the tolerance (m) that stands for itself, so that merging never chains. -1 where used is 0.
std::vector<Index> weld(const Points& points, const std::vector<char>& used, double tolerance);

}  // namespace pliant
