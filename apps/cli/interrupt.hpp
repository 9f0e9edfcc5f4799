// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <thread>

namespace pliant::cli {

/// While one exists, the first Ctrl-C (or SIGTERM) only asks to stop; a second one ends the program.
///
/// The signals are blocked in this thread and in all that it starts from now on, and taken by a thread of the
/// guard's own. A handler alone would not do: METIS puts one of its own in the place of SIGTERM's while it
/// orders a matrix, and that one crashes in any other thread than METIS'.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  bool asked() const;

 private:
  sigset_t before_{};
  std::jthread watcher_;
};

}  // namespace pliant::cli
