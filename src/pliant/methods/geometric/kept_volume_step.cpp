// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/kept_volume_step.hpp"

#include <algorithm>

#include "pliant/methods/geometric/energy.hpp"

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

/// new_x = X0.
void go_to_start(Equation& e) {
  for (Index k = 0; k < e.model.nodes(); ++k)
    for (int c = 0; c < 3; ++c)
      e.scratch.new_x[e.cache.arrangement.node[k]][c] = e.scratch.start[4 * std::size_t(k) + c];
}

/// c and z_c at new_x.
void aim_volume(Equation& e) {
  e.kept.aim(e.scratch.new_x, e.cache.arrangement);
  e.solve(e.kept.gradient(), e.kept.direction());
  e.kept.aimed(e.cache.arrangement);
}

}  // namespace

void stiffen_stretched_stars(Equation& e) {
  const Model& model = e.model;
  const RestVectors d = e.state.rest_vectors;
  go_to_start(e);
  e.sweeps().rotate(e.scratch.start.data(), e.context.pool);
  for_blocks(e.context.pool, model.nodes(), 256, [&](int begin, int end) {
    for (Index k = begin; k < end; ++k) {
      const Index i = e.cache.arrangement.node[k];
      float q[4];
      e.sweeps().quaternion(k, q);
      const Mat3 r = Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
      const Mat3 a = covariance(model, e.scratch.new_x, i, d);
      Star star = star_of(model, i, d);
      const double rest = rest_trace(model, i, d), now = (r.transpose() * a).trace();
      if (now > rest) star.slew *= rest / now;
      e.sweeps().set_star(k, star);
    }
  });
}

void aim_volume_from_start(Equation& e) {
  go_to_start(e);
  aim_volume(e);
  e.kept.find_steps(e.scratch.new_x, e.cache.arrangement);
}

void start_at_volume(Equation& e, SolverVectors& v) {
  const Arrangement& arrangement = e.cache.arrangement;
  const auto go = [&] {
    e.hessian(v.p, v.hp);
    e.add(1, v.p, v.d);
    e.add(1, v.hp, v.g);
    e.add_turn(1);
  };
  aim_volume_from_start(e);
  std::fill(v.p.begin(), v.p.end(), 0.0f);
  e.kept.add_steps(v.p.data(), arrangement);
  go();
  e.precondition(v.g, v.z);
  e.redirect(0, v.p, v.z);
  for (Index k = 0; k < arrangement.free; ++k)
    for (int c = 0; c < 3; ++c) {
      const std::size_t at = 4 * std::size_t(k) + c;
      e.scratch.new_x[arrangement.node[k]][c] = e.scratch.start[at] + v.d[at] + v.p[at];
    }
  aim_volume(e);
  e.kept.find_steps(e.scratch.new_x, arrangement);
  e.kept.add_steps(v.p.data(), arrangement);
  go();
}

void end_at_volume(Equation& e, const OuterMotion& outer) {
  Scratch& s = e.scratch;
  put_held(e);
  for (int k = 0; k < most_corrections; ++k) {
    double error = e.kept.find_steps(s.new_x, e.cache.arrangement);
    if (error > far) {
      aim_volume(e);
      error = e.kept.find_steps(s.new_x, e.cache.arrangement);
    }
    for (Index i = 0; i < e.model.nodes() && error > near; ++i) {
      if (s.held[i]) continue;
      s.new_v[i] += e.kept.step(i, e.cache.arrangement) / e.scheme.h;
      s.new_x[i] = s.hat_x[i] + e.scheme.h * s.new_v[i];
    }
    if (k > 0 && !(error > near)) break;
    keep_momentum(e, outer);
  }
}

}  // namespace pliant::geometric
