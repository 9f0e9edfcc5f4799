// SPDX-License-Identifier: Apache-2.0
// Builds what a change of the scene needs in a thread of its own, one change at a time.
#pragma once

#include <atomic>
#include <mutex>
#include <thread>

#include "pliant/view/change.hpp"

namespace pliant::view {

class Builder {
 public:
  /// wake: called in the builder's thread when there is news.
  explicit Builder(std::function<void()> wake) : wake_(std::move(wake)) {}
  ~Builder() { stop(); }
  Builder(const Builder&) = delete;
  Builder& operator=(const Builder&) = delete;

  void begin(std::shared_ptr<const Rebuild> rebuild, ShapeCache& cache, int threads);
  /// The same in the caller's thread. A cancel() since prepare() stops it.
  void build_here(const Rebuild& rebuild, ShapeCache& cache, int threads);
  /// Forgets an earlier cancel().
  void prepare() { cancelled_ = false; }
  void cancel() { cancelled_ = true; }

  struct Progress {
    std::string stage;
    double fraction = 0;
  };
  bool has_news() const;
  std::optional<Progress> take_progress();
  /// When it is done. A build that was cancelled is in trouble.
  std::optional<Parts> take_parts();

  void stop();

 private:
  std::function<void()> wake_;
  std::thread thread_;
  std::atomic<bool> cancelled_{false};
  mutable std::mutex mutex_;
  std::optional<Progress> progress_;
  std::optional<Parts> parts_;
};

}  // namespace pliant::view
