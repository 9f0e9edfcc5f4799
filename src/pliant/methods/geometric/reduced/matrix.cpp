// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/reduced/matrix.hpp"

#include <Eigen/Cholesky>

namespace pliant::geometric {

ReducedMatrix::ReducedMatrix(const ReducedModel& model) {
  active_.assign(model.basis.pieces.size(), 0);
  matrix_ = inverse_ = Eigen::MatrixXd::Zero(model.columns(), model.columns());
}

std::string ReducedMatrix::prepare(const ReducedModel& model, const Scheme& scheme, const ReducedHolds& holds,
                                   const ReducedSprings& springs, bool& made) {
  made = !(mass_ == scheme.mass && stiffness_ == scheme.stiffness && active_ == holds.active() &&
           springs_ == springs);
  if (!made) return {};
  matrix_ = scheme.mass * model.mass + scheme.stiffness * model.stiffness;
  for (int k = 0; k < springs.count; ++k) {
    const auto row = model.basis.columns.row(springs.list[k].node);
    matrix_ += springs.list[k].stiffness * row.transpose() * row;
  }
  const std::vector<Eigen::Index> unknown = holds.unknown_columns(model);
  const Eigen::Index m = Eigen::Index(unknown.size());
  const Eigen::LLT<Eigen::MatrixXd> factor(Eigen::MatrixXd(matrix_(unknown, unknown)));
  if (factor.info() != Eigen::Success) {
    mass_ = 0;  // of no step
    return "the reduced matrix is not positive definite: stiffness, masses or grabs are beyond "
           "what numbers can hold";
  }
  inverse_.setZero();
  const Eigen::MatrixXd solved = factor.solve(Eigen::MatrixXd::Identity(m, m));
  inverse_(unknown, unknown) = solved;
  mass_ = scheme.mass;
  stiffness_ = scheme.stiffness;
  active_ = holds.active();
  springs_ = springs;
  return {};
}

}  // namespace pliant::geometric
