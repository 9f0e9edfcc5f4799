// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/entry.hpp"

#include "pliant/geometry/inside.hpp"

namespace pliant {

void place_like(const MeshPlacement& placement, PolygonMesh& mesh) {
  convert(mesh, placement.scale, placement.up);
  move(mesh, placement.rotation, placement.translation);
}

void place_like(const MeshPlacement& placement, Skeleton& skeleton) {
  Mat3 upright = Mat3::Identity();
  if (placement.up == UpAxis::z) upright << 1, 0, 0, 0, 0, 1, 0, -1, 0;
  transform(skeleton, placement.scale, placement.rotation * upright, placement.translation);
}

Verdict any_mesh(const Solidity& solidity) {
  if (!solidity.any_shell) return {"yes, as a solid", true};
  return {solidity.any_solid ? "yes, each part as what it is" : "yes, as a shell", true};
}

}  // namespace pliant
