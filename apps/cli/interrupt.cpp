// SPDX-License-Identifier: Apache-2.0
#include "interrupt.hpp"

#include <csignal>

namespace pliant::cli {
namespace {

volatile std::sig_atomic_t stop_asked = 0;  // the only thing a signal handler may touch

void ask_to_stop(int) { stop_asked = 1; }

void install(void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  sigaction(SIGINT, &action, nullptr);
  sigaction(SIGTERM, &action, nullptr);
}

}  // namespace

InterruptGuard::InterruptGuard() {
  stop_asked = 0;
  install(ask_to_stop, int(SA_RESETHAND));
}

InterruptGuard::~InterruptGuard() { install(SIG_DFL, 0); }

bool InterruptGuard::asked() const { return stop_asked != 0; }

}  // namespace pliant::cli
