// SPDX-License-Identifier: Apache-2.0
// Every function of pliant/common.hpp with arguments that nobody should pass; the hooks of a host.
#include <gtest/gtest.h>

#include <atomic>
#include <stdexcept>
#include <string>
#include <thread>
#include <vector>

#include "include/pliant/common.hpp"
#include "include/pliant/methods.hpp"
#include "include/pliant/shapes.hpp"
#include "include/pliant/simulation.hpp"
#include "tests/support/hostile_values.hpp"
#include "tests/support/throwing_checks.hpp"

namespace pliant {
namespace hostile_common_test {

TEST(HostileCommon, a_result_without_a_value_goes_to_the_check_handler) {
  const ThrowingChecks checks;
  Result<std::string> none(Error{"file", {{"place", "found", "expected", "hint"}, {}}});
  EXPECT_FALSE(none);
  EXPECT_THROW(*none, CheckThrown);
  EXPECT_THROW(none->size(), CheckThrown);
  EXPECT_THROW(*std::as_const(none), CheckThrown);
  EXPECT_THROW(std::as_const(none)->size(), CheckThrown);
  EXPECT_THROW(*std::move(none), CheckThrown);
  EXPECT_EQ(none.error().text(), "file: place: found found, expected expected (hint)\nfile\n");
  const Result<std::string> some(std::string("x"));
  EXPECT_TRUE(some.error().text().empty());
}

TEST(HostileCommon, the_check_handler_is_returned_and_set_back) {
  const auto mine = [](const CheckFailure& failure) { throw CheckThrown(failure.file); };
  const CheckHandler before = set_check_handler(mine);
  EXPECT_EQ(set_check_handler(nullptr), CheckHandler(mine));
  EXPECT_NE(set_check_handler(before), nullptr);
}

TEST(HostileCommonDeathTest, without_a_handler_a_check_prints_its_condition_and_aborts) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(*Result<int>(Error{}), "internal error: .*has_value.* does not hold");
}

TEST(HostileCommon, a_handler_that_returns_still_ends_the_program) {
  testing::GTEST_FLAG(death_test_style) = "threadsafe";
  EXPECT_DEATH(
      {
        set_check_handler([](const CheckFailure&) {});
        *Result<int>(Error{});
      },
      "");
}

TEST(HostileCommon, pools_take_any_number_of_threads_and_parts) {
  for (const int threads : {std::numeric_limits<int>::min(), -1, 0, 1, 3}) {
    Pool pool(threads);
    EXPECT_GE(pool.threads(), 1);
    for (const int parts : {std::numeric_limits<int>::min(), -1, 0, 1, 2, 70000}) {
      std::atomic<int> calls{0};
      std::atomic<long> sum{0};
      pool.run(parts, [&](int part) { ++calls, sum += part; });
      const long count = std::max(parts, 0);
      EXPECT_EQ(calls, count);
      EXPECT_EQ(sum, count * (count - 1) / 2);
    }
    for (const int block : {std::numeric_limits<int>::min(), -1, 0, 1, 7, std::numeric_limits<int>::max()}) {
      std::atomic<int> covered{0};
      for_blocks(pool, 100, block, [&](int begin, int end) { covered += end - begin; });
      EXPECT_EQ(covered, 100) << block;
      for_blocks(pool, -5, block, [&](int, int) { ADD_FAILURE(); });
    }
  }
  EXPECT_EQ(Pool::most_threads, 1024);
}

TEST(HostileCommon, what_a_part_throws_arrives_at_the_caller_when_all_are_done) {
  for (const int threads : {1, 4}) {
    Pool pool(threads);
    for (int round = 0; round < 20; ++round) {
      std::atomic<int> calls{0};
      EXPECT_THROW(pool.run(100,
                            [&](int part) {
                              ++calls;
                              if (part % 10 == 3) throw std::runtime_error("part");
                            }),
                   std::runtime_error);
      if (threads > 1) EXPECT_EQ(calls, 100);
      std::atomic<int> after{0};
      pool.run(10, [&](int) { ++after; });
      EXPECT_EQ(after, 10) << "the pool goes on";
    }
  }
}

TEST(HostileCommon, a_pool_inside_its_own_part_and_in_two_threads_runs_every_part_once) {
  Pool pool(4);
  std::atomic<int> inner{0};
  pool.run(8, [&](int) { pool.run(5, [&](int) { ++inner; }); });
  EXPECT_EQ(inner, 40);
  std::atomic<int> both{0};
  std::thread other([&] {
    for (int k = 0; k < 200; ++k) pool.run(4, [&](int) { ++both; });
  });
  for (int k = 0; k < 200; ++k) pool.run(4, [&](int) { ++both; });
  other.join();
  EXPECT_EQ(both, 1600);
}

/// A host that starts threads of its own for each call.
class HostJobs final : public JobSystem {
 public:
  explicit HostJobs(int threads) : threads_(threads) {}
  int threads() const override { return threads_; }
  void run(int parts, void (*part)(void*, int), void* context) override {
    ++calls;
    std::atomic<int> next{0};
    const auto work = [&] {
      for (int i = next++; i < parts; i = next++) part(context, i);
    };
    std::vector<std::thread> workers;
    for (int k = 1; k < threads_; ++k) workers.emplace_back(work);
    work();
    for (std::thread& worker : workers) worker.join();
  }
  std::atomic<int> calls{0};

 private:
  int threads_;
};

TEST(HostileCommon, a_host_runs_the_parts_of_a_pool_and_gets_their_exceptions) {
  HostJobs jobs(3), none(-4);
  Pool pool(jobs), least(none);
  EXPECT_EQ(pool.threads(), 3);
  EXPECT_EQ(least.threads(), 1);
  std::atomic<int> sum{0};
  pool.run(100000, [&](int) { ++sum; });
  EXPECT_EQ(sum, 100000);
  EXPECT_EQ(jobs.calls, 1);
  EXPECT_THROW(pool.run(10,
                        [](int part) {
                          if (part == 4) throw std::runtime_error("part");
                        }),
               std::runtime_error);
  pool.run(3, [&](int) { pool.run(3, [&](int) { ++sum; }); });
  EXPECT_EQ(sum, 100009);
}

TEST(HostileCommon, a_simulation_on_the_jobs_of_a_host_takes_the_same_steps) {
  const auto surface = [](JobSystem* jobs, int threads) {
    const Shape bar = make_shape(BoxShape{.size = {2, 0.4, 0.4}, .nodes = {41, 9, 9}});
    auto method = build_method(bar, 1000, {}, geometric::Options{});
    std::vector<Body> bodies;
    bodies.emplace_back("bar", bar, std::move(*method),
                        std::vector<Hold>{{.nodes = {0, 1, 2}, .motion = {}}});
    Simulation world(std::move(bodies), {.threads = threads, .jobs = jobs});
    for (int k = 0; k < 4; ++k) EXPECT_FALSE(world.step());
    return world.bodies()[0].surface();
  };
  HostJobs jobs(3);
  const Points alone = surface(nullptr, 1);
  EXPECT_EQ(surface(&jobs, 1), alone);
  EXPECT_GT(jobs.calls, 4);
  EXPECT_EQ(surface(nullptr, 2), alone);
}

TEST(HostileCommon, readers_stop_at_the_end_of_their_bytes) {
  Writer writer;
  writer.value(7);
  writer.array(std::vector<double>{1, 2, 3});
  writer.array(std::vector<double>{});
  const std::vector<std::byte> whole = writer.bytes();
  for (std::size_t size = 0; size <= whole.size(); ++size) {
    const std::vector<std::byte> cut(whole.begin(), whole.begin() + std::ptrdiff_t(size));
    Reader reader(cut), lists(cut);
    int value = 0;
    std::vector<double> three(3), none;
    reader.value(value), reader.array(three), reader.array(none);
    EXPECT_EQ(reader.ok() && reader.at_end(), size == whole.size());
    lists.value(value), lists.list(three), lists.list(none);
    EXPECT_EQ(lists.ok(), size == whole.size());
  }
  Writer large;
  large.value(std::numeric_limits<std::uint64_t>::max());
  Reader promised(large.bytes());
  std::vector<double> list;
  promised.list(list);
  EXPECT_FALSE(promised.ok());
  static_assert(!std::is_constructible_v<Reader, std::vector<std::byte>&&>, "the bytes would be gone");
}

TEST(HostileCommon, the_version_of_the_headers_is_that_of_the_library) {
  EXPECT_EQ(version_number(), PLIANT_VERSION_NUMBER);
  EXPECT_EQ(std::string(version()), std::to_string(PLIANT_VERSION_MAJOR) + "." +
                                        std::to_string(PLIANT_VERSION_MINOR) + "." +
                                        std::to_string(PLIANT_VERSION_PATCH));
  static_assert(PLIANT_VERSION_NUMBER >= PLIANT_MAKE_VERSION(0, 2, 0));
}

}  // namespace hostile_common_test
}  // namespace pliant
