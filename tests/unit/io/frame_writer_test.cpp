// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/frame_writer.hpp"

#include <gtest/gtest.h>

#include "pliant/io/point_cache.hpp"
#include "pliant/io/read_mesh.hpp"
#include "tests/support/file_size_limit.hpp"
#include "tests/support/temp_folder.hpp"

namespace pliant {
namespace frame_writer_test {

using Names = std::set<std::string>;

SurfaceInfo quad(const std::string& name) {
  return {name, {{0, 1, 2}, {0, 2, 3}}, {Vec3(0, 0, 0), Vec3(1, 0, 0), Vec3(1, 1, 0), Vec3(0, 1, 0)}};
}

/// The quad of frame k: lifted by k.
Points lifted(int frame) {
  Points positions = quad("").rest;
  for (Vec3& p : positions) p.z() += frame;
  return positions;
}

std::optional<Error> write_lifted(FrameWriter& writer, int frame) {
  const Points positions = lifted(frame);
  const std::span<const Vec3> spans[] = {positions};
  return writer.write(frame, frame / 60.0, spans);
}

/// Frames [begin, end) of one quad into the folder.
void run(const TempFolder& folder, const std::vector<std::string>& formats, int begin, int end,
         bool resumable = false) {
  FrameWriterOptions options;
  options.first_frame = begin;
  options.resumable = resumable;
  auto writer = make_frame_writer(formats, folder.path(), {quad("body")}, options);
  ASSERT_TRUE(writer) << writer.error().text();
  for (int frame = begin; frame < end; ++frame) ASSERT_FALSE(write_lifted(**writer, frame));
  ASSERT_FALSE((*writer)->finish());
}

const std::vector<std::string> every_format = {"obj", "ply", "pc2", "mdd", "glb", "vtu", "usda"};

TEST(FrameWriter, writes_every_format_and_leaves_nothing_else) {
  TempFolder folder;
  run(folder, every_format, 0, 2);
  EXPECT_EQ(folder.names(),
            (Names{"body.obj", "body_0000.obj", "body_0001.obj", "body_0000.ply", "body_0001.ply", "body.pc2",
                   "body.mdd", "body.glb", "body.usda", "body.pvd", "body_0000.vtu", "body_0001.vtu"}));
  EXPECT_EQ(read_mesh(folder / "body.obj")->vertices, quad("").rest);
  EXPECT_EQ(read_mesh(folder / "body_0001.ply")->vertices, lifted(1));
}

TEST(FrameWriter, writes_only_what_is_asked_and_the_rest_surface_where_a_cache_needs_it) {
  TempFolder a;
  run(a, {"ply"}, 0, 1);
  EXPECT_EQ(a.names(), (Names{"body_0000.ply"}));
  run(a, {"mdd"}, 0, 1);
  EXPECT_EQ(a.names(), (Names{"body.mdd", "body.obj"}));
}

TEST(FrameWriter, writes_nothing_without_formats) {
  TempFolder folder;
  auto writer = make_frame_writer({}, folder / "frames", {quad("body")}, {});
  ASSERT_TRUE(writer);
  EXPECT_FALSE(write_lifted(**writer, 0));
  EXPECT_FALSE((*writer)->finish());
  EXPECT_FALSE(std::filesystem::exists(folder / "frames"));
}

TEST(FrameWriter, shows_no_cache_before_it_is_finished) {
  TempFolder folder;
  auto writer = make_frame_writer({"pc2", "glb", "usda", "obj"}, folder.path(), {quad("body")}, {});
  ASSERT_TRUE(writer);
  ASSERT_FALSE(write_lifted(**writer, 0));
  EXPECT_EQ(folder.names(), (Names{"body.obj", "body_0000.obj", "body.spool"}));
  ASSERT_FALSE((*writer)->finish());
}

TEST(FrameWriter, is_valid_after_an_interrupt_before_the_first_frame) {
  TempFolder folder;
  run(folder, every_format, 0, 0);
  const Result<PointCache> cache = read_pc2(folder / "body.pc2");
  ASSERT_TRUE(cache);
  EXPECT_EQ(cache->frames, 0u);
}

TEST(FrameWriter, removes_the_frames_of_an_earlier_run_but_no_other_file) {
  TempFolder folder;
  folder.with("body_notes.obj", "");
  folder.with("bodyguard_0003.obj", "");
  run(folder, {"obj", "pc2"}, 0, 4);
  run(folder, {"ply"}, 0, 1);
  EXPECT_EQ(folder.names(), (Names{"body_0000.ply", "body_notes.obj", "bodyguard_0003.obj"}));
}

TEST(FrameWriter, resumes_to_the_files_of_an_uninterrupted_run) {
  TempFolder folder;
  run(folder, every_format, 0, 6);
  Names names = folder.names();
  std::vector<std::string> expected;
  for (const std::string& name : names) expected.push_back(bytes_of_file(folder / name));

  run(folder, {"pc2"}, 0, 5, true);  // another format at first, and frames beyond the checkpoint
  run(folder, every_format, 3, 6);
  EXPECT_EQ(folder.names(), names);
  std::size_t k = 0;
  for (const std::string& name : names) EXPECT_EQ(bytes_of_file(folder / name), expected[k++]) << name;
}

TEST(FrameWriter, resumes_after_the_process_was_killed) {
  TempFolder folder;
  {
    auto writer = make_frame_writer({"pc2"}, folder.path(), {quad("body")}, {});
    ASSERT_TRUE(writer);
    for (int frame = 0; frame < 3; ++frame) ASSERT_FALSE(write_lifted(**writer, frame));
  }  // no finish()
  std::ofstream(folder / "body.spool", std::ios::app) << "half a frame";
  run(folder, {"pc2"}, 3, 5);
  const Result<PointCache> cache = read_pc2(folder / "body.pc2");
  ASSERT_TRUE(cache) << cache.error().text();
  ASSERT_EQ(cache->frames, 5u);
  for (int frame = 0; frame < 5; ++frame) EXPECT_EQ(cache->points(std::size_t(frame)), lifted(frame));
}

TEST(FrameWriter, refuses_to_resume_without_the_earlier_frames) {
  TempFolder folder;
  FrameWriterOptions options;
  options.first_frame = 3;
  EXPECT_FALSE(make_frame_writer({"obj"}, folder.path(), {quad("body")}, options));
  run(folder, {"obj"}, 0, 2, true);
  const auto short_of = make_frame_writer({"obj"}, folder.path(), {quad("body")}, options);
  ASSERT_FALSE(short_of);
  EXPECT_NE(short_of.error().text().find("found frames before 2, expected frames before 3"),
            std::string::npos)
      << short_of.error().text();
  options.first_frame = 2;
  SurfaceInfo other = quad("body");
  other.rest.push_back(Vec3(2, 2, 2));
  EXPECT_FALSE(make_frame_writer({"obj"}, folder.path(), {other}, options));
  EXPECT_TRUE(std::filesystem::exists(folder / "body_0001.obj"));  // a refusal removes nothing
}

TEST(FrameWriter, reports_all_wrong_formats_and_names_together) {
  TempFolder folder;
  const auto writer =
      make_frame_writer({"obj", "fbx", "abc"}, folder / "frames",
                        {quad("a/b"), quad(""), quad("bar"), quad("bar"), quad("bar_0001")}, {});
  ASSERT_FALSE(writer);
  const std::string text = writer.error().text();
  for (const char* part : {"'fbx'", "'abc'", "one of obj, ply, pc2, mdd, glb, vtu, usda", "'a/b'", "''",
                           "'bar' twice", "'bar_0001' beside 'bar'"})
    EXPECT_NE(text.find(part), std::string::npos) << part << "\n" << text;
  EXPECT_FALSE(std::filesystem::exists(folder / "frames"));
}

TEST(FrameWriter, names_the_folder_it_cannot_make) {
  TempFolder folder;
  folder.with("file", "");
  const auto writer = make_frame_writer({"obj"}, folder / "file/frames", {quad("body")}, {});
  ASSERT_FALSE(writer);
  EXPECT_NE(writer.error().text().find("file/frames"), std::string::npos);
  EXPECT_NE(writer.error().text().find("Not a directory"), std::string::npos) << writer.error().text();
}

TEST(FrameWriter, keeps_the_frames_before_a_full_disk) {
  TempFolder folder;
  auto writer = make_frame_writer({"pc2"}, folder.path(), {quad("body")}, {});
  ASSERT_TRUE(writer);
  std::optional<Error> error;
  {
    FileSizeLimit limit(24 + 2 * 64 + 30);  // the spool's head, two frames and a half
    ASSERT_FALSE(write_lifted(**writer, 0));
    ASSERT_FALSE(write_lifted(**writer, 1));
    error = write_lifted(**writer, 2);
  }
  ASSERT_TRUE(error);
  EXPECT_NE(error->text().find("body.spool: found File too large"), std::string::npos) << error->text();
  ASSERT_FALSE((*writer)->finish());
  const Result<PointCache> cache = read_pc2(folder / "body.pc2");
  ASSERT_TRUE(cache) << cache.error().text();
  ASSERT_EQ(cache->frames, 2u);
  EXPECT_EQ(cache->points(1), lifted(1));
}

TEST(FrameWriter, reports_every_file_that_finish_could_not_write) {
  TempFolder folder;
  auto writer = make_frame_writer({"pc2", "glb", "usda"}, folder.path(), {quad("body")}, {});
  ASSERT_TRUE(writer);
  ASSERT_FALSE(write_lifted(**writer, 0));
  for (const char* name : {"body.pc2/x", "body.usda/x"})  // folders in the way that a rename cannot replace
    std::filesystem::create_directories(folder / name);
  const std::optional<Error> error = (*writer)->finish();
  ASSERT_TRUE(error);
  EXPECT_NE(error->text().find("body.pc2"), std::string::npos) << error->text();
  EXPECT_NE(error->text().find("body.usda"), std::string::npos) << error->text();
  EXPECT_TRUE(std::filesystem::is_regular_file(folder / "body.glb"));
  EXPECT_TRUE(std::filesystem::exists(folder / "body.spool"));  // nothing is lost
}

}  // namespace frame_writer_test
}  // namespace pliant
