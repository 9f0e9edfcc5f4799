// SPDX-License-Identifier: Apache-2.0
#include "pliant/contact/surface_features.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

namespace pliant {
namespace {

constexpr double coplanar = 1 - 1e-6;  // cosine: 0.08 degrees

Vec3 unit_or_zero(const Vec3& v) {
  const double length = v.norm();
  return length > 0 ? Vec3(v / length) : Vec3(Vec3::Zero());
}

double angle_at(const Vec3& corner, const Vec3& a, const Vec3& b) {
  const Vec3 u = a - corner, v = b - corner;
  return std::atan2(u.cross(v).norm(), u.dot(v));
}

int corner_of(const Triangle& t, Index vertex) { return t[0] == vertex ? 0 : t[1] == vertex ? 1 : 2; }

}  // namespace

SurfaceFeatures::SurfaceFeatures(const TriMesh& mesh) : mesh_(mesh), self_(mesh.triangles.size()) {
  std::iota(self_.begin(), self_.end(), 0);
  for (const Triangle& t : mesh_.triangles) {
    const Vec3 area =
        (mesh_.vertices[t[1]] - mesh_.vertices[t[0]]).cross(mesh_.vertices[t[2]] - mesh_.vertices[t[0]]);
    face_normals_.push_back(unit_or_zero(area));
  }
  list_edges();
  list_corners();
  sum_normals();
  join_patches();
  manifold_ = is_closed(mesh_.triangles) && std::none_of(face_normals_.begin(), face_normals_.end(),
                                                         [](const Vec3& n) { return n.isZero(0); });
  for (Index v = 0; manifold_ && v < Index(mesh_.vertices.size()); ++v) manifold_ = one_fan(v);
}

void SurfaceFeatures::list_edges() {
  struct Half {
    Index low, high, triangle, k;
    auto operator<=>(const Half&) const = default;
  };
  std::vector<Half> halves;
  for (Index t = 0; t < Index(mesh_.triangles.size()); ++t)
    for (Index k = 0; k < 3; ++k) {
      const Index a = mesh_.triangles[t][k], b = mesh_.triangles[t][(k + 1) % 3];
      halves.push_back({std::min(a, b), std::max(a, b), t, k});
    }
  std::sort(halves.begin(), halves.end());
  triangle_edges_.resize(mesh_.triangles.size());
  for (const Half& half : halves) {
    if (edges_.empty() || edges_.back()[0] != half.low || edges_.back()[1] != half.high) {
      edges_.push_back({half.low, half.high});
      edge_begin_.push_back(Index(edge_faces_.size()));
    }
    edge_faces_.push_back(half.triangle);
    triangle_edges_[half.triangle][half.k] = Index(edges_.size()) - 1;
  }
  edge_begin_.push_back(Index(edge_faces_.size()));
}

void SurfaceFeatures::list_corners() {
  corner_begin_.assign(mesh_.vertices.size() + 1, 0);
  for (const Triangle& t : mesh_.triangles)
    for (const Index v : t) ++corner_begin_[v + 1];
  std::partial_sum(corner_begin_.begin(), corner_begin_.end(), corner_begin_.begin());
  corner_faces_.resize(3 * mesh_.triangles.size());
  std::vector<Index> at(corner_begin_.begin(), corner_begin_.end() - 1);
  for (Index t = 0; t < Index(mesh_.triangles.size()); ++t)
    for (const Index v : mesh_.triangles[t]) corner_faces_[at[v]++] = t;
  border_corner_.assign(mesh_.vertices.size(), 0);
  for (std::size_t e = 0; e < edges_.size(); ++e)
    if (edge_begin_[e + 1] - edge_begin_[e] == 1)
      for (const Index v : edges_[e]) border_corner_[v] = 1;
}

void SurfaceFeatures::sum_normals() {
  edge_normals_.assign(edges_.size(), Vec3::Zero());
  corner_normals_.assign(mesh_.vertices.size(), Vec3::Zero());
  for (Index t = 0; t < Index(mesh_.triangles.size()); ++t) {
    const Triangle& corners = mesh_.triangles[t];
    for (int k = 0; k < 3; ++k) {
      const Vec3 &a = mesh_.vertices[corners[k]], &b = mesh_.vertices[corners[(k + 1) % 3]],
                 &c = mesh_.vertices[corners[(k + 2) % 3]];
      edge_normals_[triangle_edges_[t][k]] += face_normals_[t];
      corner_normals_[corners[k]] += angle_at(a, b, c) * face_normals_[t];
    }
  }
  for (Vec3& n : edge_normals_) n = unit_or_zero(n);
  for (Vec3& n : corner_normals_) n = unit_or_zero(n);
}

void SurfaceFeatures::join_patches() {
  patch_.assign(mesh_.triangles.size(), -1);
  std::vector<Index> waiting;
  for (Index seed = 0; seed < Index(patch_.size()); ++seed) {
    if (patch_[seed] >= 0) continue;
    patch_[seed] = patches_;
    waiting.push_back(seed);
    while (!waiting.empty()) {
      const Index t = waiting.back();
      waiting.pop_back();
      for (const Index edge : triangle_edges_[t])
        for (const Index other : around({Place::Kind::edge, edge}))
          if (patch_[other] < 0 && face_normals_[other].dot(face_normals_[seed]) > coplanar) {
            patch_[other] = patches_;
            waiting.push_back(other);
          }
    }
    ++patches_;
  }
}

/// Walks around the vertex from face to face; only for edges of two faces.
bool SurfaceFeatures::one_fan(Index vertex) const {
  const Around faces = around({Place::Kind::corner, vertex});
  if (faces.begin() == faces.end()) return true;
  const Index first = *faces.begin();
  Index at = first, walked = 0;
  do {
    const int k = corner_of(mesh_.triangles[at], vertex);
    const Around pair = around({Place::Kind::edge, triangle_edges_[at][(k + 2) % 3]});
    at = *pair.begin() == at ? pair.begin()[1] : *pair.begin();
    ++walked;
  } while (at != first && walked <= faces.end() - faces.begin());
  return walked == faces.end() - faces.begin();
}

SurfaceFeatures::Place SurfaceFeatures::place(const TriangleTree::Nearest& at) const {
  const Vec3& b = at.barycentric;
  for (int k = 0; k < 3; ++k)
    if (b[(k + 1) % 3] == 0 && b[(k + 2) % 3] == 0)
      return {Place::Kind::corner, mesh_.triangles[at.triangle][k]};
  for (int k = 0; k < 3; ++k)
    if (b[k] == 0) return {Place::Kind::edge, triangle_edges_[at.triangle][(k + 1) % 3]};
  return {Place::Kind::face, at.triangle};
}

SurfaceFeatures::Around SurfaceFeatures::around(const Place& place) const {
  const auto list = [&](const std::vector<Index>& begin, const std::vector<Index>& of) {
    return Around{of.data() + begin[place.index], of.data() + begin[place.index + 1]};
  };
  if (place.kind == Place::Kind::edge) return list(edge_begin_, edge_faces_);
  if (place.kind == Place::Kind::corner) return list(corner_begin_, corner_faces_);
  return {self_.data() + place.index, self_.data() + place.index + 1};
}

Vec3 SurfaceFeatures::normal(const TriangleTree::Nearest& at) const {
  const Place where = place(at);
  if (where.kind == Place::Kind::edge) return edge_normals_[where.index];
  if (where.kind == Place::Kind::corner) return corner_normals_[where.index];
  return face_normals_[where.index];
}

bool SurfaceFeatures::is_foot(const TriangleTree::Nearest& at, const Vec3& x) const {
  const Place where = place(at);
  if (where.kind == Place::Kind::face) return true;
  // On the edge, or at the corner, x is nearest already; no face around may lead nearer.
  const Vec3 d = x - at.point;
  for (const Index t : around(where))
    for (const Index v : mesh_.triangles[t]) {
      const Vec3 way = mesh_.vertices[v] - at.point;
      if (way.dot(d) > 1e-9 * way.norm() * d.norm()) return false;
    }
  return true;
}

bool SurfaceFeatures::on_border(const TriangleTree::Nearest& at) const {
  const Place where = place(at);
  if (where.kind == Place::Kind::corner) return border_corner_[where.index];
  const Around faces = around(where);
  return where.kind == Place::Kind::edge && faces.end() - faces.begin() == 1;
}

Index SurfaceFeatures::patch(const TriangleTree::Nearest& at) const {
  Index lowest = patch_[at.triangle];
  for (const Index t : around(place(at))) lowest = std::min(lowest, patch_[t]);
  return lowest;
}

}  // namespace pliant
