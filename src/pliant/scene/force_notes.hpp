// SPDX-License-Identifier: Apache-2.0
// What the maker of a scene should know of its forces before the run.
#pragma once

#include <string>
#include <vector>

#include "pliant/base/result.hpp"
#include "pliant/scene/spec.hpp"
#include "pliant/sim/simulation.hpp"

namespace pliant {

/// Winds of which a step takes less than they give (physics/wind.hpp), one sentence each.
std::vector<std::string> force_notes(const SceneSpec& spec, const Simulation& simulation);

/// Winds on bodies without a surface.
std::vector<Problem> force_problems(const SceneSpec& spec, const std::vector<Body>& bodies);

}  // namespace pliant
