// SPDX-License-Identifier: Apache-2.0
// A world as pages see it: model, snapshot, and the `scene` message.
#pragma once

#include <memory>

#include "pliant/view/snapshot.hpp"
#include "pliant/view/world.hpp"

namespace pliant::view {

std::shared_ptr<const Model> make_model(const World& world);

/// Positions, grabs and the channels that are wanted; the rest of the snapshot is the session's.
void fill_snapshot(const World& world, Channels channels, Snapshot& snapshot);

/// `scene` without transport.
Json scene_json(const World& world);

}  // namespace pliant::view
