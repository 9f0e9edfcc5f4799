// SPDX-License-Identifier: Apache-2.0
// Where the body rests: Gauss-Newton steps in double precision with normals that follow, of
//   min over x of  E(Z(x)) + holds - weight
// with Levenberg's term on the diagonal and back-tracking on the energy. Frozen normals do not converge here
// from bends of a quarter turn on.
#include <algorithm>
#include <cmath>

#include "pliant/base/check.hpp"
#include "pliant/base/tiny_numbers.hpp"
#include "pliant/math/dense_system.hpp"
#include "pliant/methods/cage/body.hpp"
#include "pliant/physics/check_input.hpp"

namespace pliant::cage {
namespace {

constexpr double first_levenberg = 1e-6, least_levenberg = 1e-9,
                 most_levenberg = 1e3;  // of the mean diagonal
constexpr int halvings = 12;
constexpr double least_area = 0.2;   // of a face, share of its area before a step or at rest
constexpr double sufficient = 1e-4;  // share of the expected decrease (Armijo)

}  // namespace

Method::Relaxation Body::relax(const StepInput& input) {
  PLIANT_CHECK(input.pool);
  const FlushTinyNumbers in_here;
  Relaxation out;
  out.trouble = trouble_of(input, Index(model_.nodes.size()) + model_.n());
  if (!out.trouble.empty()) return out;
  holds_.set(model_, input, hold_stiffness_);
  Work<double>& w = work<double>();
  if (w.z.empty()) {
    make_work<double>();
    load_plastic<double>();
  }
  const Index n = model_.n();
  const int n3 = 3 * int(n);
  Look<double>& look = w.trial;
  if (options_.precision == Precision::single) {
    look.frame = state_.single.frame;
    for (std::size_t b = 0; b < look.batches.size(); ++b)
      for (int k = 0; k < 4; ++k)
        for (int lane = 0; lane < lanes; ++lane)
          look.batches[b].q[k][lane] = double(state_.single.batches[b].q[k][lane]);
  } else {
    look = state_.twice;
  }
  const Vec3 start_centre = state_.whole.centre;
  const auto total = [&](const Columns& x, double elastic) {
    z1_.leftCols(n) = x.colwise() - start_centre;
    scaled_normals(model_.faces, x, z1_.rightCols(model_.t()));
    double sum = elastic + faces_open(x, nullptr) - input.gravity.dot(Vec3(z1_ * model_.mass_sum));
    if (!holds_.empty()) sum += holds_.energy(z1_, start_centre);
    return sum;
  };
  /// The unbalanced force on the vertices in solved_, and how large the forces are that act. A body that
  /// nothing strains (one handle carries it along) has none: then forces of rounding are balanced. From 1e-5
  /// to 1e-8 places and energies of drags by 1 m and by 10 um are the same; below 1e-6 the small ones go on
  /// for dozens of steps over forces of rounding.
  const double least_acting = 1e-6 * options_.stiffness * model_.size * model_.size;
  double acting = 0;
  const auto unbalanced = [&](const Columns& x) {
    const Vec3 c = x.rowwise().mean();
    normal_jacobians(model_.faces, z_.leftCols(n), jacobians_);
    big_force(input, look, c, force_);
    pull_back_force(force_, solved_);
    faces_open(z_.leftCols(n), &solved_);
    // Elastic forces alone: what holds and weight are balanced by.
    for (Index r = 0; r < model_.rows(); ++r) {
      const double* f = w.force.data() + 3 * r;
      big_.col(r) = Vec3(f[0], f[1], f[2]);
    }
    pull_back_force(big_, local_);
    acting = std::max(local_.norm() + (solved_ - local_).norm(), least_acting);
    return solved_.norm();
  };
  look_at(state_.x, look, *input.pool);
  const double before = total(state_.x, look.energy);
  const double force = unbalanced(state_.x);
  out.force = force;
  out.residual = force / acting;
  if (force == 0) {
    state_.velocity.setZero();
    return out;
  }
  consistent_gram(look, true, *input.pool);
  const auto constant_part = [&](bool definite) {
    if (!holds_.empty())
      pull_back_scalar(holds_.stiffness());
    else
      pulled_.setZero(n3, n3);
    add_curvature(force_, definite);
  };
  bool definite = false;
  constant_part(definite);
  start_z_ = z_;
  if (levenberg_ == 0) levenberg_ = first_levenberg;
  double diagonal = 0;
  for (int j = 0; j < n3; ++j) diagonal += w.gram[std::size_t(j) * std::size_t(n3 + 1)] / n3;
  const Mat3 frame = look.frame.toRotationMatrix();
  moved_ = solved_;  // the unbalanced force
  bool done = false;
  while (!done && levenberg_ <= most_levenberg) {
    for (int j = 0; j < n3; ++j)
      for (int i = j; i < n3; ++i) {
        const std::size_t at = std::size_t(j) * std::size_t(n3) + std::size_t(i);
        w.system[in_panels(i, j, padded(n3))] =
            w.gram[at] + pulled_(i, j) + (i == j ? levenberg_ * diagonal : 0);
      }
    if (!factor(n3, w.system.data())) {
      if (!definite) {
        z_ = start_z_;
        definite = true;
        constant_part(true);
      } else {
        levenberg_ *= 10;
      }
      continue;
    }
    for (Index i = 0; i < n; ++i)
      for (int k = 0; k < 3; ++k) w.right[std::size_t(k * n + i)] = moved_(k, i);
    solve(n3, w.system.data(), w.right.data());
    double slope = 0;
    for (Index i = 0; i < n; ++i)
      for (int k = 0; k < 3; ++k) {
        shift_(k, i) = w.right[std::size_t(k * n + i)];
        slope += shift_(k, i) * moved_(k, i);
      }
    double share = 1;
    for (int k = 0; k <= halvings; ++k, share /= 2) {
      new_x_ = state_.x + share * (frame * shift_);
      if (folds(state_.x, new_x_)) continue;
      look_at(new_x_, look, *input.pool);
      const double now = total(new_x_, look.energy);
      const bool lower = now <= before - sufficient * share * slope;
      const bool calmer =
          !lower && now <= before + 1e-11 * std::abs(before) + holds_.noise() && unbalanced(new_x_) < force;
      if (!lower && !calmer) continue;
      done = true;
      if (k == 0) levenberg_ = std::max(levenberg_ / 4, least_levenberg);
      if (k >= 3) levenberg_ *= 4;
      break;
    }
    if (!done) levenberg_ *= 10;
  }
  if (!done) {
    levenberg_ = 0;
    out.stuck = true;
    return out;
  }
  out.change = share_of_size(new_x_ - state_.x);
  state_.x = new_x_;
  state_.velocity.setZero();
  state_.contacts.clear();
  state_.sides.clear();
  std::fill(state_.more.begin(), state_.more.end(), -1);
  look_at(state_.x, look, *input.pool);
  out.force = unbalanced(state_.x);
  out.residual = out.force / acting;
  if (options_.precision == Precision::single) {
    Look<float>& shown = state_.single;
    shown.frame = look.frame;
    for (std::size_t b = 0; b < look.batches.size(); ++b)
      for (int k = 0; k < 4; ++k)
        for (int lane = 0; lane < lanes; ++lane)
          shown.batches[b].q[k][lane] = float(look.batches[b].q[k][lane]);
    look_at(state_.x, shown, *input.pool);
  } else {
    state_.twice = look;
  }
  state_.whole = whole_of(state_.x, state_.velocity, nullptr);
  shown_ = false;
  return out;
}

/// A face of the cage shrinks to a small part of its area on the way. At a line its normal has no direction
/// and its derivative no bound: a search that gets there creeps.
bool Body::folds(const Columns& from, const Columns& to) const {
  for (const FaceRest& face : model_.faces) {
    const Vec3 a = from.col(face.corner[0]), b = to.col(face.corner[0]);
    const Vec3 before = (Vec3(from.col(face.corner[1])) - a).cross(Vec3(from.col(face.corner[2])) - a);
    const Vec3 after = (Vec3(to.col(face.corner[1])) - b).cross(Vec3(to.col(face.corner[2])) - b);
    const double least = std::min(before.norm(), 2 * face.area);
    if (!(after.norm() > least_area * least)) return true;
  }
  return false;
}

/// Root mean square over the vertices, over the body's size.
double Body::share_of_size(const Columns& moved) const {
  return std::sqrt(moved.squaredNorm() / double(model_.n())) / model_.size;
}

}  // namespace pliant::cage
