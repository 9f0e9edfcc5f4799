// SPDX-License-Identifier: Apache-2.0
// Clean-up; the order matters: read as it is, weld, cut polygons, drop doubles, orient.
#include "pliant/geometry/repair.hpp"

#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <cmath>
#include <numeric>
#include <unordered_map>

#include "pliant/base/hash.hpp"
#include "pliant/geometry/cracks.hpp"
#include "pliant/geometry/orient.hpp"
#include "pliant/geometry/surface_edges.hpp"
#include "pliant/geometry/triangulate.hpp"
#include "pliant/geometry/weld.hpp"

namespace pliant {
namespace {

constexpr double weld_tolerance = 1e-6;  ///< of the diagonal
constexpr double largest_coordinate = 1e30;

Error whole_file(std::string text) { return Error{"", {{std::move(text), "", "", ""}}}; }

std::string several(Index count, const char* one, const char* many) {
  return fmt::format("{} {}", count, count == 1 ? one : many);
}

bool is_usable(const Vec3& p) { return p.cwiseAbs().maxCoeff() <= largest_coordinate && !p.hasNaN(); }

/// Polygons met so far, whatever corner they begin at and whichever way they run. Two copies may be cut into
/// different triangles, so they must be told before they are cut.
class KnownPolygons {
 public:
  /// True: the polygon is a copy of one before it.
  bool meet(const std::vector<Index>& polygon) {
    bring_in_order(polygon);
    const std::uint64_t key = hash_bytes(ordered_.data(), ordered_.size() * sizeof(Index));
    const auto [from, to] = begin_of_.equal_range(key);
    for (auto at = from; at != to; ++at)
      if (is_at(at->second)) return true;
    begin_of_.emplace(key, corners_.size());
    corners_.push_back(Index(ordered_.size()));
    corners_.insert(corners_.end(), ordered_.begin(), ordered_.end());
    return false;
  }

 private:
  /// From the lowest corner on, towards its lower neighbour.
  void bring_in_order(const std::vector<Index>& polygon) {
    ordered_ = polygon;
    std::rotate(ordered_.begin(), std::min_element(ordered_.begin(), ordered_.end()), ordered_.end());
    if (ordered_.back() < ordered_[1]) std::reverse(ordered_.begin() + 1, ordered_.end());
  }

  bool is_at(std::size_t begin) const {
    return corners_[begin] == Index(ordered_.size()) &&
           std::equal(ordered_.begin(), ordered_.end(), corners_.begin() + std::ptrdiff_t(begin) + 1);
  }

  std::vector<Index> ordered_, corners_;  ///< corners_: how many, then they, for every polygon
  std::unordered_multimap<std::uint64_t, std::size_t> begin_of_;
};

class Repairer {
 public:
  explicit Repairer(const PolygonMesh& input) : input_(input) {
    report().input_vertices = Index(input.vertices.size());
    report().input_faces = input.faces();
  }

  Result<Repaired> run() {
    find_usable_faces();
    if (usable_faces_.empty()) return no_faces();
    find_extent();
    if (const auto flat = flat_axes(); !flat.empty()) return degenerate(flat);
    stands_for_ = weld(input_.vertices, used_, weld_tolerance * extent_.norm());
    const Cracks cracks = close_cracks(input_, usable_faces_, extent_.norm(), stands_for_);
    report().crack = cracks.tolerance, report().crack_edges = cracks.closed;
    cut_faces();
    drop_duplicates();
    if (!has_area()) return degenerate("");
    number_vertices();
    find_structure();
    return std::move(out_);
  }

 private:
  RepairReport& report() { return out_.report; }

  void find_usable_faces() {
    const Index vertices = Index(input_.vertices.size());
    std::vector<char> usable(vertices);
    for (Index v = 0; v < vertices; ++v) usable[v] = is_usable(input_.vertices[v]);
    report().not_finite_vertices = Index(std::count(usable.begin(), usable.end(), 0));
    used_.assign(vertices, 0);
    for (Index f = 0; f < input_.faces(); ++f) {
      const Index *begin = input_.corner.data() + input_.face_begin[f],
                  *end = input_.corner.data() + input_.face_begin[f + 1];
      if (std::any_of(begin, end, [&](Index v) { return v < 0 || v >= vertices; })) {
        ++report().faces_dropped_bad_index;
      } else if (!std::all_of(begin, end, [&](Index v) { return usable[v] != 0; })) {
        ++report().faces_dropped_not_finite;
      } else {
        usable_faces_.push_back(f);
        for (const Index* v = begin; v != end; ++v) used_[*v] = 1;
      }
    }
  }

  Error no_faces() const {
    const RepairReport& r = out_.report;
    if (is_cloud(input_))
      return whole_file(
          fmt::format("no faces ({} with normals): only a method that fills points takes them. For this one "
                      "reconstruct a surface first.",
                      several(r.input_vertices, "point", "points")));
    if (r.input_faces == 0 && r.input_vertices == 0)
      return whole_file("no vertices and no faces: an empty mesh, or a file of another kind.");
    if (r.input_faces == 0)
      return whole_file(fmt::format("no faces ({}). A soft body needs a surface: reconstruct one first.",
                                    several(r.input_vertices, "point", "points")));
    return whole_file(fmt::format(
        "no usable faces: of {}, {} use coordinates that are not finite or beyond {:g}, {} use "
        "vertices that do not exist. Export the mesh again.",
        r.input_faces, r.faces_dropped_not_finite, largest_coordinate, r.faces_dropped_bad_index));
  }

  void find_extent() {
    Eigen::AlignedBox3d box;
    for (std::size_t v = 0; v < used_.size(); ++v)
      if (used_[v]) box.extend(input_.vertices[v]);
    extent_ = box.isEmpty() ? Vec3::Zero() : Vec3(box.sizes());
  }

  /// "x and y" if all vertices lie on a line along z, "x, y and z" if all are one; empty for anything wider.
  std::string flat_axes() const {
    std::vector<std::string> flat;
    for (int axis = 0; axis < 3; ++axis)
      if (!(extent_[axis] > 1e-9 * extent_.maxCoeff())) flat.emplace_back(1, "xyz"[axis]);
    if (flat.size() == 3) return "x, y and z";
    return flat.size() == 2 ? flat[0] + " and " + flat[1] : "";
  }

  Error degenerate(const std::string& axes) const {
    return whole_file(fmt::format("all {} faces are degenerate ({}).", out_.report.input_faces,
                                  axes.empty() ? std::string("zero area") : "zero extent in " + axes));
  }

  /// Faces to triangles of vertices that stand for others, beside the same triangles in input vertices.
  void cut_faces() {
    PolygonCutter cutter(input_.vertices);
    KnownPolygons known;
    std::vector<Index> polygon, corners;
    for (const Index f : usable_faces_) {
      polygon.clear();
      corners.clear();
      for (Index c = input_.face_begin[f]; c < input_.face_begin[f + 1]; ++c) {
        const Index v = stands_for_[input_.corner[c]];
        if (!polygon.empty() && polygon.back() == v) continue;
        polygon.push_back(v);
        corners.push_back(input_.corner[c]);
      }
      while (polygon.size() > 1 && polygon.back() == polygon.front()) {
        polygon.pop_back();
        corners.pop_back();
      }
      if (polygon.size() < 3) {
        ++report().degenerate_faces;
        continue;
      }
      if (polygon.size() > 3 && known.meet(polygon)) {
        ++report().duplicate_faces;
        continue;
      }
      for (const Triangle& t : cutter.cut(polygon)) {
        const Triangle triangle{polygon[t[0]], polygon[t[1]], polygon[t[2]]};
        if (triangle[0] == triangle[1] || triangle[1] == triangle[2] || triangle[2] == triangle[0]) {
          ++report().degenerate_faces;
          continue;
        }
        out_.mesh.triangles.push_back(triangle);
        out_.input_triangles.push_back({corners[t[0]], corners[t[1]], corners[t[2]]});
      }
    }
  }

  /// Second copies whatever their orientation: double-sided exports, and copies that would count twice.
  void drop_duplicates() {
    std::vector<Triangle>& triangles = out_.mesh.triangles;
    std::vector<std::pair<Triangle, Index>> sorted;
    sorted.reserve(triangles.size());
    for (Index t = 0; t < Index(triangles.size()); ++t) {
      Triangle key = triangles[t];
      std::sort(key.begin(), key.end());
      sorted.emplace_back(key, t);
    }
    std::sort(sorted.begin(), sorted.end());
    std::vector<char> keep(triangles.size(), 1);
    for (std::size_t i = 1; i < sorted.size(); ++i)
      if (sorted[i].first == sorted[i - 1].first) keep[sorted[i].second] = 0;
    std::size_t kept = 0;
    for (std::size_t t = 0; t < triangles.size(); ++t) {
      if (!keep[t]) continue;
      triangles[kept] = triangles[t];
      out_.input_triangles[kept++] = out_.input_triangles[t];
    }
    report().duplicate_faces += Index(triangles.size() - kept);
    triangles.resize(kept);
    out_.input_triangles.resize(kept);
  }

  /// Counts triangles without area; false if there are no others.
  bool has_area() {
    for (const Triangle& t : out_.mesh.triangles) {
      const Vec3 &a = input_.vertices[t[0]], &b = input_.vertices[t[1]], &c = input_.vertices[t[2]];
      const double longest = std::max({(b - a).squaredNorm(), (c - b).squaredNorm(), (a - c).squaredNorm()});
      report().zero_area_triangles += !((b - a).cross(c - a).norm() > 1e-12 * longest);
    }
    return report().zero_area_triangles < Index(out_.mesh.triangles.size());
  }

  /// Vertices of the mesh are those a triangle uses, in the order of the input.
  void number_vertices() {
    std::vector<Index> number(input_.vertices.size(), -1);
    for (const Triangle& t : out_.mesh.triangles)
      for (const Index v : t) number[v] = 0;
    for (std::size_t v = 0; v < number.size(); ++v) {
      if (number[v] < 0) continue;
      number[v] = Index(out_.mesh.vertices.size());
      out_.mesh.vertices.push_back(input_.vertices[v]);
    }
    for (Triangle& t : out_.mesh.triangles)
      for (Index& v : t) v = number[v];
    out_.welded.assign(input_.vertices.size(), -1);
    for (std::size_t v = 0; v < number.size(); ++v) {
      if (used_[v]) out_.welded[v] = number[stands_for_[v]];
      report().welded_vertices += used_[v] && stands_for_[v] != Index(v);
      report().unused_vertices += out_.welded[v] < 0 && is_usable(input_.vertices[v]);
    }
  }

  void find_structure() {
    const Index vertices = Index(out_.mesh.vertices.size());
    const SurfaceEdges edges = surface_edges(vertices, out_.mesh.triangles);
    const Orientation orientation = orient(out_.mesh, edges);
    for (std::size_t t = 0; t < out_.mesh.triangles.size(); ++t) {
      if (!orientation.turned[t]) continue;
      std::swap(out_.mesh.triangles[t][1], out_.mesh.triangles[t][2]);
      std::swap(out_.input_triangles[t][1], out_.input_triangles[t][2]);
    }
    out_.component = components_by_vertex(vertices, out_.mesh.triangles);
    RepairReport& r = report();
    r.components = 1 + *std::max_element(out_.component.begin(), out_.component.end());
    r.faces_turned = orientation.faces_turned;
    r.patches_turned = orientation.patches_turned;
    r.moebius_edges = orientation.moebius_edges;
    r.border_edges = edges.border_edges;
    r.border_loops = edges.border_loops;
    r.non_manifold_edges = edges.non_manifold_edges;
    r.closed = r.border_edges == 0 && r.non_manifold_edges == 0 && r.moebius_edges == 0;
  }

  const PolygonMesh& input_;
  std::vector<Index> usable_faces_;
  std::vector<char> used_;         ///< vertices of usable faces
  std::vector<Index> stands_for_;  ///< input vertex -> input vertex
  Vec3 extent_ = Vec3::Zero();
  Repaired out_;
};

}  // namespace

Result<Repaired> repair(const PolygonMesh& mesh) { return Repairer(mesh).run(); }

std::string RepairReport::text() const {
  std::vector<std::string> words;
  const auto say = [&](Index count, const char* text) {
    if (count > 0) words.push_back(fmt::format(fmt::runtime(text), count));
  };
  say(faces_dropped_not_finite, "dropped {} faces without finite coordinates");
  say(faces_dropped_bad_index, "dropped {} faces with vertices that do not exist");
  say(welded_vertices, "welded {}");
  if (crack > 0)
    words.push_back(fmt::format("closed cracks of up to {:.2g} m along {} edges", crack, crack_edges));
  say(degenerate_faces, "dropped {} degenerate faces");
  say(duplicate_faces, "dropped {} duplicate faces");
  std::vector<std::string> turned;
  if (faces_turned > 0) turned.push_back(several(faces_turned, "face", "faces"));
  if (patches_turned > 0) turned.push_back(several(patches_turned, "part", "parts"));
  if (!turned.empty()) words.push_back(fmt::format("turned {}", fmt::join(turned, " and ")));
  say(unused_vertices,
      unused_vertices == 1 ? "left out {} vertex of no face" : "left out {} vertices of no face");
  return words.empty() ? "nothing" : fmt::format("{}", fmt::join(words, ", "));
}

double diagonal(const Points& points) {
  Eigen::AlignedBox3d box;
  for (const Vec3& p : points) box.extend(p);
  return box.isEmpty() ? 0 : box.diagonal().norm();
}

}  // namespace pliant
