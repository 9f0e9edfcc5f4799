// SPDX-License-Identifier: Apache-2.0
#include "bench/harness/report.hpp"

#include <gtest/gtest.h>

#include <algorithm>
#include <stdexcept>

namespace pliant::bench {
namespace report_test {

Row step_row(const std::string& name, Index nodes, double ms) {
  Row row{.name = name, .nodes = nodes, .threads = 1, .ms_min = ms, .ms_median = 2 * ms};
  row.limit = Limit{.bytes = 4000000, .working_set = 1000000, .bandwidth = 40e9};
  row.stages = Stages{.rotation = 0.1, .rhs = 0.2, .solve = 0.3, .embed = 0.01};
  row.stages_median = row.stages;
  row.setup_ms = 10 * ms;
  row.iterations = 2.5;
  row.peak_bytes = 50000000;
  return row;
}

TEST(BenchReport, a_row_has_the_promised_keys) {
  const auto json = to_json(step_row("geometric/bar", 3321, 0.3));
  EXPECT_EQ(json.at("case"), "geometric/bar");
  EXPECT_EQ(json.at("nodes"), 3321);
  EXPECT_EQ(json.at("threads"), 1);
  EXPECT_DOUBLE_EQ(json.at("ms_min"), 0.3);
  EXPECT_DOUBLE_EQ(json.at("ms_median"), 0.6);
  for (const char* stage : {"rotation", "rhs", "solve", "embed"}) {
    EXPECT_TRUE(json.at("stages").at(stage).is_number());
    EXPECT_TRUE(json.at("stages_median").at(stage).is_number());
  }
  for (const char* key : {"bytes", "working_set", "bandwidth", "setup_ms", "iterations", "peak_memory"})
    EXPECT_TRUE(json.at(key).is_number()) << key;
}

TEST(BenchReport, the_limit_is_bytes_over_bandwidth_and_the_ratio_is_the_minimum_over_the_limit) {
  const auto json = to_json(step_row("geometric/bar", 3321, 0.3));
  EXPECT_NEAR(json.at("limit_ms").get<double>(), 0.1, 1e-12);
  EXPECT_NEAR(json.at("ratio").get<double>(), 3.0, 1e-12);
}

TEST(BenchReport, rows_are_written_as_a_list) {
  const auto json = to_json(std::vector<Row>{step_row("a", 1, 1), step_row("b", 2, 2)});
  ASSERT_TRUE(json.is_array());
  ASSERT_EQ(json.size(), 2u);
  EXPECT_EQ(json[1].at("case"), "b");
}

TEST(BenchReport, the_limit_is_the_longer_of_reading_and_computing) {
  Limit limit{.bytes = 4000000, .working_set = 1000000, .bandwidth = 40e9};
  EXPECT_FALSE(limit.computes());
  limit.operations = 30e6;
  limit.arithmetic = 100e9;
  EXPECT_TRUE(limit.computes());
  EXPECT_NEAR(limit.ms(), 0.3, 1e-12);
  limit.arithmetic = 1e12;
  EXPECT_FALSE(limit.computes());
  EXPECT_NEAR(limit.ms(), 0.1, 1e-12);
}

TEST(BenchReport, a_row_that_counts_operations_tells_both_limits_and_its_ratio_to_that_of_bytes) {
  Row row = step_row("geometric/reduced-12/bar", 3321, 0.6);
  for (const char* key : {"ratio_reading", "limit_reading_ms", "limit_computing_ms", "operations"})
    EXPECT_FALSE(to_json(row).contains(key)) << key;
  row.limit->operations = 30e6;
  row.limit->arithmetic = 100e9;
  const auto json = to_json(row);
  EXPECT_NEAR(json.at("limit_reading_ms").get<double>(), 0.1, 1e-12);
  EXPECT_NEAR(json.at("limit_computing_ms").get<double>(), 0.3, 1e-12);
  EXPECT_NEAR(json.at("ratio").get<double>(), 2, 1e-12);
  EXPECT_NEAR(json.at("ratio_reading").get<double>(), 6, 1e-12);
}

TEST(BenchReport, a_peer_row_has_no_limit_and_survives_the_way_through_json) {
  Row peer{.name = "peer/x/bar", .nodes = 7, .threads = 1, .ms_min = 5, .ms_median = 6};
  peer.setup_ms = 12;
  peer.more["tip_drop"] = 0.25;
  const auto json = to_json(peer);
  EXPECT_FALSE(json.contains("limit_ms"));
  EXPECT_FALSE(json.contains("ratio"));
  EXPECT_FALSE(json.contains("stages"));
  EXPECT_EQ(to_json(row_from_json(json)), json);
}

TEST(BenchReport, a_row_without_a_promised_key_is_refused_by_name) {
  auto json = to_json(step_row("a", 1, 1));
  json.erase("ms_median");
  try {
    row_from_json(json);
    FAIL();
  } catch (const std::runtime_error& error) {
    EXPECT_NE(std::string(error.what()).find("ms_median"), std::string::npos);
  }
}

TEST(BenchReport, table_columns_line_up) {
  std::string head = table_head(), line = table_line(step_row("geometric/bar", 3321, 0.3));
  EXPECT_EQ(head.size(), line.size());
  EXPECT_EQ(std::count(line.begin(), line.end(), '\n'), 1);
}

TEST(BenchReport, the_summary_tells_cost_per_node_and_set_up_of_the_large_solid) {
  // 7 times the nodes at 14 times the time: twice the cost per node.
  const std::string text =
      summarize({step_row("geometric/solid-14k", 14000, 1), step_row("geometric/solid-100k", 98000, 14)})
          .text;
  EXPECT_NE(text.find("2.00x   asked: at most 1.5x   MISSED"), std::string::npos) << text;
  EXPECT_NE(text.find("14.00x   asked: at most 15x\n"), std::string::npos) << text;
}

TEST(BenchReport, the_summary_tells_cost_per_node_and_memory_of_a_million_nodes) {
  Row large = step_row("geometric/solid-1m", 1000000, 150), small = step_row("geometric/solid-20k", 20000, 1);
  large.peak_bytes = 3000000000;
  const std::string text = summarize({small, large}).text;
  EXPECT_NE(text.find("3.00x   asked: at most 2x   MISSED"), std::string::npos) << text;
  EXPECT_NE(text.find("0.25x   asked: at most 1x\n"), std::string::npos) << text;
}

TEST(BenchReport, the_summary_tells_the_speed_up_over_a_peer_only_when_the_peer_ran) {
  Row bullet{
      .name = "peer/bullet-neohookean/bar", .nodes = 3321, .threads = 1, .ms_min = 300, .ms_median = 320};
  const Row bar = step_row("geometric/bar-stiff", 3321, 0.5);
  const std::string with = summarize({bar, bullet}).text;
  EXPECT_NE(with.find("600.00x   asked: at least 100x\n"), std::string::npos) << with;
  EXPECT_EQ(summarize({bar}).text.find("Bullet"), std::string::npos);
}

TEST(BenchReport, the_summary_tells_how_much_faster_flesh_is_than_its_block_matrix_factored_anew) {
  Row row = step_row("meshless/3k", 3025, 0.2);
  row.more["times_faster_than_block"] = 19.5;
  EXPECT_NE(summarize({row}).text.find("19.50x   asked: at least 20x   MISSED"), std::string::npos)
      << summarize({row}).text;
  EXPECT_NE(summarize({row}).text.find("2.00x   asked: at most 2.5x\n"), std::string::npos)
      << summarize({row}).text;
  row.more["times_faster_than_block"] = 130;
  EXPECT_NE(summarize({row}).text.find("130.00x   asked: at least 20x\n"), std::string::npos)
      << summarize({row}).text;
}

TEST(BenchReport, the_summary_holds_steps_to_their_limits) {
  EXPECT_NE(
      summarize({step_row("geometric/plant", 2606, 0.3)}).text.find("3.00x   asked: at most 2.5x   MISSED"),
      std::string::npos);
  EXPECT_NE(summarize({step_row("geometric/reduced-12/bar", 3321, 0.3)}).text.find("(that of bytes)"),
            std::string::npos);
}

TEST(BenchReport, the_summary_counts_what_was_missed) {
  EXPECT_EQ(summarize({}).missed, 0);
  EXPECT_EQ(summarize({step_row("geometric/plant", 2606, 0.2)}).missed, 0);
  // twice the cost per node, by minimum and median; the set-up is within what is asked
  EXPECT_EQ(
      summarize({step_row("geometric/solid-14k", 14000, 1), step_row("geometric/solid-100k", 98000, 14)})
          .missed,
      4)
      << "both steps are beyond their limits, too";
}

TEST(BenchReport, the_summary_tells_how_much_slower_finite_elements_are) {
  const Row bar = step_row("geometric/bar-stiff", 3321, 0.5);
  const std::string text = summarize({bar, step_row("fem/bar-stiff", 3321, 15)}).text;
  EXPECT_NE(text.find("fem over geometric/bar-stiff"), std::string::npos) << text;
  EXPECT_NE(text.find("30.00x   asked: at least 40x   MISSED"), std::string::npos) << text;
}

TEST(BenchTiming, the_median_of_an_even_number_is_the_mean_of_the_middle_two) {
  EXPECT_DOUBLE_EQ(median({4, 1, 3, 2}), 2.5);
  EXPECT_DOUBLE_EQ(median({3, 1, 2}), 2);
  EXPECT_DOUBLE_EQ(minimum({3, 1, 2}), 1);
}

TEST(BenchTiming, warm_up_calls_are_not_counted) {
  int calls = 0;
  EXPECT_EQ(time_calls(0, 3, 5, [&] { ++calls; }).size(), 5u);
  EXPECT_EQ(calls, 8);
}

}  // namespace report_test
}  // namespace pliant::bench
