// SPDX-License-Identifier: Apache-2.0
// Mesh files that pages send: kept for ten minutes in a folder of the session, and until it ends once a body
// is made of them (it may be built again).
#pragma once

#include <chrono>
#include <cstddef>
#include <filesystem>
#include <functional>
#include <map>
#include <mutex>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pliant/view/refusal.hpp"

namespace pliant::view {

/// A folder that goes with its owner.
class TemporaryFolder {
 public:
  TemporaryFolder();
  ~TemporaryFolder();
  TemporaryFolder(const TemporaryFolder&) = delete;
  TemporaryFolder& operator=(const TemporaryFolder&) = delete;
  const std::filesystem::path& path() const { return path_; }

 private:
  std::filesystem::path path_;
};

class Uploads {
 public:
  static constexpr std::size_t most_triangles = 2'000'000;
  static constexpr std::size_t most_kept = 32;  ///< unused; the oldest go
  static constexpr std::chrono::minutes kept_for{10};
  using Time = std::chrono::steady_clock::time_point;

  explicit Uploads(
      std::filesystem::path folder,
      std::function<Time()> clock = [] { return std::chrono::steady_clock::now(); })
      : folder_(std::move(folder)), clock_(std::move(clock)) {}

  /// The report: upload, name, vertices, triangles, parts, closed, repairs (sentences), size (m, as metres),
  /// guess {units, scale}.
  Outcome<nlohmann::json> add(const std::string& name, const std::vector<std::byte>& bytes);
  /// For a body: it is kept from now on. Empty: no such upload, or no longer.
  std::filesystem::path file(const std::string& id);

 private:
  struct File {
    std::filesystem::path path;
    Time since{};
    bool used = false;
    int number = 0;
  };
  void forget_old();

  std::filesystem::path folder_;
  std::function<Time()> clock_;
  std::mutex mutex_;
  std::map<std::string, File> files_;
  int count_ = 0;
};

}  // namespace pliant::view
