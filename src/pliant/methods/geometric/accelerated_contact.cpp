// SPDX-License-Identifier: Apache-2.0
// Accelerated projected gradients [Nesterov83] with restarts [ODonoghue15], in the metric of B^-1. From Y_0 = D_0,
//   D_k+1 = Y_k - B g(Y_k) + h' B J^T r     the projected step from Y_k, feasible
//   Y_k+1 = D_k+1 + b_k (D_k+1 - D_k),      b_k = (t_k - 1)/t_k+1,  t_k+1 = (1 + sqrt(1 + 4 t_k^2))/2,  t_0 = 1
// g is linear in D, so that g(Y_k+1) needs one product with H a step. Where a step leads back, which is
// (D_k+1 - Y_k) . B^-1 (D_k+1 - D_k) < 0, it begins anew from D_k+1 with t = 1.
//
// Why not conjugate gradients: A takes the targets T_i of volume rows as constant, so that B^-1 is up to 2 (1 + w)
// times stiffer than H, and each of many iterations may open and close contacts. Directions are not conjugate any
// more then, and longer steps than the projected one leave the contacts. Here each D_k is feasible, because B^-1
// bounds H it descends, and the residual falls by about 1 - 1/sqrt(2 + 2 w) an iteration.
#include <algorithm>
#include <cmath>

#include "pliant/methods/geometric/contact_descent.hpp"

namespace pliant::geometric {
namespace {

constexpr int most_projections = 40;
// Of what the contact problem leaves in a step (ContactStep::left) beside the squared residual: asked for; where no
// better is to be had and more iterations would follow noise.
constexpr double contact_share = 2e-4, noise_share = 1e-3;

/// b_k.
class Momentum {
 public:
  double next(bool leads_back) {
    const double before = t_;
    t_ = leads_back ? 1 : (1 + std::sqrt(1 + 4 * t_ * t_)) / 2;
    return leads_back ? 0 : (before - 1) / t_;
  }

 private:
  double t_ = 1;
};

/// Turns of the stars by the whole step p; h_p is scratch.
void note_turns(Equation& e, const Floats& p, Floats& h_p) {
  e.clear_turns();
  e.hessian(p, h_p);
  e.add_turn(1);
}

}  // namespace

Descent accelerated_contact(Equation& e, SolverVectors& v, ContactStep& contact) {
  Floats &step = e.scratch.contact.step, &h_step = e.scratch.contact.h_step, &begin = e.scratch.contact.begin;
  const Floats& load = e.scratch.contact.load;
  const std::size_t length = 4 * std::size_t(e.cache.arrangement.free);
  const ContactAccuracy accuracy(e, contact);
  std::copy(v.d.begin(), v.d.end(), begin.begin());
  std::fill(v.p.begin(), v.p.end(), 0.0f);  // D_k+1 - D_k
  std::fill(v.hp.begin(), v.hp.end(), 0.0f);
  Descent descent;
  Momentum momentum;
  double asked = accuracy.fine, enough = 0, b = 0;
  for (int k = 0;; ++k) {
    contact.project_step(accuracy.sweeps, asked, e, v, step);  // from Y = v.d, g(Y) = v.g
    const double rho = e.dot(step, load) - e.dot(step, v.g);
    e.add(1, step, v.d);
    if (k == 0) {
      descent.first = rho;
      enough = accuracy.enough(rho);
    } else {
      ++e.report().iterations;
    }
    const double left = contact.left(1, e);  // by a residual of 1 m/s
    const bool noise = accuracy.fine * accuracy.fine * left > noise_share * rho;
    if (!(rho > enough) || noise || k == most_projections) break;
    const double curvature = e.hessian(step, h_step);
    // Far from the shape of rest, turning strains: B is no bound of H any more and its step may climb.
    descent.bounded = k > 0 || curvature < 2 * rho;
    if (!descent.bounded) break;
    for (std::size_t at = 0; at < length; ++at) {
      v.p[at] = float(b) * v.p[at] + step[at];
      v.hp[at] = float(b) * v.hp[at] + h_step[at];
    }
    b = momentum.next(e.dot(v.p, load) < e.dot(v.p, v.g));
    e.add(1, h_step, v.g);
    e.add(b, v.p, v.d);
    e.add(b, v.hp, v.g);
    contact.solve_residual(e, v);
    asked = std::max(accuracy.fine, std::sqrt(contact_share * rho / left));
  }
  for (std::size_t at = 0; at < length; ++at) step[at] = v.d[at] - begin[at];
  note_turns(e, step, h_step);
  return descent;
}

}  // namespace pliant::geometric
