// SPDX-License-Identifier: Apache-2.0
// The last stop: surfaces as frames on disk, in any of the formats at once. Knows meshes and frames, never
// bodies.
//
// What a folder holds after finish(), for a surface named BODY:
//   obj    BODY_0000.obj ...           one file a frame
//   ply    BODY_0000.ply ...           binary little endian, with normals
//   vtu    BODY_0000.vtu ... BODY.pvd  ParaView; with the displacement from rest
//   pc2    BODY.pc2                    point cache, plays on BODY.obj
//   mdd    BODY.mdd                    point cache, plays on BODY.obj
//   glb    BODY.glb                    rest surface, a morph target a frame, one animation
//   usda   BODY.usda                   time-sampled points, y up, metres
// and BODY.obj, the rest surface, with obj, pc2 and mdd. Positions are written in single precision.
//
// Every file has the surface's vertices in their order and, where SurfaceInfo::faces gives them, the user's
// own polygons and texture coordinates, per corner in obj and usda, per vertex or per corner in ply, per
// vertex in vtu (none when a vertex has two). glb has triangles and one texture coordinate a vertex: where a
// vertex has several, its copies follow behind the last vertex.
//
// Every file is written beside and renamed: it is whole or absent. Files that need the number of frames in
// front (pc2, mdd, glb, usda, pvd) are made by finish() from BODY.spool, a raw stream of the frames on disk,
// so that memory never holds more than one frame of one surface, plus for glb and usda a few numbers a frame.
#pragma once

#include <filesystem>
#include <memory>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pliant/base/result.hpp"
#include "pliant/base/types.hpp"
#include "pliant/geometry/polygon_mesh.hpp"

namespace pliant {

/// What stays the same in all frames of a surface.
struct SurfaceInfo {
  std::string name;                 ///< names the files; no two alike, usable as a file name
  std::vector<Triangle> triangles;  ///< counter-clockwise seen from outside
  Points rest;                      ///< m
  /// The user's faces and texture coordinates, in these vertices (its own are not used); none: the triangles.
  PolygonMesh faces{};
};

/// Corners that do not exist, and positions that are not finite. Nothing: all is well.
std::vector<Problem> check_surface(const SurfaceInfo& surface);

/// Frame rate, and how to continue after an interrupted run.
struct FrameWriterOptions {
  double frames_per_second = 60;  ///< 1/s
  /// > 0: go on after an interrupted or extended run. Frames before this one are taken from the folder, where
  /// a run with `resumable` has left them; later ones there are dropped.
  int first_frame = 0;
  /// Keep BODY.spool after finish(), so that a later writer can go on from here.
  bool resumable = false;
};

/// Writes the frames of several surfaces; files appear whole or not at all.
class FrameWriter {
 public:
  virtual ~FrameWriter() = default;

  /// The next frame: its index (ascending), its time in s, and the positions of every surface in the order
  /// given to make_frame_writer. Nothing on success. A frame that is refused (its index or time, positions that are not one
  /// a vertex or not finite) writes nothing, and the next may follow; after a file that could not be written only finish()
  /// may.
  [[nodiscard]] virtual std::optional<Error> write(int frame, double time,
                                                   std::span<const std::span<const Vec3>> positions) = 0;

  /// Makes every file valid and visible with the frames written so far; also right after an interrupt or an
  /// error. To be called once, last: a second call, and frames after it, are errors.
  [[nodiscard]] virtual std::optional<Error> finish() = 0;
};

/// "obj", "ply", "pc2", "mdd", "glb", "vtu", "usda".
std::span<const char* const> frame_formats();

/// Creates the folder and writes the rest surfaces. An empty list of formats gives a writer that writes
/// nothing. All unknown formats, unusable names, corners that do not exist and numbers out of range are reported together.
Result<std::unique_ptr<FrameWriter>> make_frame_writer(const std::vector<std::string>& formats,
                                                       const std::filesystem::path& folder,
                                                       std::vector<SurfaceInfo> surfaces,
                                                       const FrameWriterOptions& options);

}  // namespace pliant
