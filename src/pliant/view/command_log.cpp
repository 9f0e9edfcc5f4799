// SPDX-License-Identifier: Apache-2.0
#include "pliant/view/command_log.hpp"

namespace pliant::view {

void CommandLog::clear() {
  file_.reset();
  tail_.clear();
  written_ = 0;
  full_ = false;
}

void CommandLog::add(std::uint32_t step, int client, const std::string& cmd, const nlohmann::json& args) {
  if (full_) return;
  using nlohmann::json;
  const json entry{{"step", step}, {"client", client}, {"cmd", cmd}, {"args", args}};
  tail_ += entry.dump(-1, ' ', false, json::error_handler_t::replace) + ',';
  if (written_ + tail_.size() > most_) return give_up();
  if (tail_.size() > most_held && !spill()) give_up();
}

bool CommandLog::spill() {
  if (!file_) file_.reset(std::tmpfile());
  if (!file_ || std::fwrite(tail_.data(), 1, tail_.size(), file_.get()) != tail_.size()) return false;
  if (std::fflush(file_.get()) != 0) return false;
  written_ += tail_.size();
  tail_.clear();
  return true;
}

void CommandLog::give_up() {
  clear();
  full_ = true;
}

std::string CommandLog::text() const {
  if (full_) return {};
  std::string out = "[";
  if (file_) {
    out.resize(1 + written_);
    std::rewind(file_.get());
    const std::size_t got = std::fread(out.data() + 1, 1, written_, file_.get());
    std::fseek(file_.get(), 0, SEEK_END);
    if (got != written_) {
      full_ = true;
      return {};
    }
  }
  out += tail_;
  if (out.size() > 1) out.pop_back();  // the last comma
  return out + ']';
}

}  // namespace pliant::view
