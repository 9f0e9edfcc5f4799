// SPDX-License-Identifier: Apache-2.0
// What stands around the bodies on a page: the surfaces of the colliders as one mesh. A level plane is the
// ground, which the page draws itself; other planes are boards.
#pragma once

#include "pliant/contact/collider.hpp"
#include "pliant/view/snapshot.hpp"

namespace pliant::view {

/// reach: half the side of a board, m; about: what boards are centred under, m.
PropMesh prop_mesh(const std::vector<Collider>& colliders, double time, const Vec3& about, double reach);

/// Whether the positions change with time.
bool props_move(const std::vector<Collider>& colliders);

}  // namespace pliant::view
