// SPDX-License-Identifier: Apache-2.0
// A body in reduced space from a scene: its samples are read, its basis is read from the cache or made.
#pragma once

#include <filesystem>

#include "pliant/scene/spec.hpp"
#include "pliant/sim/body.hpp"

namespace pliant {

struct ReducedSurroundings {
  std::filesystem::path folder;     ///< of the scene file
  std::uint64_t& fingerprint;       ///< samples are added to it
  std::vector<std::string>& notes;  ///< whether the basis was read or made, one sentence
};

/// For a body whose geometric options have a reduction. Problems are placed relative to the body.
Result<std::unique_ptr<Method>> build_reduced_method(const BodySpec& body, const Shape& shape,
                                                     const std::vector<Hold>& holds,
                                                     const ReducedSurroundings& around);

}  // namespace pliant
