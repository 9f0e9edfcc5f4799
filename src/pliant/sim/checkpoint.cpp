// SPDX-License-Identifier: Apache-2.0
// Layout: seal (base/seal.hpp) with the fingerprint as key, state of the simulation, frames recorded so far,
// checksum.
#include "pliant/sim/checkpoint.hpp"

#include <fmt/format.h>

#include "pliant/base/seal.hpp"

namespace pliant {
namespace {

/// fingerprint: of the scene. A state alone is of another kind than one with its record.
Seal seal_of(std::uint64_t fingerprint, bool with_record) {
  Seal seal{.magic = {'p', 'l', 'i', 'a', 'n', 't', 'c', 'p'}, .version = 11, .key = fingerprint};
  if (!with_record) seal.magic[7] = 's';
  return seal;
}

std::vector<std::byte> sealed(const Simulation& simulation, const Recorder* recorder,
                              std::uint64_t fingerprint) {
  Writer writer;
  writer.value(seal_of(fingerprint, recorder != nullptr));
  simulation.save(writer);
  if (recorder) recorder->save(writer);
  write_checksum(writer);
  return writer.bytes();
}

std::string unseal(const std::vector<std::byte>& bytes, std::uint64_t fingerprint, Simulation& simulation,
                   Recorder* recorder) {
  Reader reader(bytes);
  const Seal expected = seal_of(fingerprint, recorder != nullptr);
  Seal found;
  switch (read_seal(bytes, expected, reader, found)) {
    case SealTrouble::foreign:
      return recorder ? "is not a checkpoint of pliant" : "is not a checkpoint of a simulation alone";
    case SealTrouble::other_version:
      return fmt::format("has format version {}, this pliant reads {}", found.version, expected.version);
    case SealTrouble::damaged:
      return "is damaged (its checksum does not fit)";
    case SealTrouble::other_key:
      return "belongs to another scene or other settings";
    case SealTrouble::none:
      break;
  }
  if (!simulation.load(reader) || (recorder && !recorder->load(reader))) return "does not fit this scene";
  std::uint64_t checksum = 0;
  reader.value(checksum);
  return reader.ok() && reader.at_end() ? "" : "does not fit this scene";
}

}  // namespace

std::vector<std::byte> save_checkpoint(const Simulation& simulation, const Recorder& recorder,
                                       std::uint64_t fingerprint) {
  return sealed(simulation, &recorder, fingerprint);
}

std::vector<std::byte> save_checkpoint(const Simulation& simulation, std::uint64_t fingerprint) {
  return sealed(simulation, nullptr, fingerprint);
}

std::string load_checkpoint(const std::vector<std::byte>& bytes, std::uint64_t fingerprint,
                            Simulation& simulation, Recorder& recorder) {
  return unseal(bytes, fingerprint, simulation, &recorder);
}

std::string load_checkpoint(const std::vector<std::byte>& bytes, std::uint64_t fingerprint,
                            Simulation& simulation) {
  return unseal(bytes, fingerprint, simulation, nullptr);
}

}  // namespace pliant
