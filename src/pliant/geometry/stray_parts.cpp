// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/stray_parts.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pliant/geometry/weld.hpp"

namespace pliant {
namespace {

using Space = Eigen::AlignedBox3d;

constexpr double far_out = 10;        // diagonals of the rest
constexpr double little_area = 1e-4;  // of the area
constexpr double most_usable = 1e30;
// Diagonal over spread from which on there may be specks: with 1e-4 of the area they spread it by 1e-2 of their distance.
constexpr double wide = 20;

bool is_usable(const PolygonMesh& mesh, Index f) {
  for (Index c = mesh.face_begin[f]; c < mesh.face_begin[f + 1]; ++c) {
    const Index v = mesh.corner[c];
    if (v < 0 || v >= Index(mesh.vertices.size())) return false;
    if (mesh.vertices[v].hasNaN() || !(mesh.vertices[v].cwiseAbs().maxCoeff() <= most_usable)) return false;
  }
  return mesh.corners_of(f) >= 3;
}

double area_of(const PolygonMesh& mesh, Index f) {
  const Index* corner = mesh.corner.data() + mesh.face_begin[f];
  const Vec3& a = mesh.vertices[corner[0]];
  Vec3 sum = Vec3::Zero();
  for (Index c = 2; c < mesh.corners_of(f); ++c)
    sum += 0.5 * (mesh.vertices[corner[c - 1]] - a).cross(mesh.vertices[corner[c]] - a);
  return sum.norm();
}

Space wider(const Space& box) {
  const Vec3 margin = Vec3::Constant(far_out * box.diagonal().norm());
  return Space(box.min() - margin, box.max() + margin);
}

/// Parts of the welded mesh, by the lowest vertex of each; and what they measure.
class Parts {
 public:
  explicit Parts(const PolygonMesh& mesh, double tolerance) : mesh_(mesh) {
    std::vector<char> used(mesh.vertices.size(), 0);
    for_corners([&](Index, Index v) { used[v] = 1; });
    Space all;
    for_corners([&](Index, Index v) { all.extend(mesh.vertices[v]); });
    root_ = weld(mesh.vertices, used, std::max(tolerance, 1e-12 * all.diagonal().norm()));
    for (Index v = 0; v < Index(root_.size()); ++v)
      if (root_[v] < 0) root_[v] = v;
    for_corners([&](Index f, Index v) { join(mesh_.corner[mesh_.face_begin[f]], v); });
    area_.assign(mesh.vertices.size(), 0);
    box_.assign(mesh.vertices.size(), Space());
    for_corners([&](Index f, Index v) { box_[of(f)].extend(mesh_.vertices[v]); });
    for (Index f = 0; f < mesh.faces(); ++f)
      if (is_usable(mesh, f)) area_[of(f)] += area_of(mesh, f);
  }

  Index of(Index face) { return find(mesh_.corner[mesh_.face_begin[face]]); }
  double area(Index part) const { return area_[part]; }
  const Space& box(Index part) const { return box_[part]; }
  /// Largest area first.
  std::vector<Index> by_area() {
    std::vector<Index> parts;
    for (Index v = 0; v < Index(root_.size()); ++v)
      if (!box_[v].isEmpty()) parts.push_back(v);
    std::stable_sort(parts.begin(), parts.end(), [&](Index a, Index b) { return area_[a] > area_[b]; });
    return parts;
  }

 private:
  template <class Visit>
  void for_corners(Visit&& visit) {
    for (Index f = 0; f < mesh_.faces(); ++f)
      if (is_usable(mesh_, f))
        for (Index c = mesh_.face_begin[f]; c < mesh_.face_begin[f + 1]; ++c) visit(f, mesh_.corner[c]);
  }
  Index find(Index v) {
    while (root_[v] != v) v = root_[v] = root_[root_[v]];
    return v;
  }
  void join(Index a, Index b) {
    a = find(a), b = find(b);
    root_[std::max(a, b)] = std::min(a, b);
  }

  const PolygonMesh& mesh_;
  std::vector<Index> root_;
  std::vector<double> area_;
  std::vector<Space> box_;
};

/// How far the area lies from its middle, root mean square: specks hardly count.
double spread_of(const PolygonMesh& mesh) {
  double total = 0, squares = 0;
  Vec3 sum = Vec3::Zero(), origin = Vec3::Zero();
  for (const bool second : {false, true}) {
    for (Index f = 0; f < mesh.faces(); ++f) {
      if (!is_usable(mesh, f)) continue;
      const double area = area_of(mesh, f), share = area / mesh.corners_of(f);
      total += second ? 0 : area;
      for (Index c = mesh.face_begin[f]; c < mesh.face_begin[f + 1]; ++c) {
        const Vec3& p = mesh.vertices[mesh.corner[c]];
        if (second)
          squares += share * (p - origin).squaredNorm();
        else
          sum += share * p;
      }
    }
    origin = sum / total;
  }
  return std::sqrt(squares / total);
}

class Sweeper {
 public:
  explicit Sweeper(PolygonMesh& mesh) : mesh_(mesh) {}

  void run() {
    const double spread = spread_of(mesh_);
    if (!(spread > 0 && std::isfinite(spread))) return;
    if (box_of_faces().diagonal().norm() > wide * spread) drop_stray_parts(spread);
    move_vertices();
    tell();
  }

 private:
  /// From the largest part on, those that are near what was kept; the others when they are too large to be dirt.
  void drop_stray_parts(double spread) {
    Space rest;
    Parts parts(mesh_, 3e-6 * spread);
    const std::vector<Index> sorted = parts.by_area();
    double total = 0;
    for (const Index part : sorted) total += parts.area(part);
    double left = little_area * total;
    std::vector<char> stray(mesh_.vertices.size(), 0);
    std::vector<Index> out;
    for (const Index part : sorted) {
      if (rest.isEmpty() || wider(rest).intersects(parts.box(part)))
        rest.extend(parts.box(part));
      else
        out.push_back(part);
    }
    // From the smallest on: the large ones are parts of the body, wherever they are.
    for (; !out.empty() && parts.area(out.back()) <= left; out.pop_back()) {
      left -= parts.area(out.back());
      stray[out.back()] = 1;
    }
    drop_.assign(std::size_t(mesh_.faces()), 0);
    for (Index f = 0; f < mesh_.faces(); ++f)
      if (is_usable(mesh_, f)) drop_[f] = stray[parts.of(f)];
    drop_faces();
  }

  Space box_of_faces() const {
    Space box;
    for (Index f = 0; f < mesh_.faces(); ++f)
      if (is_usable(mesh_, f))
        for (Index c = mesh_.face_begin[f]; c < mesh_.face_begin[f + 1]; ++c)
          box.extend(mesh_.vertices[mesh_.corner[c]]);
    return box;
  }

  void drop_faces() {
    dropped_ = Index(std::count(drop_.begin(), drop_.end(), char(1)));
    if (dropped_ == 0) return;
    const bool textured = !mesh_.corner_texcoord.empty();
    std::vector<Index> begin{0}, corner, texcoord;
    for (Index f = 0; f < Index(drop_.size()); ++f) {
      if (drop_[f]) continue;
      for (Index c = mesh_.face_begin[f]; c < mesh_.face_begin[f + 1]; ++c) {
        corner.push_back(mesh_.corner[c]);
        if (textured) texcoord.push_back(mesh_.corner_texcoord[c]);
      }
      begin.push_back(Index(corner.size()));
    }
    mesh_.face_begin = std::move(begin);
    mesh_.corner = std::move(corner);
    mesh_.corner_texcoord = std::move(texcoord);
  }

  void move_vertices() {
    std::vector<char> used(mesh_.vertices.size(), 0);
    Index home = -1;
    for (Index f = mesh_.faces() - 1; f >= 0; --f) {
      if (!is_usable(mesh_, f)) continue;
      for (Index c = mesh_.face_begin[f]; c < mesh_.face_begin[f + 1]; ++c) used[mesh_.corner[c]] = 1;
      home = mesh_.corner[mesh_.face_begin[f]];
    }
    const Space faces = box_of_faces();
    for (std::size_t v = 0; v < used.size(); ++v) {
      Vec3& p = mesh_.vertices[v];
      if (used[v] || !p.allFinite() || faces.contains(p)) continue;
      farthest_ = std::max(farthest_, faces.exteriorDistance(p) / faces.diagonal().norm());
      p = mesh_.vertices[home];
      ++moved_;
    }
  }

  void tell() {
    if (dropped_ > 0)
      mesh_.remarks.push_back(
          fmt::format("{} tiny face{} up to {:.2g} times its size away from the rest {} left out.", dropped_,
                      dropped_ == 1 ? "" : "s", farthest_, dropped_ == 1 ? "is" : "are"));
    else if (moved_ > 0)
      mesh_.remarks.push_back(
          fmt::format("{} of no face, up to {:.2g} times its size away, {} moved to where faces are.",
                      moved_ == 1 ? "a vertex" : fmt::format("{} vertices", moved_), farthest_,
                      moved_ == 1 ? "is" : "are"));
  }

  PolygonMesh& mesh_;
  std::vector<char> drop_;  ///< faces
  Index dropped_ = 0, moved_ = 0;
  double farthest_ = 0;  ///< diagonals of the rest
};

}  // namespace

void leave_out_stray_parts(PolygonMesh& mesh) { Sweeper(mesh).run(); }

}  // namespace pliant
