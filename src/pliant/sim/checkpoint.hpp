// SPDX-License-Identifier: Apache-2.0
// A simulation in bytes: versioned, checksummed, resumes bit for bit. Where the bytes go is not decided here. Simulation::save
// and load are the same without seal and checksum: for bytes that never leave the program.
#pragma once

#include <cstddef>
#include <cstdint>
#include <string>
#include <vector>

#include "pliant/sim/recorder.hpp"
#include "pliant/sim/simulation.hpp"

namespace pliant {

/// `fingerprint` says which scene the state belongs to.
std::vector<std::byte> save_checkpoint(const Simulation& simulation, const Recorder& recorder,
                                       std::uint64_t fingerprint);

/// The state of the simulation alone, for programs that record nothing. fingerprint: of the program's own choice; a
/// checkpoint is read with the one that it was written with.
std::vector<std::byte> save_checkpoint(const Simulation& simulation, std::uint64_t fingerprint = 0);

/// Empty on success; else why the bytes cannot be used (then simulation and recorder must not be used
/// either).
std::string load_checkpoint(const std::vector<std::byte>& bytes, std::uint64_t fingerprint,
                            Simulation& simulation, Recorder& recorder);
/// The same of the state alone.
std::string load_checkpoint(const std::vector<std::byte>& bytes, std::uint64_t fingerprint,
                            Simulation& simulation);

}  // namespace pliant
