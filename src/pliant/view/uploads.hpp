// SPDX-License-Identifier: Apache-2.0
// Mesh files that pages send: kept in a folder of the session until it ends.
#pragma once

#include <cstddef>
#include <filesystem>
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
  static constexpr std::size_t most_kept = 32;  ///< the oldest go

  explicit Uploads(std::filesystem::path folder) : folder_(std::move(folder)) {}

  /// The report: upload, name, vertices, triangles, parts, closed, repairs (sentences), size (m, as metres),
  /// guess {units, scale}.
  Outcome<nlohmann::json> add(const std::string& name, const std::vector<std::byte>& bytes);
  /// Empty: no such upload.
  std::filesystem::path file(const std::string& id) const;

 private:
  std::filesystem::path folder_;
  mutable std::mutex mutex_;
  std::map<std::string, std::filesystem::path> files_;
  int count_ = 0;
};

}  // namespace pliant::view
