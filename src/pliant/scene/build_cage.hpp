// SPDX-License-Identifier: Apache-2.0
// A caged body from a scene: its cage is read or made, and its nodes become quadrature points and the
// vertices of its surface.
#pragma once

#include <filesystem>

#include "pliant/base/parallel.hpp"
#include "pliant/scene/spec.hpp"

namespace pliant {

struct CagedShape {
  Shape shape;
  TriMesh cage;
  std::vector<std::string> notes;  ///< what was decided, one sentence each
};

struct CageSurroundings {
  const std::filesystem::path& folder;  ///< of the scene file
  std::uint64_t& fingerprint;           ///< a cage from a file is added to it
  Pool& pool;
};

/// For a body of the cage method. Problems are placed relative to the body, or name the file.
Result<CagedShape> make_caged_shape(const BodySpec& body, const Shape& shape, const CageSurroundings& around);

}  // namespace pliant
