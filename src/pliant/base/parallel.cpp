// SPDX-License-Identifier: Apache-2.0
#include "pliant/base/parallel.hpp"

#include <algorithm>
#include <atomic>
#include <csignal>
#include <cstdint>
#include <exception>
#include <stdexcept>
#include <string>
#include <system_error>
#include <thread>
#include <utility>
#include <vector>

#include "pliant/base/tiny_numbers.hpp"

#if defined(__x86_64__)
#include <immintrin.h>
#endif

namespace pliant {
namespace {

// A soft step is a few hundred microseconds of short parallel loops: a worker that sleeps at once pays a
// wake-up (~30 us) for each of them. It spins about 20 us first, then sleeps.
constexpr int spins_before_sleep = 4000;

void relax() {
#if defined(__x86_64__)
  _mm_pause();
#else
  std::this_thread::yield();
#endif
}

}  // namespace

// A ticket packs generation (32 bits), number of parts (16) and next part (16) in one word. Whoever raises it
// owns that part; only then may it read call and context, because the caller cannot leave before the part is
// done. A worker that wakes late finds the ticket used up and goes back to sleep: nobody waits for it.
struct Pool::Shared {
  std::vector<std::thread> workers;
  JobSystem* jobs = nullptr;  ///< in place of workers
  std::atomic<bool> busy{false};
  std::atomic<std::uint32_t> generation{0};
  std::atomic<std::uint64_t> ticket{0};
  std::atomic<int> finished{0};
  std::atomic<bool> stop{false};
  void (*call)(void*, int) = nullptr;
  void* context = nullptr;
  std::atomic<bool> thrown{false};
  std::exception_ptr exception;  ///< of the part that threw first

  // Here and not in ~Pool: when a thread cannot be started, those before it must still be joined.
  ~Shared() {
    stop.store(true, std::memory_order_release);
    generation.fetch_add(1, std::memory_order_acq_rel);
    generation.notify_all();
    for (std::thread& worker : workers) worker.join();
  }

  /// The caller reads the exception after it has seen that all parts are finished.
  void call_part(int part) noexcept {
    try {
      call(context, part);
    } catch (...) {
      if (!thrown.exchange(true, std::memory_order_relaxed)) exception = std::current_exception();
    }
  }

  void take_parts() {
    std::uint64_t seen = ticket.load(std::memory_order_acquire);
    for (;;) {
      const int next = int(seen & 0xffff), parts = int(seen >> 16 & 0xffff);
      if (next >= parts) return;
      if (!ticket.compare_exchange_weak(seen, seen + 1, std::memory_order_acq_rel, std::memory_order_acquire))
        continue;
      call_part(next);
      finished.fetch_add(1, std::memory_order_release);
      seen = ticket.load(std::memory_order_acquire);
    }
  }

  void work() {
    const FlushTinyNumbers as_in_the_caller;
    std::uint32_t done = 0;
    for (;;) {
      std::uint32_t now = generation.load(std::memory_order_acquire);
      for (int spin = 0; now == done && spin < spins_before_sleep; ++spin) {
        relax();
        now = generation.load(std::memory_order_acquire);
      }
      if (now == done) {
        generation.wait(done, std::memory_order_acquire);
        continue;
      }
      if (stop.load(std::memory_order_acquire)) return;
      done = now;
      take_parts();
    }
  }

  /// All parts by the workers and the caller; at most most_parts.
  void share(int parts) {
    const std::uint32_t mine = generation.load(std::memory_order_relaxed) + 1;
    finished.store(0, std::memory_order_relaxed);
    ticket.store(std::uint64_t(mine) << 32 | std::uint64_t(parts) << 16, std::memory_order_release);
    generation.store(mine, std::memory_order_release);
    generation.notify_all();
    take_parts();
    for (int spin = 0; finished.load(std::memory_order_acquire) != parts; ++spin)
      spin < spins_before_sleep ? relax() : std::this_thread::yield();
  }
  static constexpr int most_parts = 0xffff;

  /// All parts by the host's threads. They may flush tiny numbers or not: each part sees to it.
  void hand_out(int parts) {
    jobs->run(
        parts,
        [](void* shared, int part) {
          const FlushTinyNumbers as_in_the_caller;
          static_cast<Shared*>(shared)->call_part(part);
        },
        this);
  }
};

namespace {

/// Threads started meanwhile never take the signals that ask the program to stop: those are for its own threads.
class StopSignalsBlocked {
 public:
  StopSignalsBlocked() {
    sigset_t set;
    sigemptyset(&set);
    for (const int signal : {SIGINT, SIGTERM, SIGHUP}) sigaddset(&set, signal);
    pthread_sigmask(SIG_BLOCK, &set, &before_);
  }
  ~StopSignalsBlocked() { pthread_sigmask(SIG_SETMASK, &before_, nullptr); }
  StopSignalsBlocked(const StopSignalsBlocked&) = delete;
  StopSignalsBlocked& operator=(const StopSignalsBlocked&) = delete;

 private:
  sigset_t before_{};
};

}  // namespace

Pool::Pool(int threads) : shared_(std::make_unique<Shared>()) {
  if (threads <= 0) threads = int(std::thread::hardware_concurrency());
  threads = std::min(threads, most_threads);
  const StopSignalsBlocked in_the_workers;
  try {
    for (int i = 1; i < threads; ++i)
      shared_->workers.emplace_back([shared = shared_.get()] { shared->work(); });
  } catch (const std::system_error& error) {
    throw std::runtime_error("cannot start " + std::to_string(threads) + " threads: " + error.what());
  }
}

Pool::Pool(JobSystem& jobs) : shared_(std::make_unique<Shared>()) { shared_->jobs = &jobs; }

Pool::~Pool() = default;

int Pool::threads() const {
  return shared_->jobs ? std::max(shared_->jobs->threads(), 1) : int(shared_->workers.size()) + 1;
}

void Pool::run_parts(int parts, void (*call)(void*, int), void* context) {
  const FlushTinyNumbers in_every_thread;
  Shared& s = *shared_;
  const bool alone = (s.workers.empty() && !s.jobs) || parts < 2;
  if (alone || s.busy.exchange(true, std::memory_order_acquire)) {
    for (int part = 0; part < parts; ++part) call(context, part);
    return;
  }
  share(parts, call, context);
  std::exception_ptr exception;
  if (s.thrown.load(std::memory_order_relaxed)) {
    exception = std::exchange(s.exception, nullptr);
    s.thrown.store(false, std::memory_order_relaxed);
  }
  s.busy.store(false, std::memory_order_release);
  if (exception) std::rethrow_exception(exception);
}

void Pool::share(int parts, void (*call)(void*, int), void* context) {
  Shared& s = *shared_;
  s.call = call;
  s.context = context;
  if (s.jobs) return s.hand_out(parts);
  if (parts <= Shared::most_parts) return s.share(parts);
  // more than a ticket counts: in several rounds
  struct Round {
    void (*call)(void*, int);
    void* context;
    int first;
  };
  for (int first = 0; first < parts;) {
    const int count = std::min(parts - first, Shared::most_parts);
    Round round{call, context, first};
    s.call = [](void* of, int part) {
      const Round& r = *static_cast<Round*>(of);
      r.call(r.context, r.first + part);
    };
    s.context = &round;
    s.share(count);
    first += count;
  }
}

}  // namespace pliant
