// SPDX-License-Identifier: Apache-2.0
#include "bench/harness/peers.hpp"

#include <fmt/format.h>

#include <cstdio>
#include <memory>
#include <stdexcept>

namespace pliant::bench {
namespace {

std::string quoted(const std::string& text) {
  std::string out = "'";
  for (char c : text) out += c == '\'' ? std::string("'\\''") : std::string(1, c);
  return out + "'";
}

std::string output_of(const std::filesystem::path& program) {
  std::FILE* pipe = popen(quoted(program.string()).c_str(), "r");
  if (!pipe) throw std::runtime_error(fmt::format("{} could not be started", program.string()));
  std::string text;
  char buffer[4096];
  while (const std::size_t count = std::fread(buffer, 1, sizeof buffer, pipe)) text.append(buffer, count);
  if (const int status = pclose(pipe); status != 0)
    throw std::runtime_error(fmt::format("{} failed (status {})", program.string(), status));
  return text;
}

}  // namespace

const std::vector<Peer>& known_peers() {
  static const std::vector<Peer> peers{
      {"bullet_bar", {"peer/bullet-neohookean/bar"}},
      {"factor_yardstick",
       {"peer/cholmod/bar", "peer/eigen-llt/bar", "peer/cholmod/solid-14k", "peer/eigen-llt/solid-14k"}},
  };
  return peers;
}

std::vector<Row> run_peer(const std::filesystem::path& program) {
  const std::string text = output_of(program);
  std::vector<Row> rows;
  for (std::size_t at = 0; at < text.size();) {
    const std::size_t end = std::min(text.find('\n', at), text.size());
    const auto json = nlohmann::ordered_json::parse(text.substr(at, end - at), nullptr, false);
    if (!json.is_object())
      throw std::runtime_error(
          fmt::format("{} printed '{}', expected a JSON row", program.string(), text.substr(at, end - at)));
    rows.push_back(row_from_json(json));
    at = end + 1;
  }
  return rows;
}

}  // namespace pliant::bench
