// SPDX-License-Identifier: Apache-2.0
// Fibres: a_ij times 1 + s cos^2 of the angle between edge and fibre, the mean of both ends, so that weights
// stay symmetric and K constant: future work of [Huang06, Sec. 6].
#pragma once

#include "pliant/base/result.hpp"
#include "pliant/methods/geometric/options.hpp"

namespace pliant::geometric {

/// What is wrong with the directions for so many nodes.
std::optional<Error> fibre_trouble(const Fibres& fibres, std::size_t nodes);

/// Of the edge between nodes a and b; 1 without fibres. No matter which way a fibre points.
double fibre_factor(const Fibres& fibres, const Points& rest, Index a, Index b);

}  // namespace pliant::geometric
