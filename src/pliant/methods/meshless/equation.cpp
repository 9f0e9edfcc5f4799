// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/equation.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/base/clock.hpp"
#include "pliant/methods/meshless/energy.hpp"

namespace pliant::meshless {

void Equation::hold(std::span<const Index> nodes) {
  cache.held.assign(nodes.begin(), nodes.end());
  Gather& rows = cache.rows;
  rows = rig.rows();
  const Gather& at = model.at_nodes;
  for (const Index i : nodes) {
    for (Index k = at.begin[std::size_t(i)]; k < at.begin[std::size_t(i) + 1]; ++k) {
      rows.column.push_back(at.column[std::size_t(k)]);
      rows.weight.push_back(at.weight[std::size_t(k)]);
    }
    rows.begin.push_back(Index(rows.column.size()));
  }
  // Rows have one stiffness, that of holds.
  const double share = std::sqrt(model.tie_stiffness() / hold_stiffness());
  const Index before = Index(rows.column.size());
  for (const double weight : model.ties.weight) rows.weight.push_back(share * weight);
  rows.column.insert(rows.column.end(), model.ties.column.begin(), model.ties.column.end());
  for (Index n = 1; n <= model.ties.rows(); ++n)
    rows.begin.push_back(before + model.ties.begin[std::size_t(n)]);
  cache.row_weight.assign(rows.weight.begin(), rows.weight.end());
}

std::string Equation::prepare() {
  const Scheme& s = scheme();
  const std::span<const Index> held = input().held;
  cache.factors = s.integrator == Integrator::bdf2 ? &cache.bdf2 : &cache.euler;
  Cache::Factors& factors = *cache.factors;
  const bool same_held =
      cache.has_rows && std::equal(held.begin(), held.end(), cache.held.begin(), cache.held.end());
  if (same_held && factors.ready && factors.mass == s.mass && factors.stiffness == s.stiffness) return {};
  const auto start = Clock::now();
  const bool first = !cache.euler.ready && !cache.bdf2.ready;
  if (!same_held) {
    hold(held);
    cache.has_rows = true;
    cache.euler.ready = cache.bdf2.ready = false;
    cache.columns.flush();
  }
  if (s.integrator == Integrator::euler) cache.columns.flush();
  factors.mass = s.mass;
  factors.stiffness = s.stiffness;
  factors.rod.resize(0, 0);
  std::string trouble;
  if (options.warping == Warping::node) {
    std::vector<double> diagonal;
    for (const double m : model.mass) diagonal.push_back(s.mass * m);
    factors.block.keep_double(true);
    trouble = factors.block.factor(block_matrix(model, diagonal, s.stiffness, cache.rows, hold_stiffness()))
                  .trouble;
  } else {
    trouble = factors.system.prepare(model, s.mass, s.stiffness, cache.rows, hold_stiffness(), pool());
  }
  report().refactored = true;
  if (first) cache.setup_ms += milliseconds_since(start);
  factors.ready = trouble.empty();
  return trouble;
}

void Equation::predict(Past from) {
  past = from;
  const NodeState& now = state.nodes;
  const Extrapolation by(from, input().h);
  for (std::size_t i = 0; i < now.x.size(); ++i) {
    scratch.hat_x[i] = now.x[i] + by.history * (now.x[i] - state.x_before[i]) + by.line * now.v[i];
    scratch.hat_v[i] = now.v[i] + by.history * (now.v[i] - state.v_before[i]);
    if (from == Past::curved) {
      scratch.hat_x[i] += by.bend * scratch.acceleration[i];
      scratch.hat_v[i] += by.line * scratch.acceleration[i];
    }
  }
}

void Equation::aim() {
  Points& targets = scratch.targets;
  targets.assign(std::size_t(cache.rows.rows()), Vec3::Zero());
  std::size_t row = 0;
  if (!rig.empty()) {
    if (rig.rod())
      rig.pose(scratch.rod, scratch.posed);
    else
      rig.pose(input().time, scratch.posed);
    for (const Vec3& target : scratch.posed.targets) targets[row++] = target;
  }
  for (const Vec3& target : input().targets) targets[row++] = target;
}

Index Equation::held_rows() const { return cache.rows.rows() - model.ties.rows(); }

bool Equation::is_free() const { return held_rows() == 0 && input().grabs.empty() && !at_nodes(); }

void Equation::set_velocities() {
  for (std::size_t i = 0; i < scratch.x.size(); ++i)
    scratch.v[i] = (scratch.x[i] - scratch.hat_x[i]) / scheme().h;
}

void Equation::elastic(const Points& x, bool rest, bool exact, Points& out) {
  const Stress<double> now = stress(rest);
  const auto of_cells = [&](const Points& at) {
    if (exact)
      cache.cells.apply(now, in_matrix(), scratch.plastic, at.data(), out.data(), pool());
    else
      cache.cells.forces(now, in_matrix(), scratch.plastic, at.data(), out.data(), pool());
  };
  if (!state.flow.empty() && rest)
    plastic_stress(model, state.flow, scratch.plastic);
  else
    scratch.plastic.clear();
  const std::vector<Mat3>& turned = scratch.node_rotation;
  switch (options.warping) {
    case Warping::cell:
    case Warping::none:
      of_cells(x);
      break;
    case Warping::node:
      for (std::size_t i = 0; i < x.size(); ++i) scratch.unturned[i] = turned[i].transpose() * x[i];
      of_cells(scratch.unturned);
      for (std::size_t i = 0; i < x.size(); ++i) out[i] = turned[i] * out[i];
      break;
    case Warping::row:
      row_forces(model, turned, state.flow, rest, x, out);
      break;
  }
}

double Equation::residual(const Points& x, Points& r) {
  const Scheme& s = scheme();
  Points &forces = scratch.elastic, &velocity = scratch.velocity;
  elastic(x, true, s.h == 0, forces);
  double acting = 0, load = 0;
  const Points &hat_x = scratch.hat_x, &hat_v = scratch.hat_v;
  for (std::size_t i = 0; i < x.size(); ++i) {
    Vec3 force = model.mass[i] * input().gravity;
    if (!input().forces.empty()) force += input().forces[i];
    load += force.squaredNorm();
    acting += forces[i].squaredNorm();
    if (s.h > 0) {
      const Vec3 v = (x[i] - hat_x[i]) / s.h;
      force -= model.mass[i] * ((v - hat_v[i]) / s.h + s.drag * v);
    }
    r[i] = force - forces[i];
  }
  if (s.h > 0 && s.inner_drag > 0) {
    for (std::size_t i = 0; i < x.size(); ++i) velocity[i] = (x[i] - hat_x[i]) / s.h;
    elastic(velocity, false, false, forces);
    for (std::size_t i = 0; i < x.size(); ++i) r[i] -= s.inner_drag * forces[i];
  }
  add_pulls(x, r);
  return std::sqrt(load) + std::sqrt(acting);
}

void Equation::add_pulls(const Points& x, Points& r) const {
  const Gather& rows = cache.rows;
  for (Index n = 0; n < rows.rows(); ++n) {
    Vec3 field = Vec3::Zero();
    for (Index k = rows.begin[std::size_t(n)]; k < rows.begin[std::size_t(n) + 1]; ++k)
      field += rows.weight[std::size_t(k)] * x[std::size_t(rows.column[std::size_t(k)])];
    const Vec3 pull = hold_stiffness() * (scratch.targets[std::size_t(n)] - field);
    for (Index k = rows.begin[std::size_t(n)]; k < rows.begin[std::size_t(n) + 1]; ++k)
      r[std::size_t(rows.column[std::size_t(k)])] += rows.weight[std::size_t(k)] * pull;
  }
  const Gather& at = model.at_nodes;
  for (const Grab& grab : input().grabs) {
    Vec3 field = Vec3::Zero();
    const std::size_t begin = std::size_t(at.begin[std::size_t(grab.node)]),
                      end = std::size_t(at.begin[std::size_t(grab.node) + 1]);
    for (std::size_t k = begin; k < end; ++k) field += at.weight[k] * x[std::size_t(at.column[k])];
    for (std::size_t k = begin; k < end; ++k)
      r[std::size_t(at.column[k])] += at.weight[k] * grab.stiffness * (grab.target - field);
  }
}

void Equation::inner_forces(const Points& x, Points& out) {
  elastic(x, true, true, scratch.elastic);
  for (std::size_t i = 0; i < x.size(); ++i) out[i] = -scratch.elastic[i];
  add_pulls(x, out);
}

void Equation::stiffen(const Float4* z, Float4* y) {
  cache.cells.apply(rough_stress(), in_matrix(), z, y, pool());
  apply_rows(z, y);
}

void Equation::apply_rows(const Float4* z, Float4* y) const {
  const auto pull = [&](const Index* column, const auto* weight, Index count, float stiffness) {
    Float4 field;
    for (Index k = 0; k < count; ++k) {
      const Float4& v = z[column[k]];
      const float w = float(weight[k]);
      field.x += w * v.x, field.y += w * v.y, field.z += w * v.z;
    }
    for (Index k = 0; k < count; ++k) {
      const float w = stiffness * float(weight[k]);
      Float4& out = y[column[k]];
      out.x += w * field.x, out.y += w * field.y, out.z += w * field.z;
    }
  };
  const Gather& rows = cache.rows;
  for (Index n = 0; n < rows.rows(); ++n) {
    const Index begin = rows.begin[std::size_t(n)];
    pull(rows.column.data() + begin, cache.row_weight.data() + begin, rows.begin[std::size_t(n) + 1] - begin,
         float(hold_stiffness()));
  }
  const Gather& at = model.at_nodes;
  for (const Grab& grab : input().grabs) {
    const Index begin = at.begin[std::size_t(grab.node)];
    pull(at.column.data() + begin, at.weight.data() + begin, at.begin[std::size_t(grab.node) + 1] - begin,
         float(grab.stiffness));
  }
}

void Equation::apply(const Float4* z, Float4* y) {
  const Scheme& s = scheme();
  const std::size_t n = model.rest.size();
  if (!at_nodes()) {
    cache.cells.apply(rough_stress(), in_matrix(), z, y, pool());
  } else {
    Points &forces = scratch.elastic, &velocity = scratch.velocity;
    for (std::size_t i = 0; i < n; ++i) velocity[i] = Vec3(z[i].x, z[i].y, z[i].z);
    elastic(velocity, false, false, forces);
    for (std::size_t i = 0; i < n; ++i)
      y[i] = {float(forces[i].x()), float(forces[i].y()), float(forces[i].z()), 0};
  }
  const float stiffness = float(s.stiffness);
  for (std::size_t i = 0; i < n; ++i) {
    const float mass = float(s.mass * model.mass[i]);
    y[i].x = stiffness * y[i].x + mass * z[i].x;
    y[i].y = stiffness * y[i].y + mass * z[i].y;
    y[i].z = stiffness * y[i].z + mass * z[i].z;
  }
  apply_rows(z, y);
}

double Equation::curvature(const AlignedVector<Float4>& z) {
  const Scheme& s = scheme();
  double inertia = 0, held = 0;
  for (std::size_t i = 0; i < z.size(); ++i)
    inertia += model.mass[i] * (double(z[i].x) * z[i].x + double(z[i].y) * z[i].y + double(z[i].z) * z[i].z);
  const auto pull = [&](const Gather& rows, std::size_t n, double stiffness) {
    Vec3 field = Vec3::Zero();
    for (std::size_t k = std::size_t(rows.begin[n]); k < std::size_t(rows.begin[n + 1]); ++k) {
      const Float4& v = z[std::size_t(rows.column[k])];
      field += rows.weight[k] * Vec3(v.x, v.y, v.z);
    }
    held += stiffness * field.squaredNorm();
  };
  for (Index n = 0; n < cache.rows.rows(); ++n) pull(cache.rows, std::size_t(n), hold_stiffness());
  for (const Grab& grab : input().grabs) pull(model.at_nodes, std::size_t(grab.node), grab.stiffness);
  return s.mass * inertia + held +
         s.stiffness * cache.cells.curvature(rough_stress(), in_matrix(), z.data(), pool());
}

void Equation::precondition(const Float4* r, Float4* z) {
  if (options.warping != Warping::node) return cache.factors->system.solve(r, z, pool());
  Points &block_b = scratch.block_b, &block_z = scratch.block_z;
  const std::vector<Mat3>& turned = scratch.node_rotation;
  for (std::size_t i = 0; i < turned.size(); ++i) {
    const Vec3 b = turned[i].transpose() * Vec3(r[i].x, r[i].y, r[i].z);
    for (int c = 0; c < 3; ++c) block_b[3 * i + std::size_t(c)] = Vec3(b[c], 0, 0);
  }
  cache.factors->block.solve(block_b.data(), block_z.data());
  for (std::size_t i = 0; i < turned.size(); ++i) {
    const Vec3 x = turned[i] * Vec3(block_z[3 * i].x(), block_z[3 * i + 1].x(), block_z[3 * i + 2].x());
    z[i] = {float(x.x()), float(x.y()), float(x.z()), 0};
  }
}

Stress<double> Equation::stress(bool rest) const {
  const double kappa = scheme().kappa;
  return {model.mu + kappa, model.mu - kappa, model.lambda, rest};
}

Stress<float> Equation::rough_stress() const {
  const Stress<double> exact = stress(false);
  return {float(exact.plus), float(exact.minus), float(exact.lambda), false};
}

StepTraffic Equation::traffic(int iterations) const {
  const std::size_t solves = std::size_t(iterations);
  const std::size_t n = model.rest.size();
  const std::size_t cells = cache.cells.bytes_per_apply(), factor = cache.factors->system.bytes_per_solve();
  StepTraffic out;
  out.moved = solves * (cells + factor) + rig.influence().size() * sizeof(float) + n * 12 * sizeof(Vec3);
  out.working_set = cells + factor / 2 + rig.influence().size() * sizeof(float) + n * 12 * sizeof(Vec3);
  return out;
}

}  // namespace pliant::meshless
