// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/texcoords.hpp"

#include <algorithm>
#include <cstring>

namespace pliant {
namespace {

/// By bits: what a file holds is kept as it is.
bool same(const Texcoord& a, const Texcoord& b) { return std::memcmp(&a, &b, sizeof(Texcoord)) == 0; }

/// The corners at every vertex.
struct CornersAt {
  std::vector<Index> begin, corner;  ///< of vertex v: corner[begin[v]] .. corner[begin[v + 1] - 1]

  CornersAt(const PolygonMesh& faces, std::size_t vertices)
      : begin(vertices + 1, 0), corner(faces.corner.size()) {
    for (Index v : faces.corner) ++begin[v + 1];
    for (std::size_t v = 0; v < vertices; ++v) begin[v + 1] += begin[v];
    std::vector<Index> next(begin.begin(), begin.end() - 1);
    for (Index c = 0; c < Index(faces.corner.size()); ++c) corner[next[faces.corner[c]]++] = c;
  }
};

class Splitter {
 public:
  Splitter(const PolygonMesh& faces, std::size_t vertices)
      : faces_(faces), at_(faces, vertices), face_of_(faces.corner.size()) {
    for (Index f = 0; f < faces.faces(); ++f)
      std::fill(face_of_.begin() + faces.face_begin[f], face_of_.begin() + faces.face_begin[f + 1], f);
    out_.texcoords.assign(vertices, {0, 0});
    first_.assign(vertices, -1);
    for (std::size_t v = 0; v < vertices; ++v)
      for (Index k = at_.begin[v]; k < at_.begin[v + 1] && first_[v] < 0; ++k)
        first_[v] = faces.corner_texcoord[at_.corner[k]];
    for (std::size_t v = 0; v < vertices; ++v)
      if (first_[v] >= 0) out_.texcoords[v] = faces.texcoords[first_[v]];
    copies_.resize(vertices);
  }

  SeamSplit split(const std::vector<Triangle>& triangles) {
    for (Triangle t : triangles) {
      const Index face = face_with(t);
      if (face >= 0)
        for (Index& v : t) v = copy_for(v, face);
      out_.triangles.push_back(t);
    }
    return std::move(out_);
  }

 private:
  bool has(Index face, Index vertex) const {
    const auto begin = faces_.corner.begin();
    const auto end = begin + faces_.face_begin[face + 1];
    return std::find(begin + faces_.face_begin[face], end, vertex) != end;
  }

  /// The first face with all three corners, looked for at the corner where the fewest faces meet.
  Index face_with(const Triangle& t) const {
    const Index pivot = *std::min_element(t.begin(), t.end(), [&](Index a, Index b) {
      return at_.begin[a + 1] - at_.begin[a] < at_.begin[b + 1] - at_.begin[b];
    });
    for (Index k = at_.begin[pivot]; k < at_.begin[pivot + 1]; ++k) {
      const Index face = face_of_[at_.corner[k]];
      if (has(face, t[0]) && has(face, t[1]) && has(face, t[2])) return face;
    }
    return -1;
  }

  /// The vertex, or its copy, that carries the texture coordinate of this vertex in this face.
  Index copy_for(Index vertex, Index face) {
    Index texcoord = -1;
    for (Index c = faces_.face_begin[face]; c < faces_.face_begin[face + 1] && texcoord < 0; ++c)
      if (faces_.corner[c] == vertex) texcoord = faces_.corner_texcoord[c];
    if (texcoord < 0) return vertex;
    const Texcoord wanted = faces_.texcoords[texcoord];
    if (same(out_.texcoords[vertex], wanted)) return vertex;
    for (Index copy : copies_[vertex])
      if (same(out_.texcoords[copy], wanted)) return copy;
    const Index copy = Index(out_.texcoords.size());
    out_.texcoords.push_back(wanted);
    out_.copied.push_back(vertex);
    copies_[vertex].push_back(copy);
    return copy;
  }

  const PolygonMesh& faces_;
  CornersAt at_;
  std::vector<Index> face_of_;  ///< of every corner
  std::vector<Index> first_;    ///< texture coordinate of a vertex's first corner that has one
  std::vector<std::vector<Index>> copies_;
  SeamSplit out_;
};

}  // namespace

std::vector<Texcoord> vertex_texcoords(const PolygonMesh& faces, std::size_t vertices) {
  if (faces.corner_texcoord.empty()) return {};
  std::vector<Texcoord> out(vertices, {0, 0});
  std::vector<char> set(vertices, 0);
  for (std::size_t c = 0; c < faces.corner.size(); ++c) {
    const Index v = faces.corner[c], texcoord = faces.corner_texcoord[c];
    if (texcoord < 0) return {};
    if (set[v] && !same(out[v], faces.texcoords[texcoord])) return {};
    out[v] = faces.texcoords[texcoord];
    set[v] = 1;
  }
  return out;
}

std::size_t written_faces(const PolygonMesh& faces) {
  std::size_t count = 0;
  for (Index f = 0; f < faces.faces(); ++f) count += faces.corners_of(f) >= 3;
  return count;
}

SeamSplit split_seams(const std::vector<Triangle>& triangles, const PolygonMesh& faces,
                      std::size_t vertices) {
  if (faces.corner_texcoord.empty()) return {triangles, {}, {}};
  return Splitter(faces, vertices).split(triangles);
}

}  // namespace pliant
