// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/holds.hpp"

#include <algorithm>

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
  if (!same) {
    nodes_.resize(count);
    beta_.resize(count);
    targets_.resize(count);
    Points at;
    for (std::size_t k = 0; k < count; ++k) {
      nodes_[k] = node_of(k);
      beta_[k] = beta_of(k);
      // a vertex of the cage is its own coordinate
      const bool point = nodes_[k] < Index(model.nodes.size());
      at.push_back(point ? model.nodes[std::size_t(nodes_[k])] : model.centre);
    }
    value_ = green_coordinates(model.cage, at, Gradients::no).value;
    for (std::size_t k = 0; k < count; ++k)
      if (const Index vertex = nodes_[k] - Index(model.nodes.size()); vertex >= 0) {
        value_.col(Eigen::Index(k)).setZero();
        value_(vertex, Eigen::Index(k)) = 1;
      }
    const Eigen::Map<const Eigen::VectorXd> beta(beta_.data(), Eigen::Index(count));
    stiffness_ = value_ * beta.asDiagonal() * value_.transpose();
    sum_ = value_ * beta;
    pull_.resize(3, model.rows());
  }
  for (std::size_t k = 0; k < count; ++k)
    targets_[k] = k < input.held.size() ? input.targets[k] : input.grabs[k - input.held.size()].target;
}

void Holds::aim(const Mat3& rotation, const Vec3& origin) {
  pull_.setZero();
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    const Eigen::Index at = Eigen::Index(k);
    const Vec3 scaled = beta_[k] * (rotation.transpose() * (targets_[k] - origin));
    for (Eigen::Index r = 0; r < pull_.cols(); ++r) pull_.col(r) += value_(r, at) * scaled;
  }
}

double Holds::energy(const Columns& z, const Vec3& origin) const {
  double sum = 0;
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    Vec3 at = origin - targets_[k];
    for (Eigen::Index r = 0; r < z.cols(); ++r) at += value_(r, Eigen::Index(k)) * z.col(r);
    sum += 0.5 * beta_[k] * at.squaredNorm();
  }
  return sum;
}

}  // namespace pliant::cage
