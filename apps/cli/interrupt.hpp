// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace pliant::cli {

/// While one exists, the first Ctrl-C (or SIGTERM) only asks to stop; a second one ends the program.
class InterruptGuard {
 public:
  InterruptGuard();
  ~InterruptGuard();
  InterruptGuard(const InterruptGuard&) = delete;
  InterruptGuard& operator=(const InterruptGuard&) = delete;
  bool asked() const;
};

}  // namespace pliant::cli
