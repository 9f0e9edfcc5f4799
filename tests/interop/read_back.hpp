// SPDX-License-Identifier: Apache-2.0
// What other programs see in our files: assimp for obj, ply and glb, VTK for vtu, and for pc2, mdd and usda
// parsers of their published layouts that share no code with src/pliant/io.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "pliant/base/types.hpp"

namespace pliant::interop {

using Floats = std::vector<float>;  ///< x y z of every vertex

struct Surface {
  Floats positions;
  std::vector<Triangle> triangles;
};

struct Sequence {
  std::vector<Floats> frames;
  std::vector<double> times;  ///< s, or time codes (usda), or empty (pc2)
};

/// The `v` lines of an obj, by the C library's exact reading of decimal text.
Floats parse_obj_vertices(const std::filesystem::path& path);

/// Through assimp, which splits vertices: every corner of every triangle, in order. Throws std::runtime_error
/// with the cause, as all functions here do.
Floats assimp_corners(const std::filesystem::path& path);

/// The same for every corner of every polygon, with texture coordinates u v (v up).
struct TexturedCorners {
  std::vector<std::size_t> counts;  ///< corners of every face
  Floats positions, uv;
};
TexturedCorners assimp_textured(const std::filesystem::path& path);

struct Morphs {
  Floats rest;                               ///< every corner of every triangle
  Sequence targets;                          ///< every corner, one frame a target
  std::vector<Floats> normals;               ///< every corner, one frame a target
  std::vector<std::vector<double>> weights;  ///< of every key
};
Morphs assimp_morphs(const std::filesystem::path& glb);

struct VtuFile {
  Surface surface;                        ///< its triangles: none when a cell is a polygon
  std::vector<std::vector<Index>> cells;  ///< the corners of every cell
  Floats displacement;
  Floats uv;  ///< u v of every vertex, or nothing
  double time = 0;
};
/// Through VTK in a Python process.
std::vector<VtuFile> vtk_files(const std::vector<std::filesystem::path>& paths);

struct PvdItem {
  double time = 0;
  std::string file;
};
std::vector<PvdItem> parse_pvd(const std::filesystem::path& path);

Sequence parse_pc2(const std::filesystem::path& path);
Sequence parse_mdd(const std::filesystem::path& path);

struct UsdaFile {
  Surface rest;
  Sequence points;
  std::vector<Floats> extents;  ///< min and max of every frame
  std::string text;
};
UsdaFile parse_usda(const std::filesystem::path& path);

/// Compares every format in a folder of frames with these frames; times in s, frame k has index k.
void expect_folder_holds(const std::filesystem::path& folder, const std::string& body, const Surface& rest,
                         const Sequence& expected);

}  // namespace pliant::interop
