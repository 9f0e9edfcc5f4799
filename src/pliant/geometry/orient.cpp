// SPDX-License-Identifier: Apache-2.0
// Consistent, outward orientation: a flood per patch, then a vote of rays
// that escape to infinity.
#include "pliant/geometry/orient.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/geometry/repair.hpp"
#include "pliant/geometry/surface_sampling.hpp"
#include "pliant/geometry/triangle_tree.hpp"

namespace pliant {
namespace {

/// Triangles of one patch and what is known of it.
struct Patch {
  std::vector<Index> triangles;
  bool closed = true;  ///< all edges have two faces
  double volume = 0;   ///< signed, with the flood's orientation
  double area = 0;
  int front = 0, back = 0;  ///< escaped rays
  bool turned = false;

  bool visible() const { return front + back > 0; }
};

/// Rays in all, when there are so many patches that the usual number each would take minutes.
constexpr double most_rays = 400'000;

class Orienter {
 public:
  Orienter(const TriMesh& mesh, const SurfaceEdges& edges) : mesh_(mesh), edges_(edges) {
    result_.turned.assign(mesh.triangles.size(), 0);
    patch_of_.assign(mesh.triangles.size(), -1);
  }

  Orientation run() {
    for (Index t = 0; t < Index(mesh_.triangles.size()); ++t)
      if (patch_of_[t] < 0) flood(t);
    count_contradictions();
    for (Patch& patch : patches_) keep_majority(patch);
    apply();
    for (Patch& patch : patches_) measure(patch);
    // Closed patches with positive volume are never turned: mostly nothing is left to ask.
    if (std::any_of(patches_.begin(), patches_.end(),
                    [](const Patch& p) { return !p.closed || p.volume < 0; }))
      turn_outward();
    return std::move(result_);
  }

 private:
  /// Neighbours that run along their common edge the same way face opposite sides.
  bool disagree(Index half_edge, Index mate) const {
    const Triangle &t = mesh_.triangles[half_edge / 3], &other = mesh_.triangles[mate / 3];
    return t[half_edge % 3] == other[mate % 3];
  }

  void flood(Index seed) {
    const Index number = Index(patches_.size());
    Patch patch;
    patch.triangles.push_back(seed);
    patch_of_[seed] = number;
    for (std::size_t i = 0; i < patch.triangles.size(); ++i) {
      const Index t = patch.triangles[i];
      for (Index e = 3 * t; e < 3 * t + 3; ++e) {
        const Index mate = edges_.mate[e];
        if (mate < 0) {
          patch.closed = false;
          continue;
        }
        const Index other = mate / 3;
        if (patch_of_[other] >= 0) continue;
        patch_of_[other] = number;
        result_.turned[other] = result_.turned[t] ^ char(disagree(e, mate));
        patch.triangles.push_back(other);
      }
    }
    patches_.push_back(std::move(patch));
  }

  void count_contradictions() {
    for (Index e = 0; e < Index(edges_.mate.size()); ++e) {
      const Index mate = edges_.mate[e];
      if (mate > e && (result_.turned[e / 3] ^ result_.turned[mate / 3]) != char(disagree(e, mate)))
        ++result_.moebius_edges;
    }
  }

  void keep_majority(const Patch& patch) {
    Index turned = 0;
    for (const Index t : patch.triangles) turned += result_.turned[t];
    const Index rest = Index(patch.triangles.size()) - turned;
    if (turned > rest)
      for (const Index t : patch.triangles) result_.turned[t] ^= 1;
    result_.faces_turned += std::min(turned, rest);
  }

  /// From here on mesh_ is consistent within patches.
  void apply() {
    for (std::size_t t = 0; t < mesh_.triangles.size(); ++t)
      if (result_.turned[t]) std::swap(mesh_.triangles[t][1], mesh_.triangles[t][2]);
  }

  void measure(Patch& patch) const {
    const Vec3& origin = mesh_.vertices[mesh_.triangles[patch.triangles.front()][0]];
    for (const Index t : patch.triangles) {
      const Triangle& v = mesh_.triangles[t];
      const Vec3 a = mesh_.vertices[v[0]] - origin, b = mesh_.vertices[v[1]] - origin,
                 c = mesh_.vertices[v[2]] - origin;
      patch.volume += a.dot(b.cross(c)) / 6;
      patch.area += 0.5 * (b - a).cross(c - a).norm();
    }
  }

  void turn_outward() {
    const TriangleTree tree(mesh_.vertices, mesh_.triangles);
    const double size = diagonal(mesh_.vertices);
    double wanted = 0;
    for (const Patch& patch : patches_) wanted += 8.0 * points_for(patch);
    const double share = std::min(1.0, most_rays / wanted);
    for (std::size_t p = 0; p < patches_.size(); ++p) {
      Patch& patch = patches_[p];
      RandomNumbers random(p);
      look(patch, tree, size, std::max(1, int(points_for(patch) * share)), random);
      patch.turned = patch.closed ? patch.volume < 0 && patch.back > patch.front
                                  : patch.front + patch.back >= 8 &&
                                        patch.back - patch.front > 0.2 * (patch.front + patch.back);
    }
    turn_hidden_ones();
    for (const Patch& patch : patches_) {
      if (!patch.turned) continue;
      ++result_.patches_turned;
      for (const Index t : patch.triangles) result_.turned[t] ^= 1;
    }
  }

  static int points_for(const Patch& patch) { return std::clamp(int(patch.triangles.size() / 10), 24, 200); }

  /// Votes of rays that leave the surface for good.
  void look(Patch& patch, const TriangleTree& tree, double size, int points, RandomNumbers& random) const {
    for (const SurfaceSample& at : sample_surface(mesh_, patch.triangles, points, random))
      for (int ray = 0; ray < 8; ++ray) {
        const Vec3 direction = random.direction();
        const double cosine = direction.dot(at.normal);
        if (std::abs(cosine) <= 0.05) continue;
        const Vec3 start = at.point + std::copysign(1e-4 * size, cosine) * at.normal;
        if (tree.first_crossing(start, start + 2 * size * direction).triangle >= 0) continue;
        ++(cosine > 0 ? patch.front : patch.back);
      }
  }

  /// A hollow body saved inside-out: its cavities are turned with it.
  void turn_hidden_ones() {
    double kept = 0, turned = 0;
    for (const Patch& patch : patches_)
      if (patch.closed && patch.visible()) (patch.turned ? turned : kept) += patch.area;
    if (!(turned > kept)) return;
    for (Patch& patch : patches_)
      if (patch.closed && !patch.visible()) patch.turned = true;
  }

  TriMesh mesh_;  ///< a copy: its triangles are turned on the way
  const SurfaceEdges& edges_;
  std::vector<Index> patch_of_;
  std::vector<Patch> patches_;
  Orientation result_;
};

}  // namespace

Orientation orient(const TriMesh& mesh, const SurfaceEdges& edges) { return Orienter(mesh, edges).run(); }

}  // namespace pliant
