// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <cstring>
#include <string>

namespace pliant {

/// The bytes of plain values, one behind the other.
template <class... T>
std::string packed(T... values) {
  std::string bytes;
  const auto add = [&bytes](auto value) {
    char raw[sizeof(value)];
    std::memcpy(raw, &value, sizeof(value));
    bytes.append(raw, sizeof(value));
  };
  (add(values), ...);
  return bytes;
}

/// A .glb of this JSON and this binary chunk.
inline std::string glb_of(std::string json, std::string binary) {
  json.resize((json.size() + 3) / 4 * 4, ' ');
  binary.resize((binary.size() + 3) / 4 * 4, '\0');
  const std::uint32_t total = std::uint32_t(12 + 8 + json.size() + 8 + binary.size());
  return packed(std::uint32_t(0x46546C67), std::uint32_t(2), total, std::uint32_t(json.size()),
                std::uint32_t(0x4E4F534A)) +
         json + packed(std::uint32_t(binary.size()), std::uint32_t(0x004E4942)) + binary;
}

}  // namespace pliant
