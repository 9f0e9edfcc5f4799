// SPDX-License-Identifier: Apache-2.0
#include "collider_track.hpp"

#include "pliant/contact/collider_surface.hpp"

namespace pliant::cli {

ColliderTrack track_of(const Collider& collider, const std::vector<double>& times) {
  ColliderTrack track;
  track.name = kind_of(collider.shape());
  if (const auto* plane = std::get_if<PlaneCollider>(&collider.shape())) {
    track.plane = true;
    track.point = plane->point;
    track.normal = plane->normal;
  } else {
    track.surface = *surface_of(collider.shape());
  }
  for (std::size_t k = 0; k < (collider.moves() ? times.size() : 1); ++k) {
    const Pose pose = collider.pose_at(times[k]);
    track.places.push_back({pose.rotation, pose.translation});
  }
  return track;
}

}  // namespace pliant::cli
