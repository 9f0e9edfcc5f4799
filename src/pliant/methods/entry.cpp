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

Problem lacking(const std::string& method, Ability ability) {
  const auto asks_for = [&](const char* what) { return Problem{"method", method, what, {}}; };
  switch (ability) {
    case Ability::contact:
      return {"method", "\"" + method + "\" in a scene with colliders", "no colliders, or another method",
              "method " + method + " does not meet colliders"};
    case Ability::live:
      return asks_for("a method that changes in place");
    case Ability::plasticity:
      return asks_for("a method with plasticity");
    case Ability::skeleton:
      return asks_for("a method with bones");
    case Ability::cage:
      return asks_for("a method with a cage");
    case Ability::points:
      return {"method", "\"" + method + "\" with a cloud of points", "a method that fills points: meshless",
              "or give the file faces: reconstruct a surface"};
    case Ability::activity:
      return asks_for("a method that skips rotations");
    case Ability::elastic:
      return asks_for("a method that gives way");
  }
  return asks_for("another method");
}

Problem lacking_plasticity(const std::string& method) {
  return {method + ".plasticity", "none", "when the body keeps a new shape", {}};
}

}  // namespace pliant
