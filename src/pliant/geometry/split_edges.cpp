// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/split_edges.hpp"

#include <algorithm>
#include <numeric>

namespace pliant {
namespace {

using Edge = std::pair<Index, Index>;

Edge edge_of(Index a, Index b) { return {std::min(a, b), std::max(a, b)}; }

std::vector<Edge> long_edges(const TriMesh& mesh, double longest) {
  std::vector<Edge> edges;
  for (const Triangle& t : mesh.triangles)
    for (int c = 0; c < 3; ++c)
      if ((mesh.vertices[t[c]] - mesh.vertices[t[(c + 1) % 3]]).norm() > longest)
        edges.push_back(edge_of(t[c], t[(c + 1) % 3]));
  std::sort(edges.begin(), edges.end());
  edges.erase(std::unique(edges.begin(), edges.end()), edges.end());
  return edges;
}

/// The pieces of a triangle whose edge c (from corner c to the next) has the middle m[c], or none (-1).
void cut(const Triangle& t, const std::array<Index, 3>& m, std::vector<Triangle>& out) {
  const auto count = std::count_if(m.begin(), m.end(), [](Index i) { return i >= 0; });
  if (count == 0) {
    out.push_back(t);
  } else if (count == 3) {
    out.push_back({m[0], m[1], m[2]});
    for (int c = 0; c < 3; ++c) out.push_back({t[c], m[c], m[(c + 2) % 3]});
  } else {
    // Turned so that edge 0 has a middle, and with two of them edge 2 has none.
    int first = 0;
    while (m[first] < 0 || (count == 2 && m[(first + 2) % 3] >= 0)) ++first;
    const Index a = t[first], b = t[(first + 1) % 3], c = t[(first + 2) % 3];
    const Index ab = m[first], bc = m[(first + 1) % 3];
    if (count == 1) {
      out.push_back({a, ab, c});
      out.push_back({ab, b, c});
    } else {
      out.push_back({ab, b, bc});
      out.push_back({a, ab, bc});
      out.push_back({a, bc, c});
    }
  }
}

}  // namespace

SplitMesh split_long_edges(TriMesh mesh, double longest, std::size_t most) {
  std::vector<Index> parent(mesh.triangles.size());
  std::iota(parent.begin(), parent.end(), 0);
  for (;;) {
    const std::vector<Edge> edges = long_edges(mesh, longest);
    if (edges.empty() || mesh.vertices.size() + edges.size() > most) break;
    const Index first = Index(mesh.vertices.size());
    for (const auto& [a, b] : edges) mesh.vertices.push_back(0.5 * (mesh.vertices[a] + mesh.vertices[b]));
    std::vector<Triangle> pieces;
    std::vector<Index> parents;
    for (std::size_t k = 0; k < mesh.triangles.size(); ++k) {
      const Triangle& t = mesh.triangles[k];
      std::array<Index, 3> middle;
      for (int c = 0; c < 3; ++c) {
        const Edge edge = edge_of(t[c], t[(c + 1) % 3]);
        const auto at = std::lower_bound(edges.begin(), edges.end(), edge);
        middle[c] = at != edges.end() && *at == edge ? first + Index(at - edges.begin()) : -1;
      }
      cut(t, middle, pieces);
      parents.resize(pieces.size(), parent[k]);
    }
    mesh.triangles = std::move(pieces);
    parent = std::move(parents);
  }
  return {std::move(mesh), std::move(parent)};
}

}  // namespace pliant
