// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/holds.hpp"

#include <algorithm>
#include <limits>

#include "pliant/geometry/green_coordinates.hpp"

namespace pliant::cage {

void Holds::set(const Model& model, const StepInput& input, double total_stiffness) {
  const std::size_t count = input.held.size() + input.grabs.size();
  const auto beta_of = [&](std::size_t k) {
    if (k >= input.held.size()) return input.grabs[k - input.held.size()].stiffness;
    const double share = input.hold_sizes.empty() ? double(input.held.size()) : double(input.hold_sizes[k]);
    return total_stiffness / share;
  };
  const auto node_of = [&](std::size_t k) {
    return k < input.held.size() ? input.held[k] : input.grabs[k - input.held.size()].node;
  };
  bool same = count == nodes_.size();
  for (std::size_t k = 0; same && k < count; ++k) same = nodes_[k] == node_of(k) && beta_[k] == beta_of(k);
  hard_ = Index(input.held.size());
  const auto target_of = [&](std::size_t k) -> const Vec3& {
    return k < input.held.size() ? input.targets[k] : input.grabs[k - input.held.size()].target;
  };
  if (!same) {
    nodes_.resize(count);
    beta_.resize(count);
    for (std::size_t k = 0; k < count; ++k) nodes_[k] = node_of(k), beta_[k] = beta_of(k);
    make_matrices(model);
  }
  bool moved = false;
  for (std::size_t k = 0; k < count; ++k) {
    moved = moved || targets_[k] != target_of(k);
    targets_[k] = target_of(k);
  }
  if (moved) sum_targets(model.rows());
}

void Holds::make_matrices(const Model& model) {
  const std::size_t count = nodes_.size();
  const Index rows = model.rows();
  ++version_;
  targets_.assign(count, Vec3::Constant(std::numeric_limits<double>::quiet_NaN()));
  weighted_.assign(3 * count, 0.0);
  Points at;
  for (const Index node : nodes_) {
    // a vertex of the cage is its own coordinate
    const bool point = node < Index(model.nodes.size());
    at.push_back(point ? model.nodes[std::size_t(node)] : model.centre);
  }
  Eigen::MatrixXd value = green_coordinates(model.cage, at, Gradients::no).value;
  for (std::size_t k = 0; k < count; ++k)
    if (const Index vertex = nodes_[k] - Index(model.nodes.size()); vertex >= 0) {
      value.col(Eigen::Index(k)).setZero();
      value(vertex, Eigen::Index(k)) = 1;
    }
  const Eigen::Map<const Eigen::VectorXd> beta(beta_.data(), Eigen::Index(count));
  stiffness_ = value * beta.asDiagonal() * value.transpose();
  sum_ = value * beta;
  total_ = beta.sum();
  value_ = blocked(value.transpose());
  stiff_blocks_ = blocked(stiffness_);
  product_.assign(std::size_t((rows + lanes - 1) / lanes) * 3 * lanes, 0.0);
  pull_.resize(3, rows);
  seen_.setZero(3, rows);
}

void Holds::sum_targets(Index rows) {
  const std::size_t count = targets_.size();
  anchor_.setZero();
  for (const Vec3& c : targets_) anchor_ += c / double(count);
  first_.setZero();
  square_ = 0;
  for (std::size_t k = 0; k < count; ++k) {
    const Vec3 c = targets_[k] - anchor_;
    first_ += beta_[k] * c;
    square_ += beta_[k] * c.squaredNorm();
    for (int a = 0; a < 3; ++a) weighted_[3 * k + std::size_t(a)] = beta_[k] * c[a];
  }
  times(value_, Index(count), weighted_.data());
  for (Index r = 0; r < rows; ++r)
    for (int a = 0; a < 3; ++a) seen_(a, r) = product_[std::size_t((r / lanes * 3 + a) * lanes + r % lanes)];
}

/// product_ = z times a matrix of that many rows, as the kernels read it.
void Holds::times(const AlignedVector<double>& blocks, Index rows, const double* z) const {
  const CageKernels<double>& kernel = kernels<double>();
  for (std::size_t b = 0; b * 3 * lanes < product_.size(); ++b)
    kernel.gather(blocks.data() + b * std::size_t(rows) * lanes, int(rows), z,
                  product_.data() + b * 3 * lanes);
}

void Holds::aim(const Mat3& rotation, const Vec3& origin) {
  for (Eigen::Index r = 0; r < pull_.cols(); ++r)
    pull_.col(r) = rotation.transpose() * (seen_.col(r) - sum_[r] * (origin - anchor_));
}

Vec3 Holds::lack(const Columns& z, const Vec3& origin) const {
  Vec3 sum = first_;
  for (Index r = 0; r < Index(z.cols()); ++r) sum -= sum_[r] * z.col(r);
  return anchor_ - origin + sum / total_;
}

double Holds::energy(const Columns& z, const Vec3& origin) const {
  const Vec3 apart = origin - anchor_;
  times(stiff_blocks_, Index(z.cols()), z.data());
  double sum = square_ / 2 - apart.dot(first_) + apart.squaredNorm() * total_ / 2;
  for (Index r = 0; r < Index(z.cols()); ++r) {
    const Vec3 c = seen_.col(r) - sum_[r] * apart;
    for (int a = 0; a < 3; ++a)
      sum += z(a, r) * (product_[std::size_t((r / lanes * 3 + a) * lanes + r % lanes)] / 2 - c[a]);
  }
  return sum;
}

}  // namespace pliant::cage
