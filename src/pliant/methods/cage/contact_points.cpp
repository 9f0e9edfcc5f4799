// SPDX-License-Identifier: Apache-2.0
// Which vertices of the surface meet colliders. A fine surface has tens of thousands, and a place costs N + T
// products: some hundreds that are spread evenly are asked in every step. Where a vertex between them ends
// deep inside a collider, the next steps ask it too, until it has left: a body rests on its own surface, not
// on samples of it. How deep it is, is measured over all vertices.
#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/contact/collider.hpp"
#include "pliant/methods/cage/body.hpp"

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

/// The b of a vertex of the surface becomes that of contact point k.
void Body::set_contact_point(Index k, Index vertex) {
  const Index rows = model_.rows();
  contact_value_.col(k).setZero();
  each_node(model_.embedding, vertex, [&](Index node, double weight) {
    const Index at = model_.place[std::size_t(node)], s = ~at;
    for (Index r = 0; r < rows; ++r)
      contact_value_(r, k) +=
          weight * (at >= 0
                        ? model_.value(r, at)
                        : double(model_.skin_value[std::size_t((s / lanes * rows + r) * lanes + s % lanes)]));
  });
  for (Index r = 0; r < rows; ++r)
    contact_blocks_[std::size_t((k / lanes * rows + r) * lanes + k % lanes)] = contact_value_(r, k);
}

void Body::choose_contact_points() {
  Points rest(std::size_t(model_.embedding.rows()));
  gather(model_.embedding, model_.nodes, rest);
  spread_ = farthest_points(rest, spread_points, nearest_points * model_.size);
  const Index spread = Index(spread_.size()), most = spread > 0 ? spread + more_points : 0;
  const std::size_t batches = (std::size_t(most) + lanes - 1) / lanes;
  contact_value_.setZero(model_.rows(), most);
  contact_blocks_.assign(batches * std::size_t(model_.rows()) * lanes, 0.0);
  lanes_.assign(batches * 3 * lanes, 0.0);
  std::vector<Index> own;
  for (Index k = 0; k < most; ++k) own.push_back(k);
  contact_points_ = pick(own);
  Points at;
  for (Index k = 0; k < most; ++k) {
    const Index vertex = spread_[std::size_t(k < spread ? k : 0)];
    if (k < spread) set_contact_point(k, vertex);
    at.push_back(rest[std::size_t(vertex)]);
  }
  begin_ = end_ = at;
  detection_.build(contact_points_, at, model_.size / 10);
  contact_count_ = spread;
  unused_.assign(std::size_t(most), 0);
  std::fill(unused_.begin() + spread, unused_.end(), 1);
  state_.more.assign(std::size_t(most - spread), -1);
  asked_ = state_.more;
  surface_.resize(rest.size());
  gap_.resize(rest.size());
}

/// The points of this step: those that are spread, and those that the state asks for.
void Body::set_more_points() {
  contact_count_ = Index(spread_.size());
  for (Index k = 0; k < Index(state_.more.size()); ++k) {
    const Index vertex = state_.more[std::size_t(k)], point = Index(spread_.size()) + k;
    unused_[std::size_t(point)] = vertex < 0;
    if (vertex < 0) {
      begin_[std::size_t(point)] = end_[std::size_t(point)] = begin_[0];
      continue;
    }
    contact_count_ = point + 1;
    if (asked_[std::size_t(k)] != vertex) set_contact_point(point, vertex);
    asked_[std::size_t(k)] = vertex;
  }
}

/// gap_ of all vertices of the surface over the colliders at the end of the step; infinite where it is
/// farther than `band`.
void Body::measure_gaps(const StepInput& input, double band) {
  shown_ = false;  // of the state before
  surface_in_parallel(surface_, *input.pool);
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

/// Depth of the contacts that were found, over their own planes: one that crossed a thin collider is deep
/// though it is outside again.
double Body::depth_of_contacts(const StepInput& input) const {
  const Vec3 c = state_.x.rowwise().mean();
  const Mat3 frame =
      (options_.precision == Precision::single ? state_.single.frame : state_.twice.frame).toRotationMatrix();
  double deepest = 0;
  for (const Contact& at : found_) {
    const Vec3 now = c + frame * (z_ * contact_value_.col(at.key.vertex));
    const Vec3 way = now - begin_[std::size_t(at.key.vertex)] - input.h * at.velocity;
    deepest = std::max(deepest, -at.gap - at.normal.dot(way));
  }
  return deepest;
}

/// How deep the surface is after the step, and which of its vertices the next one asks besides.
void Body::measure_contacts(const StepInput& input, StepReport& report) {
  report.penetration = depth_of_contacts(input);
  const Vec3 low = state_.x.rowwise().minCoeff(), high = state_.x.rowwise().maxCoeff();
  const bool close =
      std::any_of(input.colliders.begin(), input.colliders.end(),
                  [&](const Collider& collider) { return collider.near(low, high, near * model_.size); });
  if (!close) return std::fill(state_.more.begin(), state_.more.end(), -1);
  const double offset = input.contact.offset;
  measure_gaps(input, offset + leaves * model_.size);
  for (double& gap : gap_) gap -= offset;
  for (const double gap : gap_) report.penetration = std::max(report.penetration, -gap);
  choose_more_points(enters * input.contact.slop * model_.size);
}

/// Places that are free again: what was known of their contacts is another vertex's.
void Body::leave_contact_points() {
  for (std::size_t k = 0; k < state_.more.size(); ++k) {
    Index& vertex = state_.more[k];
    if (vertex < 0 || std::isfinite(gap_[std::size_t(vertex)])) continue;
    vertex = -1;
    const Index point = Index(spread_.size()) + Index(k);
    std::erase_if(state_.contacts, [&](const ContactMemory& c) { return c.key.vertex == point; });
    std::erase_if(state_.sides, [&](const SideMemory& c) { return c.vertex == point; });
  }
}

bool Body::is_contact_point(Index vertex) const {
  return std::binary_search(spread_.begin(), spread_.end(), vertex) ||
         std::find(state_.more.begin(), state_.more.end(), vertex) != state_.more.end();
}

/// Deep vertices take free places, the deepest first. What is near a deeper one will be lifted with it.
void Body::choose_more_points(double deep) {
  leave_contact_points();
  deepest_.clear();
  for (Index v = 0; v < Index(gap_.size()); ++v)
    if (gap_[std::size_t(v)] < -deep) deepest_.push_back(v);
  std::sort(deepest_.begin(), deepest_.end(), [&](Index a, Index b) {
    const double p = gap_[std::size_t(a)], q = gap_[std::size_t(b)];
    return p != q ? p < q : a < b;
  });
  const auto is_near = [&](Index a, Index b) {
    return (surface_[std::size_t(a)] - surface_[std::size_t(b)]).norm() < apart * model_.size;
  };
  taken_.clear();
  for (const Index v : deepest_) {
    if (std::any_of(taken_.begin(), taken_.end(), [&](Index other) { return is_near(v, other); })) continue;
    taken_.push_back(v);
    if (is_contact_point(v)) continue;
    const auto free = std::find(state_.more.begin(), state_.more.end(), -1);
    if (free == state_.more.end()) return;
    *free = v;
  }
}

}  // namespace pliant::cage
