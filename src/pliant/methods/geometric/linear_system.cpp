// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/linear_system.hpp"

#include <Eigen/Cholesky>
#include <algorithm>

namespace pliant::geometric {
namespace {

/// m M + k K of the free nodes, rows in the order of the arrangement.
SymmetricMatrix free_matrix(const Model& model, const SymmetricMatrix& k, const Arrangement& arrangement,
                            const LinearSystem::Coefficients& c) {
  const Index free = arrangement.free;
  std::vector<Index> begin(std::size_t(free) + 1, 0);
  const auto each_entry = [&](auto&& visit) {
    for (Index i = 0; i < k.rows(); ++i) {
      const Index a = arrangement.place[i];
      if (a >= free) continue;
      for (Index n = k.begin[i]; n < k.begin[i + 1]; ++n)
        if (const Index b = arrangement.place[k.column[n]]; b < free)
          visit(std::max(a, b), std::min(a, b), k.value[n]);
    }
  };
  each_entry([&](Index r, Index, double) { ++begin[r + 1]; });
  for (Index r = 0; r < free; ++r) begin[r + 1] += begin[r];
  std::vector<std::pair<Index, double>> entries(begin[free]);
  std::vector<Index> next(begin.begin(), begin.end() - 1);
  each_entry([&](Index r, Index column, double value) {
    entries[next[r]++] = {column, c.stiffness * value};
  });

  SymmetricMatrix out;
  out.column.reserve(entries.size());
  out.value.reserve(entries.size());
  for (Index r = 0; r < free; ++r) {
    std::sort(entries.begin() + begin[r], entries.begin() + begin[r + 1]);
    entries[begin[r + 1] - 1].second += c.mass * model.mass[arrangement.node[r]];
    for (Index n = begin[r]; n < begin[r + 1]; ++n) {
      out.column.push_back(entries[n].first);
      out.value.push_back(entries[n].second);
    }
  }
  out.begin = std::move(begin);
  return out;
}

const Float4* vectors(const float* p) { return reinterpret_cast<const Float4*>(p); }
Float4* vectors(float* p) { return reinterpret_cast<Float4*>(p); }

}  // namespace

std::string LinearSystem::factor(const Model& model, const SymmetricMatrix& stiffness,
                                 const Arrangement& arrangement, const Coefficients& coefficients,
                                 bool new_pattern) {
  free_ = arrangement.free;
  spring_count_ = 0;
  ++version_;
  if (free_ == 0) return {};
  if (!direct_) return build_multigrid(model, arrangement, coefficients);
  const SymmetricMatrix matrix = free_matrix(model, stiffness, arrangement, coefficients);
  std::vector<double> sums(std::size_t(free_), 0);
  for (Index r = 0; r < free_; ++r)
    for (Index n = matrix.begin[r]; n < matrix.begin[r + 1]; ++n) {
      sums[std::size_t(r)] += std::abs(matrix.value[n]);
      if (matrix.column[n] != r) sums[std::size_t(matrix.column[n])] += std::abs(matrix.value[n]);
    }
  bounds_.assign(sums.begin(), sums.end());
  const DirectSolver::Report report = new_pattern ? factor_.factor(matrix) : factor_.refactor(matrix);
  entries_ = report.factor_entries;
  return report.trouble;
}

std::string LinearSystem::build_multigrid(const Model& model, const Arrangement& arrangement,
                                          const Coefficients& coefficients) {
  GraphOperator fine;
  for (Index r = 0; r < free_; ++r) {
    fine.positions.push_back(model.rest[arrangement.node[r]]);
    fine.mass.push_back(float(coefficients.mass * model.mass[arrangement.node[r]]));
  }
  fine.anchor.assign(std::size_t(free_), 0);
  bounds_ = fine.mass;
  for (std::size_t k = 0; k < model.edges.size(); ++k) {
    const Index a = arrangement.place[model.edges[k].a], b = arrangement.place[model.edges[k].b];
    const float weight = float(2 * coefficients.stiffness * model.pull[k]);
    if (!(weight > 0)) continue;
    if (a < free_ && b < free_)
      fine.edges.push_back({a, b, weight});
    else if (a < free_ || b < free_)
      fine.anchor[std::min(a, b)] += weight;
    for (const Index i : {a, b})
      if (i < free_) bounds_[std::size_t(i)] += a < free_ && b < free_ ? 2 * weight : weight;
  }
  return cycle_.build(fine).trouble;
}

std::optional<double> LinearSystem::plain_solve(const float* b, float* z, Pool& pool) {
  if (free_ == 0) return 0;
  if (!direct_) return cycle_.apply(vectors(b), vectors(z), pool);
  factor_.solve(vectors(b), vectors(z), pool);
  return std::nullopt;
}

std::string LinearSystem::set_springs(std::span<const Spring> springs, Pool& pool) {
  const int count = int(springs.size());
  if (count == spring_count_ && std::equal(springs.begin(), springs.end(), springs_.begin())) return {};
  ++version_;
  spring_count_ = count;
  if (count == 0) return {};
  std::copy(springs.begin(), springs.end(), springs_.begin());
  const std::size_t n = std::size_t(free_);
  response_.resize(max_grabs * n);
  load_.assign(4 * n, 0);
  answer_.resize(4 * n);
  // Three columns of E at a time, one in each coordinate.
  for (int first = 0; first < count; first += 3) {
    const int here = std::min(3, count - first);
    for (int k = 0; k < here; ++k) load_[4 * std::size_t(springs_[first + k].place) + k] = 1;
    plain_solve(load_.data(), answer_.data(), pool);
    for (int k = 0; k < here; ++k) {
      load_[4 * std::size_t(springs_[first + k].place) + k] = 0;
      for (std::size_t i = 0; i < n; ++i) response_[(first + k) * n + i] = answer_[4 * i + k];
    }
  }
  Small matrix(count, count);
  for (int r = 0; r < count; ++r)
    for (int c = 0; c < count; ++c)
      matrix(r, c) = 0.5 * (response_[c * n + springs_[r].place] + response_[r * n + springs_[c].place]) +
                     (r == c ? 1 / springs_[r].stiffness : 0);
  const Eigen::LLT<Small> factor(matrix);
  if (factor.info() != Eigen::Success) {
    spring_count_ = 0;
    return "the springs of the grabs leave no solvable system: fewer or softer grabs are needed";
  }
  small_inverse_ = factor.solve(Small::Identity(count, count));
  return {};
}

std::optional<double> LinearSystem::solve(const float* b, float* z, Pool& pool) {
  if (spring_count_ == 0) return plain_solve(b, z, pool);
  using Few = Eigen::Matrix<double, Eigen::Dynamic, 3, 0, max_grabs, 3>;
  Few own(spring_count_, 3), pull(spring_count_, 3);  // C^-1 e; E^T y
  std::copy(b, b + 4 * std::size_t(free_), load_.begin());
  for (int r = 0; r < spring_count_; ++r)
    for (int k = 0; k < 3; ++k) {
      float& load = load_[4 * std::size_t(springs_[r].place) + k];
      own(r, k) = load / springs_[r].stiffness;
      load = 0;
    }
  plain_solve(load_.data(), z, pool);
  for (int r = 0; r < spring_count_; ++r)
    for (int k = 0; k < 3; ++k) pull(r, k) = z[4 * std::size_t(springs_[r].place) + k];
  const Few s = small_inverse_ * (pull - own);
  for (int c = 0; c < spring_count_; ++c) {
    const float* y = response_.data() + c * std::size_t(free_);
    const float sx = float(s(c, 0)), sy = float(s(c, 1)), sz = float(s(c, 2));
    for (Index i = 0; i < free_; ++i) {
      z[4 * i] -= y[i] * sx;
      z[4 * i + 1] -= y[i] * sy;
      z[4 * i + 2] -= y[i] * sz;
    }
  }
  for (int r = 0; r < spring_count_; ++r)
    for (int k = 0; k < 3; ++k)
      z[4 * std::size_t(springs_[r].place) + k] = float(own(r, k) + s(r, k) / springs_[r].stiffness);
  return std::nullopt;
}

std::size_t LinearSystem::bytes_per_solve() const {
  if (free_ == 0) return 0;
  return direct_ ? factor_.bytes_per_solve() : cycle_.bytes_per_apply();
}

std::size_t LinearSystem::working_set() const {
  if (free_ == 0) return 0;
  return direct_ ? factor_.bytes_per_solve() / 2 : cycle_.memory_bytes();  // panels are read twice a solve
}

std::size_t LinearSystem::memory_bytes() const {
  const std::size_t solver = free_ == 0 ? 0 : direct_ ? factor_.memory_bytes() : cycle_.memory_bytes();
  return solver + sizeof(float) * (response_.size() + load_.size() + answer_.size());
}

}  // namespace pliant::geometric
