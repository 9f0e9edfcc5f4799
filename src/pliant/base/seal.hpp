// SPDX-License-Identifier: Apache-2.0
// What frames a binary file of pliant: magic, format version and a key in front, at the end the FNV-1a of
// everything before it. A key names what the contents belong to.
#pragma once

#include <array>
#include <cstring>

#include "pliant/base/archive.hpp"
#include "pliant/base/hash.hpp"

namespace pliant {

struct Seal {
  std::array<char, 8> magic{};
  std::uint32_t version = 0;
  std::uint32_t reserved = 0;
  std::uint64_t key = 0;
};

enum class SealTrouble { none, foreign, other_version, damaged, other_key };

/// Ends what began with a Seal.
inline void write_checksum(Writer& writer) {
  const std::uint64_t checksum = hash_bytes(writer.bytes().data(), writer.bytes().size());
  writer.value(checksum);
}

/// Takes the Seal from the reader and says what is wrong with the whole; `found` is what the file says.
inline SealTrouble read_seal(const std::vector<std::byte>& bytes, const Seal& expected, Reader& reader,
                             Seal& found) {
  reader.value(found);
  if (!reader.ok() || found.magic != expected.magic) return SealTrouble::foreign;
  if (found.version != expected.version) return SealTrouble::other_version;
  std::uint64_t stored = 0;
  if (bytes.size() < sizeof(Seal) + sizeof stored) return SealTrouble::damaged;
  const std::size_t body = bytes.size() - sizeof stored;
  std::memcpy(&stored, bytes.data() + body, sizeof stored);
  if (stored != hash_bytes(bytes.data(), body)) return SealTrouble::damaged;
  return found.key == expected.key ? SealTrouble::none : SealTrouble::other_key;
}

}  // namespace pliant
