// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/atomic_file.hpp"

#include <gtest/gtest.h>

#include "tests/support/file_size_limit.hpp"
#include "tests/support/temp_folder.hpp"

namespace pliant {
namespace atomic_file_test {

TEST(AtomicFile, is_not_there_before_commit_and_whole_after) {
  TempFolder folder;
  Result<AtomicFile> file = AtomicFile::create(folder / "a/b/metrics.csv");
  ASSERT_TRUE(file);
  file->write("frame,time\n");
  EXPECT_FALSE(std::filesystem::exists(folder / "a/b/metrics.csv"));
  ASSERT_FALSE(file->commit());
  EXPECT_EQ(bytes_of_file(folder / "a/b/metrics.csv"), "frame,time\n");
  EXPECT_FALSE(std::filesystem::exists(folder / "a/b/metrics.csv.part"));
}

TEST(AtomicFile, leaves_the_old_file_alone_without_commit) {
  TempFolder folder;
  folder.with("summary.json", "old");
  {
    Result<AtomicFile> file = AtomicFile::create(folder / "summary.json");
    ASSERT_TRUE(file);
    file->write("new");
  }
  EXPECT_EQ(bytes_of_file(folder / "summary.json"), "old");
  EXPECT_EQ(folder.names(), std::set<std::string>{"summary.json"});
}

TEST(AtomicFile, names_path_and_cause_when_the_folder_cannot_be_made) {
  TempFolder folder;
  folder.with("file", "in the way");
  const std::optional<Error> error = write_file(folder / "file/inside/x.csv", "x");
  ASSERT_TRUE(error);
  EXPECT_NE(error->text().find("file/inside"), std::string::npos) << error->text();
  EXPECT_NE(error->text().find("Not a directory"), std::string::npos) << error->text();
}

TEST(AtomicFile, reports_a_full_disk_and_leaves_nothing_behind) {
  TempFolder folder;
  std::optional<Error> error;
  {
    FileSizeLimit limit(100000);
    error = write_file(folder / "frame.ply", std::string(300000, 'x'));
  }
  ASSERT_TRUE(error);
  EXPECT_NE(error->text().find("frame.ply"), std::string::npos);
  EXPECT_NE(error->text().find("File too large"), std::string::npos) << error->text();
  EXPECT_TRUE(folder.names().empty());
}

TEST(AtomicFile, reports_a_disk_that_is_full_only_when_the_file_is_committed) {
  TempFolder folder;
  std::optional<Error> error;
  {
    FileSizeLimit limit(10);
    error = write_file(folder / "small.txt", "more than ten bytes");
  }
  EXPECT_TRUE(error);
  EXPECT_TRUE(folder.names().empty());
}

}  // namespace atomic_file_test
}  // namespace pliant
