// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/contact_response.hpp"

#include <algorithm>

#include "pliant/base/check.hpp"
#include "pliant/math/symmetric_eigen.hpp"

namespace pliant::geometric {
namespace {

// An axis about which a part has less than this share of its largest inertia (a rod) is not turned about:
// single precision does not tell it from none.
constexpr double least_inertia = 1e-5;

Mat3 turning_inertia(const Mat3& second) { return second.trace() * Mat3::Identity() - second; }

/// The inverse of a symmetric positive semidefinite matrix; an axis without inertia (of a rod) does not turn.
Mat3 inverse_of(const Mat3& m) { return pseudo_inverse(0.5 * (m + m.transpose()), least_inertia); }

Vec3 vector_at(const float* p, Index place) {
  return {p[4 * std::size_t(place)], p[4 * std::size_t(place) + 1], p[4 * std::size_t(place) + 2]};
}
void put(float* p, Index place, const Vec3& v) {
  for (int k = 0; k < 3; ++k) p[4 * std::size_t(place) + k] = float(v[k]);
}

}  // namespace

void ContactResponse::flush() {
  columns_.flush();
  forget_entries();
  shift_shadow_known_ = false;
}

void ContactResponse::forget_entries() {
  known_.clear();
  for (Filled& filled : filled_) filled.problem = nullptr;
}

// ---- the modes ----

void ContactResponse::turn_about(const double* x, double mass_factor, bool split, Pool& pool) {
  const Model& model = *body_.model;
  if (version_ != body_.system->version()) flush();
  version_ = body_.system->version();
  mass_factor_ = mass_factor;
  exact_ = body_.system->direct();
  if (split != split_ && !exact_) forget_entries();
  split_ = split;
  const std::size_t length = 4 * std::size_t((model.nodes() + lanes - 1) / lanes * lanes);
  for (Floats* array : {&arm_, &shadow_, &load_, &answer_}) array->resize(length);
  whole_ = exact_ && body_.arrangement->free == model.nodes() && !body_.system->sprung();
  if (split || whole_) {
    find_parts();
    turn_parts(x);
    if (split) cast_shadows(pool);
  }
  if (keeps_volume()) aim_volume(x, pool);
}

void ContactResponse::aim_volume(const double* x, Pool& pool) {
  KeptVolume& kept = *body_.kept;
  const Arrangement& arrangement = *body_.arrangement;
  places_.resize(arrangement.node.size());
  for (std::size_t k = 0; k < places_.size(); ++k)
    places_[std::size_t(arrangement.node[k])] = Eigen::Map<const Vec3>(x + 4 * k);
  kept.aim(places_, arrangement);
  body_.system->solve(kept.gradient(), kept.direction(), pool);
  complete_freely(kept.gradient(), kept.gradient(), kept.direction());
  kept.aimed(arrangement);
}

void ContactResponse::complete(const float* g, const float* outer, float* z) const {
  complete_freely(g, outer, z);
  if (keeps_volume()) body_.kept->project(nullptr, z, *body_.arrangement);
}

/// Parts are contiguous where nothing is held: the order is breadth first, part by part.
void ContactResponse::find_parts() {
  const Model& model = *body_.model;
  if (parts_.size() == model.parts.size()) return;
  parts_.assign(model.parts.size(), {});
  const std::vector<Index>& place = body_.arrangement->place;
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    Part& part = parts_[p];
    part.begin = part.end = place[model.parts[p][0]];
    for (Index i : model.parts[p]) {
      part.begin = std::min(part.begin, place[i]);
      part.end = std::max(part.end, place[i] + 1);
    }
    part.turns = (*body_.turns)[p] != 0;
    PLIANT_CHECK(part.end - part.begin == Index(model.parts[p].size()));
  }
}

/// Centres, arms and inertias.
void ContactResponse::turn_parts(const double* x) {
  const Model& model = *body_.model;
  const std::vector<Index>& node = body_.arrangement->node;
  for (Part& part : parts_) {
    const Eigen::Map<const Vec3> origin(x + 4 * std::size_t(part.begin));
    double mass = 0;
    Vec3 first = Vec3::Zero();
    for (Index k = part.begin; k < part.end; ++k) {
      const double m = model.mass[node[k]];
      mass += m;
      first += m * (Eigen::Map<const Vec3>(x + 4 * std::size_t(k)) - origin);
    }
    part.center = origin + first / mass;
    part.mass = mass_factor_ * mass;
    Mat3 second = Mat3::Zero();
    for (Index k = part.begin; k < part.end; ++k) {
      const double m = model.mass[node[k]];
      const Vec3 r = Eigen::Map<const Vec3>(x + 4 * std::size_t(k)) - part.center;
      second += m * r * r.transpose();
      put(arm_.data(), k, r);
      put(load_.data(), k, m * r);
    }
    part.inverse_inertia =
        split_ && part.turns ? inverse_of(mass_factor_ * turning_inertia(second)) : Mat3(Mat3::Zero());
  }
}

/// sum m z = sum m r = 0, but of a stiff part z is so small beside what A^-1 makes of a shift that the
/// solve's rounding is felt.
void ContactResponse::take_out_mean(const Part& part) {
  const Model& model = *body_.model;
  const std::vector<Index>& node = body_.arrangement->node;
  Vec3 first = Vec3::Zero();
  for (Index k = part.begin; k < part.end; ++k) first += model.mass[node[k]] * vector_at(shadow_.data(), k);
  const Vec3 mean = mass_factor_ / part.mass * first;
  for (Index k = part.begin; k < part.end; ++k) put(shadow_.data(), k, vector_at(shadow_.data(), k) - mean);
}

/// z = A^-1 M r and Q; for a V-cycle also t, and r and z about the centre that goes with it.
void ContactResponse::cast_shadows(Pool& pool) {
  const Model& model = *body_.model;
  const std::vector<Index>& node = body_.arrangement->node;
  body_.system->solve(load_.data(), shadow_.data(), pool);
  if (!exact_) find_shift_shadow(pool);
  for (Part& part : parts_) {
    if (!exact_) {
      Vec3 first = Vec3::Zero();
      part.shadow_mass = 0;
      for (Index k = part.begin; k < part.end; ++k) {
        const double mt = model.mass[node[k]] * shift_shadow_[k];
        part.shadow_mass += mt;
        first += mt * vector_at(arm_.data(), k);
      }
      part.shift = first / part.shadow_mass;
      for (Index k = part.begin; k < part.end; ++k)
        put(shadow_.data(), k, vector_at(shadow_.data(), k) - double(shift_shadow_[k]) * part.shift);
    }
    if (exact_) take_out_mean(part);
    Mat3 moments = Mat3::Zero();  // sum m z r^T
    for (Index k = part.begin; k < part.end; ++k)
      moments += model.mass[node[k]] * vector_at(shadow_.data(), k) *
                 (vector_at(arm_.data(), k) - part.shift).transpose();
    part.inverse_shadow =
        part.turns ? inverse_of(turning_inertia(0.5 * (moments + moments.transpose()))) : Mat3(Mat3::Zero());
  }
}

void ContactResponse::find_shift_shadow(Pool& pool) {
  if (shift_shadow_known_) return;
  const Model& model = *body_.model;
  shift_shadow_.resize(load_.size() / 4);
  std::fill(load_.begin(), load_.end(), 0.0f);
  for (Index k = 0; k < model.nodes(); ++k)
    load_[4 * std::size_t(k)] = float(model.mass[body_.arrangement->node[k]]);
  body_.system->solve(load_.data(), answer_.data(), pool);
  for (Index k = 0; k < model.nodes(); ++k) shift_shadow_[k] = answer_[4 * std::size_t(k)];
  std::fill(load_.begin(), load_.end(), 0.0f);
  shift_shadow_known_ = true;
}

void ContactResponse::complete_freely(const float* g, const float* outer, float* z) const {
  if (!split_ && !whole_) return;
  const Model& model = *body_.model;
  const std::vector<Index>& node = body_.arrangement->node;
  for (const Part& part : parts_) {
    // Z^T g = (M P)^T A^-1 g with the symmetric A^-1: but only as exact as that; so the shadow itself.
    Vec3 torque = Vec3::Zero(), shade = Vec3::Zero(), force = Vec3::Zero(), shift = Vec3::Zero();
    for (Index k = part.begin; k < part.end; ++k) {
      const Vec3 gk = vector_at(g, k), fk = vector_at(outer, k);
      torque += vector_at(arm_.data(), k).cross(fk);
      force += fk;
      if (split_) shade += vector_at(shadow_.data(), k).cross(gk);
      shift += exact_ ? Vec3(mass_factor_ * model.mass[node[k]] * vector_at(z, k))
                      : Vec3(double(shift_shadow_[k]) * gk);
    }
    const Vec3 w = part.inverse_inertia * torque;
    const Vec3 b = split_ ? Vec3(part.inverse_shadow * shade) : Vec3(Vec3::Zero());
    force /= part.mass;
    shift /= exact_ ? part.mass : part.shadow_mass;
    for (Index k = part.begin; k < part.end; ++k) {
      Vec3 zk = vector_at(z, k) + w.cross(vector_at(arm_.data(), k)) + force;
      if (split_) zk -= b.cross(vector_at(shadow_.data(), k));
      put(z, k, zk - (exact_ ? 1.0 : double(shift_shadow_[k])) * shift);
    }
  }
}

// ---- the columns ----

/// Of a column whose stencil has this weight in the part.
void ContactResponse::keep_shift(const Part& part, double weight, std::span<float> column) const {
  const Model& model = *body_.model;
  const std::vector<Index>& node = body_.arrangement->node;
  double moved = 0;
  for (Index k = part.begin; k < part.end; ++k) moved += mass_factor_ * model.mass[node[k]] * column[k];
  const double lack = (weight - moved) / part.mass;
  for (Index k = part.begin; k < part.end; ++k) column[k] = float(column[k] + lack);
}

double ContactResponse::product(Index vertex, std::span<const float> column) const {
  const Gather& w = body_.rows->points();
  const Arrangement& arrangement = *body_.arrangement;
  double sum = 0;
  for (Index k = w.begin[vertex]; k < w.begin[vertex + 1]; ++k) {
    const Index place = arrangement.place[w.column[k]];
    if (place < arrangement.free) sum += w.weight[k] * double(column[place]);
  }
  return sum;
}

/// Columns of all wanted vertices, three at a time, one in each coordinate.
void ContactResponse::need_columns(Pool& pool) {
  const Gather& w = body_.rows->points();
  const Arrangement& arrangement = *body_.arrangement;
  const auto solve = [&](std::span<const Index> vertices) {
    std::fill(load_.begin(), load_.end(), 0.0f);
    for (std::size_t b = 0; b < vertices.size(); ++b)
      for (Index k = w.begin[vertices[b]]; k < w.begin[vertices[b] + 1]; ++k)
        if (const Index place = arrangement.place[w.column[k]]; place < arrangement.free)
          load_[4 * std::size_t(place) + b] += float(w.weight[k]);
    body_.system->solve(load_.data(), answer_.data(), pool);
  };
  const auto take = [&](int b, Index vertex, std::span<float> column) {
    for (Index k = 0; k < arrangement.free; ++k) column[k] = answer_[4 * std::size_t(k) + b];
    for (std::size_t p = 0; whole_ && p < parts_.size(); ++p) {
      double weight = 0;
      for (Index k = w.begin[vertex]; k < w.begin[vertex + 1]; ++k)
        if (body_.model->part_of[w.column[k]] == Index(p)) weight += w.weight[k];
      keep_shift(parts_[p], weight, column);
    }
  };
  columns_.need(wanted_, w.rows(), std::size_t(arrangement.free), solve, take);
  std::fill(load_.begin(), load_.end(), 0.0f);
}

/// The same whichever of the two columns came first.
double ContactResponse::entry(Index a, Index b) const {
  double value = 0.5 * (product(a, columns_[b]) + product(b, columns_[a]));
  if (split_ && !exact_) {
    const Gather& w = body_.rows->points();
    const std::vector<Index>& place = body_.arrangement->place;
    const auto part_of = [&](Index v) { return body_.model->part_of[w.column[w.begin[v]]]; };
    const auto sums = [&](Index v, double& ones, double& shade) {
      ones = shade = 0;
      for (Index k = w.begin[v]; k < w.begin[v + 1]; ++k) {
        ones += w.weight[k];
        shade += w.weight[k] * double(shift_shadow_[place[w.column[k]]]);
      }
    };
    if (part_of(a) == part_of(b)) {
      const Part& part = parts_[part_of(a)];
      double ones_a, ones_b, shade_a, shade_b;
      sums(a, ones_a, shade_a);
      sums(b, ones_b, shade_b);
      value += ones_a * ones_b / part.mass - shade_a * shade_b / part.shadow_mass;
    }
  }
  return value;
}

/// Contacts come and go from step to step: known vertices stay wanted while they are not many more than
/// needed.
void ContactResponse::keep_known() {
  const auto is_known = [&](Index v) { return std::binary_search(known_.begin(), known_.end(), v); };
  if (std::all_of(wanted_.begin(), wanted_.end(), is_known)) return;
  next_known_.clear();
  std::set_union(known_.begin(), known_.end(), wanted_.begin(), wanted_.end(),
                 std::back_inserter(next_known_));
  if (next_known_.size() <= 2 * wanted_.size() + 64) wanted_.swap(next_known_);
}

/// Entries of all pairs of wanted vertices.
void ContactResponse::grow_entries() {
  rank_of_.resize(std::size_t(body_.rows->points().rows()), -1);
  for (std::size_t k = 0; k < known_.size(); ++k) rank_of_[known_[k]] = Index(k);
  const bool all = std::all_of(wanted_.begin(), wanted_.end(), [&](Index v) { return rank_of_[v] >= 0; });
  if (!all) {
    next_known_ = wanted_;
    const std::size_t n = next_known_.size();
    next_entries_.resize(n * n);
    const std::size_t old = known_.size();
    for (std::size_t a = 0; a < n; ++a)
      for (std::size_t b = 0; b <= a; ++b) {
        const Index ra = rank_of_[next_known_[a]], rb = rank_of_[next_known_[b]];
        const float value = ra >= 0 && rb >= 0 ? entries_[std::size_t(ra) * old + rb]
                                               : float(entry(next_known_[a], next_known_[b]));
        next_entries_[a * n + b] = next_entries_[b * n + a] = value;
      }
    for (Index v : known_) rank_of_[v] = -1;
    known_.swap(next_known_);
    entries_.swap(next_entries_);
    for (std::size_t k = 0; k < known_.size(); ++k) rank_of_[known_[k]] = Index(k);
  }
}

void ContactResponse::copy_entries(std::span<const Contact> contacts, ContactProblem& problem) {
  Filled& filled = filled_[0].problem == &problem || filled_[0].problem == nullptr ? filled_[0] : filled_[1];
  const auto same = [](Index v, const Contact& c) { return v == c.key.vertex; };
  if (filled.problem == &problem && filled.vertices.size() == contacts.size() &&
      std::equal(filled.vertices.begin(), filled.vertices.end(), contacts.begin(), same))
    return;
  filled.problem = &problem;
  filled.vertices.clear();
  for (const Contact& c : contacts) filled.vertices.push_back(c.key.vertex);
  const std::size_t n = known_.size();
  for (Index c = 0; c < problem.size(); ++c) {
    const float* row = entries_.data() + n * std::size_t(rank_of_[contacts[c].key.vertex]);
    float* out = &problem.s(c, 0);
    for (Index d = 0; d < problem.size(); ++d) out[d] = row[rank_of_[contacts[d].key.vertex]];
  }
}

void ContactResponse::weigh_entries(std::span<const Contact> contacts, ContactProblem& problem) {
  for (Filled& filled : filled_)
    if (filled.problem == &problem) filled.problem = nullptr;
  const std::size_t n = known_.size();
  weighed_.resize(n);
  for (Index c = 0; c < problem.size(); ++c) {
    std::fill(weighed_.begin(), weighed_.end(), 0.0f);
    for (const ContactTerm& term : contacts[c].terms()) {
      const float* row = entries_.data() + n * std::size_t(rank_of_[term.vertex]);
      for (std::size_t k = 0; k < n; ++k) weighed_[k] += float(term.weight) * row[k];
    }
    for (Index d = 0; d <= c; ++d) {
      float sum = 0;
      for (const ContactTerm& term : contacts[d].terms())
        sum += float(term.weight) * weighed_[std::size_t(rank_of_[term.vertex])];
      problem.s(c, d) = problem.s(d, c) = sum;
    }
  }
}

void ContactResponse::fill(std::span<const Contact> contacts, ContactProblem& problem, Pool& pool) {
  const Gather& w = body_.rows->points();
  const bool single =
      std::all_of(contacts.begin(), contacts.end(), [](const Contact& c) { return c.row.count == 0; });
  wanted_.clear();
  for (const Contact& c : contacts)
    for (const ContactTerm& term : c.terms())
      if (wanted_.empty() || wanted_.back() != term.vertex) wanted_.push_back(term.vertex);
  if (!single) {
    std::sort(wanted_.begin(), wanted_.end());
    wanted_.erase(std::unique(wanted_.begin(), wanted_.end()), wanted_.end());
  }
  keep_known();
  need_columns(pool);
  grow_entries();
  const bool swells = keeps_volume();
  const Index parts = swells ? body_.kept->parts() : split_ ? Index(parts_.size()) : 1;
  problem.reset(Index(contacts.size()), parts, split_, swells);
  single ? copy_entries(contacts, problem) : weigh_entries(contacts, problem);
  for (Index v : known_) rank_of_[v] = -1;
  for (Index c = 0; c < problem.size(); ++c) {
    ContactProblem::Row& row = problem.row(c);
    const Contact& contact = contacts[c];
    row.normal = contact.normal;
    row.friction = contact.friction;
    if (!problem.has_parts()) continue;
    row.part = body_.model->part_of[w.column[w.begin[contact.terms().list[0].vertex]]];
    body_.rows->each_node(contact, [&](Index node, double weight) {
      const Index place = body_.arrangement->place[node];
      if (split_) row.lever += weight * vector_at(arm_.data(), place);
      if (split_) row.shadow += weight * vector_at(shadow_.data(), place);
      if (swells && place < body_.arrangement->free)
        row.swell += weight * vector_at(body_.kept->direction(), place);
    });
  }
  if (split_)
    for (std::size_t p = 0; p < parts_.size(); ++p)
      problem.part(Index(p)) = {parts_[p].inverse_inertia, parts_[p].inverse_shadow, 0};
  for (Index p = 0; swells && p < parts; ++p) problem.part(p).inverse_swell = body_.kept->inverse_response(p);
  problem.prepare();
}

// ---- impulses ----

void ContactResponse::displace(std::span<const Contact> contacts, std::span<const Vec3> r, std::span<Vec3> x,
                               Pool& pool) {
  on_nodes_.resize(x.size());
  displaced_.resize(x.size());
  body_.rows->collect(contacts, r, 1, on_nodes_);
  respond(on_nodes_, displaced_, pool);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += displaced_[i];
}

void ContactResponse::respond(std::span<const Vec3> on_nodes, Points& out, Pool& pool) {
  const Model& model = *body_.model;
  const Arrangement& arrangement = *body_.arrangement;
  for (Index k = 0; k < arrangement.free; ++k) put(load_.data(), k, on_nodes[arrangement.node[k]]);
  body_.system->solve(load_.data(), answer_.data(), pool);
  complete(load_.data(), load_.data(), answer_.data());
  for (Index k = 0; k < model.nodes(); ++k)
    out[arrangement.node[k]] = k < arrangement.free ? vector_at(answer_.data(), k) : Vec3::Zero();
  std::fill(load_.begin(), load_.end(), 0.0f);
  if (!split_ && !whole_) return;
  // Single precision gives the momentum and the spin to 1e-6: the rest in double.
  for (const Part& part : parts_) {
    Vec3 momentum = Vec3::Zero(), spin = Vec3::Zero();
    double arm_mass = 0;
    Vec3 first = Vec3::Zero();
    for (Index k = part.begin; k < part.end; ++k) {
      const Index i = arrangement.node[k];
      const double m = mass_factor_ * model.mass[i];
      const Vec3 lack = on_nodes[i] - m * out[i], r = vector_at(arm_.data(), k);
      momentum += lack;
      spin += r.cross(lack);
      arm_mass += m;
      first += m * r;
    }
    const Vec3 w = part.inverse_inertia * spin, u = (momentum - w.cross(first)) / arm_mass;
    for (Index k = part.begin; k < part.end; ++k)
      out[arrangement.node[k]] += u + w.cross(vector_at(arm_.data(), k));
  }
}

std::size_t ContactResponse::memory_bytes() const {
  std::size_t bytes = sizeof(float) * (arm_.size() + shadow_.size() + load_.size() + answer_.size() +
                                       shift_shadow_.size() + entries_.size() + next_entries_.size());
  return bytes + columns_.memory_bytes();
}

}  // namespace pliant::geometric
