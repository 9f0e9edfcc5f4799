// SPDX-License-Identifier: Apache-2.0
// Rows of equal bodies: `"repeat": {"count": 10, "translate": [0, 0.2, 0], "rotate": {...}}` stands for that many
// bodies, each of which is the one before, turned about the origin and then shifted. They are written out before the
// scene is read, so that everyone after that sees single bodies.
#pragma once

#include <vector>

#include "pliant/base/layout.hpp"
#include "pliant/scene/spec.hpp"

namespace pliant {

/// Of a body that was written out, what it was made from.
struct RowMember {
  std::size_t listed = 0;  ///< index of its entry in the file
  bool copy = false;       ///< not the first of its row
};

/// Writes the rows of a scene out: NAME becomes NAME-1, NAME-2, ... One entry a body that is there now. Rows whose
/// count is wrong stay as they are, for the reader to tell.
std::vector<RowMember> write_out_rows(Json& scene);

/// Problems of bodies are about entries of the file: places get those indices, and what all of a row share is told
/// once.
Problems of_listed_bodies(Problems problems, const std::vector<RowMember>& members);

/// The place of a body in its row, from that of the first: x -> turn x + shift.
struct RowPlace {
  Mat3 turn = Mat3::Identity();
  Vec3 shift{0, 0, 0};  ///< m
};
RowPlace place_in_row(const RepeatSpec& repeat);

}  // namespace pliant
