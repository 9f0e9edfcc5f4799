// SPDX-License-Identifier: Apache-2.0
#include "pliant/contact/detection.hpp"

#include <algorithm>
#include <cmath>

namespace pliant {
namespace {

constexpr double margin_of_edge = 0.02;   // contacts are made this early, share of an edge of the graph
constexpr double same_direction = 0.966;  // cosine of 15 degrees
constexpr double preference = 1e-4;       // of the body's size: how much deeper another vertex must be
constexpr std::size_t plenty = 8;         // contacts of a node and a collider that are not thinned out
constexpr double stretch = 2;             // how much farther than at rest a vertex may be from its carrier

/// Where the collider's material at x goes during the step.
Vec3 carried(const Collider& collider, const Vec3& x) {
  const Pose &a = collider.pose(Instant::begin), &b = collider.pose(Instant::end);
  return b.rotation * (a.rotation.transpose() * (x - a.translation)) + b.translation;
}

}  // namespace

void Detection::build(const Gather& embedding, std::span<const Vec3> rest_nodes, double edge) {
  embedding_ = &embedding;
  margin_ = margin_of_edge * edge;
  carriers_.clear();
  reach_.clear();
  first_.clear();
  if (rest_nodes.empty()) return;
  Vec3 low = rest_nodes[0], high = low;
  for (const Vec3& x : rest_nodes) low = low.cwiseMin(x), high = high.cwiseMax(x);

  struct Carried {
    Index node, vertex;
    double distance;
  };
  std::vector<Carried> all;
  // The largest weight; of equal ones the node of the lower place, whatever its number.
  const auto carries = [&](double w, Index node, double weight, Index best) {
    constexpr double equal = 1e-9;
    if (best < 0 || std::abs(w) > (1 + equal) * weight) return std::abs(w) > 0;
    const Vec3 &a = rest_nodes[node], &b = rest_nodes[best];
    return std::abs(w) > (1 - equal) * weight &&
           std::lexicographical_compare(a.data(), a.data() + 3, b.data(), b.data() + 3);
  };
  const auto add = [&](Index v) {
    Index best = -1;
    double weight = 0;
    for (Index k = embedding.begin[v]; k < embedding.begin[v + 1]; ++k)
      if (carries(embedding.weight[k], embedding.column[k], weight, best))
        weight = std::abs(embedding.weight[k]), best = embedding.column[k];
    if (best < 0) return;
    const Vec3 x = place(v, rest_nodes);
    low = low.cwiseMin(x), high = high.cwiseMax(x);
    all.push_back({best, v, (x - rest_nodes[best]).norm()});
  };
  for (Index v = 0; v < embedding.rows(); ++v) add(v);
  size_ = (high - low).maxCoeff();
  std::sort(all.begin(), all.end(), [](const Carried& a, const Carried& b) {
    return a.node != b.node ? a.node < b.node : a.vertex < b.vertex;
  });
  vertices_.clear();
  for (const Carried& c : all) {
    if (carriers_.empty() || carriers_.back() != c.node) {
      carriers_.push_back(c.node);
      reach_.push_back(0);
      first_.push_back(Index(vertices_.size()));
    }
    reach_.back() = std::max(reach_.back(), stretch * c.distance);
    vertices_.push_back(c.vertex);
  }
  first_.push_back(Index(vertices_.size()));
  largest_reach_ = reach_.empty() ? 0 : *std::max_element(reach_.begin(), reach_.end());
}

Vec3 Detection::place(Index vertex, std::span<const Vec3> nodes) const {
  const Gather& w = *embedding_;
  Vec3 sum = Vec3::Zero();
  for (Index k = w.begin[vertex]; k < w.begin[vertex + 1]; ++k) sum += w.weight[k] * nodes[w.column[k]];
  return sum;
}

/// A vertex of held nodes alone goes where it is told: a collider cannot answer.
bool Detection::is_held(Index vertex, const Step& step) const {
  if (step.held.empty()) return false;
  const auto column = embedding_->column.begin();
  return std::all_of(column + embedding_->begin[vertex], column + embedding_->begin[vertex + 1],
                     [&](Index i) { return step.held[i] != 0; });
}

/// Could a vertex of this carrier touch within the step?
bool Detection::node_is_near(Index carrier, const Collider& collider, const Step& step) const {
  const double reach = reach_[carrier];
  if (reach == 0 && first_[carrier + 1] - first_[carrier] == 1)
    return true;  // the vertex is the node: asked once is enough
  const Vec3 &x = step.begin[carriers_[carrier]], &y = step.end[carriers_[carrier]];
  const double band = 2 * (y - carried(collider, x)).norm() + reach + margin_ + step.options.offset;
  Side side = 0;
  std::array<Touch, max_touches> touches;
  return collider.query(x, band, Instant::begin, side, touches) > 0;
}

void Detection::meet(Index vertex, Index carrier, Index k, const Step& step, Side& side) {
  const Collider& collider = step.colliders[k];
  const double offset = step.options.offset;
  const Vec3 x = place(vertex, step.begin), y = place(vertex, step.end);
  const double band = (y - carried(collider, x)).norm() + margin_ + offset;
  std::array<Touch, max_touches> now, then;
  const int touches_now = collider.query(x, band, Instant::begin, side, now);
  if (touches_now == 0) {
    side = 0;
    return;
  }
  near_.push_back({vertex, k, carrier, side});
  const double body = step.options.friction;
  const double friction = body < 0 ? collider.friction() : std::sqrt(body * collider.friction());
  const auto add = [&](const Touch& t, const Vec3& normal, double gap_begin, double gap_end) {
    contacts_.push_back({.key = {vertex, k, t.feature},
                         .normal = normal,
                         .velocity = t.velocity,
                         .friction = friction,
                         .restitution = collider.restitution(),
                         .gap = gap_begin - offset});
    const bool known =
        std::binary_search(step.last.begin(), step.last.end(), ContactMemory{.key = contacts_.back().key},
                           [](const ContactMemory& l, const ContactMemory& r) { return l.key < r.key; });
    known_.push_back(known);
    depth_.push_back(std::min(gap_begin, gap_end) - (known ? preference * size_ : 0));
  };
  const auto begin_gap = [&](const Touch& t) { return t.gap - t.normal.dot(y - x - step.h * t.velocity); };

  Side same = side;
  const int touches_then = collider.query(y, margin_ + offset, Instant::end, same, then);
  Touch crossing;
  if (collider.crossed(x, y, crossing)) {
    add(crossing, crossing.normal, begin_gap(crossing), crossing.gap);
    return;
  }
  for (int t = 0; t < touches_then; ++t) add(then[t], then[t].normal, begin_gap(then[t]), then[t].gap);
  const Mat3 turn = collider.pose(Instant::end).rotation * collider.pose(Instant::begin).rotation.transpose();
  for (int t = 0; t < touches_now; ++t) {
    if (now[t].gap - offset >= margin_) continue;
    const Vec3 normal = turn * now[t].normal;
    const bool known = std::any_of(then.begin(), then.begin() + touches_then, [&](const Touch& other) {
      return other.feature == now[t].feature || other.normal.dot(normal) > 0.866;
    });
    if (!known) add(now[t], normal, now[t].gap, now[t].gap + normal.dot(y - x - step.h * now[t].velocity));
  }
}

void Detection::find(const Step& step, std::vector<SideMemory>& sides) {
  contacts_.clear();
  depth_.clear();
  known_.clear();
  carrier_.clear();
  near_.clear();
  new_sides_.clear();
  auto known = sides.begin();
  for (Index k = 0; k < Index(step.colliders.size()); ++k) {
    const Collider& collider = step.colliders[k];
    Vec3 low = Vec3::Constant(1e300), high = -low;
    double far = 0;
    for (Index i : carriers_) {
      low = low.cwiseMin(step.begin[i]).cwiseMin(step.end[i]);
      high = high.cwiseMax(step.begin[i]).cwiseMax(step.end[i]);
      far = std::max(far, (step.end[i] - step.begin[i]).norm());
    }
    if (carriers_.empty() || !collider.near(low, high, largest_reach_ + margin_ + step.options.offset + far))
      continue;
    for (Index c = 0; c < Index(carriers_.size()); ++c) {
      if (!node_is_near(c, collider, step)) continue;
      for (Index n = first_[c]; n < first_[c + 1]; ++n) {
        const Index vertex = vertices_[n];
        if (is_held(vertex, step)) continue;
        Side side = 0;
        known = std::lower_bound(sides.begin(), sides.end(), SideMemory{k, vertex, 0},
                                 [](const SideMemory& a, const SideMemory& b) {
                                   return a.collider != b.collider ? a.collider < b.collider
                                                                   : a.vertex < b.vertex;
                                 });
        if (known != sides.end() && known->collider == k && known->vertex == vertex) side = Side(known->side);
        meet(vertex, c, k, step, side);
        carrier_.resize(contacts_.size(), c);
        if (side != 0) new_sides_.push_back({k, vertex, side});
      }
    }
  }
  std::sort(new_sides_.begin(), new_sides_.end(), [](const SideMemory& a, const SideMemory& b) {
    return a.collider != b.collider ? a.collider < b.collider : a.vertex < b.vertex;
  });
  sides.assign(new_sides_.begin(), new_sides_.end());
  thin_out(step);
  keep_deepest(step);
  std::sort(contacts_.begin(), contacts_.end(),
            [](const Contact& a, const Contact& b) { return a.key < b.key; });
}

/// A surface much finer than the nodes has more contacts than the nodes can answer: of a carrier's contacts
/// with one collider in one direction the deepest is kept, and the outermost three around it. Contacts of the
/// last step stay, too, while there are not more than plenty: what is dropped sinks until the position pass
/// lifts it, and a body that could rest would be moved for good.
void Detection::thin_out(const Step& step) {
  order_.resize(contacts_.size());
  for (std::size_t c = 0; c < order_.size(); ++c) order_[c] = Index(c);
  const auto same_group = [&](Index a, Index b) {
    return carrier_[a] == carrier_[b] && contacts_[a].key.collider == contacts_[b].key.collider;
  };
  std::sort(order_.begin(), order_.end(), [&](Index a, Index b) {
    const ContactKey &k = contacts_[a].key, &l = contacts_[b].key;
    if (k.collider != l.collider) return k.collider < l.collider;
    if (carrier_[a] != carrier_[b]) return carrier_[a] < carrier_[b];
    return depth_[a] != depth_[b] ? depth_[a] < depth_[b] : k < l;
  });
  kept_.assign(contacts_.size(), 1);
  for (std::size_t begin = 0, end; begin < order_.size(); begin = end) {
    for (end = begin + 1; end < order_.size() && same_group(order_[begin], order_[end]);) ++end;
    if (end - begin > plenty) thin_out_group({order_.data() + begin, end - begin}, step);
  }
  std::size_t count = 0;
  for (std::size_t c = 0; c < contacts_.size(); ++c)
    if (kept_[c]) contacts_[count] = contacts_[c], depth_[count++] = depth_[c];
  contacts_.resize(count);
  depth_.resize(count);
}

/// group: contacts of one carrier and collider, the deepest first.
void Detection::thin_out_group(std::span<Index> group, const Step& step) {
  constexpr int spokes = 3;
  for (const Index c : group) kept_[c] = 0;
  for (std::size_t first = 0; first < group.size(); ++first) {
    const Index deepest = group[first];
    if (kept_[deepest] != 0) continue;  // kept, or (2) another's neighbour
    const Vec3 normal = contacts_[deepest].normal, centre = place(contacts_[deepest].key.vertex, step.begin);
    const Vec3 across = normal.unitOrthogonal(), along = normal.cross(across);
    std::array<Index, spokes> outermost;
    std::array<double, spokes> farthest;
    outermost.fill(-1), farthest.fill(0);
    for (std::size_t k = first + 1; k < group.size(); ++k) {
      const Index c = group[k];
      if (kept_[c] != 0 || contacts_[c].normal.dot(normal) < same_direction) continue;
      kept_[c] = 2;
      const Vec3 arm = place(contacts_[c].key.vertex, step.begin) - centre;
      for (int spoke = 0; spoke < spokes; ++spoke) {
        const double angle = 2 * 3.14159265358979 * spoke / spokes;
        const double reach = std::cos(angle) * across.dot(arm) + std::sin(angle) * along.dot(arm);
        if (reach > farthest[spoke]) farthest[spoke] = reach, outermost[spoke] = c;
      }
    }
    kept_[deepest] = 1;
    for (const Index c : outermost)
      if (c >= 0) kept_[c] = 1;
  }
  std::size_t count = 0;
  for (const Index c : group) count += (kept_[c] = kept_[c] == 1);
  for (const Index c : group)
    if (known_[c] && !kept_[c] && count < plenty) kept_[c] = 1, ++count;
}

/// At most options.most, the deepest.
void Detection::keep_deepest(const Step& step) {
  if (Index(contacts_.size()) <= step.options.most) return;
  order_.resize(contacts_.size());
  for (std::size_t c = 0; c < order_.size(); ++c) order_[c] = Index(c);
  std::sort(order_.begin(), order_.end(), [&](Index a, Index b) {
    return depth_[a] != depth_[b] ? depth_[a] < depth_[b] : contacts_[a].key < contacts_[b].key;
  });
  order_.resize(std::size_t(step.options.most));
  std::sort(order_.begin(), order_.end());
  for (std::size_t c = 0; c < order_.size(); ++c) contacts_[c] = contacts_[order_[c]];
  contacts_.resize(order_.size());
}

/// Of what was found at one carrier, the deepest of every direction.
void Detection::take_deepest(std::vector<Contact>& out) {
  std::sort(found_.begin(), found_.end(), [](const Contact& a, const Contact& b) {
    return a.gap != b.gap ? a.gap < b.gap : a.key < b.key;
  });
  const std::size_t first = out.size();
  for (const Contact& found : found_) {
    const bool stands =
        std::any_of(out.begin() + std::ptrdiff_t(first), out.end(), [&](const Contact& other) {
          return other.key.vertex != found.key.vertex && other.normal.dot(found.normal) > same_direction;
        });
    if (!stands) out.push_back(found);
  }
  found_.clear();
}

double Detection::touches(const Step& step, std::span<const Vec3> nodes, double band,
                          std::vector<Contact>& out) {
  out.clear();
  found_.clear();
  double least = 0;
  for (std::size_t k = 0; k < near_.size(); ++k) {
    const Near& n = near_[k];
    std::array<Touch, max_touches> touched;
    Side side = n.side;
    const int count = step.colliders[n.collider].query(place(n.vertex, nodes), step.options.offset + band,
                                                       Instant::end, side, touched);
    for (int t = 0; t < count; ++t) {
      const double gap = touched[t].gap - step.options.offset;
      least = std::min(least, gap);
      found_.push_back({.key = {n.vertex, n.collider, touched[t].feature},
                        .normal = touched[t].normal,
                        .velocity = touched[t].velocity,
                        .gap = gap});
    }
    const bool last_of_carrier =
        k + 1 == near_.size() || near_[k + 1].carrier != n.carrier || near_[k + 1].collider != n.collider;
    if (last_of_carrier) take_deepest(out);
  }
  std::sort(out.begin(), out.end(), [](const Contact& a, const Contact& b) { return a.key < b.key; });
  return least;
}

}  // namespace pliant
