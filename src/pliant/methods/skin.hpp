// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/math/gather.hpp"

namespace pliant {

/// The part of a shape that shows the nodes: nothing of it moves them.
struct Skin {
  Gather embedding;     ///< surface vertices from nodes
  Gather contact = {};  ///< points that meet colliders; no rows = the embedding

  const Gather& contact_points() const { return contact.rows() > 0 ? contact : embedding; }
};

}  // namespace pliant
