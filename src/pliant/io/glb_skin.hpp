// SPDX-License-Identifier: Apache-2.0
// A character as animation programs export it: the skin of a .glb with its joints and one of its animations.
#pragma once

#include <string>
#include <string_view>

#include "pliant/base/result.hpp"
#include "pliant/geometry/polygon_mesh.hpp"
#include "pliant/geometry/skeleton.hpp"
#include "pliant/geometry/skinning.hpp"

namespace pliant {

struct Rig {
  Skeleton skeleton;                 ///< at rest in the bind pose, with the keys of the animation
  PolygonMesh mesh;                  ///< as parse_glb gives it: in the bind pose, same vertices and order
  std::vector<SkinWeights> weights;  ///< one a vertex, joints of `skeleton`
  std::string animation;             ///< its name; empty when the file has none
};

/// Joints of all skins that meshes of the file use, nodes between them and animated nodes above them, parents
/// first; names as in the file, made different by a number where two are the same. The rest pose is the bind
/// pose. A joint without children that moves vertices gets a child "NAME tip" where its vertices end, so that
/// it has a bone. Turns and moves say how the animation differs from the bind pose; a joint that stands
/// otherwise and is not animated has one key. Scales must be the same in all directions and stay as they are.
///
/// `animation`: its name; empty = the first. Problems carry the JSON path.
Result<Rig> parse_rig(std::string_view bytes, const std::string& name, const std::string& animation = "");

}  // namespace pliant
