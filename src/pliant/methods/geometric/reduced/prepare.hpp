// SPDX-License-Identifier: Apache-2.0
// A body in reduced space: its samples are read, its basis is read from the cache or made.
#pragma once

#include "pliant/methods/entry.hpp"
#include "pliant/methods/geometric/options.hpp"

namespace pliant::geometric {

/// options has a reduction and the plan what a scene lends. Problems are placed relative to the body.
Result<std::unique_ptr<Method>> build_prepared_reduced(const Options& options, const BodyPlan& plan);

}  // namespace pliant::geometric
