// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/dense_contacts.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/contact/contact_problem.hpp"
#include "pliant/math/symmetric_eigen.hpp"

namespace pliant::cage {
namespace {

constexpr int projections = 4;  // of one contact, whose block is not a multiple of 1

}  // namespace

void DenseContacts::reset(Index contacts) {
  rows_.assign(std::size_t(contacts), {});
  rho_.resize(std::size_t(contacts));
  w_.resize(3 * contacts, 3 * contacts);
  r_.setZero(3 * contacts);
  u_.setZero(3 * contacts);
}

void DenseContacts::add(Index c, const Vec3& change) {
  r_.segment<3>(3 * c) += change;
  for (int k = 0; k < 3; ++k)
    if (change[k] != 0) u_ += change[k] * w_.col(3 * c + k);
}

DenseContacts::Outcome DenseContacts::solve(int most_sweeps, double tolerance) {
  Outcome out;
  for (Index c = 0; c < size(); ++c) {
    const Mat3 block = w_.block<3, 3>(3 * c, 3 * c);
    rho_[std::size_t(c)] = eigenvalues_in_closed_form(block)[2];
    set_impulse(c, on_cone(impulse(c), row(c).normal, row(c).friction));
  }
  u_.noalias() = w_ * r_;
  for (; out.sweeps < most_sweeps; ++out.sweeps) {
    out.residual = 0;
    for (Index c = 0; c < size(); ++c) {
      const double rho = rho_[std::size_t(c)];
      if (!(rho > 0)) continue;
      const Row& at = row(c);
      const Vec3 before = impulse(c);
      Vec3 u = velocity(c) + at.bias * at.normal, r = before;
      if (r.isZero(0) && u.dot(at.normal) >= 0) continue;
      for (int k = 0; k < projections; ++k) {
        const Vec3 next = on_cone(r - u / rho, at.normal, at.friction), step = next - r;
        r = next;
        u += w_.block<3, 3>(3 * c, 3 * c).lazyProduct(step);
      }
      const Vec3 change = r - before;
      out.residual = std::max(out.residual, change.norm() * rho);
      add(c, change);
    }
    if (out.residual < tolerance) {
      ++out.sweeps;
      break;
    }
  }
  return out;
}

void DenseContacts::lift(const std::vector<double>& lift, int sweeps) {
  r_.setZero();
  u_.setZero();
  for (int sweep = 0; sweep < sweeps; ++sweep)
    for (Index c = 0; c < size(); ++c) {
      const Vec3& n = row(c).normal;
      const double along = n.dot(w_.block<3, 3>(3 * c, 3 * c) * n);
      if (!(along > 0)) continue;
      const double now = impulse(c).dot(n);
      const double u = lift[std::size_t(c)] + n.dot(u_.segment<3>(3 * c));
      const double next = std::max(0.0, now - u / along);
      if (next != now) add(c, (next - now) * n);
    }
}

}  // namespace pliant::cage
