// SPDX-License-Identifier: Apache-2.0
// Colliders as written become colliders that can be met.
#pragma once

#include <cstdint>
#include <filesystem>
#include <vector>

#include "pliant/base/result.hpp"
#include "pliant/contact/collider.hpp"
#include "pliant/scene/own_meshes.hpp"
#include "pliant/scene/spec.hpp"

namespace pliant {

struct BuiltColliders {
  std::vector<Collider> colliders;
  std::uint64_t fingerprint = 0;   ///< mesh files decide the motion, too
  std::vector<std::string> notes;  ///< what was repaired, one sentence each
  std::vector<Problem> problems;   ///< with mesh files; their colliders are missing
};

/// The specs are valid (scene/validate.hpp). folder: of the scene file. fingerprint: of the scene so far.
BuiltColliders build_colliders(const std::vector<ColliderSpec>& specs, const std::filesystem::path& folder,
                               std::uint64_t fingerprint, const OwnMeshes& meshes = {});

}  // namespace pliant
