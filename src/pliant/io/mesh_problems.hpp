// SPDX-License-Identifier: Apache-2.0
// The problems of one mesh file, gathered so that they are reported together.
#pragma once

#include <string>

#include "pliant/base/result.hpp"
#include "pliant/geometry/polygon_mesh.hpp"

namespace pliant {

class MeshProblems {
 public:
  explicit MeshProblems(const std::string& file) : error_{file, {}} {}

  void at(std::string place, std::string found, std::string expected, std::string hint = "");

  /// A file with this many problems is not a mesh: reading on helps nobody.
  bool full() const { return error_.problems.size() >= 20; }
  bool any() const { return !error_.problems.empty(); }

  /// The mesh when nothing was wrong and it has a face of three corners or more, or is a cloud.
  Result<PolygonMesh> mesh_or_error(PolygonMesh mesh);

 private:
  Error error_;
};

}  // namespace pliant
