// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/contact_points.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/contact/collider.hpp"
#include "pliant/geometry/place_order.hpp"
#include "pliant/methods/cage/surface.hpp"

namespace pliant::cage {
namespace {

constexpr int spread_points = 500;       // fewer freedoms than that move them
constexpr int more_points = 64;          // that may be asked besides
constexpr double nearest_points = 1e-6;  // of the size: closer ones are the same
constexpr double near = 0.1;             // of the size: farther from the cage nothing is measured
// More points, shares of the size: far enough from each other, and near the collider.
constexpr double apart = 0.02, leaves = 0.005;
constexpr double enters = 2;  // times the depth that is left alone

/// Calls put(node, weight) for the nodes that a vertex is made of.
template <class Put>
void each_node(const Gather& embedding, Index vertex, Put&& put) {
  for (Index k = embedding.begin[std::size_t(vertex)]; k < embedding.begin[std::size_t(vertex) + 1]; ++k)
    put(embedding.column[std::size_t(k)], embedding.weight[std::size_t(k)]);
}

/// From each point to the one next to it, mean.
double mean_distance(std::span<const Vec3> points) {
  double sum = 0;
  for (const Vec3& p : points) {
    double least = std::numeric_limits<double>::infinity();
    for (const Vec3& q : points)
      if (&p != &q) least = std::min(least, (p - q).squaredNorm());
    sum += std::sqrt(least);
  }
  return points.size() > 1 ? sum / double(points.size()) : 0;
}

/// In the order of the points.
std::vector<Index> farthest_points(const Points& points, int most, double nearest) {
  std::vector<Index> out;
  std::vector<double> distance(points.size(), 1e300);
  Index next = 0;
  while (!points.empty() && int(out.size()) < most) {
    out.push_back(next);
    const Vec3& p = points[std::size_t(next)];
    double farthest = -1;
    for (std::size_t k = 0; k < points.size(); ++k) {
      distance[k] = std::min(distance[k], (points[k] - p).squaredNorm());
      if (distance[k] > farthest) farthest = distance[k], next = Index(k);
    }
    if (farthest < nearest * nearest) break;
  }
  std::sort(out.begin(), out.end());
  return out;
}

}  // namespace

ContactPoints::ContactPoints(const Model& model) {
  Points vertices(std::size_t(model.embedding.rows()));
  pliant::gather(model.embedding, model.nodes, vertices);
  const std::vector<Index> order = place_order(vertices);
  Points sorted;
  for (const Index v : order) sorted.push_back(vertices[std::size_t(v)]);
  is_spread_.assign(vertices.size(), 0);
  for (const Index k : farthest_points(sorted, spread_points, nearest_points * model.size)) {
    spread_.push_back(order[std::size_t(k)]);
    is_spread_[std::size_t(spread_.back())] = 1;
  }
  const Index most = spread() > 0 ? spread() + more_points : 0;
  const std::size_t batches = (std::size_t(most) + lanes - 1) / lanes;
  value_.setZero(model.rows(), most);
  blocks_.assign(batches * std::size_t(model.rows()) * lanes, 0.0);
  std::vector<Index> own;
  for (Index k = 0; k < most; ++k) own.push_back(k);
  gather_ = pick(own);
  for (Index k = 0; k < most; ++k) {
    const Index vertex = spread_[std::size_t(k < spread() ? k : 0)];
    if (k < spread()) set_value(model, k, vertex);
    rest_.push_back(vertices[std::size_t(vertex)]);
  }
  spacing_ = mean_distance(std::span(rest_).first(std::size_t(spread())));
  count_ = spread();
  unused_.assign(std::size_t(most), 0);
  std::fill(unused_.begin() + spread(), unused_.end(), 1);
  asked_.assign(std::size_t(places()), -1);
  surface_.resize(vertices.size());
  gap_.resize(vertices.size());
}

void ContactPoints::set_value(const Model& model, Index point, Index vertex) {
  const Index rows = model.rows();
  value_.col(point).setZero();
  each_node(model.embedding, vertex, [&](Index node, double weight) {
    for (Index r = 0; r < rows; ++r) value_(r, point) += weight * model.basis(r, node);
  });
  for (Index r = 0; r < rows; ++r)
    blocks_[std::size_t((point / lanes * rows + r) * lanes + point % lanes)] = value_(r, point);
}

void ContactPoints::use(const Model& model, const std::vector<Index>& more) {
  count_ = spread();
  for (Index k = 0; k < Index(more.size()); ++k) {
    const Index vertex = more[std::size_t(k)], point = spread() + k;
    unused_[std::size_t(point)] = vertex < 0;
    if (vertex < 0) continue;
    count_ = point + 1;
    if (asked_[std::size_t(k)] != vertex) set_value(model, point, vertex);
    asked_[std::size_t(k)] = vertex;
  }
}

Vec3 ContactPoints::observe(const Contact& contact, const Columns& z) const {
  Vec3 sum = Vec3::Zero();
  for (const ContactTerm& term : contact.terms())
    for (Index r = 0; r < Index(z.cols()); ++r) sum += term.weight * value_(r, term.vertex) * z.col(r);
  return sum;
}

void ContactPoints::add(const Contact& contact, const Vec3& f, Columns& on_z) const {
  for (const ContactTerm& term : contact.terms())
    for (Index r = 0; r < Index(on_z.cols()); ++r) on_z.col(r) += term.weight * value_(r, term.vertex) * f;
}

double ContactPoints::measure(const Model& model, const StepInput& input, State& state, Cache& cache) {
  const Vec3 low = state.x.rowwise().minCoeff(), high = state.x.rowwise().maxCoeff();
  const bool close =
      std::any_of(input.colliders.begin(), input.colliders.end(),
                  [&](const Collider& collider) { return collider.near(low, high, near * model.size); });
  if (!close) {
    std::fill(state.more.begin(), state.more.end(), -1);
    return 0;
  }
  const double offset = input.contact.offset;
  measure_gaps(model, input, state, cache, offset + leaves * model.size);
  double deepest = 0;
  for (double& gap : gap_) {
    gap -= offset;
    deepest = std::max(deepest, -gap);
  }
  leave(state);
  ask_deepest(model, state, enters * input.contact.slop * model.size);
  return deepest;
}

void ContactPoints::measure_gaps(const Model& model, const StepInput& input, const State& state, Cache& cache,
                                 double band) {
  cache.shown = false;  // of the state before
  surface_of(model, state, cache, surface_, *input.pool);
  constexpr int block = 512;
  for_blocks(*input.pool, int(surface_.size()), block, [&](int begin, int end) {
    for (int v = begin; v < end; ++v) {
      double& gap = gap_[std::size_t(v)];
      gap = std::numeric_limits<double>::infinity();
      const Vec3& x = surface_[std::size_t(v)];
      for (const Collider& collider : input.colliders) {
        if (!collider.near(x, x, band)) continue;
        std::array<Touch, max_touches> touches;
        Side side = 0;
        if (collider.query(x, band, Instant::end, side, touches) > 0) gap = std::min(gap, touches[0].gap);
      }
    }
  });
}

void ContactPoints::leave(State& state) const {
  for (std::size_t k = 0; k < state.more.size(); ++k) {
    Index& vertex = state.more[k];
    if (vertex < 0 || std::isfinite(gap_[std::size_t(vertex)])) continue;
    vertex = -1;
    const Index point = spread() + Index(k);
    std::erase_if(state.contact.memories, [&](const ContactMemory& c) { return c.key.vertex == point; });
    std::erase_if(state.contact.impacts, [&](const ImpactMemory& c) { return c.key.vertex == point; });
    std::erase_if(state.contact.sides, [&](const SideMemory& c) { return c.vertex == point; });
  }
}

bool ContactPoints::is_asked(const State& state, Index vertex) const {
  return is_spread_[std::size_t(vertex)] ||
         std::find(state.more.begin(), state.more.end(), vertex) != state.more.end();
}

/// What is near a deeper vertex will be lifted with it.
void ContactPoints::ask_deepest(const Model& model, State& state, double deep) {
  deepest_.clear();
  for (Index v = 0; v < Index(gap_.size()); ++v)
    if (gap_[std::size_t(v)] < -deep) deepest_.push_back(v);
  std::sort(deepest_.begin(), deepest_.end(), [&](Index a, Index b) {
    const double p = gap_[std::size_t(a)], q = gap_[std::size_t(b)];
    return p != q ? p < q : a < b;
  });
  const auto is_near = [&](Index a, Index b) {
    return (surface_[std::size_t(a)] - surface_[std::size_t(b)]).norm() < apart * model.size;
  };
  taken_.clear();
  for (const Index v : deepest_) {
    if (std::any_of(taken_.begin(), taken_.end(), [&](Index other) { return is_near(v, other); })) continue;
    taken_.push_back(v);
    if (is_asked(state, v)) continue;
    const auto free = std::find(state.more.begin(), state.more.end(), -1);
    if (free == state.more.end()) return;
    *free = v;
  }
}

}  // namespace pliant::cage
