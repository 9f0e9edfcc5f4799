// SPDX-License-Identifier: Apache-2.0
// Bases of reduced bodies are made once and kept in a file. The name of the file is a hash of everything that
// decides the basis, so that a changed body never finds an old one.
//
// Layout: magic, format version, key, sizes, numbers, FNV-1a of everything before it.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "pliant/methods/geometric/reduced/basis.hpp"
#include "pliant/methods/geometric/reduced/cubature.hpp"

namespace pliant::geometric {

struct StoredBasis {
  Basis basis;
  TrainedCubature cubature;  ///< without nodes: all nodes count
};

/// The file's name.
std::string basis_name(std::uint64_t key);

/// The contents of a file. Nothing when they cannot be used; then `why` says what is wrong with them.
std::optional<StoredBasis> unpack_basis(std::string_view bytes, std::uint64_t key, std::string& why);

std::string pack_basis(const StoredBasis& stored, std::uint64_t key);

}  // namespace pliant::geometric
