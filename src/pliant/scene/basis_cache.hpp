// SPDX-License-Identifier: Apache-2.0
// Bases of reduced bodies are made once and kept in a file. The name of the file is a hash of everything that
// decides the basis, so that a changed body never finds an old one.
//
// Layout: magic, format version, key, sizes, numbers, FNV-1a of everything before it.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>

#include "pliant/methods/geometric/reduced/basis.hpp"
#include "pliant/methods/geometric/reduced/cubature.hpp"

namespace pliant {

struct StoredBasis {
  geometric::Basis basis;
  geometric::TrainedCubature cubature;  ///< without nodes: all nodes count
};

/// $PLIANT_CACHE, else $XDG_CACHE_HOME/pliant, else ~/.cache/pliant; empty when none of them is set.
std::filesystem::path cache_folder();

std::filesystem::path basis_file(const std::filesystem::path& folder, std::uint64_t key);

/// Nothing when there is no such file, or when it cannot be used; then `why` says what is wrong with it.
std::optional<StoredBasis> read_basis(const std::filesystem::path& file, std::uint64_t key, std::string& why);

/// Empty when it was written, else the cause.
std::string write_basis(const std::filesystem::path& file, std::uint64_t key, const StoredBasis& stored);

}  // namespace pliant
