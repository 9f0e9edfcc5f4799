// SPDX-License-Identifier: Apache-2.0
// The problems of one mesh file, gathered so that they are reported together.
#pragma once

#include <filesystem>
#include <string>

#include "pliant/base/result.hpp"
#include "pliant/geometry/tri_mesh.hpp"

namespace pliant {

class MeshProblems {
 public:
  explicit MeshProblems(const std::filesystem::path& path) : error_{path.string(), {}} {}

  void at(std::string place, std::string found, std::string expected);
  void at_line(std::size_t number, std::string found, std::string expected);

  /// A file with this many problems is not a mesh: reading on helps nobody.
  bool full() const { return error_.problems.size() >= 20; }
  bool any() const { return !error_.problems.empty(); }

  /// The mesh when nothing was wrong and it has a triangle.
  Result<TriMesh> mesh_or_error(TriMesh mesh);

 private:
  Error error_;
};

}  // namespace pliant
