// SPDX-License-Identifier: Apache-2.0
// The tree of nodes of a .glb and the skins that hang on it.
#pragma once

#include <vector>

#include "pliant/io/glb_file.hpp"

namespace pliant {

struct GlbNodes {
  std::vector<Index> parent;                 ///< -1 = none
  std::vector<Index> order;                  ///< parents before children
  std::vector<glb::Transform> local, world;  ///< as the file stands, without animation
};
/// Refuses what is no tree.
GlbNodes glb_nodes(const GlbFile& file);

struct GlbSkin {
  std::vector<Index> joints;                 ///< nodes
  std::vector<glb::Transform> inverse_bind;  ///< one a joint; empty when the file has none
  Index root = 0;                            ///< first joint of the list that is below no other joint of it
  /// What places the stored vertices in the scene: the root joint's matrix as the file stands. Identity
  /// without inverse bind matrices.
  glb::Transform placing = glb::Transform::Identity();
};
GlbSkin glb_skin(const GlbFile& file, const GlbNodes& nodes, std::int64_t skin, const std::string& place);

}  // namespace pliant
