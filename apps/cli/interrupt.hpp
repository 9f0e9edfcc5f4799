// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <csignal>
#include <thread>

namespace pliant::cli {

/// While one exists, the first Ctrl-C (or SIGTERM, or the SIGHUP of a terminal that closes) only asks to stop; a
/// second one ends the program.
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

  /// For work that nobody can ask to stop and that has nothing to save (a scene is built, a pose is sought): the first
  /// signal, also one that was taken before, ends the program with exit code 130.
  void end_at_once(bool yes);

 private:
  sigset_t before_{};
  std::jthread watcher_;
};

}  // namespace pliant::cli
