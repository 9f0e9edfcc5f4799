// SPDX-License-Identifier: Apache-2.0
#include "pliant/island/pair_rows.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

constexpr double level = 0.05;       // sine: an edge that falls by less is level
constexpr double same_way = 0.9659;  // cosine of 15 degrees
constexpr double flat = 0.2588;      // sine of 15 degrees
constexpr double parallel = 1e-6;    // squared sine: rows of the ends hold such edges apart
constexpr double near = 2;           // of delta

struct Places {
  std::span<const Vec3> first, second;
};

PairPoints points_of(const PairRow& row, const Places& at) {
  PairPoints points;
  for (int k = 0; k < 4; ++k)
    points[std::size_t(k)] =
        (row.of_second(k) ? at.second : at.first)[std::size_t(row.vertex[std::size_t(k)])];
  return points;
}

PairRow vertex_triangle_row(const PairMotion& m, Index vertex, Index triangle, bool swapped) {
  PairRow row;
  row.primitive = PairKind::vertex_triangle;
  row.a = vertex;
  row.b = triangle;
  row.swapped = swapped;
  const Triangle& t = (swapped ? m.first : m.second).moving().triangles()[std::size_t(triangle)];
  row.vertex = {vertex, t[0], t[1], t[2]};
  return row;
}

PairRow edge_edge_row(const PairMotion& m, Index a, Index b) {
  PairRow row;
  row.primitive = PairKind::edge_edge;
  row.a = a;
  row.b = b;
  const SurfaceEdge &e = m.first.moving().edges()[std::size_t(a)],
                    &f = m.second.moving().edges()[std::size_t(b)];
  row.vertex = {e[0], e[1], f[0], f[1]};
  return row;
}

/// What the closest points lie on, by the weights.
void name_features(const PairMotion& m, PairRow& row) {
  if (row.primitive == PairKind::edge_edge) {
    row.key = {PairKey::edge_edge, row.a, row.b};
    return;
  }
  std::array<Index, 3> on{};
  int count = 0;
  for (std::size_t k = 1; k < 4; ++k)
    if (row.weight[k] != 0) on[std::size_t(count++)] = row.vertex[k];
  const MeetingSurface& other = row.swapped ? m.first : m.second;
  Index kind = PairKey::vertex_triangle, feature = row.b;
  if (count == 1) kind = PairKey::vertex_vertex, feature = on[0];
  if (count == 2) kind = PairKey::vertex_edge, feature = other.edge_between(on[0], on[1]);
  row.key = {kind, row.a, feature};
  // Two vertices of one surface are a row of the lower.
  if (m.self) row.swapped = kind == PairKey::vertex_vertex && feature < row.a;
  if (!row.swapped) return;
  if (kind == PairKey::vertex_edge) kind = PairKey::edge_vertex;
  if (kind == PairKey::vertex_triangle) kind = PairKey::triangle_vertex;
  row.key = {kind, feature, row.a};
}

/// Touching primitives have no direction between them: a triangle has its own.
Vec3 normal_of(const PairRow& row, const PairPoints& x, const ClosestPoints& closest, double floor) {
  if (closest.distance > floor) return closest.difference / closest.distance;
  if (row.primitive == PairKind::edge_edge) return Vec3::Zero();
  const Vec3 n = (x[2] - x[1]).cross(x[3] - x[1]);
  const double length = n.norm();
  return length > 0 ? Vec3(n / length) : Vec3(Vec3::Zero());
}

/// Calls visit(row) for all candidates.
template <class Visit>
void each(const PairMotion& m, const PairCandidates& candidates, Visit&& visit) {
  for (const IndexPair& p : candidates.vertex_triangle)
    visit(vertex_triangle_row(m, p.first, p.second, false));
  for (const IndexPair& p : candidates.triangle_vertex)
    visit(vertex_triangle_row(m, p.second, p.first, true));
  for (const IndexPair& p : candidates.edge_edge) visit(edge_edge_row(m, p.first, p.second));
}

Places begin_of(const PairMotion& m) { return {m.first_at, m.second_at}; }
Places end_of(const PairMotion& m) { return {m.first_end, m.second_end}; }

ClosestPoints measured(const PairMotion& m, PairRow& row, const PairPoints& x) {
  const ClosestPoints closest = closest_points(row.primitive, x);
  row.distance = closest.distance;
  row.weight = closest.weight;
  row.normal = normal_of(row, x, closest, m.floor);
  name_features(m, row);
  if (row.swapped) {
    row.normal = -row.normal;
    for (double& weight : row.weight) weight = -weight;
  }
  return closest;
}

double kept(const PairMotion& m, const PairRow& row) {
  return m.self ? m.self->kept(row.primitive, row.vertex, m.delta) : m.delta;
}

Impact impact_of(const PairMotion& m, const PairRow& row, const PairPoints& x, const ClosestPoints& closest) {
  const PairPoints end = points_of(row, end_of(m));
  Impact impact = time_of_impact(row.primitive, x, end, {m.delta, m.floor}, closest);
  // What is near at rest and stretched now may come back.
  if (impact.hit() && m.self)
    if (const double delta = kept(m, row); delta < m.delta)
      impact = time_of_impact(row.primitive, x, end, {delta, m.floor}, closest);
  return impact;
}

/// Two edges at inner points, not parallel.
bool is_proper(const PairRow& row, const ClosestPoints& closest, const PairPoints& x) {
  if (row.normal.isZero(0)) return false;
  if (row.primitive == PairKind::vertex_triangle) return true;
  return closest.feature == PairFeature::edge_edge && squared_sine_of_edges(x) > parallel;
}

/// No edge from here goes down along `away`, which leads from the other body to this one.
bool is_lowest(const MeetingSurface& s, std::span<const Vec3> x, Index v, const Vec3& away) {
  const Vec3& here = x[std::size_t(v)];
  for (const Index w : s.beside_vertex(v)) {
    const Vec3 edge = x[std::size_t(w)] - here;
    if (edge.dot(away) < -level * edge.norm()) return false;
  }
  return true;
}

/// The same of the triangles beside an edge; in_flat: it lies in a flat piece across `away`.
bool is_lowest_edge(const MeetingSurface& s, std::span<const Vec3> x, Index e, const Vec3& away,
                    bool& in_flat) {
  const SurfaceEdge& edge = s.moving().edges()[std::size_t(e)];
  const Vec3 &a = x[std::size_t(edge[0])], along = (x[std::size_t(edge[1])] - a).normalized();
  int level_sides = 0;
  for (const Index third : s.beside_edge(e)) {
    if (third < 0) continue;
    Vec3 side = x[std::size_t(third)] - a;
    side -= side.dot(along) * along;
    const double rise = side.dot(away), length = side.norm();
    if (rise < -level * length) return false;
    level_sides += rise < flat * length;
  }
  in_flat = level_sides == 2;
  return true;
}

/// No neighbour of the features is nearer. flat: two edges, one of them in a flat piece.
bool is_minimum(const PairMotion& m, const PairRow& row, bool& flat_edges) {
  const Vec3& n = row.normal;
  flat_edges = false;
  switch (row.key.kind) {
    case PairKey::vertex_triangle:
      return is_lowest(m.first, m.first_at, row.key.first, n);
    case PairKey::triangle_vertex:
      return is_lowest(m.second, m.second_at, row.key.second, -n);
    case PairKey::vertex_vertex:
      return is_lowest(m.first, m.first_at, row.key.first, n) &&
             is_lowest(m.second, m.second_at, row.key.second, -n);
    default:
      break;
  }
  bool first_flat = false, second_flat = false;
  if (row.key.kind == PairKey::vertex_edge)
    return is_lowest(m.first, m.first_at, row.key.first, n) &&
           is_lowest_edge(m.second, m.second_at, row.key.second, -n, second_flat);
  if (row.key.kind == PairKey::edge_vertex)
    return is_lowest(m.second, m.second_at, row.key.second, -n) &&
           is_lowest_edge(m.first, m.first_at, row.key.first, n, first_flat);
  const bool lowest = is_lowest_edge(m.first, m.first_at, row.key.first, n, first_flat) &&
                      is_lowest_edge(m.second, m.second_at, row.key.second, -n, second_flat);
  flat_edges = first_flat || second_flat;
  return lowest;
}

void one_a_key(std::vector<PairRow>& rows) {
  std::sort(rows.begin(), rows.end(), [](const PairRow& a, const PairRow& b) {
    if (a.key != b.key) return a.key < b.key;
    if (a.must != b.must) return a.must;
    if (a.distance != b.distance) return a.distance < b.distance;
    return std::pair(a.swapped, a.b) < std::pair(b.swapped, b.b);
  });
  rows.erase(std::unique(rows.begin(), rows.end(),
                         [](const PairRow& a, const PairRow& b) { return a.key == b.key; }),
             rows.end());
}

}  // namespace

void PairRows::measure(const PairMotion& motion, PairRow& row) {
  measured(motion, row, points_of(row, begin_of(motion)));
}

void PairRows::collect(const PairMotion& m, const PairCandidates& candidates,
                       std::vector<PairRow>& out) const {
  out.clear();
  each(m, candidates, [&](PairRow row) {
    const PairPoints x = points_of(row, begin_of(m));
    const ClosestPoints closest = measured(m, row, x);
    if (!is_proper(row, closest, x)) return;
    if (row.distance < near * m.delta) row.delta = kept(m, row);
    if (!(row.distance < near * row.delta)) {
      if (!impact_of(m, row, x, closest).hit()) return;
      row.delta = kept(m, row);
    }
    out.push_back(row);
  });
  one_a_key(out);
}

void PairRows::thin(const PairMotion& m, std::vector<PairRow>& rows) {
  std::erase_if(rows, [&](PairRow& row) {
    if (row.must) return false;
    bool flat_edges = false;
    const bool minimum = is_minimum(m, row, flat_edges);
    row.must = row.distance < 0.9 * row.delta && (minimum || m.self);
    return !row.must && (!minimum || flat_edges);
  });
  // b) by vertex: its nearest row first
  dropped_.assign(rows.size(), 0);
  order_.clear();
  const auto vertex_of = [&](const PairRow& row) { return std::pair(row.swapped && !m.self, row.a); };
  for (std::size_t c = 0; c < rows.size(); ++c)
    if (rows[c].primitive == PairKind::vertex_triangle) order_.push_back(Index(c));
  std::sort(order_.begin(), order_.end(), [&](Index i, Index j) {
    const PairRow &a = rows[std::size_t(i)], &b = rows[std::size_t(j)];
    if (vertex_of(a) != vertex_of(b)) return vertex_of(a) < vertex_of(b);
    if (a.must != b.must) return a.must;
    return a.distance != b.distance ? a.distance < b.distance : a.key < b.key;
  });
  for (std::size_t begin = 0, end = 0; begin < order_.size(); begin = end) {
    while (end < order_.size() &&
           vertex_of(rows[std::size_t(order_[end])]) == vertex_of(rows[std::size_t(order_[begin])]))
      ++end;
    for (std::size_t k = begin; k < end; ++k)
      for (std::size_t earlier = begin; earlier < k; ++earlier) {
        const std::size_t i = std::size_t(order_[k]), j = std::size_t(order_[earlier]);
        if (!rows[i].must && !dropped_[j] && rows[i].normal.dot(rows[j].normal) > same_way) dropped_[i] = 1;
      }
  }
  std::size_t kept = 0;
  for (std::size_t c = 0; c < rows.size(); ++c)
    if (!dropped_[c]) rows[kept++] = rows[c];
  rows.resize(kept);
}

bool PairRows::any_near(const PairMotion& m, const PairCandidates& candidates) const {
  bool any = false;
  each(m, candidates, [&](PairRow row) {
    if (any) return;
    const PairPoints x = points_of(row, begin_of(m));
    const ClosestPoints closest = closest_points(row.primitive, x);
    any = (closest.distance < m.delta && closest.distance < kept(m, row)) ||
          impact_of(m, row, x, closest).hit();
  });
  return any;
}

void PairRows::touches(const PairMotion& m, const PairCandidates& candidates, double reach, bool inside,
                       const Vec3& along, std::vector<PairRow>& out) const {
  out.clear();
  each(m, candidates, [&](PairRow row) {
    if (row.primitive != PairKind::vertex_triangle) return;
    const PairPoints x = points_of(row, begin_of(m));
    const ClosestPoints closest = measured(m, row, x);
    if (!(row.distance <= reach) || (inside && closest.feature != PairFeature::vertex_triangle)) return;
    const Vec3 n = (x[2] - x[1]).cross(x[3] - x[1]);
    if (!(n.norm() > 0)) return;
    const double side = row.swapped ? -1 : 1;
    row.normal = side * n.normalized();
    row.distance = side * closest.difference.dot(along.isZero(0) ? row.normal : along);
    out.push_back(row);
  });
}

void PairRows::add(const PairMotion& m, std::span<const PairRow> hits, std::vector<PairRow>& out) const {
  for (PairRow row : hits) {
    measure(m, row);
    if (!row.normal.isZero(0)) out.push_back(row);
  }
  if (!hits.empty()) one_a_key(out);
}

double PairRows::free_way(const PairMotion& m, const PairCandidates& candidates, std::vector<PairRow>& out,
                          int& touching) const {
  double free = 1;
  const std::size_t before = out.size();
  each(m, candidates, [&](PairRow row) {
    const PairPoints x = points_of(row, begin_of(m));
    const Impact impact = impact_of(m, row, x, closest_points(row.primitive, x));
    if (!impact.hit()) return;
    measured(m, row, x);
    if (row.distance <= m.floor) {
      ++touching;
      return;
    }
    free = std::min(free, impact.time);
    row.delta = kept(m, row);
    row.must = true;
    out.push_back(row);
  });
  if (out.size() > before) one_a_key(out);
  return free;
}

}  // namespace pliant
