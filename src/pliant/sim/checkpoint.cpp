// SPDX-License-Identifier: Apache-2.0
// Layout: magic, format version, fingerprint, size of the payload, payload, FNV-1a of everything before it.
#include "pliant/sim/checkpoint.hpp"

#include <fmt/format.h>

#include <array>

#include "pliant/base/hash.hpp"

namespace pliant {
namespace {

constexpr std::array<char, 8> magic{'p', 'l', 'i', 'a', 'n', 't', 'c', 'p'};
constexpr std::uint32_t format_version = 2;

struct Header {
  std::array<char, 8> magic{};
  std::uint32_t version = 0;
  std::uint32_t reserved = 0;
  std::uint64_t fingerprint = 0;
};

}  // namespace

std::vector<std::byte> save_checkpoint(const Simulation& simulation, const Recorder& recorder,
                                       std::uint64_t fingerprint) {
  Writer writer;
  writer.value(Header{magic, format_version, 0, fingerprint});
  simulation.save(writer);
  recorder.save(writer);
  const std::uint64_t checksum = hash_bytes(writer.bytes().data(), writer.bytes().size());
  writer.value(checksum);
  return writer.bytes();
}

std::string load_checkpoint(const std::vector<std::byte>& bytes, std::uint64_t fingerprint,
                            Simulation& simulation, Recorder& recorder) {
  Reader reader(bytes);
  Header header;
  reader.value(header);
  if (!reader.ok() || header.magic != magic) return "is not a checkpoint of pliant";
  if (header.version != format_version)
    return fmt::format("has format version {}, this pliant reads {}", header.version, format_version);
  const std::size_t body = bytes.size() - sizeof(std::uint64_t);
  std::uint64_t stored = 0;
  std::memcpy(&stored, bytes.data() + body, sizeof stored);
  if (stored != hash_bytes(bytes.data(), body)) return "is damaged (its checksum does not fit)";
  if (header.fingerprint != fingerprint) return "belongs to another scene or other settings";
  if (!simulation.load(reader) || !recorder.load(reader)) return "does not fit this scene";
  reader.value(stored);
  return reader.ok() && reader.at_end() ? "" : "does not fit this scene";
}

}  // namespace pliant
