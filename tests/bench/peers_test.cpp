// SPDX-License-Identifier: Apache-2.0
#include "bench/harness/peers.hpp"

#include <gtest/gtest.h>

#include <fstream>
#include <stdexcept>

namespace pliant::bench {
namespace peers_test {

namespace fs = std::filesystem;

class Peers : public testing::Test {
 protected:
  // A folder with a blank and a quote in its name: programs are not started through unquoted text.
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              ("peer's " + std::string(testing::UnitTest::GetInstance()->current_test_info()->name()));
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  fs::path program(const std::string& lines) {
    const fs::path path = folder_ / "program";
    std::ofstream(path) << "#!/bin/sh\n" << lines;
    fs::permissions(path, fs::perms::owner_all);
    return path;
  }
  fs::path folder_;
};

TEST_F(Peers, rows_are_read_from_the_lines_a_program_prints) {
  const auto rows = run_peer(program(
      "echo '{\"case\": \"peer/a\", \"nodes\": 3, \"threads\": 1, \"ms_min\": 1.5, \"ms_median\": 2}'\n"
      "echo '{\"case\": \"peer/b\", \"nodes\": 4, \"threads\": 1, \"ms_min\": 2.5, \"ms_median\": 3, "
      "\"tip\": 0.1}'\n"));
  ASSERT_EQ(rows.size(), 2u);
  EXPECT_EQ(rows[0].name, "peer/a");
  EXPECT_DOUBLE_EQ(rows[1].ms_min, 2.5);
  EXPECT_DOUBLE_EQ(rows[1].more.at("tip"), 0.1);
}

TEST_F(Peers, a_program_that_fails_is_reported) {
  EXPECT_THROW(run_peer(program("exit 3\n")), std::runtime_error);
  EXPECT_THROW(run_peer(folder_ / "missing"), std::runtime_error);
}

TEST_F(Peers, a_program_that_prints_no_rows_of_json_is_reported) {
  EXPECT_THROW(run_peer(program("echo warming up\n")), std::runtime_error);
}

}  // namespace peers_test
}  // namespace pliant::bench
