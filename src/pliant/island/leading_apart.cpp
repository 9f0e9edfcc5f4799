// SPDX-License-Identifier: Apache-2.0
#include "pliant/island/leading_apart.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

namespace pliant {
namespace {

constexpr double vertex_skin =
    1e-4;                            // of the smaller size: vertices are asked that far within their own body
constexpr double cancelled = 0.2;    // of the ways out: what is left of their sum tells no direction
constexpr double concentric = 0.02;  // of the smaller size
constexpr double same_side = 0.5;    // cosine: other ways out are those of a side that was not chosen
constexpr double kept_way = 0.9;     // of the last direction
constexpr std::size_t most_led_rows = 24;  // of one kind: they all share a direction

double smaller_size(const Member& a, const Member& b) {
  return std::min(a.surface->size(), b.surface->size());
}

Vec3 centre_of(const Member& m) {
  const std::vector<double>& mass = m.method->nodes().mass;
  Vec3 sum = Vec3::Zero();
  double total = 0;
  for (std::size_t i = 0; i < mass.size(); ++i) sum += mass[i] * m.x()[i], total += mass[i];
  return total > 0 ? Vec3(sum / total) : sum;
}

Vec3 normal_of(const Points& x, const Triangle& t) {
  const Vec3& a = x[std::size_t(t[0])];
  return (x[std::size_t(t[1])] - a).cross(x[std::size_t(t[2])] - a);
}

/// Two rows of the same features are one.
void by_key(std::vector<PairRow>& rows) {
  std::sort(rows.begin(), rows.end(), [](const PairRow& a, const PairRow& b) { return a.key < b.key; });
  rows.erase(std::unique(rows.begin(), rows.end(),
                         [](const PairRow& a, const PairRow& b) { return a.key == b.key; }),
             rows.end());
}

/// About so many of a list, evenly.
template <class T, class Use>
void each_of_some(const std::vector<T>& all, std::size_t most, Use&& use) {
  const std::size_t step = (all.size() + most - 1) / std::max<std::size_t>(most, 1);
  for (std::size_t k = 0; k < all.size(); k += std::max<std::size_t>(step, 1)) use(all[k]);
}

}  // namespace

const Overlap& LeadingApart::look(const Member& first, const Member& second, double near) {
  overlap_ = {.first = first.body, .second = second.body};
  crossings_.clear();
  for (std::vector<Inside>& list : inside_) list.clear();
  for (std::vector<Inside>& list : near_) list.clear();
  if (!first.surface->moving().tree().bounds().overlaps(second.surface->moving().tree().bounds()))
    return overlap_;
  search_.find(first.surface->moving(), first.begin, second.surface->moving(), second.begin, crossings_);
  std::erase_if(crossings_, [](const EdgeCrossing& c) { return c.meeting != Meeting::through; });
  find_inside(first, second, near, 0);
  find_inside(second, first, near, 1);
  overlap_.crossings = Index(crossings_.size());
  Vec3 sum = Vec3::Zero();
  for (const int k : {0, 1}) {
    const Member& m = k ? second : first;
    for (const Inside& v : inside_[std::size_t(k)]) {
      overlap_.depth = std::max(overlap_.depth, v.way.norm());
      sum += m.begin[std::size_t(v.vertex)];
      ++overlap_.inside;
    }
  }
  for (const EdgeCrossing& c : crossings_) {
    const Member& m = c.edge_of_second ? second : first;
    const SurfaceEdge& e = m.surface->moving().edges()[std::size_t(c.edge)];
    sum += (m.begin[std::size_t(e[0])] + m.begin[std::size_t(e[1])]) / 2;
  }
  if (overlap_.any()) overlap_.place = sum / double(overlap_.inside + overlap_.crossings);
  return overlap_;
}

/// Vertices are asked a little within their own body: those of bodies that lie face on face are outside, and those of
/// two equal bodies in one place are inside.
void LeadingApart::find_inside(const Member& of, const Member& in, double near, int side) {
  if (!of.closed || !in.closed) return;
  MotionBox box;
  for (const Triangle& t : in.surface->moving().triangles())
    for (const Index v : t) box.add(in.begin[std::size_t(v)]);
  box.low.array() -= near;
  box.high.array() += near;
  const std::span<const Triangle> triangles = of.surface->moving().triangles();
  normals_.assign(of.begin.size(), Vec3::Zero());
  for (const Triangle& t : triangles) {
    const Vec3 n = normal_of(of.begin, t);
    for (const Index v : t) normals_[std::size_t(v)] += n;
  }
  const double within = vertex_skin * smaller_size(of, in);
  std::unique_ptr<TriangleTree> tree;
  for (std::size_t v = 0; v < of.begin.size(); ++v) {
    const double length = normals_[v].norm();
    if (!(length > 0)) continue;
    const Vec3 p = of.begin[v] - within / length * normals_[v];
    if ((p.array() < box.low.array()).any() || (p.array() > box.high.array()).any()) continue;
    if (!tree) {
      const std::span<const Triangle> all = in.surface->moving().triangles();
      tree = std::make_unique<TriangleTree>(in.begin, std::vector<Triangle>(all.begin(), all.end()));
    }
    const bool within_it = tree->winding(p) > 0.5;
    if (!within_it && !(near > 0)) continue;
    const TriangleTree::Nearest nearest =
        tree->nearest(p, within_it ? std::numeric_limits<double>::infinity() : near);
    if (nearest.triangle < 0) continue;
    (within_it ? inside_ : near_)[std::size_t(side)].push_back(
        {Index(v), nearest.triangle, nearest.barycentric, nearest.point - p});
  }
}

/// Sheets have no inside: what they cut leaves to the side where its centre is.
Vec3 LeadingApart::away_from_sheets(const Member& first, const Member& second) const {
  const Vec3 centre[2] = {centre_of(first), centre_of(second)};
  Vec3 sum = Vec3::Zero();
  const auto add = [&](const Member& sheet, const Triangle& t, bool sheet_is_second) {
    Vec3 n = normal_of(sheet.begin, t);
    const Vec3& p = sheet.begin[std::size_t(t[0])];
    if (!(n.norm() > 0)) return;
    n.normalize();
    const double side = (centre[sheet_is_second ? 0 : 1] - p).dot(n);
    sum += (side < 0 ? -1 : 1) * (sheet_is_second ? 1 : -1) * n;
  };
  for (const EdgeCrossing& c : crossings_) {
    const Member &of_edge = c.edge_of_second ? second : first, &of_face = c.edge_of_second ? first : second;
    if (!of_face.closed)
      add(of_face, of_face.surface->moving().triangles()[std::size_t(c.triangle)], !c.edge_of_second);
    if (of_edge.closed) continue;
    const SurfaceEdge& e = of_edge.surface->moving().edges()[std::size_t(c.edge)];
    const Index third = of_edge.surface->beside_edge(c.edge)[0];
    if (third >= 0) add(of_edge, {e[0], e[1], third}, c.edge_of_second);
  }
  return sum;
}

Vec3 LeadingApart::direction(const Member& first, const Member& second, const Vec3& before) const {
  Vec3 sum = Vec3::Zero();
  double all = 0;
  for (const int k : {0, 1})
    for (const Inside& v : inside_[std::size_t(k)]) {
      sum += (k ? -1 : 1) * v.way;
      all += v.way.norm();
    }
  const bool told = sum.norm() > cancelled * all && sum.norm() > 0;
  if (!told && !before.isZero(0)) return before;
  if (!told) {
    sum = away_from_sheets(first, second);
    if (!(sum.norm() > 1e-3)) {
      sum = centre_of(first) - centre_of(second);
      if (!(sum.norm() > concentric * smaller_size(first, second))) {
        const Vec3 g = first.input.gravity;
        sum = g.norm() > 0 ? Vec3(-g) : Vec3(Vec3::UnitY());
        if (!first.movable && second.movable) sum = -sum;
      }
    }
  }
  sum.normalize();
  if (before.isZero(0)) return sum;
  // The nearest way out of two bodies in one place is the one back to where they were.
  if (sum.dot(before) < same_side) return before;
  const Vec3 mixed = kept_way * before + (1 - kept_way) * sum;
  return mixed.norm() > 0 ? Vec3(mixed.normalized()) : before;
}

PairRow LeadingApart::row_of(const Inside& v, const Member& other, bool swapped) const {
  PairRow row;
  row.primitive = PairKind::vertex_triangle;
  row.a = v.vertex;
  row.b = v.triangle;
  row.swapped = swapped;
  const Triangle& t = other.surface->moving().triangles()[std::size_t(v.triangle)];
  row.vertex = {v.vertex, t[0], t[1], t[2]};
  row.weight = {1, -v.barycentric[0], -v.barycentric[1], -v.barycentric[2]};
  row.key = {PairKey::vertex_triangle, v.vertex, v.triangle};
  if (swapped) {
    for (double& weight : row.weight) weight = -weight;
    row.key = {PairKey::triangle_vertex, v.triangle, v.vertex};
  }
  return row;
}

void LeadingApart::rows(const Member& first, const Member& second, const Vec3& along, double distance,
                        std::vector<PairRow>& out) const {
  out.clear();
  for (const bool swapped : {false, true}) {
    const Member& other = swapped ? first : second;
    each_of_some(inside_[std::size_t(swapped)], most_led_rows,
                 [&](const Inside& v) { out.push_back(row_of(v, other, swapped)); });
    each_of_some(near_[std::size_t(swapped)], most_led_rows, [&](const Inside& v) {
      const Vec3 away = swapped ? Vec3(-along) : along;
      const Vec3 n = normal_of(other.begin, other.surface->moving().triangles()[std::size_t(v.triangle)]);
      const double gap = -v.way.dot(away);
      if (!(gap > 0) || !(n.dot(away) > same_side * n.norm())) return;
      out.push_back(row_of(v, other, swapped));
      out.back().distance = gap;
    });
  }
  each_of_some(crossings_, 2 * most_led_rows, [&](const EdgeCrossing& c) {
    const Member& of_face = c.edge_of_second ? first : second;
    const Triangle& t = of_face.surface->moving().triangles()[std::size_t(c.triangle)];
    PairRow best;
    best.distance = std::numeric_limits<double>::infinity();
    for (int k = 0; k < 3; ++k) {
      const Index f = of_face.surface->edge_between(t[k], t[(k + 1) % 3]);
      const Index a = c.edge_of_second ? f : c.edge, b = c.edge_of_second ? c.edge : f;
      const SurfaceEdge &e0 = first.surface->moving().edges()[std::size_t(a)],
                        &e1 = second.surface->moving().edges()[std::size_t(b)];
      const ClosestPoints closest =
          edge_edge_closest({first.begin[std::size_t(e0[0])], first.begin[std::size_t(e0[1])],
                             second.begin[std::size_t(e1[0])], second.begin[std::size_t(e1[1])]});
      if (!(closest.distance < best.distance)) continue;
      best.primitive = PairKind::edge_edge;
      best.a = a;
      best.b = b;
      best.vertex = {e0[0], e0[1], e1[0], e1[1]};
      best.weight = closest.weight;
      best.distance = closest.distance;
      best.key = {PairKey::edge_edge, a, b};
    }
    if (!std::isfinite(best.distance)) return;
    best.distance = 0;
    out.push_back(best);
  });
  for (PairRow& row : out) {
    row.normal = along;
    row.distance += distance;
    row.must = true;
  }
  by_key(out);
}

}  // namespace pliant
