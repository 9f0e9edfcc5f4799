// SPDX-License-Identifier: Apache-2.0
// What pages can see at any time, from any thread: the newest snapshot and the newest `scene` message.
#pragma once

#include <memory>
#include <mutex>
#include <nlohmann/json.hpp>

#include "pliant/view/snapshot.hpp"

namespace pliant::view {

class Shown {
 public:
  void show(std::shared_ptr<const Snapshot> snapshot) {
    const std::lock_guard lock(mutex_);
    snapshot_ = std::move(snapshot);
  }
  void show(std::shared_ptr<const nlohmann::json> scene) {
    const std::lock_guard lock(mutex_);
    scene_ = std::move(scene);
  }
  std::shared_ptr<const Snapshot> snapshot() const {
    const std::lock_guard lock(mutex_);
    return snapshot_;
  }
  std::shared_ptr<const nlohmann::json> scene() const {
    const std::lock_guard lock(mutex_);
    return scene_;
  }

 private:
  mutable std::mutex mutex_;
  std::shared_ptr<const Snapshot> snapshot_;
  std::shared_ptr<const nlohmann::json> scene_;
};

}  // namespace pliant::view
