// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <gtest/gtest.h>

#include <string>
#include <vector>

#include "pliant/base/result.hpp"
#include "pliant/geometry/polygon_mesh.hpp"

namespace pliant {

template <class T>
std::string message(const Result<T>& result) {
  return result ? "no error" : result.error().text();
}

#define EXPECT_MESSAGE(result, part) \
  EXPECT_NE(message(result).find(part), std::string::npos) << message(result)

/// The corners of every face.
inline std::vector<std::vector<Index>> faces_of(const PolygonMesh& mesh) {
  std::vector<std::vector<Index>> faces;
  for (Index f = 0; f < mesh.faces(); ++f)
    faces.emplace_back(mesh.corner.begin() + mesh.face_begin[f],
                       mesh.corner.begin() + mesh.face_begin[f + 1]);
  return faces;
}

using Faces = std::vector<std::vector<Index>>;
using Texcoords = std::vector<std::array<float, 2>>;

/// The texture coordinates of every corner, as far as it has one.
inline Texcoords corner_texcoords(const PolygonMesh& mesh) {
  Texcoords out;
  for (Index t : mesh.corner_texcoord)
    if (t >= 0) out.push_back(mesh.texcoords[t]);
  return out;
}

}  // namespace pliant
