// SPDX-License-Identifier: Apache-2.0
// The step of a body that keeps the volume its surface encloses (kept_volume.hpp).
#include "pliant/methods/geometric/body.hpp"

namespace pliant::geometric {
namespace {

constexpr double far = 1e-3;    // of the volume: beyond, z_c is computed anew where the body is
constexpr double near = 1e-12;  // of the volume
constexpr int most_corrections = 4;

/// tr(A) of a star at rest.
double rest_trace(const Model& model, Index i, RestVectors d) {
  double sum = model.laplacian_weight * model.laplacian_rest[i].squaredNorm();
  for (Index k = model.adjacency.begin[i]; k < model.adjacency.begin[i + 1]; ++k)
    sum += model.edge_weight[model.adjacency.edge[k]] * model.rest_vector(i, k, d).squaredNorm();
  return sum;
}

}  // namespace

/// A skin under pressure is stretched. A star whose edges are 1 + e times as long as at rest turns 1 + e
/// times less easily than J of the rest state says: with that J Newton's steps overshoot in the waves of the
/// skin. Each star gets its own share, tr(A0)/tr(R^T A) at X0, never more than 1: 0 <= H <= A still holds.
/// Renews the rotations.
void Body::stiffen_stretched_stars(Pool& pool) {
  for (Index k = 0; k < model_.nodes(); ++k)
    for (int c = 0; c < 3; ++c) new_x_[arrangement_.node[k]][c] = start_[4 * std::size_t(k) + c];
  sweeps_.rotate(start_.data(), pool);
  for_blocks(pool, model_.nodes(), 256, [&](int begin, int end) {
    for (Index k = begin; k < end; ++k) {
      const Index i = arrangement_.node[k];
      float q[4];
      sweeps_.quaternion(k, q);
      const Mat3 r = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
      const Mat3 a = covariance(model_, new_x_, i, state_.rest_vectors);
      Star star = star_of(model_, i, state_.rest_vectors);
      const double rest = rest_trace(model_, i, state_.rest_vectors), now = (r.transpose() * a).trace();
      if (now > rest) star.slew *= rest / now;
      sweeps_.set_star(k, star);
    }
  });
}

void Body::keep_volume(KeptVolume kept) {
  kept_ = std::move(kept);
  kept_.attach(model_, std::size_t(sweeps_.padded()));
}

/// c and z_c at x.
void Body::aim_volume(const Points& x, Pool& pool, StageWatch& watch) {
  kept_.aim(x, arrangement_);
  solve(kept_.gradient(), kept_.direction(), pool, watch);
  kept_.aimed(arrangement_);
}

/// At X0, and how far along z_c the volume is kept.
void Body::aim_volume_from_start(Pool& pool, StageWatch& watch) {
  for (Index k = 0; k < model_.nodes(); ++k)
    for (int c = 0; c < 3; ++c) new_x_[arrangement_.node[k]][c] = start_[4 * std::size_t(k) + c];
  aim_volume(new_x_, pool, watch);
  kept_.find_steps(new_x_, arrangement_);
}

/// One descent with c of X0, from there on c where that led: the linear constraint then holds near the end of
/// the step. d_ = where the linear constraint begins, g_ = G(0) + H d_.
void Body::start_at_volume(const Scheme& s, Pool& pool, StageWatch& watch) {
  const auto go = [&] {
    hessian(p_.data(), q_.data(), s, pool, watch);
    sweeps_.add(1, p_.data(), d_.data(), pool);
    sweeps_.add(1, q_.data(), g_.data(), pool);
    sweeps_.add_turn(1);
  };
  aim_volume_from_start(pool, watch);
  std::fill(p_.begin(), p_.end(), 0.0f);
  kept_.add_steps(p_.data(), arrangement_);
  go();
  kept_solve(g_.data(), z_.data(), pool, watch);
  sweeps_.redirect(0, p_.data(), z_.data(), pool);
  for (Index k = 0; k < arrangement_.free; ++k)
    for (int c = 0; c < 3; ++c) {
      const std::size_t at = 4 * std::size_t(k) + c;
      new_x_[arrangement_.node[k]][c] = start_[at] + d_[at] + p_[at];
    }
  aim_volume(new_x_, pool, watch);
  kept_.find_steps(new_x_, arrangement_);
  kept_.add_steps(p_.data(), arrangement_);
  go();
}

/// The end of the step at V_0, with exact momentum. Rigid motions keep the volume; but those of held bodies
/// are linearised, hence the repetition.
void Body::settle_volume(const StepInput& input, const Scheme& s) {
  StageWatch unused;
  put_held(input, s);
  for (int k = 0; k < most_corrections; ++k) {
    double error = kept_.find_steps(new_x_, arrangement_);
    if (error > far) {
      aim_volume(new_x_, *input.pool, unused);
      error = kept_.find_steps(new_x_, arrangement_);
    }
    for (Index i = 0; i < model_.nodes() && error > near; ++i) {
      if (new_held_[i]) continue;
      new_v_[i] += kept_.step(i, arrangement_) / s.h;
      new_x_[i] = hat_x_[i] + s.h * new_v_[i];
    }
    if (k > 0 && !(error > near)) break;
    keep_momentum(input, s);
  }
}

}  // namespace pliant::geometric
