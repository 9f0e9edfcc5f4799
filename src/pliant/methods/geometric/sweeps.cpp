// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/sweeps.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/math/rotation.hpp"

namespace pliant::geometric {
namespace {

constexpr int block_batches = 32;  // a part of the pool: 512 nodes, some 10 us
constexpr int block_nodes = lanes * block_batches;
constexpr int block_floats = 4 * block_nodes;

int parts_of(int count, int block) { return (count + block - 1) / block; }

void put(Floats& out, std::size_t at, const Vec3& v, double fourth) {
  for (int k = 0; k < 3; ++k) out[4 * at + k] = float(v[k]);
  out[4 * at + 3] = float(fourth);
}

}  // namespace

void Sweeps::arrange(const Model& model, const Arrangement& arrangement) {
  nodes_ = model.nodes();
  free_ = arrangement.free;
  batches_ = parts_of(nodes_, lanes);
  fill_edges(model, arrangement);
  fill_nodes(model, arrangement);

  const std::size_t n = std::size_t(padded());
  quaternion_.assign(4 * n, 0);
  for (int b = 0; b < batches_; ++b) std::fill_n(quaternion_.begin() + 4 * lanes * b, lanes, 1.0f);
  rotation_.assign(9 * n, 0);
  turn_.assign(3 * n, 0);
  turn_sum_.assign(3 * n, 0);
  tensor_.assign(16 * n, 0);
  partial_.assign(std::size_t(parts_of(padded(), block_nodes)), 0);

  arrays_ = {.begin = begin_.data(),
             .target = target_.data(),
             .row = row_.data(),
             .star = model.covariance == Covariance::consistent ? row_.data() : star_.data(),
             .slew = slew_.data(),
             .edge_sum = edge_sum_.data(),
             .laplacian = model.has_laplacian() ? laplacian_.data() : nullptr,
             .laplacian_weight = float(model.laplacian_weight),
             .laplacian_turns = model.covariance == Covariance::consistent,
             .quaternion = quaternion_.data(),
             .rotation = rotation_.data(),
             .turn = turn_.data(),
             .tensor = tensor_.data(),
             .finish = finish_rotations};
}

void Sweeps::fill_edges(const Model& model, const Arrangement& arrangement) {
  const Adjacency& adj = model.adjacency;
  const auto edges_of = [&](int i) {
    return i < nodes_ ? adj.begin[arrangement.node[i] + 1] - adj.begin[arrangement.node[i]] : 0;
  };
  begin_.assign(std::size_t(padded()) + 1, 0);
  for (int b = 0; b < batches_; ++b) {
    int most = 0;
    for (int i = lanes * b; i < lanes * (b + 1); ++i) most = std::max(most, int(edges_of(i)));
    for (int i = lanes * b; i < lanes * (b + 1); ++i) begin_[i + 1] = begin_[i] + most;
  }
  const bool own_star = model.covariance == Covariance::paper;
  const std::size_t count = std::size_t(begin_.back());
  target_.resize(count);
  row_.assign(4 * count, 0);
  star_.assign(own_star ? 4 * count : 0, 0);
  for (int i = 0; i < padded(); ++i) {
    std::fill(target_.begin() + begin_[i], target_.begin() + begin_[i + 1], i);
    if (i >= nodes_) continue;
    const Index node = arrangement.node[i];
    int next = begin_[i];
    for (Index k = adj.begin[node]; k < adj.begin[node + 1]; ++k, ++next) {
      const Index other = adj.target[k];
      const Vec3 r = model.rest[other] - model.rest[node];
      const double weight = model.edge_weight[adj.edge[k]];
      target_[next] = arrangement.place[other];
      put(row_, next, weight * r, weight);
      if (own_star) put(star_, next, covariance_weight(model, adj.edge[k], other) * r, weight);
    }
  }
}

void Sweeps::fill_nodes(const Model& model, const Arrangement& arrangement) {
  const std::size_t n = std::size_t(padded());
  slew_.assign(6 * n, 0);
  edge_sum_.assign(4 * n, 0);
  laplacian_.assign(model.has_laplacian() ? 4 * n : 0, 0);
  for (int i = 0; i < nodes_; ++i) {
    const Index node = arrangement.node[i];
    const std::size_t batch = std::size_t(i / lanes) * lanes, lane = std::size_t(i % lanes);
    const Mat3& j = model.slew[node];
    const double entries[6] = {j(0, 0), j(0, 1), j(0, 2), j(1, 1), j(1, 2), j(2, 2)};
    for (int k = 0; k < 6; ++k) slew_[6 * batch + lanes * k + lane] = float(entries[k]);
    // Empty edges add a node's own Laplacian row: the count takes them off again.
    put(edge_sum_, i, model.edge_sum[node], -(begin_[i + 1] - begin_[i]));
    if (!model.has_laplacian()) continue;
    const double valence = model.adjacency.begin[node + 1] - model.adjacency.begin[node];
    for (int k = 0; k < 3; ++k)
      laplacian_[4 * batch + lanes * k + lane] = float(model.laplacian_rest[node][k]);
    laplacian_[4 * batch + lanes * 3 + lane] = float(valence > 0 ? 1 / valence : 0);
  }
}

void Sweeps::rotate(const double* x, float scale, Pool& pool) {
  const StepKernels& kernels = step_kernels();
  for_blocks(pool, batches_, block_batches,
             [&](int first, int last) { kernels.rotate(arrays_, x, scale, first, last); });
}

void Sweeps::stretch(const double* x, float scale, Pool& pool) {
  const StepKernels& kernels = step_kernels();
  for_blocks(pool, batches_, block_batches,
             [&](int first, int last) { kernels.stretch(arrays_, x, scale, first, last); });
}

void Sweeps::turn(const float* p, float pull_scale, float turn_scale, Pool& pool) {
  const StepKernels& kernels = step_kernels();
  for_blocks(pool, batches_, block_batches,
             [&](int first, int last) { kernels.turn(arrays_, p, pull_scale, turn_scale, first, last); });
}

double Sweeps::summed(int parts) const {
  double sum = 0;
  for (int part = 0; part < parts; ++part) sum += partial_[part];
  return sum;
}

double Sweeps::collect(const float* base, const float* diagonal, const float* u, float* out, Pool& pool) {
  const StepKernels& kernels = step_kernels();
  for_blocks(pool, free_, block_nodes, [&](int begin, int end) {
    partial_[begin / block_nodes] = kernels.collect(arrays_, base, diagonal, u, out, begin, end);
  });
  return summed(parts_of(free_, block_nodes));
}

void Sweeps::add(double s, const float* x, float* y, Pool& pool) {
  const StepKernels& kernels = step_kernels();
  for_blocks(pool, 4 * free_, block_floats,
             [&](int begin, int end) { kernels.add(float(s), x, y, begin, end); });
}

void Sweeps::redirect(double s, float* p, const float* z, Pool& pool) {
  const StepKernels& kernels = step_kernels();
  for_blocks(pool, 4 * free_, block_floats,
             [&](int begin, int end) { kernels.redirect(float(s), p, z, begin, end); });
}

double Sweeps::dot(const float* a, const float* b, Pool& pool) {
  const StepKernels& kernels = step_kernels();
  for_blocks(pool, 4 * free_, block_floats,
             [&](int begin, int end) { partial_[begin / block_floats] = kernels.dot(a, b, begin, end); });
  return summed(parts_of(4 * free_, block_floats));
}

void Sweeps::add_turn(double s, Pool& pool) {
  const StepKernels& kernels = step_kernels();
  for_blocks(pool, 3 * padded(), block_floats,
             [&](int begin, int end) { kernels.add(float(s), turn_.data(), turn_sum_.data(), begin, end); });
}

void Sweeps::clear_turns() { std::fill(turn_sum_.begin(), turn_sum_.end(), 0.0f); }

double Sweeps::largest_turn() const {
  return std::sqrt(double(step_kernels().largest_turn(turn_sum_.data(), 0, batches_)));
}

void Sweeps::set_quaternion(Index place, const float q[4]) {
  float* out = quaternion_.data() + 4 * lanes * (place / lanes) + place % lanes;
  for (int k = 0; k < 4; ++k) out[lanes * k] = q[k];
}

void Sweeps::quaternion(Index place, float q[4]) const {
  const float* in = quaternion_.data() + 4 * lanes * (place / lanes) + place % lanes;
  for (int k = 0; k < 4; ++k) q[k] = in[lanes * k];
}

// Bytes: per directed edge and sweep 4 (target) + 16 (row); per node as the lists of arrays say. A
// neighbour's data is counted once per node, not once per edge: the order of the nodes keeps it in the
// nearest cache.

std::size_t Sweeps::gradient_bytes() const {
  const std::size_t edges = target_.size(), n = std::size_t(nodes_), f = std::size_t(free_);
  // x, quaternion in and out, rotation, tensor; then tensor, sum, base, out.
  return 2 * 20 * edges + n * (32 + 16 + 16 + 36 + 64) + f * (64 + 16 + 16 + 16);
}

std::size_t Sweeps::product_bytes() const {
  const std::size_t edges = target_.size(), n = std::size_t(nodes_), f = std::size_t(free_);
  // p, rotation, slew, turn, tensor; then tensor, sum, mass, p, out.
  return 2 * 20 * edges + n * (16 + 36 + 24 + 12 + 64) + f * (64 + 16 + 4 + 16 + 16);
}

std::size_t Sweeps::update_bytes() const {
  // D and G in and out, p, q, turns; the products of two dots; the new p.
  return std::size_t(free_) * (2 * 32 + 2 * 16 + 36 + 2 * 16 + 48);
}

std::size_t Sweeps::memory_bytes() const {
  std::size_t bytes = sizeof(int) * (begin_.size() + target_.size());
  for (const Floats* array : {&row_, &star_, &slew_, &edge_sum_, &laplacian_, &quaternion_, &rotation_,
                              &turn_, &turn_sum_, &tensor_})
    bytes += sizeof(float) * array->size();
  return bytes;
}

}  // namespace pliant::geometric
