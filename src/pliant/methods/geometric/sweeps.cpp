// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/sweeps.hpp"

#include <algorithm>
#include <atomic>
#include <cmath>
#include <cstring>

#include "pliant/math/rotation.hpp"
#include "pliant/methods/geometric/plastic_flow.hpp"

namespace pliant::geometric {
namespace {

constexpr int block_batches = 32;  // a part of the pool: 512 nodes, some 10 us
constexpr int block_nodes = lanes * block_batches;
constexpr int block_floats = 4 * block_nodes;
constexpr int flow_nodes = 128;      // a part where rows flow; pairs of batches
constexpr double round_star = 0.01;  // as in model.cpp: no eigenvalue is near zero

int parts_of(int count, int block) { return (count + block - 1) / block; }

void put(Floats& out, std::size_t at, const Vec3& v, double fourth) {
  for (int k = 0; k < 3; ++k) out[4 * at + k] = float(v[k]);
  out[4 * at + 3] = float(fourth);
}

}  // namespace

void Sweeps::arrange(const Model& model, const Arrangement& arrangement, RestVectors d) {
  nodes_ = model.nodes();
  free_ = arrangement.free;
  edges_ = model.sheet ? 0 : model.adjacency.target.size();
  batches_ = parts_of(nodes_, lanes);
  fill_edges(model, arrangement, d);
  fill_nodes(model, arrangement);
  if (!d.empty()) {
    fill_flow(model, arrangement);
    set_rest(model, arrangement, d);
  }
  fill_reach();

  const std::size_t n = std::size_t(padded());
  quaternion_.assign(4 * n, 0);
  for (int b = 0; b < batches_; ++b) std::fill_n(quaternion_.begin() + 4 * lanes * b, lanes, 1.0f);
  rotation_.assign(9 * n, 0);
  bulk_.assign(model.has_volume() ? 9 * n : 0, 0);
  turn_.assign(3 * n, 0);
  turn_sum_.assign(3 * n, 0);
  tensor_.assign(16 * n, 0);
  covariance_.assign(adaptive_.on() ? 9 * n : 0, 0);
  if (adaptive_.on()) adaptive_.arrange(model, arrangement);
  partial_.assign(std::size_t(parts_of(padded(), block_nodes)), 0);

  arrays_ = {.begin = begin_.data(),
             .target = target_.data(),
             .row = row_.data(),
             .star = star_.empty() ? row_.data() : star_.data(),
             .own = weight_.empty() ? row_.data() : star_.data(),
             .weight = weight_.empty() ? nullptr : weight_.data(),
             .volume = model.has_volume() ? volume_.data() : nullptr,
             .relief = model.has_relief() ? relief_.data() : nullptr,
             .slew = slew_.data(),
             .edge_sum = edge_sum_.data(),
             .laplacian = model.has_laplacian() ? laplacian_.data() : nullptr,
             .laplacian_share = laplacian_share_.data(),
             .laplacian_weight = float(model.laplacian_weight),
             .laplacian_turns = model.covariance == Covariance::consistent,
             .quaternion = quaternion_.data(),
             .rotation = rotation_.data(),
             .bulk = bulk_.data(),
             .turn = turn_.data(),
             .turn_sum = turn_sum_.data(),
             .covariance = covariance_.data(),
             .tensor = tensor_.data(),
             .finish = finish_rotations};
}

void Sweeps::fill_edges(const Model& model, const Arrangement& arrangement, RestVectors d) {
  const Adjacency& adj = model.adjacency;
  const auto edges_of = [&](int i) {
    return i < nodes_ && !model.sheet ? adj.begin[arrangement.node[i] + 1] - adj.begin[arrangement.node[i]]
                                      : 0;
  };
  begin_.assign(std::size_t(padded()) + 1, 0);
  for (int b = 0; b < batches_; ++b) {
    int most = 0;
    for (int i = lanes * b; i < lanes * (b + 1); ++i) most = std::max(most, int(edges_of(i)));
    for (int i = lanes * b; i < lanes * (b + 1); ++i) begin_[i + 1] = begin_[i] + most;
  }
  const bool plastic = !d.empty(), own_star = model.covariance == Covariance::paper;
  const std::size_t count = std::size_t(begin_.back());
  target_.resize(count);
  row_.assign(4 * count, 0);
  star_.assign(own_star || plastic ? 4 * count : 0, 0);
  laplacian_share_.assign(model.has_laplacian() ? count : 0, 0);
  weight_.assign(plastic ? count : 0, 0);
  for (int i = 0; i < padded(); ++i) {
    std::fill(target_.begin() + begin_[i], target_.begin() + begin_[i + 1], i);
    if (i >= nodes_ || model.sheet) continue;
    const Index node = arrangement.node[i];
    int next = begin_[i];
    for (Index k = adj.begin[node]; k < adj.begin[node + 1]; ++k, ++next) {
      const Index other = adj.target[k];
      const Vec3 r = model.rest[other] - model.rest[node];
      const double weight = model.edge_weight[adj.edge[k]], linear = model.linear_weight(adj.edge[k]);
      target_[next] = arrangement.place[other];
      put(row_, next, weight * r, linear);
      if (model.has_laplacian()) laplacian_share_[next] = float(model.laplacian_share[adj.edge[k]]);
      if (own_star) put(star_, next, covariance_weight(model, adj.edge[k], other) * r, linear);
      if (plastic) weight_[next] = float(weight);
    }
  }
}

void Sweeps::fill_nodes(const Model& model, const Arrangement& arrangement) {
  const std::size_t n = std::size_t(padded());
  slew_.assign(6 * n, 0);
  edge_sum_.assign(4 * n, 0);
  laplacian_.assign(model.has_laplacian() ? 4 * n : 0, 0);
  volume_.assign(model.has_volume() ? 8 * n : 0, 0);
  relief_.assign(model.has_relief() ? 6 * n : 0, 0);
  if (model.sheet) return;
  for (int i = 0; i < nodes_; ++i) {
    const Index node = arrangement.node[i];
    const std::size_t batch = std::size_t(i / lanes) * lanes, lane = std::size_t(i % lanes);
    set_star(i, model.stars[node]);
    if (model.has_volume()) volume_[8 * batch + 7 * lanes + lane] = float(model.volume_rows[node]);
    if (!model.has_laplacian()) continue;
    for (int k = 0; k < 3; ++k)
      laplacian_[4 * batch + lanes * k + lane] = float(model.laplacian_rest[node][k]);
    laplacian_[4 * batch + lanes * 3 + lane] = float(model.laplacian_scale[node]);
  }
}

namespace {

void put_symmetric(float* out, const Mat3& m) {
  const double entries[6] = {m(0, 0), m(0, 1), m(0, 2), m(1, 1), m(1, 2), m(2, 2)};
  for (int k = 0; k < 6; ++k) out[lanes * k] = float(entries[k]);
}

}  // namespace

void Sweeps::set_slew(int i, const Mat3& slew) {
  const std::size_t batch = std::size_t(i / lanes) * lanes, lane = std::size_t(i % lanes);
  put_symmetric(slew_.data() + 6 * batch + lane, slew);
}

void Sweeps::set_star(int i, const Star& star) {
  const std::size_t batch = std::size_t(i / lanes) * lanes, lane = std::size_t(i % lanes);
  set_slew(i, star.slew);
  // The shares as the kernels see them, so that they cancel in single precision.
  double shares = 0;
  for (int k = begin_[i]; !laplacian_share_.empty() && k < begin_[i + 1]; ++k) shares += laplacian_share_[k];
  put(edge_sum_, i, star.sum, -shares);
  if (!relief_.empty()) put_symmetric(relief_.data() + 6 * batch + lane, star.relief);
  if (volume_.empty()) return;
  put_symmetric(volume_.data() + 8 * batch + lane, star.shape);
  volume_[8 * batch + 6 * lanes + lane] = float(star.compliance);
}

void Sweeps::fill_flow(const Model& model, const Arrangement& arrangement) {
  const Adjacency& adj = model.adjacency;
  const std::vector<Index> opposite = opposite_edges(adj);
  first_row_.resize(std::size_t(nodes_));
  row_count_.resize(std::size_t(nodes_));
  flowed_.assign(std::size_t(nodes_), 0);
  may_flow_.assign(std::size_t(batches_), 0);
  watched_.assign(2 * std::size_t(padded()), 0);
  mirror_.assign(target_.size(), 0);
  rest_length_.assign(target_.size(), 0);
  solid_stars_ = has_solid_stars(model);
  relieved_.assign(std::size_t(padded()), 0);
  for (int i = 0; i < nodes_; ++i) {
    const Index node = arrangement.node[i];
    first_row_[i] = adj.begin[node];
    row_count_[i] = adj.begin[node + 1] - adj.begin[node];
    if (row_count_[i] > 0) relieved_[i] = float(model.relief_of(node, adj.edge[adj.begin[node]]));
    int next = begin_[i];
    for (Index k = adj.begin[node]; k < adj.begin[node + 1]; ++k, ++next) {
      const Index other = adj.target[k];
      mirror_[next] = begin_[arrangement.place[other]] + opposite[k] - adj.begin[other];
      rest_length_[next] = model.rest_vector(node, k, {}).norm();
      star_[4 * std::size_t(next) + 3] = float(model.linear_weight(adj.edge[k]));
    }
  }
}

FlowArrays Sweeps::flow_arrays(std::span<const Vec3> d) {
  return {.begin = begin_.data(),
          .target = target_.data(),
          .first = first_row_.data(),
          .count = row_count_.data(),
          .mirror = mirror_.data(),
          .weight = weight_.data(),
          .length = rest_length_.data(),
          .quaternion = quaternion_.data(),
          .star = star_.data(),
          .row = row_.data(),
          .d = d.data()->data(),
          .slew = slew_.data(),
          .edge_sum = edge_sum_.data(),
          .relief = relief_.empty() ? nullptr : relief_.data(),
          .relieved = relief_.empty() ? nullptr : relieved_.data(),
          .watched = watched_.data()};
}

void Sweeps::renew_star(const Model& model, Index node, int place, const FlowArrays& arrays) {
  const bool edges_only = volume_.empty() && laplacian_.empty();
  if (edges_only && flow_kernels().renew(arrays, place, round_star)) return;
  double s[9];
  flow_kernels().sum(arrays, place, s);
  Mat3 b;
  b << s[3], s[4], s[5], s[4], s[6], s[7], s[5], s[7], s[8];
  set_star(place, star_of(model, node, Vec3(s[0], s[1], s[2]), b, relieved_[place] * b));
}

void Sweeps::set_rest(const Model& model, const Arrangement& arrangement, std::span<const Vec3> d) {
  const FlowArrays arrays = flow_arrays(d);
  for (int i = 0; i < nodes_; ++i) {
    flow_kernels().copy(arrays, i);
    renew_star(model, arrangement.node[i], i, arrays);
  }
}

int Sweeps::flow(const Model& model, const Arrangement& arrangement, const Plasticity& plasticity, double h,
                 const double* x, bool renew, std::span<Vec3> d, Pool& pool) {
  const FlowArrays arrays = flow_arrays(d);
  const PlasticLaw& law = plasticity.law;
  const FlowLaw rows_law{.yield = law.yield,
                         .slope = law.creep * h / plastic_reference_step,
                         .shortest = std::max(0.0, 1 - law.cap),
                         .longest = 1 + law.cap,
                         .no_change = no_plastic_change,
                         .along_body = plasticity.form != PlasticForm::printed};
  // A block's rows are in the nearest cache when its rotations are done. Others read none of what it changes.
  const bool rotate_first = renew && !adaptive_.on();
  if (renew && !rotate_first) rotate(x, pool);
  const float certain = certain_strain(rows_law);
  const bool watching = rotate_first && certain > 0 && volume_.empty() && laplacian_.empty();
  const StarWatch watch{.rest = watched_.data(), .share = certain * certain, .may_flow = may_flow_.data()};
  std::atomic<int> rows = 0;
  std::atomic<std::size_t> bytes = 0;
  for_blocks(pool, nodes_, flow_nodes, [&](int begin, int end) {
    if (rotate_first)
      step_kernels().only_rotate(arrays_, x, watching ? &watch : nullptr, begin / lanes,
                                 parts_of(end, lanes));
    FlowLook look;
    flow_kernels().flow(arrays, rows_law, x, watching ? may_flow_.data() : nullptr, d.data()->data(),
                        flowed_.data(), begin, end, look);
    int sum = 0, renewed = 0;
    for (int i = begin; i < end; ++i) {
      if (flowed_[i] == 0) continue;
      renew_star(model, arrangement.node[i], i, arrays);
      sum += flowed_[i], ++renewed;
    }
    rows += sum;
    // What rotations have just read of a block is near and counts once. Decided: d and its first length.
    // Flowed: d out, the place of the row's copy and both copies. Renewed: d of the rows that were not
    // decided is not known apart and not counted; slew, sum, what is watched.
    bytes += std::size_t(32 * look.decided + 60 * sum + 48 * renewed);
    if (!rotate_first) bytes += std::size_t(48 * look.stars + 20 * look.rows);
    if (!watching) bytes += std::size_t(4 * look.rows);
  });
  // x into its order; rotations: x, quaternion in and out, rotation, row and target, and for the watch a and
  // sums; the answer.
  const std::size_t n = std::size_t(nodes_), edges = edges_;
  flow_bytes_ = bytes + n * (24 + 32) + n * (32 + 16 + 16 + 36) + 20 * edges + 4 * n +
                (watching ? 8 * n + 4 * edges : 0);
  return rows;
}

int Sweeps::flow_stars(const Model& model, const Arrangement& arrangement, const Plasticity& plasticity,
                       double h, const double* places, std::span<const Vec3> x, std::span<Vec3> d,
                       Pool& pool) {
  const FlowArrays arrays = flow_arrays(d);
  const float certain = float(strain_without_volume) * certain_strain({.yield = plasticity.law.yield});
  const bool watching = !adaptive_.on() && certain > 0 && volume_.empty() && laplacian_.empty() &&
                        plasticity.form == PlasticForm::consistent;
  const StarWatch watch{.rest = watched_.data(), .share = certain * certain, .may_flow = may_flow_.data()};
  if (!watching) rotate(places, pool);
  std::atomic<int> rows = 0, looked = 0;
  for_blocks(pool, nodes_, flow_nodes, [&](int begin, int end) {
    if (watching) step_kernels().only_rotate(arrays_, places, &watch, begin / lanes, parts_of(end, lanes));
    int sum = 0, stars = 0;
    for (int i = begin; i < end; ++i) {
      if (watching && !(may_flow_[i / lanes] >> (i % lanes) & 1)) continue;
      float q[4];
      quaternion(i, q);
      const Mat3 r = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
      const int flowed = flow_star(model, plasticity, h, x, arrangement.node[i], r, d);
      ++stars;
      if (flowed == 0) continue;
      flow_kernels().copy(arrays, i);
      renew_star(model, arrangement.node[i], i, arrays);
      sum += flowed;
    }
    rows += sum, looked += stars;
  });
  // Rotations as in flow, with the volume's numbers; of every star that was looked at x, quaternion, and of its
  // rows target, d and weight; d and its copies where it flows.
  const std::size_t n = std::size_t(nodes_), edges = edges_;
  flow_bytes_ = n * (24 + 32) + n * (32 + 16 + 16 + 36) + 20 * edges + 4 * (volume_.size() + bulk_.size()) +
                (watching ? 8 * n + 4 * edges : 0) +
                std::size_t(looked) * (52 + 36 * edges / std::max<std::size_t>(1, n)) +
                80 * std::size_t(rows);
  return rows;
}

/// The blocks between which the neighbours of a block are. Blocks from the last one with free nodes on are
/// passed first (sweep_twice) and count as near.
void Sweeps::fill_reach() {
  const int blocks = parts_of(free_, block_nodes);
  reach_.assign(std::size_t(blocks), {0, 0});
  passed_.assign(std::size_t(blocks), 0);
  for (int b = 0; b < blocks; ++b) {
    Reach reach{b, b};
    const int end = std::min(padded(), (b + 1) * block_nodes);
    for (int k = begin_[b * block_nodes]; k < begin_[end]; ++k) {
      const int other = target_[k] / block_nodes;
      if (other >= blocks - 1) continue;
      reach.low = std::min(reach.low, other);
      reach.high = std::max(reach.high, other);
    }
    reach_[b] = reach;
  }
}

/// Two sweeps in one pass over memory: a block is collected as soon as the first sweep has passed all its
/// neighbours, while its edges and their tensors are still in the cache. On a body that exceeds the caches
/// this saves a third of the traffic. Every block's numbers are the same whenever they are computed.
template <class First>
double Sweeps::sweep_twice(const First& first, const Collect& c, Pool& pool) {
  const StepKernels& kernels = step_kernels();
  const int all = parts_of(batches_, block_batches), blocks = int(reach_.size());
  const auto pass = [&](int b) { first(b * block_batches, std::min(batches_, (b + 1) * block_batches)); };
  const auto collect = [&](int b) {
    partial_[b] = kernels.collect(arrays_, c.base, c.diagonal, c.u, c.out, b * block_nodes,
                                  std::min(free_, (b + 1) * block_nodes));
    passed_[b] = 1;
  };
  std::fill(passed_.begin(), passed_.end(), 0);
  // Held nodes are last in the order and neighbours of any.
  const int near = std::max(0, blocks - 1);
  pool.run(all - near, [&](int k) { pass(near + k); });
  const int parts = pool.threads();
  pool.run(parts, [&](int part) {
    const int begin = near * part / parts, end = near * (part + 1) / parts;
    int next = begin;
    for (int b = begin; b < end; ++b) {
      pass(b);
      for (; next <= b && reach_[next].high <= b; ++next)
        if (reach_[next].low >= begin) collect(next);
    }
  });
  pool.run(blocks, [&](int b) {
    if (!passed_[b]) collect(b);
  });
  return summed(blocks);
}

void Sweeps::choose_rotations(const double* x, float scale, Pool& pool) {
  const StepKernels& kernels = step_kernels();
  for_blocks(pool, batches_, block_batches,
             [&](int first, int last) { kernels.measure(arrays_, x, scale, first, last); });
  adaptive_.spread(covariance_.data(), quaternion_.data(), rotation_.data(), pool);
}

void Sweeps::rotate(const double* x, Pool& pool) {
  if (adaptive_.on()) return choose_rotations(x, 1, pool);
  const StepKernels& kernels = step_kernels();
  for_blocks(pool, batches_, block_batches,
             [&](int first, int last) { kernels.only_rotate(arrays_, x, nullptr, first, last); });
}

double Sweeps::gradient(const double* x, float scale, bool renew, const Collect& collect, Pool& pool) {
  if (renew && adaptive_.on()) {
    choose_rotations(x, scale, pool);
    const auto carry = [&](int first, int last) { step_kernels().carry(arrays_, scale, first, last); };
    return sweep_twice(carry, collect, pool);
  }
  const auto first_sweep = renew ? step_kernels().rotate : step_kernels().stretch;
  return sweep_twice([&](int first, int last) { first_sweep(arrays_, x, scale, first, last); }, collect,
                     pool);
}

double Sweeps::product(const float* p, float pull_scale, float turn_scale, const Collect& collect,
                       Pool& pool) {
  const StepKernels& kernels = step_kernels();
  const TurnShare* const last_turns = next_turns_.share != 0 ? &next_turns_ : nullptr;
  const auto first_sweep = [&](int first, int last) {
    kernels.turn(arrays_, p, pull_scale, turn_scale, last_turns, first, last);
  };
  const double product = sweep_twice(first_sweep, collect, pool);
  if (last_turns) next_turns_ = {0, true};
  return product;
}

double Sweeps::summed(int parts) const {
  double sum = 0;
  for (int part = 0; part < parts; ++part) sum += partial_[part];
  return sum;
}

void Sweeps::add(double s, const float* x, float* y, Pool& pool) {
  const StepKernels& kernels = step_kernels();
  for_blocks(pool, 4 * free_, block_floats,
             [&](int begin, int end) { kernels.add(float(s), x, y, begin, end); });
}

void Sweeps::redirect(double s, float* p, const float* z, Pool& pool) {
  const StepKernels& kernels = step_kernels();
  for_blocks(pool, 4 * free_, block_floats, [&](int begin, int end) {
    if (s == 0)
      std::memset(p + begin, 0, sizeof(float) * std::size_t(end - begin));  // it may hold no numbers
    kernels.redirect(float(s), p, z, begin, end);
  });
}

void Sweeps::advance(double a, double s, float* d, float* p, const float* z, Pool& pool) {
  const StepKernels& kernels = step_kernels();
  for_blocks(pool, 4 * free_, block_floats,
             [&](int begin, int end) { kernels.advance(float(a), float(s), d, p, z, begin, end); });
}

void Sweeps::finish(double a, float* d, const float* p, const float* z, Pool& pool) {
  const StepKernels& kernels = step_kernels();
  for_blocks(pool, 4 * free_, block_floats,
             [&](int begin, int end) { kernels.finish(float(a), d, p, z, begin, end); });
}

double Sweeps::dot(const float* a, const float* b, Pool& pool) {
  const StepKernels& kernels = step_kernels();
  for_blocks(pool, 4 * free_, block_floats,
             [&](int begin, int end) { partial_[begin / block_floats] = kernels.dot(a, b, begin, end); });
  return summed(parts_of(4 * free_, block_floats));
}

double Sweeps::largest_turn() const {
  return std::sqrt(double(step_kernels().largest_turn(arrays_, next_turns_, 0, batches_)));
}

void Sweeps::set_quaternion(Index place, const float q[4]) {
  float* out = quaternion_.data() + 4 * lanes * (place / lanes) + place % lanes;
  for (int k = 0; k < 4; ++k) out[lanes * k] = q[k];
}

void Sweeps::quaternion(Index place, float q[4]) const {
  const float* in = quaternion_.data() + 4 * lanes * (place / lanes) + place % lanes;
  for (int k = 0; k < 4; ++k) q[k] = in[lanes * k];
}

// Bytes: per directed edge 4 (target) + 16 (row) + 4 (with Laplacian rows: c), read once for both sweeps; per
// node as the lists of arrays say. A neighbour's data is counted once per node, not once per edge, and the
// tensor where it is written: the order of the nodes keeps both in the nearest cache. Empty edges, which only
// fill batches up, do not count: nothing needs them.

std::size_t Sweeps::row_bytes() const { return (laplacian_share_.empty() ? 20 : 24) * edges_; }

std::size_t Sweeps::gradient_bytes() const {
  const std::size_t n = std::size_t(nodes_), f = std::size_t(free_);
  // x, quaternion in and out, rotation, tensor; then sum, base, out. A second row where sweeps differ.
  return row_bytes() + (star_.empty() ? 0 : 16 * edges_) + 4 * laplacian_.size() +
         n * (32 + 16 + 16 + 36 + 64) + 4 * (volume_.size() + bulk_.size() + relief_.size()) +
         f * (16 + 16 + 16);
}

std::size_t Sweeps::product_bytes() const {
  const std::size_t n = std::size_t(nodes_), f = std::size_t(free_);
  // p, rotation, slew, turn, tensor; then sum, mass, out.
  return row_bytes() + (weight_.empty() ? 0 : 16 * edges_) + 4 * laplacian_.size() +
         n * (16 + 36 + 24 + 12 + 64) + 4 * (volume_.size() + bulk_.size() + relief_.size()) +
         f * (16 + 4 + 16);
}

std::size_t Sweeps::update_bytes() const {
  // D, G and p in and out, q, z; turns in, their sum in and out.
  return std::size_t(free_) * (3 * 32 + 2 * 16 + 36);
}

std::size_t Sweeps::memory_bytes() const {
  std::size_t bytes = sizeof(int) * (begin_.size() + target_.size());
  for (const Floats* array : {&row_, &star_, &slew_, &edge_sum_, &laplacian_, &laplacian_share_, &weight_,
                              &volume_, &bulk_, &relief_, &quaternion_, &rotation_, &turn_, &turn_sum_,
                              &covariance_, &tensor_, &watched_, &relieved_})
    bytes += sizeof(float) * array->size();
  for (const std::vector<int>* array : {&first_row_, &row_count_, &mirror_, &flowed_})
    bytes += sizeof(int) * array->size();
  bytes += sizeof(double) * rest_length_.size() + sizeof(unsigned) * may_flow_.size();
  return bytes;
}

}  // namespace pliant::geometric
