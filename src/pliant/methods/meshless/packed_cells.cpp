// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/packed_cells.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <span>
#include <unordered_map>

#include "pliant/base/check.hpp"
#include "pliant/base/hash.hpp"

namespace pliant::meshless {
namespace {

constexpr int block = 1024;

/// Multiples of 2^(e - 24), 2^e above the largest: single precision holds them and their sums exactly. The
/// few units that rounding leaves over go to the smallest, so that the sum is zero as it was before.
void round_together(std::span<double> values) {
  double most = 0;
  for (const double v : values) most = std::max(most, std::abs(v));
  if (!(most > 0)) return;
  const double unit = std::ldexp(1.0, std::ilogb(most) + 1 - 24);
  double sum = 0, *smallest = values.data();
  for (double& v : values) {
    v = unit * std::round(v / unit);
    sum += v;
    if (std::abs(v) < std::abs(*smallest)) smallest = &v;
  }
  *smallest -= sum;
}

}  // namespace

PackedCells::PackedCells(const Cells& cells, const Points& rest, const std::vector<double>& stiffness)
    : cells_(cells.count()), nodes_(Index(rest.size())), entries_(cells.node.size()) {
  exact_weight_.resize(std::size_t(batches()) * lanes, 0);
  weight_.resize(exact_weight_.size(), 0);
  for (Index c = 0; c < cells_; ++c) {
    exact_weight_[std::size_t(c)] = cells.weight[std::size_t(c)] * stiffness[std::size_t(c)];
    weight_[std::size_t(c)] = float(exact_weight_[std::size_t(c)]);
  }
  number_rows(cells);
  rest_.resize(9 * lanes * std::size_t(batches()), 0);
  fill_tables(cells, rest);
  slot_begin_.assign(std::size_t(nodes_) + 1, 0);
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
  curvature_.resize(part_.size());
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
      while (node_.size() % row_group) node_.push_back(node_.back());
      begin_.push_back(std::int32_t(node_.size()));
    }
    PLIANT_CHECK(part.nodes <= 65536);
    for (Index k = part.begin; k < part.begin + part.nodes; ++k)
      number[std::size_t(local_[std::size_t(k)])] = -1;
    part_.push_back(part);
  }
}

/// Batches with the same table share it.
void PackedCells::fill_tables(const Cells& cells, const Points& rest) {
  std::unordered_multimap<std::uint64_t, std::int32_t> known;  // tables by their hash
  Table mine;
  for (const Part& part : part_)
    for (Index first = part.first; first < part.first + part.cells; first += lanes) {
      const std::size_t batch = std::size_t(first) / lanes;
      const std::size_t rows = std::size_t(begin_[batch + 1] - begin_[batch]);
      mine.gradient.assign(3 * lanes * rows, 0);
      mine.centre_value.assign(lanes * rows, 0);
      for (Index c = first; c < std::min(first + lanes, part.first + part.cells); ++c)
        fill_cell(cells, rest, part, c, mine);
      const auto is_mine = [&](const auto& other) {
        const std::size_t row = std::size_t(other.second);
        return centre_value_.size() >= lanes * (row + rows) &&
               std::equal(mine.gradient.begin(), mine.gradient.end(),
                          gradient_.begin() + long(3 * lanes * row)) &&
               std::equal(mine.centre_value.begin(), mine.centre_value.end(),
                          centre_value_.begin() + long(lanes * row));
      };
      const std::uint64_t key =
          hash_bytes(mine.centre_value.data(), mine.centre_value.size() * sizeof(float));
      const auto [begin, end] = known.equal_range(key);
      const auto same = std::find_if(begin, end, is_mine);
      if (same != end) {
        table_.push_back(same->second);
        continue;
      }
      table_.push_back(std::int32_t(centre_value_.size() / lanes));
      known.emplace(key, table_.back());
      gradient_.insert(gradient_.end(), mine.gradient.begin(), mine.gradient.end());
      centre_value_.insert(centre_value_.end(), mine.centre_value.begin(), mine.centre_value.end());
    }
  tables_ = Index(known.size());
  table_.push_back(0);  // what comes after the last batch is fetched, not read
}

/// One lane of a table, and of rest_.
void PackedCells::fill_cell(const Cells& cells, const Points& rest, const Part& part, Index cell,
                            Table& table) {
  const std::size_t batch = std::size_t(cell) / lanes, lane = std::size_t(cell) % lanes;
  const std::size_t begin = std::size_t(cells.begin[std::size_t(cell)]),
                    end = std::size_t(cells.begin[std::size_t(cell) + 1]), count = end - begin;
  std::vector<double> g(3 * count);
  for (std::size_t d = 0; d < 3; ++d) {
    for (std::size_t k = 0; k < count; ++k) g[d * count + k] = cells.gradient[begin + k][Index(d)];
    round_together(std::span(g).subspan(d * count, count));
  }
  Mat3 undeformed = -Mat3::Identity();
  const Vec3& origin = rest[std::size_t(cells.node[begin])];
  const std::uint16_t* node = node_.data() + begin_[batch];
  std::size_t row = 0;
  for (std::size_t k = begin; k < end; ++k, ++row) {
    while (local_[std::size_t(part.begin) + node[row]] != cells.node[k]) ++row;
    for (std::size_t d = 0; d < 3; ++d) {
      const double value = g[d * count + k - begin];
      table.gradient[(row / 2 * 6 + 2 * d + row % 2) * lanes + lane] = float(value);
      undeformed.col(Index(d)) += value * (rest[std::size_t(cells.node[k])] - origin);
    }
    table.centre_value[row * lanes + lane] = float(cells.centre_value[k]);
  }
  for (std::size_t e = 0; e < 9; ++e)
    rest_[(batch * 9 + e) * lanes + lane] = float(undeformed(Index(e / 3), Index(e % 3)));
}

PackedCells::Quaternions PackedCells::unturned() const {
  Quaternions q(std::size_t(batches()) * 4 * lanes, 0.0f);
  for (std::size_t b = 0; b < std::size_t(batches()); ++b)
    std::fill_n(q.begin() + long(b * 4 * lanes), lanes, 1.0f);
  return q;
}

template <class T>
CellPart<T> PackedCells::view(const Part& part, const AlignedVector<T>& weight, Quaternions& q,
                              const AlignedVector<T>& flow) const {
  CellPart<T> out;
  out.batches = (part.cells + lanes - 1) / lanes;
  out.begin = begin_.data() + part.first / lanes;
  out.table = table_.data() + part.first / lanes;
  out.node = node_.data();
  out.gradient = gradient_.data();
  out.centre_value = centre_value_.data();
  out.weight = weight.data() + part.first;
  out.rest = rest_.data() + 9 * std::size_t(part.first);
  out.quaternion = q.data() + 4 * std::size_t(part.first);
  if (!flow.empty()) out.flow = flow.data() + 6 * std::size_t(part.first);
  return out;
}

void PackedCells::copy_in(const Part& part, const Float4* x) const {
  for (Index k = part.begin; k < part.begin + part.nodes; ++k)
    in_[std::size_t(k)] = x[local_[std::size_t(k)]];
}

/// The gradients of a cell sum to zero: differences keep the digits far from the origin.
void PackedCells::copy_in(const Part& part, const Vec3* x) const {
  const Vec3 origin = x[local_[std::size_t(part.begin)]];
  for (Index k = part.begin; k < part.begin + part.nodes; ++k) {
    const Vec3 v = x[local_[std::size_t(k)]] - origin;
    exact_in_[std::size_t(k)] = {v.x(), v.y(), v.z(), 0};
  }
}

/// y = what the parts wrote, node by node.
template <class Four, class Sum>
void PackedCells::add_parts(const AlignedVector<Four>& out, Sum* y, Pool& pool) const {
  for_blocks(pool, nodes_, block, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      decltype(Four::x) sum_x = 0, sum_y = 0, sum_z = 0;
      for (Index k = slot_begin_[std::size_t(i)]; k < slot_begin_[std::size_t(i) + 1]; ++k) {
        const Four& v = out[std::size_t(slot_[std::size_t(k)])];
        sum_x += v.x, sum_y += v.y, sum_z += v.z;
      }
      y[i] = Sum{sum_x, sum_y, sum_z};
    }
  });
}

void PackedCells::apply(const Stress<float>& stress, Quaternions& q, const Float4* x, Float4* y,
                        Pool& pool) const {
  const CellKernels& kernels = cell_kernels();
  pool.run(parts(), [&](int p) {
    const Part& part = part_[std::size_t(p)];
    Float4* out = out_.data() + part.begin;
    copy_in(part, x);
    std::fill_n(out, part.nodes, Float4{});
    kernels.apply_float(view(part, weight_, q), stress, &in_[std::size_t(part.begin)].x, &out->x);
  });
  add_parts(out_, y, pool);
}

double PackedCells::curvature(const Stress<float>& stress, Quaternions& q, const Float4* x,
                              Pool& pool) const {
  const CellKernels& kernels = cell_kernels();
  pool.run(parts(), [&](int p) {
    const Part& part = part_[std::size_t(p)];
    copy_in(part, x);
    curvature_[std::size_t(p)] =
        kernels.curvature(view(part, weight_, q), stress, &in_[std::size_t(part.begin)].x);
  });
  return std::accumulate(curvature_.begin(), curvature_.end(), 0.0);
}

void PackedCells::apply(const Stress<double>& stress, Quaternions& q, const AlignedVector<double>& flow,
                        const Vec3* x, Vec3* y, Pool& pool) const {
  const CellKernels& kernels = cell_kernels();
  pool.run(parts(), [&](int p) {
    const Part& part = part_[std::size_t(p)];
    Double4* out = exact_out_.data() + part.begin;
    copy_in(part, x);
    std::fill_n(out, part.nodes, Double4{});
    kernels.apply_double(view(part, exact_weight_, q, flow), stress, &exact_in_[std::size_t(part.begin)].x,
                         &out->x);
  });
  add_parts(exact_out_, y, pool);
}

void PackedCells::forces(const Stress<double>& stress, Quaternions& q, const AlignedVector<double>& flow,
                         const Vec3* x, Vec3* y, Pool& pool) const {
  const CellKernels& kernels = cell_kernels();
  pool.run(parts(), [&](int p) {
    const Part& part = part_[std::size_t(p)];
    Float4* out = out_.data() + part.begin;
    copy_in(part, x);
    std::fill_n(out, part.nodes, Float4{});
    kernels.forces(view(part, exact_weight_, q, flow), stress, &exact_in_[std::size_t(part.begin)].x,
                   &out->x);
  });
  add_parts(out_, y, pool);
}

int PackedCells::blend(const Float4* q_nodes, float shortest, Quaternions& q, Pool& pool) const {
  const CellKernels& kernels = cell_kernels();
  pool.run(parts(), [&](int p) {
    const Part& part = part_[std::size_t(p)];
    copy_in(part, q_nodes);
    kept_[std::size_t(p)] =
        kernels.blend(view(part, weight_, q), &in_[std::size_t(part.begin)].x, shortest, part.cells);
  });
  return std::accumulate(kept_.begin(), kept_.end(), 0);
}

std::size_t PackedCells::bytes_per_apply() const {
  return entries_ * (3 * sizeof(float) + sizeof(std::uint16_t)) +
         std::size_t(cells_) * (sizeof(std::int32_t) + 5 * sizeof(float)) +
         std::size_t(nodes_) * 2 * sizeof(Float4);
}

std::size_t PackedCells::memory_bytes() const {
  return node_.size() * sizeof(std::uint16_t) + 4 * centre_value_.size() * sizeof(float) +
         weight_.size() * (10 * sizeof(float) + sizeof(double)) + 2 * begin_.size() * sizeof(std::int32_t) +
         local_.size() * (2 * sizeof(Float4) + 2 * sizeof(Double4) + 2 * sizeof(Index));
}

}  // namespace pliant::meshless
