// SPDX-License-Identifier: Apache-2.0
// What a run that ended well shows all the same that its maker should know.
#pragma once

#include <string>
#include <vector>

#include "pliant/scene/build.hpp"

namespace pliant {

/// One sentence each, with the body, what was measured, when, and what to do: bodies that collapsed, that
/// went into a collider or that stood still because no step was found, and flesh that its bones told no
/// rotation.
std::vector<std::string> doubts_of(const Scene& scene, const Recorder& recorder);

/// What so many cells that kept their rotation mean, and what to do.
std::string kept_rotations_text(const BodySpec& body, int cells);

/// Who stopped whom, where and when: one sentence without its full stop.
std::string stop_text(const Simulation& simulation, const StopNote& note);

}  // namespace pliant
