// SPDX-License-Identifier: Apache-2.0
// Layout: seal (base/seal.hpp) with the fingerprint as key, state of the simulation, frames recorded so far,
// checksum.
#include "pliant/sim/checkpoint.hpp"

#include <fmt/format.h>

#include "pliant/base/seal.hpp"

namespace pliant {
namespace {

/// fingerprint: of the scene.
Seal seal_of(std::uint64_t fingerprint) {
  return {.magic = {'p', 'l', 'i', 'a', 'n', 't', 'c', 'p'}, .version = 10, .key = fingerprint};
}

}  // namespace

std::vector<std::byte> save_checkpoint(const Simulation& simulation, const Recorder& recorder,
                                       std::uint64_t fingerprint) {
  Writer writer;
  writer.value(seal_of(fingerprint));
  simulation.save(writer);
  recorder.save(writer);
  write_checksum(writer);
  return writer.bytes();
}

std::string load_checkpoint(const std::vector<std::byte>& bytes, std::uint64_t fingerprint,
                            Simulation& simulation, Recorder& recorder) {
  Reader reader(bytes);
  const Seal expected = seal_of(fingerprint);
  Seal found;
  switch (read_seal(bytes, expected, reader, found)) {
    case SealTrouble::foreign:
      return "is not a checkpoint of pliant";
    case SealTrouble::other_version:
      return fmt::format("has format version {}, this pliant reads {}", found.version, expected.version);
    case SealTrouble::damaged:
      return "is damaged (its checksum does not fit)";
    case SealTrouble::other_key:
      return "belongs to another scene or other settings";
    case SealTrouble::none:
      break;
  }
  if (!simulation.load(reader) || !recorder.load(reader)) return "does not fit this scene";
  std::uint64_t checksum = 0;
  reader.value(checksum);
  return reader.ok() && reader.at_end() ? "" : "does not fit this scene";
}

}  // namespace pliant
