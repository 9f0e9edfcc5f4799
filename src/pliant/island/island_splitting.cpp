// SPDX-License-Identifier: Apache-2.0
#include "pliant/island/island_splitting.hpp"

#include <Eigen/Cholesky>
#include <Eigen/LU>
#include <algorithm>
#include <array>
#include <cmath>
#include <limits>

#include "pliant/base/aligned.hpp"
#include "pliant/island/envelope_factor.hpp"
#include "pliant/math/dense_system.hpp"

namespace pliant {
namespace {

constexpr double rho_share = 0.1;        // k: R over W_cc
constexpr double over_relaxation = 1.6;  // a
constexpr int residual_every = 5;        // iterations between two residuals
constexpr Index most_split_rows = 3000, most_dense_rows = 1000;
constexpr Index few_rows = 200;  // dense is faster
constexpr double filled = 0.4;   // share of entries that are not 0, above which it is, too

/// Of P with P w = w x lever the rows of an axis, side by side for many levers: what three columns have of x, y and z.
void take_along(const Eigen::MatrixXd& levers, int axis, Eigen::Ref<Eigen::MatrixXd> out) {
  const int next = (axis + 1) % 3, last = (axis + 2) % 3;
  out.setZero();
  for (Eigen::Index k = 0; k < levers.cols(); k += 3) {
    out.col(k + next) = levers.col(k + last);
    out.col(k + last) = -levers.col(k + next);
  }
}

}  // namespace

struct IslandSplitting::Work {
  using Matrix = Eigen::MatrixXd;

  bool prepare(std::span<const IslandRow> rows, std::span<const IslandPart> parts,
               std::span<const double> rho);
  /// Rows of the parts, and of each row the first that knows of it.
  void find_envelope(std::span<const IslandRow> rows, std::span<const IslandPart> parts);
  /// S of the rows that impulses move, and R.
  void add_up(std::span<const IslandPart> parts);
  /// U and C.
  void add_turning(std::span<const IslandRow> rows, std::span<const IslandPart> parts);
  void factor();
  /// (S + R)^-1 b.
  void solve_scalar(const Matrix& b, Matrix& out) const;
  /// out = (W + R)^-1 b.
  void answer(const Matrix& b, Matrix& out);
  /// At z, and u there.
  double residual(std::span<const IslandRow> rows, std::span<const IslandPart> parts,
                  std::span<const double> rho);
  IslandOutcome solve(std::span<IslandRow> rows, std::span<const IslandPart> parts,
                      std::span<const double> rho, int most, double tolerance);

  /// Of all matrices: rows beyond the problem's are those of the unit matrix. Contacts come and go, and so this seldom
  /// changes.
  Index size() const { return Index(padded(int(row_.size()))); }

  bool known_ = false, works_ = false;
  std::vector<Index> row_;                  // of the problem, that impulses move
  std::vector<Index> place_;                // of a row of the problem, among those; -1: none
  std::vector<std::vector<Index>> row_of_;  // of a part: the row of each of its contacts
  // S + R and its factor, where many entries are 0; else as panels (math/dense_system.hpp).
  bool is_sparse_ = false;
  std::vector<Index> first_;
  EnvelopeFactor envelope_;
  AlignedVector<double> lower_;
  mutable AlignedVector<double> column_;              // scratch of a solve
  std::vector<std::pair<std::size_t, Index>> turns_;  // part of the island, part of the body
  bool swells_ = false;
  std::array<Matrix, 3> swelling_;   // how rows move with the volume of the parts, by axis
  Matrix levers_, shadows_, grown_;  // of the parts that turn; (S + R)^-1 times these; products of both
  Eigen::PartialPivLU<Matrix> lu_;
  std::array<Matrix, 3> turning_, answered_;  // U and (S + R)^-1 U, by axis
  Matrix middle_, woodbury_;                  // C, (1 + C U^T (S + R)^-1 U)^-1 C
  Eigen::VectorXd weight_;                    // R
  Matrix f_, r_, z_, y_, u_, load_, torque_, turn_, best_;
};

IslandSplitting::IslandSplitting() : work_(std::make_unique<Work>()) {}
IslandSplitting::~IslandSplitting() = default;
IslandSplitting::IslandSplitting(IslandSplitting&&) noexcept = default;
IslandSplitting& IslandSplitting::operator=(IslandSplitting&&) noexcept = default;

void IslandSplitting::forget() { work_->known_ = false; }

bool IslandSplitting::Work::prepare(std::span<const IslandRow> rows, std::span<const IslandPart> parts,
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
  weight_.setOnes(size());
  for (std::size_t k = 0; k < row_.size(); ++k)
    weight_[Eigen::Index(k)] = rho_share * rho[std::size_t(row_[k])];
  find_envelope(rows, parts);
  const Index m = size();
  is_sparse_ = m > few_rows && EnvelopeFactor::size(first_) < filled / 2 * double(m) * double(m);
  if (!is_sparse_ && m > most_dense_rows) return works_ = false;
  add_up(parts);
  add_turning(rows, parts);
  factor();
  return works_;
}

void IslandSplitting::Work::find_envelope(std::span<const IslandRow> rows,
                                          std::span<const IslandPart> parts) {
  row_of_.resize(std::max(row_of_.size(), parts.size()));
  for (std::size_t p = 0; p < parts.size(); ++p) row_of_[p].assign(std::size_t(parts[p].problem->size()), -1);
  for (std::size_t c = 0; c < rows.size(); ++c)
    for (const IslandShare& share_of : rows[c].shares)
      if (share_of.part >= 0) row_of_[std::size_t(share_of.part)][std::size_t(share_of.contact)] = place_[c];
  first_.resize(std::size_t(size()));
  for (std::size_t k = 0; k < first_.size(); ++k) first_[k] = Index(k);
  for (std::size_t p = 0; p < parts.size(); ++p) {
    Index low = Index(row_.size());
    for (const Index k : row_of_[p])
      if (k >= 0) low = std::min(low, k);
    for (const Index k : row_of_[p])
      if (k >= 0) first_[std::size_t(k)] = std::min(first_[std::size_t(k)], low);
  }
}

void IslandSplitting::Work::add_up(std::span<const IslandPart> parts) {
  const int m = int(size()), wide = m;
  if (is_sparse_)
    envelope_.reset(first_);
  else
    lower_.assign(panel_size(m, wide), 0);
  const auto add = [&](Index i, Index j, double value) {
    (is_sparse_ ? envelope_.at(i, j) : lower_[in_panels(i, j, wide)]) += value;
  };
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const ContactProblem& problem = *parts[p].problem;
    for (Index c = 0; c < problem.size(); ++c)
      for (Index d = 0; d < problem.size(); ++d) {
        const Index i = row_of_[p][std::size_t(c)], j = row_of_[p][std::size_t(d)];
        if (j >= 0 && i >= j) add(i, j, problem.scalar(c, d));
      }
  }
  for (int k = 0; k < m; ++k) add(k, k, weight_[k]);
}

void IslandSplitting::Work::add_turning(std::span<const IslandRow> rows, std::span<const IslandPart> parts) {
  turns_.clear();
  swells_ = std::any_of(parts.begin(), parts.end(), [](const IslandPart& p) {
    for (Index k = 0; k < p.problem->parts(); ++k)
      if (p.problem->part(k).inverse_swell > 0) return true;
    return false;
  });
  const auto column_of = [&](std::size_t p, Index part) -> Eigen::Index {
    for (std::size_t k = 0; k < turns_.size(); ++k)
      if (turns_[k] == std::pair(p, part)) return Eigen::Index(6 * k);
    return -1;
  };
  for (std::size_t p = 0; p < parts.size(); ++p) {
    const ContactProblem& problem = *parts[p].problem;
    if (!problem.has_parts()) continue;
    for (Index c = 0; c < problem.size(); ++c)
      if (column_of(p, problem.row(c).part) < 0) turns_.push_back({p, problem.row(c).part});
  }
  // Columns of a part: as it turns and the method's idea of that, six; behind those of all parts as they swell.
  const Eigen::Index turning = Eigen::Index(6 * turns_.size());
  const Eigen::Index swelling = swells_ ? Eigen::Index(turns_.size()) : 0, columns = turning + swelling;
  levers_.setZero(size(), turning);
  for (Matrix& axis : swelling_) axis.setZero(size(), swelling);
  middle_.setZero(columns, columns);
  for (std::size_t k = 0; k < turns_.size(); ++k) {
    const auto& [p, part] = turns_[k];
    const ContactProblem::Part& of_body = parts[p].problem->part(part);
    const Eigen::Index at = Eigen::Index(6 * k);
    middle_.block<3, 3>(at, at) = of_body.inverse_inertia;
    middle_.block<3, 3>(at + 3, at + 3) = -of_body.inverse_shadow;
    if (swells_) middle_(turning + Eigen::Index(k), turning + Eigen::Index(k)) = -of_body.inverse_swell;
  }
  for (std::size_t k = 0; k < row_.size(); ++k)
    for (const IslandShare& share_of : rows[std::size_t(row_[k])].shares) {
      if (share_of.part < 0) continue;
      const ContactProblem& problem = *parts[std::size_t(share_of.part)].problem;
      if (!problem.has_parts()) continue;
      const ContactProblem::Row& row = problem.row(share_of.contact);
      const Eigen::Index column = column_of(std::size_t(share_of.part), row.part);
      levers_.row(Eigen::Index(k)).segment<3>(column) += row.lever;
      levers_.row(Eigen::Index(k)).segment<3>(column + 3) += row.shadow;
      for (int axis = 0; swells_ && axis < 3; ++axis)
        swelling_[std::size_t(axis)](Eigen::Index(k), column / 6) += row.swell[axis];
    }
}

void IslandSplitting::Work::factor() {
  works_ = is_sparse_ ? envelope_.factor() : pliant::factor(int(size()), lower_.data());
  if (!works_) return;
  woodbury_.setIdentity(middle_.rows(), middle_.cols());
  solve_scalar(levers_, shadows_);
  const Eigen::Index turning = levers_.cols(), swelling = swelling_[0].cols();
  for (std::size_t axis = 0; axis < 3; ++axis) {
    turning_[axis].resize(size(), turning + swelling);
    answered_[axis].resize(size(), turning + swelling);
    take_along(levers_, int(axis), turning_[axis].leftCols(turning));
    take_along(shadows_, int(axis), answered_[axis].leftCols(turning));
    if (!swells_) continue;
    turning_[axis].rightCols(swelling) = swelling_[axis];
    solve_scalar(swelling_[axis], grown_);
    answered_[axis].rightCols(swelling) = grown_;
    grown_.noalias() = turning_[axis].transpose() * answered_[axis];
    woodbury_.noalias() += middle_ * grown_;
  }
  // U^T (S + R)^-1 U in blocks: with G = L^T (S + R)^-1 L of the levers the sum over the axes is tr(G) 1 - G^T.
  if (!swells_) grown_.noalias() = levers_.transpose() * shadows_;
  for (Eigen::Index k = 0; !swells_ && k < turning; k += 3)
    for (Eigen::Index l = 0; l < turning; l += 3) {
      const Mat3 g = grown_.block<3, 3>(k, l);
      const Mat3 of_axes = g.trace() * Mat3::Identity() - g.transpose();
      woodbury_.block<3, 3>(k, l) += middle_.block<3, 3>(k, k) * of_axes;
    }
  if (middle_.size() > 0) {
    lu_.compute(woodbury_);
    woodbury_ = lu_.solve(middle_);
  }
  works_ = works_ && woodbury_.allFinite();
}

void IslandSplitting::Work::solve_scalar(const Matrix& b, Matrix& out) const {
  if (is_sparse_) {
    out = b;
    for (Eigen::Index k = 0; k < out.cols(); ++k) envelope_.solve(out.col(k));
    return;
  }
  out.resize(b.rows(), b.cols());
  column_.resize(std::size_t(size()));
  Eigen::Map<Eigen::VectorXd> column(column_.data(), size());
  for (Eigen::Index k = 0; k < b.cols(); ++k) {
    column = b.col(k);
    pliant::solve(int(size()), lower_.data(), column_.data());
    out.col(k) = column;
  }
}

void IslandSplitting::Work::answer(const Matrix& b, Matrix& out) {
  solve_scalar(b, out);
  if (middle_.size() == 0) return;
  torque_.setZero(middle_.rows(), 1);
  for (int axis = 0; axis < 3; ++axis)
    torque_.noalias() += turning_[std::size_t(axis)].transpose() * out.col(axis);
  turn_.noalias() = woodbury_ * torque_;
  for (int axis = 0; axis < 3; ++axis) out.col(axis).noalias() -= answered_[std::size_t(axis)] * turn_;
}

double IslandSplitting::Work::residual(std::span<const IslandRow> rows, std::span<const IslandPart> parts,
                                       std::span<const double> rho) {
  sum_responses(rows, parts, [&](Index c) -> Vec3 {
    const Index at = place_[std::size_t(c)];
    return at >= 0 ? Vec3(z_.row(at)) : Vec3(Vec3::Zero());
  });
  for (std::size_t k = 0; k < row_.size(); ++k)
    u_.row(Eigen::Index(k)) = response_of(rows[std::size_t(row_[k])], parts);
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
  if (!work_->prepare(rows, parts, rho)) return std::nullopt;
  return work_->solve(rows, parts, rho, most, tolerance);
}

IslandOutcome IslandSplitting::Work::solve(std::span<IslandRow> rows, std::span<const IslandPart> parts,
                                           std::span<const double> rho, int most, double tolerance) {
  const Eigen::Index m = Eigen::Index(row_.size());
  for (Matrix* matrix : {&f_, &z_, &y_, &r_, &u_}) matrix->setZero(size(), 3);
  for (Eigen::Index k = 0; k < m; ++k) {
    const IslandRow& row = rows[std::size_t(row_[std::size_t(k)])];
    f_.row(k) = row.free + row.bias * row.normal;
    z_.row(k) = row.impulse;
  }
  IslandOutcome outcome;
  outcome.residual = residual(rows, parts, rho);
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
    outcome.residual = residual(rows, parts, rho);
    if (!(outcome.residual < least)) continue;
    least = outcome.residual;
    best_ = z_;
  }
  for (Eigen::Index k = 0; k < m; ++k) rows[std::size_t(row_[std::size_t(k)])].impulse = best_.row(k);
  outcome.residual = least;
  return outcome;
}

}  // namespace pliant
