// SPDX-License-Identifier: Apache-2.0
// VTK unstructured grids (.vtu, one a frame) and their collection over time (.pvd), for ParaView.
#pragma once

#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "pliant/base/result.hpp"
#include "pliant/geometry/polygon_mesh.hpp"

namespace pliant {

/// The faces of `faces`, or the triangles when it has none, with the point array `displacement` (from rest,
/// m) and, when no vertex has two of them, the texture coordinates; raw appended data.
[[nodiscard]] std::optional<Error> write_vtu(const std::filesystem::path& path, std::span<const float> xyz,
                                             std::span<const float> rest,
                                             const std::vector<Triangle>& triangles, double time,
                                             const PolygonMesh& faces = {});

/// An array over points, so many numbers each.
struct PointArray {
  std::string name;
  int components = 1;
  std::vector<float> values;
};
/// Points alone, each its own cell, with these arrays. The first array of three components is the file's vectors.
[[nodiscard]] std::optional<Error> write_points_vtu(const std::filesystem::path& path,
                                                    std::span<const float> xyz,
                                                    const std::vector<PointArray>& arrays, double time);

struct PvdEntry {
  double time = 0;   ///< s
  std::string file;  ///< relative to the .pvd
};
[[nodiscard]] std::optional<Error> write_pvd(const std::filesystem::path& path,
                                             const std::vector<PvdEntry>& entries);

}  // namespace pliant
