// SPDX-License-Identifier: Apache-2.0
#include "pliant/island/island_problem.hpp"

#include <algorithm>
#include <limits>

#include "pliant/math/anderson.hpp"
#include "pliant/math/symmetric_eigen.hpp"

namespace pliant {
namespace {

constexpr int quick_sweeps = 40;      // of problems that need no splitting
constexpr int plain_sweeps = 6;       // before they are accelerated
constexpr int inner_projections = 4;  // of a row whose block is not a multiple of 1
constexpr double regularisation = 1e-12;
// The change of a sweep is smaller than the natural residual, up to a hundred times: small changes ask for the
// residual, which costs as much as a sweep.
constexpr double asks_residual = 0.3;

}  // namespace

void IslandProblem::prepare(std::span<const Part> parts) {
  parts_ = parts;
  diagonal_.resize(rows_.size());
  rho_.resize(rows_.size());
  for (std::size_t c = 0; c < rows_.size(); ++c) {
    diagonal_[c].setZero();
    for (const Share& share : rows_[c].shares)
      if (share.part >= 0) {
        const Part& part = parts_[std::size_t(share.part)];
        diagonal_[c] += part.problem->block(share.contact, share.contact);
      }
    // Both sides of one body, in two of its rows: u = (W_11 + W_12 + W_21 + W_22) r.
    if (const auto& [a, b] = rows_[c].shares; a.part >= 0 && a.part == b.part) {
      const Part& part = parts_[std::size_t(a.part)];
      const Mat3 mixed = part.problem->block(a.contact, b.contact);
      diagonal_[c] += mixed + mixed.transpose();
    }
    rho_[c] = eigenvalues_in_closed_form(diagonal_[c])[2];
  }
  splitting_.forget();
}

void IslandProblem::sum_response() {
  for (const Row& row : rows_)
    for (const Share& share : row.shares)
      if (share.part >= 0) parts_[std::size_t(share.part)].problem->set_impulse(share.contact, row.impulse);
  for (const Part& part : parts_) part.problem->sum_response();
}

Vec3 IslandProblem::response(Index c) const {
  Vec3 u = Vec3::Zero();
  for (const Share& share : rows_[std::size_t(c)].shares)
    if (share.part >= 0) {
      const Part& part = parts_[std::size_t(share.part)];
      u += part.problem->response(share.contact);
    }
  return u;
}

void IslandProblem::add_impulse(Index c, const Vec3& change) {
  Row& row = rows_[std::size_t(c)];
  row.impulse += change;
  for (const Share& share : row.shares)
    if (share.part >= 0) parts_[std::size_t(share.part)].problem->add_impulse(share.contact, change);
}

void IslandProblem::project() {
  for (Row& row : rows_) row.impulse = on_cone(row.impulse, row.normal, row.friction);
  sum_response();
}

/// One pass over the rows, in place. Returns the largest change, m/s.
double IslandProblem::sweep(double tolerance) {
  const double near = 0.01 * tolerance * tolerance;
  double largest = 0;
  for (Index c = 0; c < size(); ++c) {
    const Row& row = rows_[std::size_t(c)];
    const double rho = rho_[std::size_t(c)];
    if (!(rho > 0)) continue;  // held: no impulse moves it
    const Vec3 before = row.impulse;
    Vec3 u = velocity(c) + row.bias * row.normal, r = before;
    if (row.friction >= 0 && r.isZero(0) && u.dot(row.normal) >= 0) continue;  // open and stays open
    for (int k = 0; k < inner_projections; ++k) {
      const Vec3 next = on_cone(r - u / rho, row.normal, row.friction), step = next - r;
      r = next;
      if (step.squaredNorm() * rho * rho < near) break;
      u += diagonal_[std::size_t(c)].lazyProduct(step);
    }
    const Vec3 change = r - before;
    if (change.isZero(0)) continue;
    largest = std::max(largest, change.norm() * rho);
    add_impulse(c, change);
  }
  return largest;
}

double IslandProblem::residual() const {
  double largest = 0;
  for (Index c = 0; c < size(); ++c) {
    const Row& row = rows_[std::size_t(c)];
    const double rho = rho_[std::size_t(c)];
    if (!(rho > 0)) continue;
    const Vec3 u = velocity(c) + row.bias * row.normal;
    const Vec3 next = on_cone(row.impulse - u / rho, row.normal, row.friction);
    largest = std::max(largest, rho * (next - row.impulse).norm());
  }
  return largest;
}

/// Where nodes answer each for itself a sweep costs next to nothing, and S has nothing to offer.
IslandProblem::Outcome IslandProblem::solve(int most_sweeps, double tolerance) {
  if (std::any_of(parts_.begin(), parts_.end(), [](const Part& p) { return p.problem->local_response(); }))
    return sweep_to(most_sweeps, tolerance);
  Outcome outcome = sweep_to(std::min(most_sweeps, quick_sweeps), tolerance);
  if (outcome.residual < tolerance || outcome.sweeps >= most_sweeps) return outcome;
  before_.clear();
  for (const Row& row : rows_) before_.push_back(row.impulse);
  const std::optional<Outcome> split =
      splitting_.solve(rows_, parts_, rho_, most_sweeps - outcome.sweeps, tolerance);
  if (!split || !(split->residual < outcome.residual)) {
    for (std::size_t c = 0; c < rows_.size(); ++c) rows_[c].impulse = before_[c];
    const int sweeps = outcome.sweeps + (split ? split->sweeps : 0);
    outcome = sweep_to(std::max(quick_sweeps, most_sweeps - sweeps), tolerance);
    outcome.sweeps += sweeps;
    return outcome;
  }
  outcome = {outcome.sweeps + split->sweeps, split->residual};
  sum_response();
  return outcome;
}

IslandProblem::Outcome IslandProblem::sweep_to(int most_sweeps, double tolerance) {
  Outcome outcome;
  if (rows_.empty()) return outcome;
  project();
  const std::size_t length = 3 * rows_.size();
  swept_.resize((window + 1) * length);
  change_.resize((window + 1) * length);
  const auto at = [&](AlignedVector<double>& all, int k) {
    return Eigen::Map<Eigen::VectorXd>(all.data() + std::size_t(k) * length, Eigen::Index(length));
  };
  const auto store = [&](Eigen::Map<Eigen::VectorXd> out) {
    for (std::size_t c = 0; c < rows_.size(); ++c) out.segment<3>(Eigen::Index(3 * c)) = rows_[c].impulse;
  };
  Anderson<window> anderson(regularisation);
  int now = anderson.next();
  double last = std::numeric_limits<double>::infinity();
  while (outcome.sweeps < most_sweeps) {
    store(at(change_, now));
    const double largest = sweep(tolerance);
    ++outcome.sweeps;
    if (largest < asks_residual * tolerance && (outcome.residual = residual()) < tolerance) return outcome;
    if (outcome.sweeps < plain_sweeps || outcome.sweeps == most_sweeps) continue;
    store(at(swept_, now));
    at(change_, now) = at(swept_, now) - at(change_, now);
    if (largest > 2 * last) anderson.forget_earlier();  // another set of contacts
    last = largest;
    if (anderson.known() > 0) {
      const auto f = at(change_, now);
      const bool found = anderson.weigh_differences(
          [&](int a) { return f.dot(f - at(change_, a)); },
          [&](int a, int b) { return (f - at(change_, a)).dot(f - at(change_, b)); });
      if (found) {
        for (int j = 1; j <= anderson.known(); ++j)
          for (std::size_t c = 0; c < rows_.size(); ++c)
            rows_[c].impulse -=
                anderson.theta(j) *
                (at(swept_, now) - at(swept_, anderson.slot(j))).segment<3>(Eigen::Index(3 * c));
        project();
      }
    }
    now = anderson.next();
  }
  outcome.residual = residual();
  return outcome;
}

void IslandProblem::solve_normals(std::span<const double> gap, int sweeps, std::span<double> lengths) {
  std::fill(lengths.begin(), lengths.end(), 0.0);
  const auto put = [&](std::size_t c, const Vec3& r) {
    for (const Share& share : rows_[c].shares)
      if (share.part >= 0) parts_[std::size_t(share.part)].problem->set_impulse(share.contact, r);
  };
  for (std::size_t c = 0; c < rows_.size(); ++c) put(c, Vec3::Zero());
  for (const Part& part : parts_) part.problem->sum_response();
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (std::size_t c = 0; c < rows_.size(); ++c) {
      if (!(rho_[c] > 0) || rows_[c].friction < 0) continue;
      const Vec3& n = rows_[c].normal;
      const double next =
          std::max(0.0, lengths[c] - (gap[c] + n.dot(response(Index(c)))) / n.dot(diagonal_[c] * n));
      if (next == lengths[c]) continue;
      for (const Share& share : rows_[c].shares)
        if (share.part >= 0)
          parts_[std::size_t(share.part)].problem->add_impulse(share.contact, (next - lengths[c]) * n);
      lengths[c] = next;
    }
}

}  // namespace pliant
