// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/point_cache.hpp"

#include <gtest/gtest.h>

#include "tests/support/temp_folder.hpp"

namespace pliant {
namespace point_cache_test {

const FloatFrame first = {1, 2, 3, 4, 5, 6}, second = {-1, -2, -3, -4, -5, -6.5f};

FrameSpool two_frames(const std::filesystem::path& path) {
  Result<FrameSpool> spool = FrameSpool::create(path, 2);
  EXPECT_TRUE(spool);
  EXPECT_FALSE(spool->append({3, 0.5}, first));
  EXPECT_FALSE(spool->append({4, 0.75}, second));
  return std::move(*spool);
}

std::string message(const Result<PointCache>& result) { return result ? "no error" : result.error().text(); }

TEST(PointCache, pc2_has_the_published_bytes) {
  TempFolder folder;
  FrameSpool spool = two_frames(folder / "spool");
  ASSERT_FALSE(write_pc2(folder / "a.pc2", spool));
  const std::string head("POINTCACHE2\0\1\0\0\0\2\0\0\0\0\0\x40\x40\0\0\x80\x3f\2\0\0\0", 32);
  const std::string bytes = bytes_of_file(folder / "a.pc2");
  ASSERT_EQ(bytes.size(), 32u + 48u);
  EXPECT_EQ(bytes.substr(0, 32), head);
  EXPECT_EQ(bytes.substr(32, 4), std::string("\0\0\x80\x3f", 4));  // 1, little endian
  EXPECT_EQ(bytes.substr(76, 4), std::string("\0\0\xd0\xc0", 4));  // -6.5
}

TEST(PointCache, mdd_has_the_published_bytes) {
  TempFolder folder;
  FrameSpool spool = two_frames(folder / "spool");
  ASSERT_FALSE(write_mdd(folder / "a.mdd", spool));
  const std::string bytes = bytes_of_file(folder / "a.mdd");
  ASSERT_EQ(bytes.size(), 8u + 8u + 48u);
  EXPECT_EQ(bytes.substr(0, 16), std::string("\0\0\0\2\0\0\0\2\x3f\0\0\0\x3f\x40\0\0", 16));  // times .5, .75
  EXPECT_EQ(bytes.substr(16, 4), std::string("\x3f\x80\0\0", 4));                             // 1, big endian
  EXPECT_EQ(bytes.substr(60, 4), std::string("\xc0\xd0\0\0", 4));
}

TEST(PointCache, reads_back_what_was_written) {
  TempFolder folder;
  FrameSpool spool = two_frames(folder / "spool");
  ASSERT_FALSE(write_pc2(folder / "a.pc2", spool));
  ASSERT_FALSE(write_mdd(folder / "a.mdd", spool));
  const Result<PointCache> pc2 = read_pc2(folder / "a.pc2"), mdd = read_mdd(folder / "a.mdd");
  ASSERT_TRUE(pc2) << message(pc2);
  ASSERT_TRUE(mdd) << message(mdd);
  for (const PointCache* cache : {&*pc2, &*mdd}) {
    ASSERT_EQ(cache->frames, 2u);
    ASSERT_EQ(cache->vertices, 2u);
    EXPECT_TRUE(std::equal(first.begin(), first.end(), cache->frame(0).begin()));
    EXPECT_EQ(cache->points(1)[1], Vec3(-4, -5, -6.5));
  }
  EXPECT_EQ(pc2->first_frame, 3);
  EXPECT_EQ(mdd->times, (std::vector<float>{0.5f, 0.75f}));
}

TEST(PointCache, refuses_files_that_do_not_hold_what_their_head_promises) {
  TempFolder folder;
  FrameSpool spool = two_frames(folder / "spool");
  ASSERT_FALSE(write_pc2(folder / "a.pc2", spool));
  ASSERT_FALSE(write_mdd(folder / "a.mdd", spool));
  const std::string pc2 = bytes_of_file(folder / "a.pc2"), mdd = bytes_of_file(folder / "a.mdd");
  for (std::size_t cut : {std::size_t(0), std::size_t(5), std::size_t(40), pc2.size() - 1})
    EXPECT_FALSE(read_pc2(folder.with("b.pc2", pc2.substr(0, cut))));
  for (std::size_t cut : {std::size_t(0), std::size_t(5), std::size_t(40), mdd.size() - 1})
    EXPECT_FALSE(read_mdd(folder.with("b.mdd", mdd.substr(0, cut))));
  std::string huge = pc2;
  huge.replace(16, 4, "\xff\xff\xff\x7f");
  huge.replace(28, 4, "\xff\xff\xff\x7f");
  EXPECT_NE(message(read_pc2(folder.with("b.pc2", huge))).find("2147483647 frames of 2147483647 points"),
            std::string::npos);
  huge.replace(28, 4, "\xff\xff\xff\xff");
  EXPECT_NE(message(read_pc2(folder.with("b.pc2", huge))).find("-1 frames"), std::string::npos);
  std::string version = pc2;
  version[12] = 2;
  EXPECT_NE(message(read_pc2(folder.with("b.pc2", version))).find("version 2"), std::string::npos);
  EXPECT_NE(message(read_pc2(folder.with("b.pc2", mdd))).find("POINTCACHE2"), std::string::npos);
}

}  // namespace point_cache_test
}  // namespace pliant
