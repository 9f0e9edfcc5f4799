// SPDX-License-Identifier: Apache-2.0
// The skeleton of a meshless body, and its shape with a node at every sample of the bones.
#pragma once

#include <cstdint>
#include <filesystem>

#include "pliant/geometry/shape.hpp"
#include "pliant/methods/meshless/options.hpp"
#include "pliant/scene/layout.hpp"

namespace pliant {

/// The options with their skeleton; the shape is changed. What is wrong is told at `place`, the scene's key.
meshless::Options prepare_meshless(const meshless::Options& options, const std::string& place,
                                   const std::filesystem::path& folder, Shape& shape,
                                   std::uint64_t& fingerprint, Problems& problems);

}  // namespace pliant
