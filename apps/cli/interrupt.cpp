// SPDX-License-Identifier: Apache-2.0
#include "interrupt.hpp"

#include <ctime>

/// Of OpenBLAS, where that is the BLAS: ends its threads; the next call that needs them starts them again.
extern "C" __attribute__((weak)) int blas_thread_shutdown_();

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

sigset_t both() {
  sigset_t set;
  sigemptyset(&set);
  sigaddset(&set, SIGINT);
  sigaddset(&set, SIGTERM);
  return set;
}

void end_program(int signal) {
  install(SIG_DFL, 0);
  const sigset_t set = both();
  pthread_sigmask(SIG_UNBLOCK, &set, nullptr);
  raise(signal);
}

void watch(const std::stop_token& done) {
  const sigset_t set = both();
  const timespec patience{0, 50'000'000};  // ns: how soon the guard can go
  while (!done.stop_requested()) {
    const int signal = sigtimedwait(&set, nullptr, &patience);
    if (signal < 0) continue;
    if (stop_asked) return end_program(signal);
    stop_asked = 1;
  }
}

}  // namespace

InterruptGuard::InterruptGuard() {
  stop_asked = 0;
  const sigset_t set = both();
  pthread_sigmask(SIG_BLOCK, &set, &before_);
  if (blas_thread_shutdown_) blas_thread_shutdown_();  // they began before main, with nothing blocked
  install(ask_to_stop, int(SA_RESETHAND));             // in threads that were there before
  watcher_ = std::jthread(watch);
}

InterruptGuard::~InterruptGuard() {
  watcher_.request_stop();
  watcher_.join();
  install(SIG_DFL, 0);
  pthread_sigmask(SIG_SETMASK, &before_, nullptr);
}

bool InterruptGuard::asked() const { return stop_asked != 0; }

}  // namespace pliant::cli
