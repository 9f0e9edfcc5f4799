// SPDX-License-Identifier: Apache-2.0
// 64-bit FNV-1a over bytes: the frame hash that must not depend on the thread count.
#pragma once

#include <cstddef>
#include <cstdint>

namespace pliant {

inline constexpr std::uint64_t hash_seed = 14695981039346656037ull;

inline std::uint64_t hash_bytes(const void* data, std::size_t size, std::uint64_t seed = hash_seed) {
  const auto* bytes = static_cast<const unsigned char*>(data);
  for (std::size_t i = 0; i < size; ++i) seed = (seed ^ bytes[i]) * 1099511628211ull;
  return seed;
}

}  // namespace pliant
