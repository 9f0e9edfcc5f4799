// SPDX-License-Identifier: Apache-2.0
// Object File Format: `OFF`, the counts, a line a vertex, a line a face. Prefixes ST (texture coordinates), C
// (colours) and N (normals).
#pragma once

#include <string>
#include <string_view>

#include "pliant/base/result.hpp"
#include "pliant/geometry/polygon_mesh.hpp"

namespace pliant {

/// Text only. Colours and normals are passed over. Problems carry the line.
Result<PolygonMesh> parse_off(std::string_view text, const std::string& name);

}  // namespace pliant
