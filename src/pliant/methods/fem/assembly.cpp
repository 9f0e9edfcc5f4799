// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/fem/assembly.hpp"

#include <algorithm>
#include <cmath>

namespace pliant::fem {
namespace {

constexpr int tets_at_once = 256, nodes_at_once = 64;

}  // namespace

void Assembly::arrange(const Model& model, const std::vector<unsigned char>& held) {
  const Index nodes = model.nodes();
  free_.clear();
  place_.assign(nodes, -1);
  for (Index i = 0; i < nodes; ++i)
    if (!held[i]) place_[i] = Index(free_.size()), free_.push_back(i);

  pattern_ = {};
  share_begin_.assign(1, 0);
  share_.clear();
  struct Share {
    Index column, code;
    bool operator<(const Share& o) const { return column != o.column ? column < o.column : code < o.code; }
  };
  std::vector<Share> row;
  for (std::size_t k = 0; k < free_.size(); ++k) {
    row.clear();
    for (Index n = model.begin[free_[k]]; n < model.begin[free_[k] + 1]; ++n) {
      const Index tet = model.corner[n] / 4, a = model.corner[n] % 4;
      for (Index b = 0; b < 4; ++b)
        if (const Index column = place_[model.tets[tet].node[b]]; column >= 0 && column <= Index(k))
          row.push_back({column, 16 * tet + 4 * a + b});
    }
    std::sort(row.begin(), row.end());
    for (std::size_t n = 0; n < row.size(); ++n) {
      share_.push_back(row[n].code);
      if (n + 1 < row.size() && row[n + 1].column == row[n].column) continue;
      pattern_.column.push_back(row[n].column);
      share_begin_.push_back(Index(share_.size()));
    }
    pattern_.begin.push_back(Index(pattern_.column.size()));
  }
  blocks_.assign(9 * pattern_.column.size(), 0);
  corner_force_.resize(12 * model.tets.size());
  turned_.resize(12 * model.tets.size());
}

void Assembly::visit(const Model& model, const Points& x, const Points& v, double drag, Rotations& rotations,
                     Pool& pool) {
  for_blocks(pool, int(model.tets.size()), tets_at_once, [&](int begin, int end) {
    for (int e = begin; e < end; ++e) {
      const Tet& tet = model.tets[e];
      const Mat3 f = deformation_gradient(tet, x);
      rotations[e] = rotation(model, f, rotations[e]);
      const Mat3 r = rotations[e].toRotationMatrix();
      Mat3 strain = symmetric(r.transpose() * f) - Mat3::Identity();
      if (drag > 0) strain += drag * symmetric(r.transpose() * deformation_gradient(tet, v));
      const Mat3 p = tet.weight * r * stress(model, strain);
      const double root = std::sqrt(tet.weight);
      for (int a = 0; a < 4; ++a) {
        Eigen::Map<Vec3>(&corner_force_[12 * std::size_t(e) + 3 * a]).noalias() = p * tet.gradient[a];
        Eigen::Map<Vec3>(&turned_[12 * std::size_t(e) + 3 * a]).noalias() = r * (root * tet.gradient[a]);
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

void Assembly::gather_blocks(const Model& model, double factor, Pool& pool) {
  const double lambda = factor * model.lambda, mu = factor * model.mu;
  for_blocks(pool, int(free_.size()), nodes_at_once, [&](int begin, int end) {
    for (Index k = pattern_.begin[begin]; k < pattern_.begin[end]; ++k) {
      Mat3 p = Mat3::Zero();
      for (Index n = share_begin_[k]; n < share_begin_[k + 1]; ++n) {
        const double* tet = &turned_[12 * std::size_t(share_[n] / 16)];
        p.noalias() += Eigen::Map<const Vec3>(tet + 3 * (share_[n] / 4 % 4)) *
                       Eigen::Map<const Vec3>(tet + 3 * (share_[n] % 4)).transpose();
      }
      Eigen::Map<Eigen::Matrix<double, 3, 3, Eigen::RowMajor>> block(&blocks_[9 * std::size_t(k)]);
      block = lambda * p + mu * p.transpose();
      block.diagonal().array() += mu * p.trace();
    }
  });
}

std::size_t Assembly::bytes_per_visit(const Model& model) const {
  const std::size_t tets = model.tets.size(), corner = 3 * sizeof(double);
  const std::size_t visited = tets * (sizeof(Tet) + 2 * sizeof(Eigen::Quaterniond) + 4 * corner + 8 * corner);
  const std::size_t forces = 4 * tets * (sizeof(Index) + corner) + free_.size() * corner;
  const std::size_t matrix = share_.size() * (sizeof(Index) + 2 * corner) + blocks_.size() * sizeof(double);
  return visited + forces + matrix;
}

std::size_t Assembly::memory_bytes() const {
  return sizeof(Index) * (free_.size() + pattern_.column.size() + share_begin_.size() + share_.size()) +
         sizeof(double) * (blocks_.size() + corner_force_.size() + turned_.size());
}

}  // namespace pliant::fem
