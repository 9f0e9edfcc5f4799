// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string>
#include <vector>

#include "pliant/scene/spec.hpp"

namespace pliant {

/// A collider that goes farther in a step than it is thick along its way can pass a body without having touched it at
/// the end of any step: one sentence for each that does. Planes have no other side, and meshes are not asked.
std::vector<std::string> fast_collider_notes(const SceneSpec& scene);

}  // namespace pliant
