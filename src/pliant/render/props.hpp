// SPDX-License-Identifier: Apache-2.0
// What stands around the bodies in a picture: colliders. Surfaces as they are; a level plane that is still is
// the floor; other planes are boards just large enough for the bodies.
#pragma once

#include <optional>
#include <vector>

#include "pliant/render/render.hpp"
#include "pliant/render/sequence.hpp"

namespace pliant {

class Props {
 public:
  /// low, high: bounds of the bodies over all frames that are shown, m.
  Props(const std::vector<ColliderTrack>& colliders, const Vec3& low, const Vec3& high);

  /// Height of the floor, when there is a level plane: of the highest one.
  std::optional<double> floor() const { return floor_; }
  int count() const { return int(props_.size()); }
  bool moves(int prop) const { return props_[std::size_t(prop)].places.size() > 1; }
  /// A plane is drawn only for an eye in front of it: from behind it would hide everything.
  bool faces(int prop, const Vec3& eye, int frame) const;
  RenderBody body(int prop, int frame) const;
  Points positions(int prop, int frame) const;
  /// Its points that are not far from the bodies: what the camera should hold as well.
  Points close_points(int prop, int frame) const;

 private:
  TriMesh board(const ColliderTrack& plane) const;

  Vec3 low_, high_;
  std::optional<double> floor_;
  std::vector<ColliderTrack> props_;  ///< planes have a surface, too
};

}  // namespace pliant
