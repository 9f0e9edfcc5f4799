// SPDX-License-Identifier: Apache-2.0
// Accelerated projected gradients [Nesterov83] with restarts [ODonoghue15], in the metric of B^-1. From Y_0 = D_0,
//   D_k+1 = Y_k - B g(Y_k) + h' B J^T r     the projected step from Y_k, feasible
//   Y_k+1 = D_k+1 + b_k (D_k+1 - D_k),      b_k = (t_k - 1)/t_k+1,  t_k+1 = (1 + sqrt(1 + 4 t_k^2))/2,  t_0 = 1
// g is linear in D, so that g(Y_k+1) needs one product with H. Where a step leads back, which is
// (D_k+1 - Y_k) . B^-1 (D_k+1 - D_k) < 0, t begins anew from 1.
//
// Why not conjugate gradients alone: A takes the targets T_i of volume rows as constant, so that B^-1 is up to
// 2 (1 + w) times stiffer than H, and each of many iterations may open and close contacts. Directions are not
// conjugate any more then, and steps longer than the projected one leave the contacts. Here each D_k is feasible, it
// descends because B^-1 bounds H, and the residual falls by about 1 - 1/sqrt(2 + 2 w) an iteration.
// Thin bodies bend far more softly than B^-1 says, and that is too slow for them. Where contacts stay open, stuck
// or sliding as they are, Y_k+1 minimises the model energy over the projected step and the direction before:
// conjugate gradients, until the contacts or the residual tell otherwise.
#include <algorithm>
#include <cmath>

#include "pliant/contact/patience.hpp"
#include "pliant/methods/geometric/contact_descent.hpp"

namespace pliant::geometric {
namespace {

constexpr int most_projections = 40;
// Of what the contact problem leaves in a step (ContactStep::left) beside the squared residual: asked for; where no
// better is to be had and more iterations would follow noise.
constexpr double contact_share = 2e-4, noise_share = 1e-3;

/// The points Y and the way to them: d = Y, g = g(Y), z = B g(Y); p = D_k - D_k-1 and its product with H.
class AcceleratedPath {
 public:
  AcceleratedPath(Equation& e, SolverVectors& v)
      : e_(e), v_(v), step_(e.scratch.contact.step), h_step_(e.scratch.contact.h_step) {
    std::fill(v.p.begin(), v.p.end(), 0.0f);
    std::fill(v.hp.begin(), v.hp.end(), 0.0f);
  }

  /// step . (h' J^T r - g): the squared residual of the projected step, or the slope along p.
  double along(const Floats& way) const { return e_.dot(way, e_.scratch.contact.load) - e_.dot(way, v_.g); }

  /// From Y to D_k+1, and on by the momentum.
  void accelerate() {
    extend(1, b_);
    e_.add(1, step_, v_.d);
    const double slope = along(v_.p), before = t_;
    e_.add(1, h_step_, v_.g);
    t_ = slope < 0 ? 1 : (1 + std::sqrt(1 + 4 * t_ * t_)) / 2;
    b_ = slope < 0 ? 0 : (before - 1) / t_;
    e_.add(b_, v_.p, v_.d);
    e_.add(b_, v_.hp, v_.g);
  }

  /// From Y to where the model energy is least over the projected step and p.
  void conjugate(double rho, double curvature) {
    const double mixed = e_.dot(step_, v_.hp), straight = e_.dot(v_.p, v_.hp), slope = along(v_.p);
    const double determinant = curvature * straight - mixed * mixed;
    if (determinant > 1e-6 * curvature * straight)
      extend((rho * straight - slope * mixed) / determinant, (slope * curvature - rho * mixed) / determinant);
    else
      extend(rho / curvature, 0);
    e_.add(1, v_.p, v_.d);
    e_.add(1, v_.hp, v_.g);
    t_ = 1;
    b_ = 0;
  }

 private:
  /// p = s step + u p, and its product with H.
  void extend(double s, double u) {
    for (std::size_t at = 0; at < 4 * std::size_t(e_.cache.arrangement.free); ++at) {
      v_.p[at] = float(u) * v_.p[at] + float(s) * step_[at];
      v_.hp[at] = float(u) * v_.hp[at] + float(s) * h_step_[at];
    }
  }

  Equation& e_;
  SolverVectors& v_;
  const Floats &step_, &h_step_;
  double t_ = 1, b_ = 0;
};

/// The turns of the stars from `begin` to D; step and h_step are scratch.
void note_turns(Equation& e, const Floats& begin, const Floats& d) {
  Floats& step = e.scratch.contact.step;
  for (std::size_t at = 0; at < 4 * std::size_t(e.cache.arrangement.free); ++at) step[at] = d[at] - begin[at];
  e.clear_turns();
  e.hessian(step, e.scratch.contact.h_step);
  e.add_turn(1);
}

}  // namespace

Descent accelerated_contact(Equation& e, SolverVectors& v, ContactStep& contact) {
  Floats &step = e.scratch.contact.step, &begin = e.scratch.contact.begin;
  const ContactAccuracy accuracy(e, contact);
  std::copy(v.d.begin(), v.d.end(), begin.begin());
  AcceleratedPath path(e, v);
  Patience patience;
  Descent descent;
  double asked = accuracy.fine, enough = 0;
  for (int k = 0;; ++k) {
    contact.project_step(accuracy.sweeps, asked, e, v, step);
    const double rho = path.along(step), left = contact.left(1, e);  // left: by a residual of 1 m/s
    if (k == 0) {
      descent.first = rho;
      enough = accuracy.enough(rho);
    } else {
      ++e.report().iterations;
    }
    const bool noise = accuracy.fine * accuracy.fine * left > noise_share * rho;
    if (!(rho > enough) || noise || k == most_projections) break;
    const double curvature = e.hessian(step, e.scratch.contact.h_step);
    // Far from the shape of rest, turning strains: B is no bound of H any more and its step may climb.
    descent.bounded = k > 0 || curvature < 2 * rho;
    if (!descent.bounded) break;
    if (patience.conjugate(!contact.states_changed() && k > 0, rho))
      path.conjugate(rho, curvature);
    else
      path.accelerate();
    contact.solve_residual(e, v);
    asked = std::max(accuracy.fine, std::sqrt(contact_share * rho / left));
  }
  e.add(1, step, v.d);
  note_turns(e, begin, v.d);
  return descent;
}

}  // namespace pliant::geometric
