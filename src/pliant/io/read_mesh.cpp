// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/read_mesh.hpp"

#include <algorithm>
#include <string>

#include "pliant/io/obj.hpp"
#include "pliant/io/ply.hpp"
#include "pliant/io/text_scan.hpp"

namespace pliant {

Result<TriMesh> read_mesh(const std::filesystem::path& path) {
  std::string extension = path.extension().string();
  std::transform(extension.begin(), extension.end(), extension.begin(),
                 [](char c) { return c >= 'A' && c <= 'Z' ? char(c - 'A' + 'a') : c; });
  if (extension == ".obj") return read_obj(path);
  if (extension == ".ply") return read_ply(path);
  return Error{path.string(), {{"", "extension " + in_quotes(extension), ".obj or .ply", ""}}};
}

}  // namespace pliant
