// SPDX-License-Identifier: Apache-2.0
#include "pliant/scene/mesh_file.hpp"

namespace pliant {

std::filesystem::path find_mesh_file(const std::string& name, const std::filesystem::path& scene_folder) {
  const std::filesystem::path here = name, beside = scene_folder / here;
  std::error_code ignored;
  const bool only_here = !std::filesystem::exists(beside, ignored) && std::filesystem::exists(here, ignored);
  return only_here ? here : beside;
}

void place(PolygonMesh& mesh, const Turn& turn, const Vec3& translate) {
  const Mat3 rotation = rotation_matrix(turn);
  for (Vec3& p : mesh.vertices) p = rotation * p + translate;
}

}  // namespace pliant
