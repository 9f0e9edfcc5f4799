// SPDX-License-Identifier: Apache-2.0
// What meshless flesh needs before it is built: its skeleton, and a node at every sample of the bones.
#pragma once

#include "pliant/methods/entry.hpp"
#include "pliant/methods/meshless/options.hpp"

namespace pliant::meshless {

/// Problems are placed relative to the body.
std::vector<Problem> prepare(Options& options, Shape& shape, Making& making);

}  // namespace pliant::meshless
