// SPDX-License-Identifier: Apache-2.0
// What a scene shows while it runs, kept for pictures.
#pragma once

#include <functional>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "pliant/render/marks.hpp"
#include "pliant/render/sequence.hpp"
#include "pliant/scene/build.hpp"

namespace pliant::cli {

/// A pin or a handle at a time.
struct HoldMark {
  Points points;  ///< what it holds, m
  bool handle = false;
  Points path;  ///< of a handle: the way of its centre so far, m
};

struct CageMark {
  std::vector<DrawnEdge> edges;
  Points vertices;  ///< m
};

/// What a figure can show of a frame besides the surfaces.
struct Moment {
  std::vector<HoldMark> holds;
  std::vector<CageMark> cages;
  std::vector<TriMesh> bones;
  std::vector<CellCorners> inverted;
  std::map<std::string, double> metrics;  ///< of the first body
};

struct RecordPlan {
  std::vector<int> frames = {};  ///< kept, ascending; the simulation ends with the last
  bool activity = false;         ///< where rotations are computed
  bool moments = false;
  std::function<void()> stepped = [] {};  ///< after each frame
};

struct Record {
  Sequence sequence;            ///< of the kept frames
  std::vector<Moment> moments;  ///< one a kept frame, if asked for
};

/// Runs the scene. Throws RunError and Interrupted.
Record record(Scene& scene, const RecordPlan& plan);

/// The scene's bodies at rest, lifted by one function of the space that each moves in (from 1): the largest lift
/// is the amplitude, m. Throws InputError when a body has no such function.
Record record_mode(Scene& scene, int mode, double amplitude);

}  // namespace pliant::cli
