// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/equation.hpp"

#include <algorithm>

#include "pliant/methods/geometric/energy.hpp"

namespace pliant::geometric {

// ---- set up ----

void Equation::predict(Past from) {
  past = from;
  const NodeState& now = state.nodes;
  const Extrapolation by(from, input.h);
  for_blocks(context.pool, 3 * model.nodes(), 3 * 1024, [&](int begin, int end) {
    step_kernels().extrapolate(now.x[0].data(), now.v[0].data(), state.x_before[0].data(),
                               state.v_before[0].data(), by.history, by.line, scratch.hat_x[0].data(),
                               scratch.hat_v[0].data(), begin, end);
  });
  if (from == Past::curved)
    for (std::size_t i = 0; i < now.x.size(); ++i) {
      scratch.hat_x[i] += by.bend * scratch.acceleration[i];
      scratch.hat_v[i] += by.line * scratch.acceleration[i];
    }
  load_prediction();
  if (!model.sheet) return;
  // Places as of the kernels; the trial is free before the first residual.
  for (Index k = 0; k < model.nodes(); ++k)
    for (int c = 0; c < 3; ++c) scratch.trial[4 * std::size_t(k) + c] = now.x[cache.arrangement.node[k]][c];
  start_from(scratch.trial.data());
  count(&StageTimes::rotation);
}

void Equation::start_from(const double* x) {
  if (model.sheet)
    cache.sheet.start(x, state.rotations, context.pool);
  else
    rotate(x);
}

void Equation::rotate(const double* x) {
  if (model.sheet)
    cache.sheet.rotate(x, context.pool);
  else
    sweeps().rotate(x, context.pool);
}

void Equation::load_prediction() {
  const Arrangement& arrangement = cache.arrangement;
  const EndArrays ends{arrangement.node.data(), scratch.hat_x[0].data(), scratch.hat_v[0].data(),
                       model.mass.data(), scheme.h};
  for_blocks(context.pool, model.nodes(), 1024, [&](int begin, int end) {
    step_kernels().predict(ends, scheme.elastic, scheme.drag, input.gravity.data(), scratch.start.data(),
                           scratch.base.data(), begin, end);
  });
  for (std::size_t i = 0; i < input.forces.size(); ++i)
    for (int c = 0; c < 3; ++c)
      scratch.base[4 * std::size_t(arrangement.place[i]) + c] -= float(scheme.elastic * input.forces[i][c]);
  for (std::size_t n = 0; n < input.held.size(); ++n)
    for (int c = 0; c < 3; ++c)
      scratch.start[4 * std::size_t(arrangement.place[input.held[n]]) + c] = input.targets[n][c];
}

/// Two grabs of one node are one spring: stiffnesses add, the target is their weighted mean.
std::string Equation::set_grabs() {
  GrabSprings& grabs = scratch.grabs;
  grabs.count = 0;
  for (const Grab& grab : input.grabs) {
    const Index place = cache.arrangement.place[grab.node];
    const double stiffness = scheme.elastic * grab.stiffness;
    if (place >= cache.arrangement.free || !(stiffness > 0)) continue;
    const auto end = grabs.list.begin() + grabs.count;
    const auto same = std::find_if(grabs.list.begin(), end, [&](const GrabSprings::Grabbed& known) {
      return known.spring.place == place;
    });
    if (same == end) {
      grabs.list[grabs.count++] = {{place, stiffness}, grab.target};
    } else {
      same->spring.stiffness += stiffness;
      same->target += stiffness / same->spring.stiffness * (grab.target - same->target);
    }
  }
  std::array<LinearSystem::Spring, max_grabs> springs;
  for (int k = 0; k < grabs.count; ++k) springs[k] = grabs.list[k].spring;
  return cache.system.set_springs({springs.data(), std::size_t(grabs.count)}, context.pool);
}

std::string Equation::clear_grabs() {
  scratch.grabs.count = 0;
  return cache.system.set_springs({}, context.pool);
}

// ---- what solvers ask ----

const double* Equation::trial_at(const Floats* u) {
  const Doubles& start = scratch.start;
  if (!u) return start.data();
  const std::size_t free = 4 * std::size_t(cache.arrangement.free);
  double* const trial = scratch.trial.data();
  for (std::size_t k = 0; k < free; ++k) trial[k] = start[k] + (*u)[k];
  std::copy(start.begin() + free, start.end(), trial + free);
  return trial;
}

void Equation::residual(const Floats* u, bool renew_rotations, Floats& g) {
  const double* x = trial_at(u);
  count(&StageTimes::rhs);
  const Sweeps::Collect collect{.base = scratch.base.data(),
                                .diagonal = u ? cache.diagonal.data() : nullptr,
                                .u = u ? u->data() : nullptr,
                                .out = g.data()};
  if (model.sheet)
    cache.sheet.gradient(x, scheme.elastic, renew_rotations, collect, context.pool);
  else
    sweeps().gradient(x, float(scheme.elastic), renew_rotations, collect, context.pool);
  count(&StageTimes::rotation);
  if (scheme.inner_drag > 0) add_inner_drag(u, g);
  add_grabs(x, g);
}

/// In single precision the forces of a stiff body's edges, which cancel, leave 1e-7 of h'^2 K d at every
/// node: A^-1 makes little of it, H^-1 a bending that fed stiff strips (1e11 Pa at 1/60 s) thousands of times
/// their energy. Elastic forces and inner drag are one sum:
///   g(x) + beta c(v) = S^T Lambda (S (x + beta v) - (R + beta dR/dt) d)
void Equation::exact_residual(const Floats& u, Floats& g) {
  if (model.sheet) return residual(&u, true, g);  // of a sheet it always is
  const Arrangement& arrangement = cache.arrangement;
  ExactVectors& exact = scratch.exact;
  const double *x = trial_at(&u), beta = scheme.inner_drag;
  const RestVectors d = state.rest_vectors;
  count(&StageTimes::rhs);
  sweeps().rotate(x, context.pool);
  for (Index i = 0; i < model.nodes(); ++i) {
    exact.x[i] = Eigen::Map<const Vec3>(x + 4 * std::size_t(arrangement.place[i]));
    exact.v[i] = (exact.x[i] - scratch.hat_x[i]) / scheme.h;
  }
  const bool corotated = beta > 0 && options.damping_frame == DampingFrame::corotated;
  for_blocks(context.pool, model.nodes(), 128, [&](int begin, int end) {
    for (Index i = begin; i < end; ++i) {
      const Mat3 slew = d.empty() ? model.stars[i].slew : star_of(model, i, d).slew;
      const Mat3 r = exact_rotation(i, slew);
      exact.turns[i] = r;
      if (corotated) exact.turns[i] += beta * turned(r, star_turn(slew, r, covariance(model, exact.v, i, d)));
    }
  });
  count(&StageTimes::rotation);
  if (beta > 0)
    for (std::size_t i = 0; i < exact.x.size(); ++i) exact.x[i] += beta * exact.v[i];
  row_forces(model, exact.x, exact.turns, exact.g, d);
  for (Index k = 0; k < arrangement.free; ++k)
    for (int c = 0; c < 3; ++c) {
      const std::size_t at = 4 * std::size_t(k) + c;
      g[at] = float(scratch.base[at] + double(cache.diagonal[k]) * u[at] +
                    scheme.elastic * exact.g[arrangement.node[k]][c]);
    }
  add_grabs(x, g);
}

/// From the rotation of the sweeps, which is off by the rounding of its numbers or, where the body turns
/// fast, by a little more; rotations that are not computed afresh stay what they are. A turn by the star at
/// rest leaves its strain's share of what was off, if a stretched star is as stiff as it is stretched; a
/// small turn is added without its square.
Mat3 Equation::exact_rotation(Index node, const Mat3& slew) const {
  const Index place = cache.arrangement.place[node];
  float q[4];
  cache.sweeps.quaternion(place, q);
  Eigen::Quaterniond turn = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized();
  if (!cache.sweeps.is_active(place)) return turn.toRotationMatrix();
  const Mat3 a = covariance(model, scratch.exact.x, node, state.rest_vectors);
  const Adjacency& adj = model.adjacency;
  double rest = 0;  // the trace of the star's A at rest
  for (Index k = adj.begin[node]; k < adj.begin[node + 1]; ++k)
    rest += model.edge_weight[adj.edge[k]] * model.rest_vector(node, k, state.rest_vectors).squaredNorm();
  constexpr double small = 1e-6;
  for (int again = 0; again < 2; ++again) {
    const Mat3 r = turn.toRotationMatrix();
    const double now = (r.transpose() * a).trace();
    const Vec3 w = (now > rest ? rest / now : 1) * star_turn(slew, r, a);
    if (w.squaredNorm() < small * small) return r + turned(r, w);
    turn = (turn * Eigen::Quaterniond(1, w.x() / 2, w.y() / 2, w.z() / 2)).normalized();
  }
  return turn.toRotationMatrix();
}

void Equation::add_grabs(const double* x, Floats& g) const {
  for (const auto& [spring, target] : scratch.grabs)
    for (int c = 0; c < 3; ++c)
      g[4 * std::size_t(spring.place) + c] +=
          float(spring.stiffness * (x[4 * std::size_t(spring.place) + c] - target[c]));
}

/// The motion of a part as a whole brakes nothing and is left out: the rounding of 2 m/s in a crumb of step
/// stiffness 1e6 pushed its nodes by a hundredth of that.
void Equation::add_inner_drag(const Floats* u, Floats& g) {
  if (model.sheet && cache.factors_hessian) return add_sheet_drag(u, g);
  const Arrangement& arrangement = cache.arrangement;
  const Points &hat_x = scratch.hat_x, &hat_v = scratch.hat_v;
  const double inverse = 1 / scheme.h;
  for_blocks(context.pool, model.nodes(), 1024, [&](int begin, int end) {
    Index part = -1;
    Vec3 part_v = Vec3::Zero(), part_u = Vec3::Zero();  // of its first node
    for (Index k = begin; k < end; ++k) {
      const Index i = arrangement.node[k];
      if (model.part_of[i] != part) {
        part = model.part_of[i];
        const Index first = model.parts[part][0], there = arrangement.place[first];
        part_v = hat_v[first];
        for (int c = 0; c < 3; ++c)
          part_u[c] = u && there < arrangement.free ? (*u)[4 * std::size_t(there) + c] : 0;
      }
      for (int c = 0; c < 3; ++c) {
        const std::size_t at = 4 * std::size_t(k) + c;
        const double predicted = hat_x[i][c] + scheme.h * hat_v[i][c];
        const double d = k < arrangement.free ? (u ? (*u)[at] : 0) : scratch.start[at] - predicted;
        scratch.velocity[at] = float(hat_v[i][c] - part_v[c] + inverse * (d - part_u[c]));
      }
    }
  });
  const float scale = float(scheme.elastic * scheme.inner_drag);
  const bool corotated = options.damping_frame == DampingFrame::corotated;
  const Sweeps::Collect collect{.base = g.data(), .out = g.data()};
  if (model.sheet)
    cache.sheet.product(scratch.velocity.data(), scale, corotated ? scale : 0, collect, context.pool);
  else
    sweeps().product(scratch.velocity.data(), scale, corotated ? scale : 0, collect, context.pool);
}

void Equation::add_sheet_drag(const Floats* u, Floats& g) {
  const Arrangement& arrangement = cache.arrangement;
  Doubles& velocity = scratch.sheet_velocity;
  for_blocks(context.pool, model.nodes(), 1024, [&](int begin, int end) {
    for (Index k = begin; k < end; ++k) {
      const Index i = arrangement.node[k];
      for (int c = 0; c < 3; ++c) {
        const std::size_t at = 4 * std::size_t(k) + c;
        const double predicted = scratch.hat_x[i][c] + scheme.h * scratch.hat_v[i][c];
        const double d = k < arrangement.free ? (u ? (*u)[at] : 0) : scratch.start[at] - predicted;
        velocity[at] = scratch.hat_v[i][c] + d / scheme.h;
      }
    }
  });
  const double scale = scheme.elastic * scheme.inner_drag;
  const bool corotated = options.damping_frame == DampingFrame::corotated;
  cache.sheet.add_exact_product(velocity.data(), scale, corotated ? scale : 0, g.data(), context.pool);
}

double Equation::hessian(const Floats& p, Floats& out) {
  const Sweeps::Collect collect{.diagonal = cache.diagonal.data(), .u = p.data(), .out = out.data()};
  const float pull = float(scheme.stiffness), turning = float(scheme.turning);
  double product = model.sheet ? cache.sheet.product(p.data(), pull, turning, collect, context.pool)
                               : sweeps().product(p.data(), pull, turning, collect, context.pool);
  for (const auto& [spring, target] : scratch.grabs)
    for (int c = 0; c < 3; ++c) {
      const std::size_t at = 4 * std::size_t(spring.place) + c;
      out[at] += float(spring.stiffness * p[at]);
      product += spring.stiffness * double(p[at]) * p[at];
    }
  count(&StageTimes::rhs);
  return product;
}

std::optional<double> Equation::solve(const float* b, float* z) {
  count(&StageTimes::rhs);
  const std::optional<double> product = cache.system.solve(b, z, context.pool);
  count(&StageTimes::solve);
  return product;
}

double Equation::precondition(Floats& g, Floats& z) {
  const std::optional<double> told = solve(g, z);
  if (kept.empty()) return told ? *told : dot(g, z);
  kept.project(g.data(), z.data(), cache.arrangement);
  return dot(g, z);
}

bool Equation::factor_hessian() {
  std::array<LinearSystem::Spring, max_grabs> springs;
  for (int k = 0; k < scratch.grabs.count; ++k) springs[k] = scratch.grabs.list[k].spring;
  if (model.sheet)
    return cache.sheet_hessian.factor(cache.sheet, hessian_coefficients(scheme),
                                      {springs.data(), std::size_t(scratch.grabs.count)}, context.pool);
  return cache.hessian.factor(model, cache.arrangement, cache.sweeps, hessian_coefficients(scheme),
                              {springs.data(), std::size_t(scratch.grabs.count)}, state.rest_vectors,
                              context.pool, scratch.slews);
}

void Equation::solve_hessian(const Floats& g, Floats& z) {
  if (model.sheet)
    cache.sheet_hessian.solve(g.data(), z.data());
  else
    cache.hessian.solve(g.data(), z.data());
  count(&StageTimes::solve);
}

}  // namespace pliant::geometric
