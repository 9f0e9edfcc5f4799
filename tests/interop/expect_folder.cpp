// SPDX-License-Identifier: Apache-2.0
#include <fmt/format.h>
#include <gtest/gtest.h>

#include <cmath>
#include <limits>

#include "tests/interop/read_back.hpp"

namespace pliant::interop {
namespace {

namespace fs = std::filesystem;

Floats at_corners(const Floats& positions, const std::vector<Triangle>& triangles) {
  Floats out;
  for (const Triangle& t : triangles)
    for (Index v : t) out.insert(out.end(), positions.begin() + 3 * v, positions.begin() + 3 * v + 3);
  return out;
}

float largest(const Floats& values) {
  float most = 0;
  for (float value : values) most = std::max(most, std::abs(value));
  return most;
}

/// tolerance 0 = the same floats (0 and -0 are the same place).
void expect_same(const Floats& found, const Floats& expected, float tolerance, const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t i = 0; i < found.size(); ++i)
    ASSERT_LE(std::abs(found[i] - expected[i]), tolerance) << what << ", vertex or corner " << i / 3;
}

void expect_frames(const Sequence& found, const Sequence& expected, const std::string& what) {
  ASSERT_EQ(found.frames.size(), expected.frames.size()) << what;
  for (std::size_t k = 0; k < expected.frames.size(); ++k)
    expect_same(found.frames[k], expected.frames[k], 0, fmt::format("{} frame {}", what, k));
}

void expect_times(const std::vector<double>& found, const std::vector<double>& expected,
                  const std::string& what) {
  ASSERT_EQ(found.size(), expected.size()) << what;
  for (std::size_t k = 0; k < found.size(); ++k)
    EXPECT_FLOAT_EQ(float(found[k]), float(expected[k])) << what << " frame " << k;
}

void expect_glb(const fs::path& path, const Surface& rest, const Sequence& expected) {
  const Morphs glb = assimp_morphs(path);
  expect_same(glb.rest, at_corners(rest.positions, rest.triangles), 0, "glb rest");
  expect_times(glb.targets.times, expected.times, "glb");
  ASSERT_EQ(glb.targets.frames.size(), expected.frames.size());
  for (std::size_t k = 0; k < expected.frames.size(); ++k) {
    // rest + (x - rest) in floats: two roundings of numbers not larger than twice the largest coordinate.
    const float size = std::max(largest(rest.positions), largest(expected.frames[k]));
    expect_same(glb.targets.frames[k], at_corners(expected.frames[k], rest.triangles),
                2 * size * std::numeric_limits<float>::epsilon(), fmt::format("glb target {}", k));
    for (std::size_t i = 0; i < glb.normals[k].size(); i += 3) {
      const float* n = &glb.normals[k][i];
      ASSERT_NEAR(n[0] * n[0] + n[1] * n[1] + n[2] * n[2], 1, 1e-5) << "glb normal of target " << k;
    }
    for (std::size_t j = 0; j < expected.frames.size(); ++j)
      ASSERT_EQ(glb.weights[k][j], j == k ? 1 : 0) << "glb weight " << j << " of key " << k;
  }
}

void expect_vtu(const fs::path& folder, const std::string& body, const Surface& rest,
                const Sequence& expected) {
  const std::vector<PvdItem> items = parse_pvd(folder / (body + ".pvd"));
  ASSERT_EQ(items.size(), expected.frames.size());
  std::vector<fs::path> paths;
  for (const PvdItem& item : items) paths.push_back(folder / item.file);
  const std::vector<VtuFile> files = vtk_files(paths);
  for (std::size_t k = 0; k < items.size(); ++k) {
    EXPECT_EQ(items[k].file, fmt::format("{}_{:04}.vtu", body, k));
    EXPECT_FLOAT_EQ(float(items[k].time), float(expected.times[k]));
    EXPECT_EQ(files[k].time, items[k].time);
    EXPECT_EQ(files[k].surface.triangles, rest.triangles);
    expect_same(files[k].surface.positions, expected.frames[k], 0, fmt::format("vtu frame {}", k));
    Floats displacement = expected.frames[k];
    for (std::size_t i = 0; i < displacement.size(); ++i) displacement[i] -= rest.positions[i];
    expect_same(files[k].displacement, displacement, 0, fmt::format("vtu displacement {}", k));
  }
}

void expect_usda(const fs::path& path, const Surface& rest, const Sequence& expected) {
  const UsdaFile usda = parse_usda(path);
  expect_same(usda.rest.positions, rest.positions, 0, "usda rest");
  EXPECT_EQ(usda.rest.triangles, rest.triangles);
  expect_frames(usda.points, expected, "usda");
  for (std::size_t k = 0; k < usda.points.times.size(); ++k) EXPECT_EQ(usda.points.times[k], double(k));
  for (const char* part : {"upAxis = \"Y\"", "metersPerUnit = 1\n", "startTimeCode = 0\n"})
    EXPECT_NE(usda.text.find(part), std::string::npos) << part;
  EXPECT_NE(usda.text.find(fmt::format("endTimeCode = {}\n", expected.frames.size() - 1)), std::string::npos);
  ASSERT_EQ(usda.extents.size(), expected.frames.size());
  for (std::size_t k = 0; k < expected.frames.size(); ++k) {
    Floats box(expected.frames[k].begin(), expected.frames[k].begin() + 3);
    box.insert(box.end(), box.begin(), box.begin() + 3);
    for (std::size_t i = 0; i < expected.frames[k].size(); ++i) {
      box[i % 3] = std::min(box[i % 3], expected.frames[k][i]);
      box[3 + i % 3] = std::max(box[3 + i % 3], expected.frames[k][i]);
    }
    expect_same(usda.extents[k], box, 0, fmt::format("usda extent {}", k));
  }
}

}  // namespace

void expect_folder_holds(const fs::path& folder, const std::string& body, const Surface& rest,
                         const Sequence& expected) {
  // assimp reads decimal text with an error of an ulp or two of its own; everything binary is exact.
  const auto text_tolerance = [](const Floats& positions) {
    return 4 * largest(positions) * std::numeric_limits<float>::epsilon();
  };
  expect_same(assimp_corners(folder / (body + ".obj")), at_corners(rest.positions, rest.triangles),
              text_tolerance(rest.positions), "rest obj");
  for (std::size_t k = 0; k < expected.frames.size(); ++k) {
    const Floats corners = at_corners(expected.frames[k], rest.triangles);
    expect_same(assimp_corners(folder / fmt::format("{}_{:04}.obj", body, k)), corners,
                text_tolerance(expected.frames[k]), fmt::format("obj frame {}", k));
    expect_same(parse_obj_vertices(folder / fmt::format("{}_{:04}.obj", body, k)), expected.frames[k], 0,
                fmt::format("obj text of frame {}", k));
    expect_same(assimp_corners(folder / fmt::format("{}_{:04}.ply", body, k)), corners, 0,
                fmt::format("ply frame {}", k));
  }
  expect_frames(parse_pc2(folder / (body + ".pc2")), expected, "pc2");
  const Sequence mdd = parse_mdd(folder / (body + ".mdd"));
  expect_frames(mdd, expected, "mdd");
  expect_times(mdd.times, expected.times, "mdd");
  expect_glb(folder / (body + ".glb"), rest, expected);
  expect_vtu(folder, body, rest, expected);
  expect_usda(folder / (body + ".usda"), rest, expected);
}

}  // namespace pliant::interop
