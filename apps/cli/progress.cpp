// SPDX-License-Identifier: Apache-2.0
#include "progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>
#include <utility>

namespace pliant::cli {

Progress::Progress(std::string what, int done, int total, bool quiet)
    : what_(std::move(what)),
      start_(done),
      total_(total),
      quiet_(quiet),
      terminal_(isatty(STDERR_FILENO) == 1),
      began_(Clock::now()),
      drawn_(began_ - std::chrono::hours(1)) {}

Progress::~Progress() {
  if (terminal_ && !quiet_) fmt::print(stderr, "\r\033[K");
}

std::string Progress::time_left(int done) const {
  if (done <= start_ || done >= total_) return "";
  const double spent = std::chrono::duration<double>(Clock::now() - began_).count();
  const int seconds = int(spent / (done - start_) * (total_ - done) + 0.5);
  return seconds >= 60 ? fmt::format(", {} min {:02} s left", seconds / 60, seconds % 60)
                       : fmt::format(", {} s left", seconds);
}

void Progress::show(int done) {
  if (quiet_ || total_ <= 0) return;
  const double fraction = double(done) / total_;
  if (!terminal_) {  // a line every tenth of the way
    if (int(10 * fraction) == tenths_said_) return;
    tenths_said_ = int(10 * fraction);
    fmt::print(stderr, "{} of {} {}{}\n", done, total_, what_, time_left(done));
    return;
  }
  const auto now = Clock::now();
  if (now - drawn_ < std::chrono::milliseconds(100) && done < total_) return;
  drawn_ = now;
  const int filled = int(30 * fraction);
  fmt::print(stderr, "\r\033[K[{:#<{}}{:.<{}}] {} of {} {}{}", "", filled, "", 30 - filled, done, total_,
             what_, time_left(done));
  std::fflush(stderr);
}

Stages::Stages(bool quiet) : quiet_(quiet), terminal_(isatty(STDERR_FILENO) == 1) {
  if (!quiet_) watcher_ = std::jthread([this](const std::stop_token& done) { watch(done); });
}

Stages::~Stages() {
  if (quiet_) return;
  watcher_.request_stop();
  watcher_.join();
  if (terminal_ && named_) fmt::print(stderr, "\r\033[K");
}

void Stages::begin(const std::string& stage) {
  const std::lock_guard lock(mutex_);
  stage_ = stage;
  began_ = std::chrono::steady_clock::now();
  named_ = named_ && terminal_;  // a line that is drawn over goes on
}

void Stages::watch(const std::stop_token& done) {
  std::unique_lock lock(mutex_);
  while (!done.stop_requested()) {
    ended_.wait_for(lock, done, std::chrono::milliseconds(200), [] { return false; });
    if (!stage_.empty() && std::chrono::steady_clock::now() - began_ > std::chrono::seconds(1)) show();
  }
}

void Stages::show() {
  const double seconds = std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count();
  if (terminal_)
    fmt::print(stderr, "\r\033[K{} ({:.0f} s)", stage_, seconds);
  else if (!named_)
    fmt::print(stderr, "{} ...\n", stage_);
  std::fflush(stderr);
  named_ = true;
}

std::function<bool(const std::string&, double)> stages_shown(Stages& stages) {
  return [&stages](const std::string& stage, double) {
    stages.begin(stage);
    return true;
  };
}

}  // namespace pliant::cli
