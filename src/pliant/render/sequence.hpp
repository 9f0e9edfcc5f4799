// SPDX-License-Identifier: Apache-2.0
// Surfaces over time, as they can be pictured: a run folder, a mesh file, or what a simulation hands over.
#pragma once

#include <algorithm>
#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "pliant/base/result.hpp"
#include "pliant/base/types.hpp"
#include "pliant/geometry/tri_mesh.hpp"

namespace pliant {

struct SurfaceTrack {
  std::string name;
  std::vector<Triangle> triangles;
  Points rest;                                     ///< m
  std::function<Result<Points>(int frame)> shape;  ///< positions at a frame, 0-based; may read a file
  /// Share of freshly computed rotations around every vertex, 0 .. 1; null when nothing tells.
  std::function<std::vector<float>(int frame)> active = {};
};

/// x = rotation * X + translation.
struct RigidPlace {
  Mat3 rotation = Mat3::Identity();
  Vec3 translation{0, 0, 0};  ///< m
};

/// Something rigid that the bodies meet: a surface, or a plane without end.
struct ColliderTrack {
  std::string name;
  bool plane = false;
  Vec3 point{0, 0, 0}, normal{0, 1, 0};  ///< of a plane
  TriMesh surface;                       ///< of everything else
  std::vector<RigidPlace> places;        ///< one a frame; only one: it is still

  const RigidPlace& at(int frame) const { return places[std::min(std::size_t(frame), places.size() - 1)]; }
};

struct Sequence {
  std::vector<SurfaceTrack> bodies;
  std::vector<ColliderTrack> colliders;
  int frames = 0;
  std::vector<double> times;  ///< s, one a frame; empty when the files do not tell
};

/// A cloud of points (no triangles) as small balls, octahedra; other tracks as they are.
SurfaceTrack with_points_as_balls(SurfaceTrack track);

/// A run folder (or its frames folder): of each body the first there is of BODY.pc2, BODY.mdd (both with
/// BODY.obj), BODY_0000.obj ... and BODY_0000.ply ...; times from metrics.csv, else from the mdd;
/// colliders from colliders/colliders.json.
Result<Sequence> read_run(const std::filesystem::path& folder);

/// One surface, one frame.
Result<Sequence> read_still(const std::filesystem::path& mesh);

}  // namespace pliant
