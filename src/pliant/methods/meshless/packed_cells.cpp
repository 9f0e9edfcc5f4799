// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/packed_cells.hpp"

#include <algorithm>
#include <numeric>

#include "pliant/base/check.hpp"

namespace pliant::meshless {
namespace {

constexpr int block = 1024;

}  // namespace

PackedCells::PackedCells(const Cells& cells, Index nodes, const std::vector<double>& stiffness)
    : cells_(cells.count()), nodes_(nodes), entries_(cells.node.size()) {
  exact_weight_.resize(std::size_t(batches()) * lanes, 0);
  weight_.resize(exact_weight_.size(), 0);
  for (Index c = 0; c < cells_; ++c) {
    exact_weight_[std::size_t(c)] = cells.weight[std::size_t(c)] * stiffness[std::size_t(c)];
    weight_[std::size_t(c)] = float(exact_weight_[std::size_t(c)]);
  }
  number_rows(cells);
  exact_gradient_.resize(3 * lanes * node_.size(), 0);
  centre_value_.resize(lanes * node_.size(), 0);
  fill_rows(cells);
  gradient_.assign(exact_gradient_.begin(), exact_gradient_.end());
  slot_begin_.assign(std::size_t(nodes) + 1, 0);
  for (const Index i : local_) ++slot_begin_[std::size_t(i) + 1];
  std::partial_sum(slot_begin_.begin(), slot_begin_.end(), slot_begin_.begin());
  slot_.resize(local_.size());
  std::vector<Index> at(slot_begin_.begin(), slot_begin_.end() - 1);
  for (std::size_t k = 0; k < local_.size(); ++k) slot_[std::size_t(at[std::size_t(local_[k])]++)] = Index(k);
  in_.resize(local_.size());
  out_.resize(local_.size());
  exact_in_.resize(local_.size());
  exact_out_.resize(local_.size());
  kept_.resize(part_.size());
}

/// Rows of the batches, nodes ascending, with the numbers that the parts give to the nodes.
void PackedCells::number_rows(const Cells& cells) {
  std::vector<Index> number(std::size_t(nodes_), -1), here;
  begin_.assign(1, 0);
  for (Index first = 0; first < cells_; first += part_cells) {
    Part part{first, std::min<Index>(part_cells, cells_ - first), Index(local_.size()), 0};
    for (Index c = first; c < first + part.cells; c += lanes) {
      const Index end = std::min(c + lanes, cells_);
      here.assign(cells.node.begin() + cells.begin[std::size_t(c)],
                  cells.node.begin() + cells.begin[std::size_t(end)]);
      std::sort(here.begin(), here.end());
      here.erase(std::unique(here.begin(), here.end()), here.end());
      for (const Index i : here) {
        Index& mine = number[std::size_t(i)];
        if (mine < 0) {
          mine = part.nodes++;
          local_.push_back(i);
        }
        node_.push_back(std::uint16_t(mine));
      }
      begin_.push_back(std::int32_t(node_.size()));
    }
    PLIANT_CHECK(part.nodes <= 65536);
    for (Index k = part.begin; k < part.begin + part.nodes; ++k)
      number[std::size_t(local_[std::size_t(k)])] = -1;
    part_.push_back(part);
  }
}

void PackedCells::fill_rows(const Cells& cells) {
  for (const Part& part : part_)
    for (Index c = part.first; c < part.first + part.cells; ++c) {
      std::size_t row = std::size_t(begin_[std::size_t(c) / lanes]);
      const std::size_t lane = std::size_t(c) % lanes;
      for (Index k = cells.begin[std::size_t(c)]; k < cells.begin[std::size_t(c) + 1]; ++k, ++row) {
        while (local_[std::size_t(part.begin) + node_[row]] != cells.node[std::size_t(k)]) ++row;
        for (std::size_t d = 0; d < 3; ++d)
          exact_gradient_[(3 * row + d) * lanes + lane] = cells.gradient[std::size_t(k)][Index(d)];
        centre_value_[row * lanes + lane] = float(cells.centre_value[std::size_t(k)]);
      }
    }
}

PackedCells::Quaternions PackedCells::unturned() const {
  Quaternions q(std::size_t(batches()) * 4 * lanes, 0.0f);
  for (std::size_t b = 0; b < std::size_t(batches()); ++b)
    std::fill_n(q.begin() + long(b * 4 * lanes), lanes, 1.0f);
  return q;
}

template <class T, class Vector>
CellPart<T> PackedCells::view(const Part& part, const Vector& gradient, const AlignedVector<T>& weight,
                              Quaternions& q) const {
  CellPart<T> out;
  out.batches = (part.cells + lanes - 1) / lanes;
  out.begin = begin_.data() + part.first / lanes;
  out.node = node_.data();
  out.gradient = gradient.data();
  out.centre_value = centre_value_.data();
  out.weight = weight.data() + part.first;
  out.quaternion = q.data() + 4 * std::size_t(part.first);
  return out;
}

void PackedCells::apply(const Stress<float>& stress, Quaternions& q, const Float4* x, Float4* y,
                        Pool& pool) const {
  const CellKernels& kernels = cell_kernels();
  pool.run(parts(), [&](int p) {
    const Part& part = part_[std::size_t(p)];
    Float4* in = in_.data() + part.begin;
    Float4* out = out_.data() + part.begin;
    for (Index k = 0; k < part.nodes; ++k) in[k] = x[local_[std::size_t(part.begin + k)]];
    std::fill_n(out, part.nodes, Float4{});
    kernels.apply_float(view<float>(part, gradient_, weight_, q), stress, &in->x, &out->x);
  });
  for_blocks(pool, nodes_, block, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      Float4 sum;
      for (Index k = slot_begin_[std::size_t(i)]; k < slot_begin_[std::size_t(i) + 1]; ++k) {
        const Float4& v = out_[std::size_t(slot_[std::size_t(k)])];
        sum.x += v.x, sum.y += v.y, sum.z += v.z;
      }
      y[i] = sum;
    }
  });
}

void PackedCells::apply(const Stress<double>& stress, Quaternions& q, const AlignedVector<double>& flow,
                        const Vec3* x, Vec3* y, Pool& pool) const {
  const CellKernels& kernels = cell_kernels();
  pool.run(parts(), [&](int p) {
    const Part& part = part_[std::size_t(p)];
    Double4* in = exact_in_.data() + part.begin;
    Double4* out = exact_out_.data() + part.begin;
    // The gradients of a cell sum to zero: differences keep the digits far from the origin.
    const Vec3 origin = x[local_[std::size_t(part.begin)]];
    for (Index k = 0; k < part.nodes; ++k) {
      const Vec3 v = x[local_[std::size_t(part.begin + k)]] - origin;
      in[k] = {v.x(), v.y(), v.z(), 0};
    }
    std::fill_n(out, part.nodes, Double4{});
    CellPart<double> cells = view<double>(part, exact_gradient_, exact_weight_, q);
    if (!flow.empty()) cells.flow = flow.data() + 6 * std::size_t(part.first);
    kernels.apply_double(cells, stress, &in->x, &out->x);
  });
  for_blocks(pool, nodes_, block, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      Vec3 sum = Vec3::Zero();
      for (Index k = slot_begin_[std::size_t(i)]; k < slot_begin_[std::size_t(i) + 1]; ++k) {
        const Double4& v = exact_out_[std::size_t(slot_[std::size_t(k)])];
        sum += Vec3(v.x, v.y, v.z);
      }
      y[i] = sum;
    }
  });
}

int PackedCells::blend(const Float4* q_nodes, float shortest, Quaternions& q, Pool& pool) const {
  const CellKernels& kernels = cell_kernels();
  pool.run(parts(), [&](int p) {
    const Part& part = part_[std::size_t(p)];
    Float4* in = in_.data() + part.begin;
    for (Index k = 0; k < part.nodes; ++k) in[k] = q_nodes[local_[std::size_t(part.begin + k)]];
    kept_[std::size_t(p)] = kernels.blend(view<float>(part, gradient_, weight_, q), &in->x, shortest, part.cells);
  });
  return std::accumulate(kept_.begin(), kept_.end(), 0);
}

std::size_t PackedCells::bytes_per_apply() const {
  return entries_ * (3 * sizeof(float) + sizeof(std::uint16_t)) +
         std::size_t(cells_) * (sizeof(std::int32_t) + 5 * sizeof(float)) +
         std::size_t(nodes_) * 2 * sizeof(Float4);
}

std::size_t PackedCells::memory_bytes() const {
  return node_.size() * (lanes * (4 * sizeof(float) + 3 * sizeof(double)) + sizeof(std::uint16_t)) +
         weight_.size() * (sizeof(float) + sizeof(double)) + begin_.size() * sizeof(std::int32_t) +
         local_.size() * (2 * sizeof(Float4) + 2 * sizeof(Double4) + 2 * sizeof(Index));
}

}  // namespace pliant::meshless
