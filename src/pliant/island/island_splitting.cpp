// SPDX-License-Identifier: Apache-2.0
#include "pliant/island/island_splitting.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <Eigen/SparseCholesky>
#include <algorithm>
#include <cmath>
#include <limits>

namespace pliant {
namespace {

constexpr double rho_share = 0.1;        // k: R over W_cc
constexpr double over_relaxation = 1.6;  // a
constexpr int residual_every = 5;        // iterations between two residuals
constexpr Index most_split_rows = 3000, most_dense_rows = 1000;
constexpr Index few_rows = 150;  // dense is faster
constexpr double filled = 0.4;   // share of entries that are not 0, above which it is, too

/// P with P w = w x lever.
Mat3 turning_of(const Vec3& lever) {
  Mat3 p;
  p << 0, lever.z(), -lever.y(), -lever.z(), 0, lever.x(), lever.y(), -lever.x(), 0;
  return p;
}

}  // namespace

struct IslandSplitting::Sparse {
  std::vector<Eigen::Triplet<double>> entries;
  Eigen::SparseMatrix<double> s, shifted;
  Eigen::SimplicialLLT<Eigen::SparseMatrix<double>> factor;
};

IslandSplitting::IslandSplitting() : sparse_(std::make_unique<Sparse>()) {}
IslandSplitting::~IslandSplitting() = default;
IslandSplitting::IslandSplitting(IslandSplitting&&) noexcept = default;
IslandSplitting& IslandSplitting::operator=(IslandSplitting&&) noexcept = default;

bool IslandSplitting::prepare(std::span<const IslandRow> rows, std::span<const IslandPart> parts,
                              std::span<const double> rho) {
  if (known_) return works_;
  known_ = true;
  works_ = std::none_of(parts.begin(), parts.end(),
                        [](const IslandPart& p) { return p.problem->dense_response(); });
  row_.clear();
  place_.assign(rows.size(), -1);
  for (std::size_t c = 0; c < rows.size(); ++c)
    if (rho[c] > 0) {
      place_[c] = Index(row_.size());
      row_.push_back(Index(c));
    }
  works_ = works_ && !row_.empty() && Index(row_.size()) <= most_split_rows;
  if (!works_) return false;
  weight_.resize(Eigen::Index(row_.size()));
  for (std::size_t k = 0; k < row_.size(); ++k)
    weight_[Eigen::Index(k)] = rho_share * rho[std::size_t(row_[k])];
  double entries = 0;
  for (const IslandPart& p : parts) entries += double(p.problem->size()) * double(p.problem->size());
  const Index m = Index(row_.size());
  is_sparse_ = m > few_rows && entries < filled * double(m) * double(m);
  if (!is_sparse_ && m > most_dense_rows) return works_ = false;
  add_up(rows, parts);
  add_turning(rows, parts);
  factor();
  return works_;
}

void IslandSplitting::add_up(std::span<const IslandRow> rows, std::span<const IslandPart> parts) {
  row_of_.resize(std::max(row_of_.size(), parts.size()));
  for (std::size_t p = 0; p < parts.size(); ++p) row_of_[p].assign(std::size_t(parts[p].problem->size()), -1);
  for (std::size_t c = 0; c < rows.size(); ++c)
    for (const IslandShare& share_of : rows[c].shares)
      if (share_of.part >= 0) row_of_[std::size_t(share_of.part)][std::size_t(share_of.contact)] = place_[c];
  const Eigen::Index m = Eigen::Index(row_.size());
  s_.setZero(is_sparse_ ? 0 : m, is_sparse_ ? 0 : m);
  sparse_->entries.clear();
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const ContactProblem& problem = *parts[p].problem;
    for (Index c = 0; c < problem.size(); ++c)
      for (Index d = 0; d < problem.size(); ++d) {
        const Index i = row_of_[p][std::size_t(c)], j = row_of_[p][std::size_t(d)];
        if (i < 0 || j < 0) continue;
        const double value = double(problem.s(c, d));
        if (is_sparse_)
          sparse_->entries.emplace_back(int(j), int(i), value);
        else
          s_(j, i) += value;
      }
  }
  if (!is_sparse_) return;
  sparse_->s.resize(m, m);
  sparse_->s.setFromTriplets(sparse_->entries.begin(), sparse_->entries.end());
}

void IslandSplitting::add_turning(std::span<const IslandRow> rows, std::span<const IslandPart> parts) {
  std::vector<std::pair<std::size_t, Index>> turns;  // part of the island, part of the body
  // Columns of a part: as it turns, the method's idea of that, and as it swells.
  const bool swells = std::any_of(parts.begin(), parts.end(), [](const IslandPart& p) {
    for (Index k = 0; k < p.problem->parts(); ++k)
      if (p.problem->part(k).inverse_swell > 0) return true;
    return false;
  });
  const Eigen::Index of_part = swells ? 7 : 6;
  const auto column_of = [&](std::size_t p, Index part) -> Eigen::Index {
    for (std::size_t k = 0; k < turns.size(); ++k)
      if (turns[k] == std::pair(p, part)) return of_part * Eigen::Index(k);
    return -1;
  };
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const ContactProblem& problem = *parts[p].problem;
    if (!problem.has_parts()) continue;
    for (Index c = 0; c < problem.size(); ++c)
      if (column_of(p, problem.row(c).part) < 0) turns.push_back({p, problem.row(c).part});
  }
  const Eigen::Index columns = of_part * Eigen::Index(turns.size());
  for (Matrix& axis : turning_) axis.setZero(Eigen::Index(row_.size()), columns);
  middle_.setZero(columns, columns);
  for (std::size_t k = 0; k < turns.size(); ++k) {
    const auto& [p, part] = turns[k];
    const ContactProblem::Part& of_body = parts[p].problem->part(part);
    const Eigen::Index at = of_part * Eigen::Index(k);
    middle_.block<3, 3>(at, at) = of_body.inverse_inertia;
    middle_.block<3, 3>(at + 3, at + 3) = -of_body.inverse_shadow;
    if (swells) middle_(at + 6, at + 6) = -of_body.inverse_swell;
  }
  for (std::size_t k = 0; k < row_.size(); ++k)
    for (const IslandShare& share_of : rows[std::size_t(row_[k])].shares) {
      if (share_of.part < 0) continue;
      const ContactProblem& problem = *parts[std::size_t(share_of.part)].problem;
      if (!problem.has_parts()) continue;
      const ContactProblem::Row& row = problem.row(share_of.contact);
      const Eigen::Index column = column_of(std::size_t(share_of.part), row.part);
      const Mat3 rigid = turning_of(row.lever), shadow = turning_of(row.shadow);
      for (int axis = 0; axis < 3; ++axis) {
        turning_[std::size_t(axis)].row(Eigen::Index(k)).segment<3>(column) += rigid.row(axis);
        turning_[std::size_t(axis)].row(Eigen::Index(k)).segment<3>(column + 3) += shadow.row(axis);
        if (swells) turning_[std::size_t(axis)](Eigen::Index(k), column + 6) += row.swell[axis];
      }
    }
}

void IslandSplitting::factor() {
  if (is_sparse_) {
    sparse_->shifted = sparse_->s;
    sparse_->shifted.diagonal() += weight_;
    sparse_->factor.compute(sparse_->shifted);
    works_ = sparse_->factor.info() == Eigen::Success;
    if (!works_) return;
  } else {
    load_ = s_;
    load_.diagonal() += weight_;
    const Eigen::LLT<Eigen::Ref<Matrix>> factor(load_);
    inverse_.setIdentity(s_.rows(), s_.cols());
    factor.solveInPlace(inverse_);
    works_ = inverse_.allFinite();
  }
  woodbury_.setIdentity(middle_.rows(), middle_.cols());
  for (std::size_t axis = 0; axis < 3; ++axis) {
    solve_scalar(turning_[axis], answered_[axis]);
    torque_.noalias() = turning_[axis].transpose() * answered_[axis];
    woodbury_.noalias() += middle_ * torque_;
  }
  if (middle_.size() > 0) woodbury_ = woodbury_.partialPivLu().solve(middle_).eval();
  works_ = works_ && woodbury_.allFinite();
}

void IslandSplitting::solve_scalar(const Matrix& b, Matrix& out) const {
  if (is_sparse_)
    out = sparse_->factor.solve(b);
  else
    out.noalias() = inverse_ * b;
}

void IslandSplitting::answer(const Matrix& b, Matrix& out) {
  solve_scalar(b, out);
  if (middle_.size() == 0) return;
  torque_.setZero(middle_.rows(), 1);
  for (int axis = 0; axis < 3; ++axis)
    torque_.noalias() += turning_[std::size_t(axis)].transpose() * out.col(axis);
  turn_.noalias() = woodbury_ * torque_;
  for (int axis = 0; axis < 3; ++axis) out.col(axis).noalias() -= answered_[std::size_t(axis)] * turn_;
}

void IslandSplitting::respond(const Matrix& r, Matrix& out) {
  if (is_sparse_)
    out.noalias() = sparse_->s * r;
  else
    out.noalias() = s_ * r;
  if (middle_.size() == 0) return;
  torque_.setZero(middle_.rows(), 1);
  for (int axis = 0; axis < 3; ++axis)
    torque_.noalias() += turning_[std::size_t(axis)].transpose() * r.col(axis);
  turn_.noalias() = middle_ * torque_;
  for (int axis = 0; axis < 3; ++axis) out.col(axis).noalias() += turning_[std::size_t(axis)] * turn_;
}

double IslandSplitting::residual(std::span<const IslandRow> rows, std::span<const double> rho) {
  respond(z_, u_);
  u_ += f_;
  double largest = 0;
  for (std::size_t k = 0; k < row_.size(); ++k) {
    const IslandRow& row = rows[std::size_t(row_[k])];
    const double scale = rho[std::size_t(row_[k])];
    const Vec3 z = z_.row(Eigen::Index(k)), u = u_.row(Eigen::Index(k));
    largest = std::max(largest, scale * (on_cone(z - u / scale, row.normal, row.friction) - z).norm());
  }
  return largest;
}

std::optional<IslandOutcome> IslandSplitting::solve(std::span<IslandRow> rows,
                                                    std::span<const IslandPart> parts,
                                                    std::span<const double> rho, int most, double tolerance) {
  if (!prepare(rows, parts, rho)) return std::nullopt;
  const Eigen::Index m = Eigen::Index(row_.size());
  for (Matrix* matrix : {&f_, &z_, &y_, &r_, &u_}) matrix->resize(m, 3);
  for (Eigen::Index k = 0; k < m; ++k) {
    const IslandRow& row = rows[std::size_t(row_[std::size_t(k)])];
    f_.row(k) = row.free + row.bias * row.normal;
    z_.row(k) = row.impulse;
  }
  IslandOutcome outcome;
  outcome.residual = residual(rows, rho);
  y_ = -(weight_.cwiseInverse().asDiagonal() * u_);
  best_ = z_;
  double least = outcome.residual;
  while (outcome.sweeps < most && least >= tolerance) {
    load_.noalias() = weight_.asDiagonal() * (z_ - y_);
    load_ -= f_;
    answer(load_, r_);
    for (Eigen::Index k = 0; k < m; ++k) {
      const IslandRow& row = rows[std::size_t(row_[std::size_t(k)])];
      const Vec3 over = over_relaxation * r_.row(k) + (1 - over_relaxation) * z_.row(k), y = y_.row(k);
      const Vec3 z = on_cone(over + y, row.normal, row.friction);
      z_.row(k) = z;
      y_.row(k) = y + over - z;
    }
    if (++outcome.sweeps % residual_every != 0) continue;
    outcome.residual = residual(rows, rho);
    if (!(outcome.residual < least)) continue;
    least = outcome.residual;
    best_ = z_;
  }
  for (Eigen::Index k = 0; k < m; ++k) rows[std::size_t(row_[std::size_t(k)])].impulse = best_.row(k);
  outcome.residual = least;
  return outcome;
}

}  // namespace pliant
