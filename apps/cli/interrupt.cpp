// SPDX-License-Identifier: Apache-2.0
#include "interrupt.hpp"

#include <unistd.h>

#include <atomic>
#include <ctime>
#include <vector>

/// Of OpenBLAS, where that is the BLAS: ends its threads; the next call that needs them starts them again.
extern "C" __attribute__((weak)) int blas_thread_shutdown_();

namespace pliant::cli {
namespace {

volatile std::sig_atomic_t stop_asked = 0;  // the only thing a signal handler may touch
std::atomic<bool> ends_at_once{false};
constexpr int interrupted = 130;  // exit code

void ask_to_stop(int) { stop_asked = 1; }

bool is_ignored(int signal) {
  struct sigaction action {};
  sigaction(signal, nullptr, &action);
  return action.sa_handler == SIG_IGN;
}

/// Those that ask to stop. SIGHUP is left to who told it to be ignored (nohup).
const std::vector<int>& stop_signals() {
  static const std::vector<int> signals =
      is_ignored(SIGHUP) ? std::vector{SIGINT, SIGTERM} : std::vector{SIGINT, SIGTERM, SIGHUP};
  return signals;
}

void install(void (*handler)(int), int flags) {
  struct sigaction action {};
  action.sa_handler = handler;
  action.sa_flags = flags;
  sigemptyset(&action.sa_mask);
  for (const int signal : stop_signals()) sigaction(signal, &action, nullptr);
}

sigset_t all_of_them() {
  sigset_t set;
  sigemptyset(&set);
  for (const int signal : stop_signals()) sigaddset(&set, signal);
  return set;
}

/// Without handlers: METIS may put its own back at any time.
[[noreturn]] void end_program() {
  if (isatty(STDERR_FILENO) == 1) (void)!write(STDERR_FILENO, "\r\033[K", 4);  // the bar of Progress
  _exit(interrupted);
}

void watch(const std::stop_token& done) {
  const sigset_t set = all_of_them();
  const timespec patience{0, 50'000'000};  // ns: how soon the guard can go
  while (!done.stop_requested()) {
    const int signal = sigtimedwait(&set, nullptr, &patience);
    if (stop_asked && (signal > 0 || ends_at_once)) end_program();
    if (signal < 0) continue;
    stop_asked = 1;
    if (ends_at_once) end_program();
  }
}

}  // namespace

InterruptGuard::InterruptGuard() {
  stop_asked = 0;
  ends_at_once = false;
  const sigset_t set = all_of_them();
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

void InterruptGuard::end_at_once(bool yes) { ends_at_once = yes; }

bool InterruptGuard::asked() const { return stop_asked != 0; }

}  // namespace pliant::cli
