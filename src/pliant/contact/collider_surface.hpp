// SPDX-License-Identifier: Apache-2.0
// What a collider looks like: for pictures and for other programs, never for contact.
#pragma once

#include <optional>
#include <string>

#include "pliant/contact/collider.hpp"

namespace pliant {

/// "plane", "sphere", "box", "capsule" or "mesh".
std::string kind_of(const ColliderShape& shape);

/// The surface where the shape was written (Collider::pose moves it); none for a plane, which has no end.
std::optional<TriMesh> surface_of(const ColliderShape& shape);

}  // namespace pliant
