// SPDX-License-Identifier: Apache-2.0
// The skeleton of a meshless body, and its shape with a node at every sample of the bones.
#pragma once

#include <cstdint>
#include <filesystem>

#include "pliant/geometry/shape.hpp"
#include "pliant/methods/meshless/options.hpp"
#include "pliant/methods/method.hpp"
#include "pliant/scene/layout.hpp"
#include "pliant/scene/spec.hpp"

namespace pliant {

/// The options with their skeleton; the shape, made from `spec`, is changed. What is wrong is told at
/// `place`, the scene's key.
meshless::Options prepare_meshless(const meshless::Options& options, const std::string& place,
                                   const std::filesystem::path& folder, const ShapeSpec& spec, Shape& shape,
                                   std::uint64_t& fingerprint, Problems& problems);

/// Where the flesh of a body is poorer than it should be, one sentence a kind; nothing of other methods.
void note_flesh(const std::string& name, const Method& method, std::vector<std::string>& notes);

}  // namespace pliant
