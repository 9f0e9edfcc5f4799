// SPDX-License-Identifier: Apache-2.0
// Surfaces over time, as they can be pictured: a run folder, a mesh file, or what a simulation hands over.
#pragma once

#include <filesystem>
#include <functional>
#include <string>
#include <vector>

#include "pliant/base/result.hpp"
#include "pliant/base/types.hpp"

namespace pliant {

struct SurfaceTrack {
  std::string name;
  std::vector<Triangle> triangles;
  Points rest;                                     ///< m
  std::function<Result<Points>(int frame)> shape;  ///< positions at a frame, 0-based; may read a file
};

struct Sequence {
  std::vector<SurfaceTrack> bodies;
  int frames = 0;
  std::vector<double> times;  ///< s, one a frame; empty when the files do not tell
};

/// A run folder (or its frames folder): of each body the first there is of BODY.pc2, BODY.mdd (both with
/// BODY.obj), BODY_0000.obj ... and BODY_0000.ply ...; times from metrics.csv, else from the mdd.
Result<Sequence> read_run(const std::filesystem::path& folder);

/// One surface, one frame.
Result<Sequence> read_still(const std::filesystem::path& mesh);

}  // namespace pliant
