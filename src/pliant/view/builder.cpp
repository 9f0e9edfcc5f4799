// SPDX-License-Identifier: Apache-2.0
#include "pliant/view/builder.hpp"

namespace pliant::view {

void Builder::begin(std::shared_ptr<const Rebuild> rebuild, ShapeCache& cache, int threads) {
  if (thread_.joinable()) thread_.join();
  thread_ = std::thread([this, rebuild = std::move(rebuild), &cache, threads] {
    Parts made = build_parts(*rebuild, cache, threads, [this](const std::string& stage, double fraction) {
      {
        const std::lock_guard lock(mutex_);
        progress_ = Progress{stage, fraction};
      }
      wake_();
      return !cancelled_.load();
    });
    {
      const std::lock_guard lock(mutex_);
      parts_ = std::move(made);
    }
    wake_();
  });
}

void Builder::build_here(const Rebuild& rebuild, ShapeCache& cache, int threads) {
  parts_ =
      build_parts(rebuild, cache, threads, [this](const std::string&, double) { return !cancelled_.load(); });
}

bool Builder::has_news() const {
  const std::lock_guard lock(mutex_);
  return progress_.has_value() || parts_.has_value();
}

std::optional<Builder::Progress> Builder::take_progress() {
  const std::lock_guard lock(mutex_);
  return std::exchange(progress_, std::nullopt);
}

std::optional<Parts> Builder::take_parts() {
  std::optional<Parts> made;
  {
    const std::lock_guard lock(mutex_);
    made = std::exchange(parts_, std::nullopt);
  }
  if (!made) return made;
  if (thread_.joinable()) thread_.join();
  if (cancelled_) {
    made->trouble = Refusal{"build_failed", "the build was stopped"};
    made->stopped = true;
  }
  return made;
}

void Builder::stop() {
  cancel();
  if (thread_.joinable()) thread_.join();
}

}  // namespace pliant::view
