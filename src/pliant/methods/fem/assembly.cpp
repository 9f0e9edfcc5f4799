// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/fem/assembly.hpp"

#include <algorithm>
#include <cmath>

namespace pliant::fem {
namespace {

constexpr int elements_at_once = 256, nodes_at_once = 64;

}  // namespace

void Assembly::arrange(const Model& model, const std::vector<unsigned char>& held, BlockGradients& matrix) {
  const Index nodes = model.carriers(), corners = model.corners;
  free_.clear();
  place_.assign(nodes, -1);
  for (Index i = 0; i < nodes; ++i)
    if (!held[i]) place_[i] = Index(free_.size()), free_.push_back(i);

  lower_.clear();
  upper_.clear();
  share_.clear();
  lower_begin_.assign(1, 0);
  share_begin_.assign(1, 0);
  struct Share {
    Index column, code;
    bool operator<(const Share& o) const { return column != o.column ? column < o.column : code < o.code; }
  };
  std::vector<Share> row;
  BlockPattern pattern;
  // upper_ of a block that its own row has not reached yet waits for it: one list a row.
  std::vector<std::vector<std::pair<Index, Index>>> waiting(free_.size());
  for (Index k = 0; k < Index(free_.size()); ++k) {
    row.clear();
    for (Index n = model.begin[free_[k]]; n < model.begin[free_[k] + 1]; ++n) {
      const Index element = model.corner[n] / corners, a = model.corner[n] % corners;
      for (Index b = 0; b < corners; ++b)
        if (const Index column = place_[model.node[corners * element + b]]; column >= 0)
          row.push_back({column, corners * (corners * element + a) + b});
    }
    std::sort(row.begin(), row.end());
    for (std::size_t n = 0; n < row.size(); ++n) {
      const Index column = row[n].column;
      if (column <= k) share_.push_back(row[n].code);
      if (n + 1 < row.size() && row[n + 1].column == column) continue;
      const Index at = Index(pattern.column.size());
      pattern.column.push_back(column);
      if (column > k) {
        waiting[column].push_back({k, at});
        continue;
      }
      lower_.push_back(at);
      upper_.push_back(at);
      if (column < k)
        for (const auto& [from, place] : waiting[k])
          if (from == column) upper_.back() = place;
      share_begin_.push_back(Index(share_.size()));
    }
    lower_begin_.push_back(Index(lower_.size()));
    pattern.begin.push_back(Index(pattern.column.size()));
  }
  matrix.arrange(std::move(pattern));
  corner_force_.resize(3 * model.node.size());
  turned_.resize(3 * model.node.size());
}

void Assembly::visit(const Model& model, const Points& x, const Points& v, double drag, Rotations& rotations,
                     Pool& pool) {
  const std::size_t corners = std::size_t(model.corners);
  for_blocks(pool, model.elements(), elements_at_once, [&](int begin, int end) {
    for (int e = begin; e < end; ++e) {
      const Element element = model.element(e);
      const Mat3 f = deformation_gradient(element, x);
      rotations[e] = rotation(model, e, f, rotations[e]);
      const Mat3 r = rotations[e].toRotationMatrix();
      Mat3 strain = symmetric(r.transpose() * f) - Mat3::Identity();
      if (drag > 0) strain += drag * symmetric(r.transpose() * deformation_gradient(element, v));
      const Mat3 p = element.weight * r * stress(model, strain);
      const double root = std::sqrt(element.weight);
      const std::size_t first = 3 * corners * std::size_t(e);
      for (std::size_t a = 0; a < corners; ++a) {
        Eigen::Map<Vec3>(&corner_force_[first + 3 * a]).noalias() = p * element.gradient[a];
        Eigen::Map<Vec3>(&turned_[first + 3 * a]).noalias() = r * (root * element.gradient[a]);
      }
    }
  });
}

void Assembly::gather_forces(const Model& model, std::span<Vec3> out, Pool& pool) const {
  for_blocks(pool, int(free_.size()), nodes_at_once, [&](int begin, int end) {
    for (int k = begin; k < end; ++k) {
      Vec3 sum = Vec3::Zero();
      for (Index n = model.begin[free_[k]]; n < model.begin[free_[k] + 1]; ++n)
        sum += Eigen::Map<const Vec3>(&corner_force_[3 * std::size_t(model.corner[n])]);
      out[k] = sum;
    }
  });
}

void Assembly::gather_blocks(const Model& model, double factor, BlockGradients& matrix, Pool& pool) const {
  const double lambda = factor * model.lambda, mu = factor * model.mu;
  const int shift = model.corners == 4 ? 2 : 3;
  const Index mask = model.corners - 1;
  for_blocks(pool, int(free_.size()), nodes_at_once, [&](int begin, int end) {
    for (Index k = lower_begin_[begin]; k < lower_begin_[end]; ++k) {
      Mat3 p = Mat3::Zero();
      for (Index n = share_begin_[k]; n < share_begin_[k + 1]; ++n) {
        const Index a = share_[n] >> shift, b = (a & ~mask) | (share_[n] & mask);
        p.noalias() += Eigen::Map<const Vec3>(&turned_[3 * std::size_t(a)]) *
                       Eigen::Map<const Vec3>(&turned_[3 * std::size_t(b)]).transpose();
      }
      Mat3 block = lambda * p + mu * p.transpose();
      block.diagonal().array() += mu * p.trace();
      Eigen::Map<Mat3>(matrix.block(upper_[k])) = block.transpose();
      Eigen::Map<Mat3>(matrix.block(lower_[k])) = block;
    }
  });
}

std::size_t Assembly::bytes_per_visit(const Model& model) const {
  const std::size_t elements = model.weight.size(), corner = 3 * sizeof(double), corners = model.node.size();
  const std::size_t visited =
      elements * (model.element_bytes() + 2 * sizeof(Eigen::Quaterniond)) + 3 * corners * corner;
  const std::size_t forces = corners * (sizeof(Index) + corner) + free_.size() * corner;
  return visited + forces + share_.size() * (sizeof(Index) + 2 * corner);
}

std::size_t Assembly::memory_bytes() const {
  return sizeof(Index) * (2 * free_.size() + 3 * lower_.size() + share_.size()) +
         sizeof(double) * (corner_force_.size() + turned_.size());
}

}  // namespace pliant::fem
