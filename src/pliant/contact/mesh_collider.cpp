// SPDX-License-Identifier: Apache-2.0
#include "pliant/contact/mesh_collider.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/geometry/check_geometry.hpp"

namespace pliant {
namespace {

using Nearest = TriangleTree::Nearest;

constexpr double infinite = std::numeric_limits<double>::infinity();
constexpr double apart = 0.8660254037844386;  // cosine of 30 degrees: normals nearer to each other are one
constexpr double on_surface = 1e-6;           // share of the size; nearer than that, x - p tells no direction
constexpr int cells_along = 24;               // the longest side

std::vector<Problem> problems_of(const TriMesh& mesh) {
  if (mesh.triangles.empty()) return {{"", "a mesh without faces", "at least one triangle", {}}};
  std::vector<Problem> problems = check_mesh(mesh);
  if (!problems.empty()) return problems;
  const Vec3& first = mesh.vertices[std::size_t(mesh.triangles[0][0])];
  double extent = 0;
  for (const Triangle& t : mesh.triangles)
    for (const Index v : t) extent = std::max(extent, (mesh.vertices[std::size_t(v)] - first).norm());
  if (!(extent > 0) || !std::isfinite(extent))
    problems.push_back({"", "a mesh without extent, or beyond all numbers", "a surface with an area", {}});
  return problems;
}

}  // namespace

MeshCollider::MeshCollider(TriMesh mesh, bool thin)
    : problems_(problems_of(mesh)),
      mesh_(problems_.empty() ? std::move(mesh) : TriMesh{}),
      tree_(mesh_.vertices, mesh_.triangles),
      features_(mesh_),
      kind_(Kind::sheet) {
  if (!problems_.empty()) return;
  low_ = Vec3::Constant(infinite);
  high_ = -low_;
  for (const Triangle& t : mesh_.triangles)
    for (const Index v : t) {
      low_ = low_.cwiseMin(mesh_.vertices[v]);
      high_ = high_.cwiseMax(mesh_.vertices[v]);
    }
  size_ = (high_ - low_).norm();
  const bool sealed = features_.manifold() && tree_.self_intersections(1) == 0;
  kind_ = thin ? Kind::sheet : sealed ? Kind::sealed : Kind::dirty;
  if (kind_ != Kind::sheet) fill_cells();
}

void MeshCollider::fill_cells() {
  cells_.edge = (high_ - low_).maxCoeff() / cells_along;
  cells_.reach = std::sqrt(3.0) / 2 * cells_.edge;
  for (int c = 0; c < 3; ++c)
    cells_.count[c] = std::clamp(int(std::ceil((high_ - low_)[c] / cells_.edge)), 1, cells_along);
  for (int k = 0; k < cells_.count[2]; ++k)
    for (int j = 0; j < cells_.count[1]; ++j)
      for (int i = 0; i < cells_.count[0]; ++i) {
        const Vec3 centre = low_ + cells_.edge * Vec3(i + 0.5, j + 0.5, k + 0.5);
        const Nearest at = tree_.nearest(centre, infinite);
        const bool inside =
            kind_ == Kind::sealed ? features_.normal(at).dot(centre - at.point) < 0 : winds_around(centre);
        cells_.distance.push_back(inside ? -at.distance : at.distance);
      }
}

const double* MeshCollider::cell_distance(const Vec3& x) const {
  if (!(x.array() >= low_.array()).all() || !(x.array() <= high_.array()).all()) return nullptr;
  int at[3];
  for (int c = 0; c < 3; ++c) at[c] = std::clamp(int((x[c] - low_[c]) / cells_.edge), 0, cells_.count[c] - 1);
  return &cells_.distance[std::size_t((at[2] * cells_.count[1] + at[1]) * cells_.count[0] + at[0])];
}

/// outward: the pseudo-normal, towards the free side.
SurfacePoint MeshCollider::seen_from(const Vec3& x, const Nearest& at, const Vec3& outward) const {
  const Vec3 d = x - at.point;
  const double sign = outward.dot(d) < 0 ? -1 : 1;
  SurfacePoint out{sign * at.distance, outward, at.point, features_.patch(at)};
  if (at.distance > on_surface * size_) out.normal = sign / at.distance * d;
  return out;
}

/// Reach of the search for a sealed mesh: far enough to meet the surface where the point may be inside.
/// Negative: it is outside and farther than band.
double MeshCollider::search_reach(const Vec3& x, double band) const {
  const double* cell = cell_distance(x);
  if (!cell) return std::max(band, 0.0);
  if (*cell - cells_.reach > std::max(band, 0.0)) return -1;
  return std::max(band, std::abs(*cell) + 1.001 * cells_.reach);
}

bool MeshCollider::nearest_sealed(const Vec3& x, double band, SurfacePoint& out) const {
  const Nearest at = tree_.nearest(x, search_reach(x, band));
  if (at.triangle < 0) return false;
  out = seen_from(x, at, features_.normal(at));
  return out.gap < band;
}

bool MeshCollider::nearest_remembered(const Vec3& x, double band, Side& side, SurfacePoint& out) const {
  // A point that is remembered and has got through, however deep, must not be lost.
  const double reach = side != 0              ? infinite
                       : kind_ == Kind::sheet ? std::max(band, 0.0)
                                              : search_reach(x, band);
  const Nearest at = tree_.nearest(x, reach);
  if (at.triangle < 0) return false;
  const Vec3 pseudo = features_.normal(at);
  const Side here = pseudo.dot(x - at.point) < 0 ? -1 : 1;
  // Beyond the border there is no sheet to be behind of: a point may go around it.
  if (kind_ == Kind::sheet && features_.on_border(at)) side = here;
  const bool near = at.distance < band;
  if (side == here && !near) side = 0;
  Side free = side;
  if (free == 0) free = kind_ == Kind::dirty && winds_around(x) ? Side(-here) : here;
  if (near) side = free;
  out = seen_from(x, at, free * pseudo);
  return out.gap < band;
}

/// Lets feet through that are seen in a direction of their own, from their front.
class MeshCollider::CornerFilter final : public TriangleTree::Filter {
 public:
  CornerFilter(const MeshCollider& of, const Vec3& x, std::span<const SurfacePoint> known)
      : of_(of), x_(x), known_(known) {}
  bool passes(const Nearest& candidate) const override {
    const Vec3 d = x_ - candidate.point;
    const double distance = candidate.distance;
    if (distance <= on_surface * of_.size_) return false;  // the corner itself
    for (const SurfacePoint& p : known_)
      if (p.normal.dot(d) > apart * distance || (p.point - candidate.point).norm() <= on_surface * of_.size_)
        return false;
    if (of_.kind_ == Kind::sealed && of_.features_.normal(candidate).dot(d) <= 0) return false;
    return of_.features_.is_foot(candidate, x_);
  }

 private:
  const MeshCollider& of_;
  const Vec3& x_;
  std::span<const SurfacePoint> known_;
};

int MeshCollider::more_touches(const Vec3& x, double band, std::span<SurfacePoint, max_touches> out) const {
  int count = 1;
  Vec3 lifted = x;
  for (; count < max_touches; ++count) {
    // A point that has sunk into the floor by a hair's breadth looks for walls from just above it: the foot
    // of a wall is not below the floor.
    const SurfacePoint& last = out[std::size_t(count - 1)];
    lifted += std::max(2 * on_surface * size_ - last.gap, 0.0) * last.normal;
    const Nearest at =
        tree_.nearest(lifted, band, CornerFilter(*this, lifted, out.first(std::size_t(count))));
    if (at.triangle < 0) break;
    const Vec3 normal = (lifted - at.point) / at.distance;
    SurfacePoint& more =
        out[std::size_t(count)] = {normal.dot(x - at.point), normal, at.point, features_.patch(at)};
    for (int k = 0; k < count; ++k)  // the same patch seen twice, at a corner of it
      if (out[std::size_t(k)].feature % features_.patches() == more.feature % features_.patches())
        more.feature = more.feature % features_.patches() + count * features_.patches();
  }
  return count;
}

int MeshCollider::query(const Vec3& x, double band, Side& side,
                        std::span<SurfacePoint, max_touches> out) const {
  if (!problems_.empty()) return 0;
  const bool found =
      kind_ == Kind::sealed ? nearest_sealed(x, band, out[0]) : nearest_remembered(x, band, side, out[0]);
  if (!found) return 0;
  return -out[0].gap < band ? more_touches(x, band, out) : 1;  // deep inside only the way out counts
}

bool MeshCollider::crossed(const Vec3& from, const Vec3& to, SurfacePoint& out) const {
  if (!problems_.empty() || !from.allFinite() || !to.allFinite()) return false;
  const TriangleTree::Crossing hit = tree_.first_crossing(from, to);
  if (hit.triangle < 0 || (kind_ == Kind::sealed && hit.cosine > 0)) return false;
  const Nearest face{hit.triangle, from + hit.t * (to - from), Vec3::Constant(1.0 / 3), 0};
  const double free = hit.cosine < 0 ? 1 : -1;  // the side it comes from
  const Vec3 normal = free * features_.normal(face);
  const Vec3& corner = mesh_.vertices[mesh_.triangles[hit.triangle][0]];  // exactly in the plane
  out = {normal.dot(to - corner), normal, face.point - normal.dot(face.point - corner) * normal,
         features_.patch(face)};
  // Does the query at the end tell, with the side of the beginning remembered?
  const Nearest end = tree_.nearest(to, (to - from).norm());
  if (end.triangle < 0) return true;
  const Vec3 outward = free * features_.normal(end);
  return outward.dot(to - end.point) >= 0 || outward.dot(normal) < 0.5;
}

}  // namespace pliant
