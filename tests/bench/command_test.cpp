// SPDX-License-Identifier: Apache-2.0
// `pliant bench` from the outside.
#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdlib>
#include <filesystem>
#include <fstream>
#include <nlohmann/json.hpp>
#include <string>

#include "tests/support/places.hpp"

namespace command_test {

namespace fs = std::filesystem;

class BenchCommand : public testing::Test {
 protected:
  void SetUp() override {
    folder_ = fs::path(testing::TempDir()) /
              (std::string("bench_command_") + testing::UnitTest::GetInstance()->current_test_info()->name());
    fs::remove_all(folder_);
    fs::create_directories(folder_);
  }
  void TearDown() override { fs::remove_all(folder_); }

  int run(const std::string& arguments) {
    const std::string command = pliant::build_folder() + "/pliant bench " + arguments + " > '" +
                                (folder_ / "out").string() + "' 2> '" + (folder_ / "err").string() + "'";
    return WEXITSTATUS(std::system(command.c_str()));
  }
  std::string text(const char* name) {
    std::ifstream file(folder_ / name);
    return {std::istreambuf_iterator<char>(file), {}};
  }
  fs::path folder_;
};

void expect_row(const nlohmann::json& row) {
  for (const char* key :
       {"nodes", "threads", "ms_min", "ms_median", "limit_ms", "ratio", "bytes", "bandwidth"}) {
    ASSERT_TRUE(row.contains(key)) << key;
    EXPECT_GT(row.at(key).get<double>(), 0) << key;
  }
  EXPECT_LE(row.at("ms_min"), row.at("ms_median"));
  EXPECT_NEAR(row.at("ratio").get<double>() * row.at("limit_ms").get<double>(),
              row.at("ms_min").get<double>(), 1e-9 * row.at("ms_min").get<double>());
}

TEST_F(BenchCommand, writes_a_row_for_every_case_the_filter_lets_through) {
  const fs::path json = folder_ / "rows.json";
  ASSERT_EQ(run("--filter kernel/rotation/3k --seconds 0 --json '" + json.string() + "'"), 0) << text("err");
  const auto rows = nlohmann::json::parse(text("rows.json"));
  ASSERT_EQ(rows.size(), 1u);
  EXPECT_EQ(rows[0].at("case"), "kernel/rotation/3k");
  expect_row(rows[0]);
  EXPECT_NE(text("out").find("kernel/rotation/3k"), std::string::npos);
}

TEST_F(BenchCommand, a_step_row_tells_its_stages) {
  const fs::path json = folder_ / "rows.json";
  ASSERT_EQ(run("--filter geometric/bar-stiff --seconds 0 --json '" + json.string() + "'"), 0) << text("err");
  const auto rows = nlohmann::json::parse(text("rows.json"));
  ASSERT_EQ(rows.size(), 1u);
  expect_row(rows[0]);
  EXPECT_EQ(rows[0].at("nodes"), 3321);
  EXPECT_EQ(rows[0].at("refactored"), 0);
  double sum = 0;
  for (const char* stage : {"rotation", "rhs", "solve", "embed"}) {
    EXPECT_GT(rows[0].at("stages").at(stage).get<double>(), 0) << stage;
    sum += rows[0].at("stages").at(stage).get<double>();
  }
  EXPECT_LE(sum, rows[0].at("ms_min").get<double>() * 1.001);
  for (const char* key : {"setup_ms", "iterations", "peak_memory", "working_set"})
    EXPECT_GT(rows[0].at(key).get<double>(), 0) << key;
}

TEST_F(BenchCommand, a_filter_that_fits_nothing_is_wrong_input_and_names_the_cases) {
  EXPECT_EQ(run("--filter no-such-case --json '" + (folder_ / "rows.json").string() + "'"), 2);
  EXPECT_NE(text("err").find("geometric/bar"), std::string::npos);
  EXPECT_FALSE(fs::exists(folder_ / "rows.json"));
}

TEST_F(BenchCommand, a_file_that_cannot_be_written_is_told_before_anything_runs) {
  EXPECT_EQ(run("--filter kernel/rotation/3k --json /proc/no/such/rows.json"), 2);
  EXPECT_EQ(text("out"), "");
}

}  // namespace command_test
