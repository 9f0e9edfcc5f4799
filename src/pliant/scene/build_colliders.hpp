// SPDX-License-Identifier: Apache-2.0
// Colliders as written become colliders that can be met.
#pragma once

#include <vector>

#include "pliant/contact/collider.hpp"
#include "pliant/scene/spec.hpp"

namespace pliant {

/// The specs are valid (scene/validate.hpp).
std::vector<Collider> build_colliders(const std::vector<ColliderSpec>& specs);

}  // namespace pliant
