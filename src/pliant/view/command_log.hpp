// SPDX-License-Identifier: Apache-2.0
// The commands of a session by step, for its replay. A long one lies in an unnamed temporary file, so that
// memory does not grow with what pages do.
#pragma once

#include <cstddef>
#include <cstdint>
#include <cstdio>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>

namespace pliant::view {

class CommandLog {
 public:
  /// In memory at most so much; altogether hours of dragging at 60 moves a second.
  static constexpr std::size_t most_held = 64 << 10, most_bytes = std::size_t(64) << 20;

  explicit CommandLog(std::size_t most = most_bytes) : most_(most) {}

  void clear();
  void add(std::uint32_t step, int client, const std::string& cmd, const nlohmann::json& args);
  /// There were more than it takes, or the system gave no room: it is of no use any more.
  bool full() const { return full_; }
  std::size_t held() const { return tail_.size(); }  ///< bytes in memory

  /// The list as JSON text: [{"args":{},"client":1,"cmd":"reset","step":12},...]. Nothing when it is full.
  std::string text() const;

 private:
  struct Close {
    void operator()(std::FILE* file) const { std::fclose(file); }
  };
  void give_up();
  bool spill();

  std::size_t most_, written_ = 0;  ///< bytes
  std::unique_ptr<std::FILE, Close> file_;
  std::string tail_;  ///< entries, each with a comma after it
  mutable bool full_ = false;
};

}  // namespace pliant::view
