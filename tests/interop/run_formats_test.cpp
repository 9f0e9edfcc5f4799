// SPDX-License-Identifier: Apache-2.0
// The command's own files, read back by other programs.
#include <gtest/gtest.h>

#include <cmath>
#include <cstdlib>

#include "pliant/io/read_mesh.hpp"
#include "tests/interop/read_back.hpp"
#include "tests/support/places.hpp"
#include "tests/support/temp_folder.hpp"

namespace pliant::interop {
namespace run_formats_test {

Surface surface_of(const TriMesh& mesh) {
  Surface surface{{}, mesh.triangles};
  for (const Vec3& p : mesh.vertices)
    for (int axis = 0; axis < 3; ++axis) surface.positions.push_back(float(p[axis]));
  return surface;
}

/// The bodies of a run: every rest surface in frames/.
std::vector<std::string> bodies_in(const std::filesystem::path& frames) {
  std::vector<std::string> bodies;
  for (const auto& entry : std::filesystem::directory_iterator(frames))
    if (entry.path().extension() == ".pc2") bodies.push_back(entry.path().stem().string());
  return bodies;
}

TEST(RunFormats, every_format_of_a_run_holds_the_same_frames) {
  TempFolder folder;
  const std::string command = "'" + build_folder() +
                              "/pliant' run geometric/bar-twist --frames 8 --quiet -o '" +
                              (folder / "out").string() + "' --format obj,ply,pc2,mdd,glb,vtu,usda";
  ASSERT_EQ(std::system(command.c_str()), 0) << command;
  const std::filesystem::path frames = folder / "out/frames";
  const std::vector<std::string> bodies = bodies_in(frames);
  ASSERT_FALSE(bodies.empty());
  for (const std::string& body : bodies) {
    const Result<TriMesh> rest = read_mesh(frames / (body + ".obj"));
    ASSERT_TRUE(rest) << rest.error().text();
    Sequence expected = parse_pc2(frames / (body + ".pc2"));
    expected.times = parse_mdd(frames / (body + ".mdd")).times;
    ASSERT_GE(expected.frames.size(), 8u);
    expect_folder_holds(frames, body, surface_of(*rest), expected);
    // The bar twists: a writer that repeats one frame must not pass.
    double moved = 0;
    for (std::size_t i = 0; i < expected.frames[0].size(); ++i)
      moved = std::max(moved, double(std::abs(expected.frames.back()[i] - expected.frames.front()[i])));
    EXPECT_GT(moved, 1e-3) << body;
  }
}

}  // namespace run_formats_test
}  // namespace pliant::interop
