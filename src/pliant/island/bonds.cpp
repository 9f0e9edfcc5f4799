// SPDX-License-Identifier: Apache-2.0
#include "pliant/island/bonds.hpp"

#include <algorithm>
#include <cmath>
#include <memory>

#include "pliant/geometry/triangle_tree.hpp"

namespace pliant {
namespace {

constexpr double usual_reach = 0.05;  // of the size of the first body

/// Columns: along the first edge, across it in the plane, and the normal. Without area: the axes.
Mat3 frame_of(const Triangle& t, std::span<const Vec3> x) {
  const Vec3 &a = x[std::size_t(t[0])], along = x[std::size_t(t[1])] - a;
  const Vec3 normal = along.cross(x[std::size_t(t[2])] - a);
  Mat3 frame = Mat3::Identity();
  if (!(along.norm() > 0 && normal.norm() > 0)) return frame;
  frame.col(0) = along.normalized();
  frame.col(2) = normal.normalized();
  frame.col(1) = frame.col(2).cross(frame.col(0));
  return frame;
}

/// A third of each triangle that has it, m^2.
std::vector<double> areas_of(const Member& m) {
  std::vector<double> out(m.begin.size(), 0);
  for (const Triangle& t : m.surface->moving().triangles()) {
    const Vec3& a = m.begin[std::size_t(t[0])];
    const double area = (m.begin[std::size_t(t[1])] - a).cross(m.begin[std::size_t(t[2])] - a).norm() / 2;
    for (const Index v : t) out[std::size_t(v)] += area / 3;
  }
  return out;
}

}  // namespace

void Bonds::set(std::vector<Bond> bonds) {
  bonds_ = std::move(bonds);
  ends_.assign(bonds_.size(), {-1, -1});
  tied_.assign(bonds_.size(), 0);
  facts_.assign(bonds_.size(), {});
  points_.clear();
  keep();
}

void Bonds::find_members(std::span<const Member> members) {
  const auto at = [&](Index body) {
    for (std::size_t k = 0; k < members.size(); ++k)
      if (body >= 0 && members[k].body == body) return Index(k);
    return Index(-1);
  };
  for (std::size_t b = 0; b < bonds_.size(); ++b) {
    ends_[b] = {at(bonds_[b].body), at(bonds_[b].other)};
    if (bonds_[b].other >= 0 && ends_[b].second < 0) ends_[b].first = -1;
  }
}

void Bonds::tie(std::span<const Member> members, std::span<const Collider> colliders, double time) {
  find_members(members);
  for (std::size_t b = 0; b < bonds_.size(); ++b) {
    const Bond& bond = bonds_[b];
    const bool on_collider = bond.other < 0;
    const bool here = ends_[b].first >= 0 &&
                      (!on_collider || (bond.collider >= 0 && bond.collider < Index(colliders.size())));
    if (tied_[b] || !here) continue;
    tied_[b] = 1;
    tie(b, members[std::size_t(ends_[b].first)],
        on_collider ? nullptr : &members[std::size_t(ends_[b].second)],
        on_collider ? &colliders[std::size_t(bond.collider)] : nullptr, time);
  }
  keep();
}

void Bonds::tie(std::size_t b, const Member& first, const Member* second, const Collider* collider,
                double time) {
  const Bond& bond = bonds_[b];
  const double size = first.surface->size(), within = bond.within > 0 ? bond.within : usual_reach * size;
  const std::vector<double> areas = areas_of(first);
  std::unique_ptr<TriangleTree> tree;
  if (second) {
    const std::span<const Triangle> all = second->surface->moving().triangles();
    tree = std::make_unique<TriangleTree>(second->begin, std::vector<Triangle>(all.begin(), all.end()));
  }
  for (std::size_t v = 0; v < first.begin.size(); ++v) {
    const Vec3& p = first.begin[v];
    if (!(areas[v] > 0) || !selects(bond.select, p, 1e-9 * size)) continue;
    TiedPoint point{.bond = Index(b), .vertex = Index(v), .area = areas[v]};
    if (second) {
      const TriangleTree::Nearest nearest = tree->nearest(p, within);
      if (nearest.triangle < 0) continue;
      point.triangle = nearest.triangle;
      point.barycentric = nearest.barycentric;
      const Triangle& t = second->surface->moving().triangles()[std::size_t(nearest.triangle)];
      point.offset = frame_of(t, second->begin).transpose() * (p - nearest.point);
    } else {
      Side side = 0;
      std::array<Touch, max_touches> touches;
      if (collider->query(p, within, Instant::begin, side, touches) == 0) continue;
      const Pose pose = collider->pose_at(time);
      point.offset = pose.rotation.transpose() * (p - pose.translation);
    }
    points_.push_back(point);
    ++facts_[b].points;
  }
}

bool Bonds::holds(Index first, Index second) const {
  for (std::size_t b = 0; b < bonds_.size(); ++b) {
    const IndexPair& e = ends_[b];
    const bool both = (e.first == first && e.second == second) || (e.first == second && e.second == first);
    if (both && facts_[b].broken < facts_[b].points) return true;
  }
  return false;
}

bool Bonds::holds_any(Index member) const {
  for (std::size_t b = 0; b < bonds_.size(); ++b)
    if ((ends_[b].first == member || ends_[b].second == member) && ends_[b].first >= 0 &&
        facts_[b].broken < facts_[b].points)
      return true;
  return false;
}

Vec3 Bonds::offset(const TiedPoint& p, const Member& other, std::span<const Vec3> x) const {
  return frame_of(other.surface->moving().triangles()[std::size_t(p.triangle)], x) * p.offset;
}

Vec3 Bonds::place(const TiedPoint& p, std::span<const Collider> colliders, Instant instant) const {
  const Pose& pose = colliders[std::size_t(bonds_[std::size_t(p.bond)].collider)].pose(instant);
  return pose.rotation * p.offset + pose.translation;
}

void Bonds::go_back(Index of) {
  for (std::size_t k = 0; k < points_.size(); ++k)
    if (member(points_[k]) == of) {
      points_[k] = kept_[k];
      facts_[std::size_t(points_[k].bond)] = kept_facts_[std::size_t(points_[k].bond)];
    }
}

void Bonds::let_go(std::span<const char> stepped, double time) {
  for (std::size_t b = 0; b < bonds_.size(); ++b) {
    BondFacts& facts = facts_[b];
    if (ends_[b].first < 0 || !stepped[std::size_t(ends_[b].first)]) continue;
    Vec3 sum = Vec3::Zero();
    for (const TiedPoint& p : points_)
      if (p.bond == Index(b) && !p.broken) sum += p.force;
    facts.force = sum.norm();
    const bool whole = facts.force > bonds_[b].strength;
    for (TiedPoint& p : points_) {
      if (p.bond != Index(b) || p.broken) continue;
      if (!whole && !(p.force.norm() > bonds_[b].pressure * p.area)) continue;
      p.broken = 1;
      p.force.setZero();
      if (facts.broken++ == 0) facts.first_break = time;
    }
  }
}

void Bonds::save(Writer& writer) const {
  writer.value(std::uint64_t(bonds_.size()));
  for (const BondFacts& facts : facts_) {
    writer.value(facts.points);
    writer.value(facts.broken);
    writer.value(facts.first_break);
    writer.value(facts.force);
  }
  for (const TiedPoint& p : points_) {
    writer.value(p.broken);
    for (int c = 0; c < 3; ++c) writer.value(p.force[c]);
    for (int c = 0; c < 3; ++c) writer.value(p.offset[c]);
    for (int c = 0; c < 3; ++c) writer.value(p.barycentric[c]);
    writer.value(p.triangle);
  }
}

/// The bonds are those of the scene, made at its start: the same points.
bool Bonds::load(Reader& reader) {
  std::uint64_t count = 0;
  reader.value(count);
  if (!reader.ok() || count != bonds_.size()) return false;
  for (BondFacts& facts : facts_) {
    const Index points = facts.points;
    reader.value(facts.points);
    reader.value(facts.broken);
    reader.value(facts.first_break);
    reader.value(facts.force);
    if (facts.points != points || facts.broken < 0 || facts.broken > points) return false;
  }
  for (TiedPoint& p : points_) {
    const Index triangle = p.triangle;
    reader.value(p.broken);
    for (int c = 0; c < 3; ++c) reader.value(p.force[c]);
    for (int c = 0; c < 3; ++c) reader.value(p.offset[c]);
    for (int c = 0; c < 3; ++c) reader.value(p.barycentric[c]);
    reader.value(p.triangle);
    if ((p.triangle < 0) != (triangle < 0)) return false;
    if (p.triangle >= 0) p.triangle = triangle;
  }
  keep();
  return reader.ok();
}

}  // namespace pliant
