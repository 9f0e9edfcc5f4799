// SPDX-License-Identifier: Apache-2.0
// What pages ask for, from any thread, until the loop takes it; and the loop's sleep in between.
#pragma once

#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <functional>
#include <map>
#include <mutex>
#include <optional>

#include "pliant/view/commands.hpp"
#include "pliant/view/snapshot.hpp"

namespace pliant::view {

using Ticks = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

class Inbox {
 public:
  static constexpr std::size_t most_waiting = 256;  ///< commands of a page

  explicit Inbox(bool wait_for_page) : waiting_(wait_for_page) {}

  // ---- pages
  int join(bool read_only);
  /// The page's grabs end by the command `leave`.
  void leave(int client);
  int clients() const;
  /// Time begins, if it waited for that.
  void begin();
  bool waiting() const { return waiting_; }
  /// Why the command is not taken. Commands of pages that left are forgotten.
  std::optional<Refusal> put(Incoming command);
  void want(int client, Channels channels);

  // ---- the loop
  struct Batch {
    std::deque<Incoming> commands;
    bool pages_changed = false, publish = false;
    std::size_t pages = 0;
    Channels wanted = 0;  ///< by any page
  };
  Batch take();
  /// Sleeps until somebody calls, or until a step is due; not while visitors look at the world. news: besides
  /// what is in the inbox. False: stopped.
  bool sleep(const std::optional<Ticks::time_point>& step_due, const std::function<bool()>& news);
  void wake();

  // ---- who looks at the world between two turns
  void visitor_comes() { visitors_.fetch_add(1); }
  void visitor_goes();

  void stop();
  bool stopped() const;

 private:
  struct Page {
    bool read_only = false;
    Channels wants = 0;
    std::size_t waiting = 0;  ///< commands in the inbox
  };

  mutable std::mutex mutex_;
  std::condition_variable called_;
  std::map<int, Page> pages_;
  int next_page_ = 1;
  std::deque<Incoming> commands_;
  bool pages_changed_ = false, publish_ = false, stopping_ = false;
  std::atomic<bool> waiting_;  ///< for the first page
  std::atomic<int> visitors_{0};
};

}  // namespace pliant::view
