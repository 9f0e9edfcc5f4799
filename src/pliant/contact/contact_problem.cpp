// SPDX-License-Identifier: Apache-2.0
#include "pliant/contact/contact_problem.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/base/check.hpp"
#include "pliant/contact/sweep_kernels.hpp"
#include "pliant/math/anderson.hpp"
#include "pliant/math/symmetric_eigen.hpp"

namespace pliant {
namespace {

constexpr int plain_sweeps = 6;       // before they are accelerated
constexpr int inner_projections = 4;  // of a contact whose block is not a multiple of 1
// m/s: a part that turns slower has a torque in proportion. Else a body at rest would lean on it for good, and not on
// its contacts alone.
constexpr double creep = 1e-5;
constexpr double regularisation = 1e-12;  // of the acceleration
constexpr double rounding = 1e-12;        // of the sums in a block of W

/// P with P w = w x lever.
Mat3 turning_of(const Vec3& lever) {
  Mat3 p;
  p << 0, lever.z(), -lever.y(), -lever.z(), 0, lever.x(), lever.y(), -lever.x(), 0;
  return p;
}

/// v without its part along the normal.
Vec3 across(const Vec3& v, const Vec3& normal) { return v - v.dot(normal) * normal; }

/// v, shortened to this length.
Vec3 within(const Vec3& v, double most) {
  const double length = v.norm();
  return length > most ? Vec3(most / length * v) : v;
}

}  // namespace

Vec3 on_cone(const Vec3& r, const Vec3& normal, double friction) {
  if (friction < 0) return r;
  const double along = r.dot(normal);
  if (!(along > 0)) return Vec3::Zero();
  const Vec3 tangent = r - along * normal;
  const double length = tangent.norm(), most = friction * along;
  return along * normal + (length > most ? most / length : 1.0) * tangent;
}

void ContactProblem::resize(Index contacts, Index parts) {
  size_ = contacts;
  stride_ = std::size_t((contacts + sweep_lanes - 1) / sweep_lanes) * sweep_lanes;
  rows_.assign(std::size_t(contacts), {});
  parts_.assign(std::size_t(parts), {});
  turning_.assign(std::size_t(parts), {});
  rolling_.assign(std::size_t(parts), {});
  part_rho_.assign(std::size_t(parts), 0);
  diagonal_.resize(std::size_t(contacts));
  rho_.resize(std::size_t(contacts));
  const std::size_t torques = split_ ? 3 * std::size_t(parts) : 0;
  r_.assign(3 * stride_ + (torques + sweep_lanes - 1) / sweep_lanes * sweep_lanes, 0);
}

void ContactProblem::reset(Index contacts, Index parts, bool split, bool swells) {
  split_ = split;
  swells_ = swells;
  resize(contacts, parts);
  dense_ = local_ = false;
  s_.resize(stride_ * std::size_t(contacts));
}

void ContactProblem::reset_dense(Index contacts) {
  split_ = swells_ = false;
  resize(contacts, 1);
  dense_ = true;
  local_ = false;
  dense_response_.reset(contacts);
}

LocalResponse& ContactProblem::reset_local(Index contacts, std::span<const float> inverse) {
  split_ = swells_ = dense_ = false;
  resize(contacts, 1);
  local_ = true;
  local_response_.reset(inverse);
  return local_response_;
}

void ContactProblem::set_impulse(Index c, const Vec3& r) {
  for (int k = 0; k < 3; ++k) r_[k * stride_ + c] = r[k];
}

Vec3 ContactProblem::torque(Index p) const {
  if (!split_) return Vec3::Zero();
  const double* at = r_.data() + 3 * (stride_ + std::size_t(p));
  return rolling_[std::size_t(p)].reach * Vec3(at[0], at[1], at[2]);
}

void ContactProblem::set_torque(Index p, const Vec3& t) {
  if (!split_) return;
  for (int k = 0; k < 3; ++k)
    r_[3 * (stride_ + std::size_t(p)) + std::size_t(k)] = t[k] / rolling_[std::size_t(p)].reach;
}

Mat3 ContactProblem::block(Index c, Index d) const {
  if (dense_) return dense_response_.block(c, d);
  if (local_) return local_response_.entry(c, d) * Mat3::Identity();
  Mat3 w = double(s(c, d)) * Mat3::Identity();
  const Row &a = rows_[c], &b = rows_[d];
  if (a.part != b.part) return w;
  const Part& part = parts_[a.part];
  if (split_) {
    w += turning_of(a.lever) * part.inverse_inertia * turning_of(b.lever).transpose();
    w -= turning_of(a.shadow) * part.inverse_shadow * turning_of(b.shadow).transpose();
  }
  if (swells_) w -= part.inverse_swell * a.swell * b.swell.transpose();
  return w;
}

void ContactProblem::prepare() {
  positive_ = true;
  for (std::size_t p = 0; split_ && p < parts_.size(); ++p)
    part_rho_[p] = eigenvalues_in_closed_form(parts_[p].inverse_inertia)[2];
  for (Index c = 0; c < size_; ++c) {
    diagonal_[c] = block(c, c);
    rho_[c] = has_parts() || dense_ ? eigenvalues_in_closed_form(diagonal_[c])[2] : diagonal_[c](0, 0);
    // Nothing moves a point on the axis that a body is held on: there W is zero, and may be less by rounding.
    if (split_ && std::abs(rho_[c]) < rounding * rows_[c].lever.squaredNorm() * part_rho_[rows_[c].part])
      rho_[c] = 0;
    positive_ =
        positive_ && (dense_ || rho_[c] >= 0);  // a dense W may overflow: its contacts then have no answer
  }
}

Vec3 ContactProblem::response(Index c) const {
  if (dense_) return dense_response_(c);
  if (local_) return local_response_(c);
  Vec3 u;
  sweep_kernels().row(s_.data() + std::size_t(c) * stride_, r_.data(), r_.data() + stride_,
                      r_.data() + 2 * stride_, int(stride_), u.data());
  if (split_) {
    const Row& row = rows_[c];
    const Turning& turning = turning_[row.part];
    u += turning.rigid.cross(row.lever) - turning.shadow.cross(row.shadow);
  }
  if (swells_) u -= turning_[rows_[c].part].swelling * rows_[c].swell;
  return u;
}

Vec3 ContactProblem::velocity(Index c) const { return rows_[c].free + response(c); }

void ContactProblem::add_impulse(Index c, const Vec3& change) {
  for (int k = 0; k < 3; ++k) r_[k * stride_ + c] += change[k];
  if (dense_) dense_response_.add(c, change);
  if (local_) local_response_.add(c, change);
  const Row& row = rows_[c];
  if (swells_) turning_[row.part].swelling += parts_[row.part].inverse_swell * row.swell.dot(change);
  if (!split_) return;
  turning_[row.part].rigid += parts_[row.part].inverse_inertia.lazyProduct(row.lever.cross(change));
  turning_[row.part].shadow += parts_[row.part].inverse_shadow.lazyProduct(row.shadow.cross(change));
}

void ContactProblem::sum_response() {
  if (dense_) dense_response_.start_from([&](Index c) { return impulse(c); });
  if (local_) local_response_.start_from([&](Index c) { return impulse(c); });
  std::fill(turning_.begin(), turning_.end(), Turning{});
  for (Index c = 0; swells_ && c < size_; ++c)
    turning_[rows_[c].part].swelling += parts_[rows_[c].part].inverse_swell * rows_[c].swell.dot(impulse(c));
  if (!split_) return;
  for (Index c = 0; c < size_; ++c) {
    Turning& sum = turning_[rows_[c].part];
    sum.rigid += rows_[c].lever.cross(impulse(c));
    sum.shadow += rows_[c].shadow.cross(impulse(c));
  }
  for (std::size_t p = 0; p < parts_.size(); ++p) {
    if (rolling_[p].most > 0) turning_[p].rigid += torque(Index(p));
    turning_[p].rigid = (parts_[p].inverse_inertia * turning_[p].rigid).eval();
    turning_[p].shadow = (parts_[p].inverse_shadow * turning_[p].shadow).eval();
  }
}

/// One pass over the contacts, in place. Returns the largest change, m/s.
double ContactProblem::sweep(double tolerance) {
  const int projections = has_parts() || dense_ ? inner_projections : 1;
  const double near = dense_ ? 0 : 0.01 * tolerance * tolerance;
  double residual = 0;
  for (Index c = 0; c < size_; ++c) {
    if (!(rho_[c] > 0)) continue;  // held: no impulse moves it
    const Row& row = rows_[c];
    const Vec3 before = impulse(c);
    Vec3 u = row.free + response(c) + row.bias * row.normal, r = before;
    if (r.isZero(0) && u.dot(row.normal) >= 0) continue;  // open and stays open
    for (int k = 0; k < projections; ++k) {
      const Vec3 next = on_cone(r - u / rho_[c], row.normal, row.friction), step = next - r;
      r = next;
      if (step.squaredNorm() * rho_[c] * rho_[c] < near) break;
      u += diagonal_[c].lazyProduct(step);
    }
    const Vec3 change = r - before;
    residual = std::max(residual, change.norm() * rho_[c]);
    add_impulse(c, change);
  }
  for (Index p = 0; p < parts(); ++p)
    if (rolling_[std::size_t(p)].most > 0) residual = std::max(residual, resist(p));
  return residual;
}

/// As a contact whose block is J^-1 across the normal; creep makes it w + slack t = 0.
double ContactProblem::resist(Index p) {
  const Rolling& rolling = rolling_[std::size_t(p)];
  const Mat3& response = parts_[std::size_t(p)].inverse_inertia;
  const double slack = creep / (rolling.reach * rolling.most), rho = part_rho_[std::size_t(p)] + slack;
  if (!(part_rho_[std::size_t(p)] > 0)) return 0;
  const Vec3 before = torque(p);
  Vec3 t = before, w = turning(p);
  for (int k = 0; k < inner_projections; ++k) {
    const Vec3 next = within(t - (across(w, rolling.normal) + slack * t) / rho, rolling.most),
               step = next - t;
    t = next;
    w += response * step;
  }
  const Vec3 turned = response * (t - before);
  set_torque(p, t);
  turning_[std::size_t(p)].rigid += turned;
  return rolling.reach * turned.norm();
}

/// Anderson's acceleration (math/anderson.hpp) of the sweeps r -> s(r). Where contacts neither open nor close
/// nor begin to slide, s is linear and this takes a root of the sweeps.
void ContactProblem::accelerate(Anderson<window>& anderson, int now) {
  const std::size_t length = r_.size();
  const auto at = [&](const AlignedVector<double>& all, int k) {
    return Eigen::Map<const Eigen::VectorXd>(all.data() + std::size_t(k) * length, Eigen::Index(length));
  };
  const auto f = at(change_, now);
  const bool found =
      anderson.weigh_differences([&](int a) { return f.dot(f - at(change_, a)); },
                                 [&](int a, int b) { return (f - at(change_, a)).dot(f - at(change_, b)); });
  if (!found) return;
  Eigen::Map<Eigen::VectorXd> next(r_.data(), Eigen::Index(length));
  for (int j = 1; j <= anderson.known(); ++j)
    next -= anderson.theta(j) * (at(swept_, now) - at(swept_, anderson.slot(j)));
  project();
}

void ContactProblem::project() {
  for (Index c = 0; c < size_; ++c) set_impulse(c, on_cone(impulse(c), rows_[c].normal, rows_[c].friction));
  for (Index p = 0; p < parts(); ++p)
    if (const Rolling& rolling = rolling_[std::size_t(p)]; rolling.most > 0)
      set_torque(p, within(across(torque(p), rolling.normal), rolling.most));
  sum_response();
}

ContactProblem::Outcome ContactProblem::solve(int most_sweeps, double tolerance) {
  project();
  Outcome outcome;
  const std::size_t length = r_.size();
  swept_.resize((window + 1) * length);
  change_.resize((window + 1) * length);
  Anderson<window> anderson(regularisation);
  int now = anderson.next();
  double last = std::numeric_limits<double>::infinity();
  while (outcome.sweeps < most_sweeps) {
    double* change = change_.data() + std::size_t(now) * length;
    std::copy(r_.begin(), r_.end(), change);
    outcome.residual = sweep(tolerance);
    ++outcome.sweeps;
    if (outcome.residual < tolerance) break;
    if (dense_ || outcome.sweeps < plain_sweeps || outcome.sweeps == most_sweeps) continue;
    for (std::size_t k = 0; k < length; ++k) change[k] = r_[k] - change[k];
    std::copy(r_.begin(), r_.end(), swept_.begin() + std::ptrdiff_t(std::size_t(now) * length));
    if (outcome.residual > 2 * last) anderson.forget_earlier();  // another set of contacts
    last = outcome.residual;
    if (anderson.known() > 0) accelerate(anderson, now);
    now = anderson.next();
  }
  return outcome;
}

void ContactProblem::solve_normals(std::span<const double> u_normal, int sweeps, std::span<double> out) {
  std::fill(r_.begin(), r_.end(), 0.0);
  std::fill(out.begin(), out.end(), 0.0);
  sum_response();
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (Index c = 0; c < size_; ++c) {
      if (!(rho_[c] > 0)) continue;
      const Vec3& n = rows_[c].normal;
      const double u = u_normal[c] + n.dot(response(c));
      const double next = std::max(0.0, out[c] - u / n.dot(diagonal_[c] * n));
      if (next == out[c]) continue;
      add_impulse(c, (next - out[c]) * n);
      out[c] = next;
    }
}

}  // namespace pliant
