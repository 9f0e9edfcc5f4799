// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/equation.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/base/clock.hpp"
#include "pliant/methods/meshless/energy.hpp"

namespace pliant::meshless {

Equation::Equation(const Model& model, const Rig& rig, const PackedCells& cells, const Options& options,
                   const State& state, CellRotations& rotations)
    : model_(model),
      rig_(rig),
      cells_(cells),
      warping_(options.warping),
      hold_(options.hold * model.young * model.spacing),
      state_(state),
      rotations_(rotations) {
  const std::size_t n = model.rest.size();
  for (Points* points : {&elastic_, &v_, &unturned_}) points->assign(n, Vec3::Zero());
  if (warping_ == Warping::node) block_b_.assign(3 * n, Vec3::Zero()), block_z_ = block_b_;
}

void Equation::hold(std::span<const Index> nodes) {
  held_.assign(nodes.begin(), nodes.end());
  rows_ = rig_.rows();
  const Gather& at = model_.at_nodes;
  for (const Index i : nodes) {
    for (Index k = at.begin[std::size_t(i)]; k < at.begin[std::size_t(i) + 1]; ++k) {
      rows_.column.push_back(at.column[std::size_t(k)]);
      rows_.weight.push_back(at.weight[std::size_t(k)]);
    }
    rows_.begin.push_back(Index(rows_.column.size()));
  }
  row_weight_.assign(rows_.weight.begin(), rows_.weight.end());
  targets_.resize(std::size_t(rows_.rows()));
}

std::string Equation::prepare(const Context& step) {
  const Scheme& s = step.scheme;
  const std::span<const Index> held = step.input.held;
  const bool same_held = ready_ && std::equal(held.begin(), held.end(), held_.begin(), held_.end());
  if (same_held && mass_ == s.mass && stiffness_ == s.stiffness) return {};
  const auto start = Clock::now();
  if (!same_held) hold(held);
  mass_ = s.mass;
  stiffness_ = s.stiffness;
  std::string trouble;
  if (warping_ == Warping::node) {
    std::vector<double> diagonal;
    for (const double m : model_.mass) diagonal.push_back(s.mass * m);
    block_.keep_double(true);
    trouble = block_.factor(block_matrix(model_, diagonal, s.stiffness, rows_, hold_)).trouble;
  } else {
    trouble = system_.prepare(model_, s.mass, s.stiffness, rows_, hold_, step.pool);
  }
  step.report.refactored = true;
  if (!ready_) setup_ms_ += milliseconds_since(start);
  ready_ = trouble.empty();
  return trouble;
}

void Equation::aim(std::span<const Vec3> bones, std::span<const Vec3> held) {
  std::size_t row = 0;
  for (const Vec3& target : bones) targets_[row++] = target;
  for (const Vec3& target : held) targets_[row++] = target;
}

bool Equation::is_free(const StepInput& input) const {
  return rows_.rows() == 0 && input.grabs.empty() && !rotations_.at_nodes();
}

void Equation::elastic(const Scheme& s, const Points& x, bool rest, bool exact, Points& out, Pool& pool) {
  const Stress<double> now = stress(s, rest);
  const auto of_cells = [&](const Points& at) {
    if (exact)
      cells_.apply(now, rotations_.in_matrix(), plastic_, at.data(), out.data(), pool);
    else
      cells_.forces(now, rotations_.in_matrix(), plastic_, at.data(), out.data(), pool);
  };
  if (!state_.flow.empty() && rest)
    plastic_stress(model_, state_.flow, plastic_);
  else
    plastic_.clear();
  const std::vector<Mat3>& turned = rotations_.nodes();
  switch (warping_) {
    case Warping::cell:
    case Warping::none:
      of_cells(x);
      break;
    case Warping::node:
      for (std::size_t i = 0; i < x.size(); ++i) unturned_[i] = turned[i].transpose() * x[i];
      of_cells(unturned_);
      for (std::size_t i = 0; i < x.size(); ++i) out[i] = turned[i] * out[i];
      break;
    case Warping::row:
      row_forces(model_, turned, state_.flow, rest, x, out);
      break;
  }
}

double Equation::residual(const Context& step, const Points& x, Points& r) {
  const StepInput& input = step.input;
  const Scheme& s = step.scheme;
  elastic(s, x, true, s.h == 0, elastic_, step.pool);
  double acting = 0, load = 0;
  const NodeState& now = state_.nodes;
  for (std::size_t i = 0; i < x.size(); ++i) {
    Vec3 force = model_.mass[i] * input.gravity;
    if (!input.forces.empty()) force += input.forces[i];
    load += force.squaredNorm();
    acting += elastic_[i].squaredNorm();
    if (s.h > 0) {
      const Vec3 v = (x[i] - now.x[i]) / s.h;
      force -= model_.mass[i] * ((v - now.v[i]) / s.h + s.drag * v);
    }
    r[i] = force - elastic_[i];
  }
  if (s.h > 0 && s.inner_drag > 0) {
    for (std::size_t i = 0; i < x.size(); ++i) v_[i] = (x[i] - now.x[i]) / s.h;
    elastic(s, v_, false, false, elastic_, step.pool);
    for (std::size_t i = 0; i < x.size(); ++i) r[i] -= s.inner_drag * elastic_[i];
  }
  for (Index n = 0; n < rows_.rows(); ++n) {
    Vec3 field = Vec3::Zero();
    for (Index k = rows_.begin[std::size_t(n)]; k < rows_.begin[std::size_t(n) + 1]; ++k)
      field += rows_.weight[std::size_t(k)] * x[std::size_t(rows_.column[std::size_t(k)])];
    const Vec3 pull = hold_ * (targets_[std::size_t(n)] - field);
    for (Index k = rows_.begin[std::size_t(n)]; k < rows_.begin[std::size_t(n) + 1]; ++k)
      r[std::size_t(rows_.column[std::size_t(k)])] += rows_.weight[std::size_t(k)] * pull;
  }
  const Gather& at = model_.at_nodes;
  for (const Grab& grab : input.grabs) {
    Vec3 field = Vec3::Zero();
    const std::size_t begin = std::size_t(at.begin[std::size_t(grab.node)]),
                      end = std::size_t(at.begin[std::size_t(grab.node) + 1]);
    for (std::size_t k = begin; k < end; ++k) field += at.weight[k] * x[std::size_t(at.column[k])];
    for (std::size_t k = begin; k < end; ++k)
      r[std::size_t(at.column[k])] += at.weight[k] * grab.stiffness * (grab.target - field);
  }
  return std::sqrt(load) + std::sqrt(acting);
}

/// y += hold rows^T rows z, and the grabs.
void Equation::apply_rows(std::span<const Grab> grabs, const Float4* z, Float4* y) const {
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
  for (Index n = 0; n < rows_.rows(); ++n) {
    const Index begin = rows_.begin[std::size_t(n)];
    pull(rows_.column.data() + begin, row_weight_.data() + begin, rows_.begin[std::size_t(n) + 1] - begin,
         float(hold_));
  }
  const Gather& at = model_.at_nodes;
  for (const Grab& grab : grabs) {
    const Index begin = at.begin[std::size_t(grab.node)];
    pull(at.column.data() + begin, at.weight.data() + begin, at.begin[std::size_t(grab.node) + 1] - begin,
         float(grab.stiffness));
  }
}

void Equation::apply(const Context& step, const Float4* z, Float4* y) {
  const Scheme& s = step.scheme;
  const std::size_t n = model_.rest.size();
  if (!rotations_.at_nodes()) {
    cells_.apply(rough_stress(s), rotations_.in_matrix(), z, y, step.pool);
  } else {
    for (std::size_t i = 0; i < n; ++i) v_[i] = Vec3(z[i].x, z[i].y, z[i].z);
    elastic(s, v_, false, false, elastic_, step.pool);
    for (std::size_t i = 0; i < n; ++i)
      y[i] = {float(elastic_[i].x()), float(elastic_[i].y()), float(elastic_[i].z()), 0};
  }
  const float stiffness = float(s.stiffness);
  for (std::size_t i = 0; i < n; ++i) {
    const float mass = float(s.mass * model_.mass[i]);
    y[i].x = stiffness * y[i].x + mass * z[i].x;
    y[i].y = stiffness * y[i].y + mass * z[i].y;
    y[i].z = stiffness * y[i].z + mass * z[i].z;
  }
  apply_rows(step.input.grabs, z, y);
}

double Equation::curvature(const Context& step, const AlignedVector<Float4>& z) {
  const Scheme& s = step.scheme;
  double inertia = 0, held = 0;
  for (std::size_t i = 0; i < z.size(); ++i)
    inertia += model_.mass[i] * (double(z[i].x) * z[i].x + double(z[i].y) * z[i].y + double(z[i].z) * z[i].z);
  const auto pull = [&](const Gather& rows, std::size_t n, double stiffness) {
    Vec3 field = Vec3::Zero();
    for (std::size_t k = std::size_t(rows.begin[n]); k < std::size_t(rows.begin[n + 1]); ++k) {
      const Float4& v = z[std::size_t(rows.column[k])];
      field += rows.weight[k] * Vec3(v.x, v.y, v.z);
    }
    held += stiffness * field.squaredNorm();
  };
  for (Index n = 0; n < rows_.rows(); ++n) pull(rows_, std::size_t(n), hold_);
  for (const Grab& grab : step.input.grabs) pull(model_.at_nodes, std::size_t(grab.node), grab.stiffness);
  return s.mass * inertia + held +
         s.stiffness * cells_.curvature(rough_stress(s), rotations_.in_matrix(), z.data(), step.pool);
}

void Equation::precondition(const Float4* r, Float4* z, Pool& pool) {
  if (warping_ != Warping::node) return system_.solve(r, z, pool);
  const std::vector<Mat3>& turned = rotations_.nodes();
  for (std::size_t i = 0; i < turned.size(); ++i) {
    const Vec3 b = turned[i].transpose() * Vec3(r[i].x, r[i].y, r[i].z);
    for (int c = 0; c < 3; ++c) block_b_[3 * i + std::size_t(c)] = Vec3(b[c], 0, 0);
  }
  block_.solve(block_b_.data(), block_z_.data());
  for (std::size_t i = 0; i < turned.size(); ++i) {
    const Vec3 x = turned[i] * Vec3(block_z_[3 * i].x(), block_z_[3 * i + 1].x(), block_z_[3 * i + 2].x());
    z[i] = {float(x.x()), float(x.y()), float(x.z()), 0};
  }
}

Stress<double> Equation::stress(const Scheme& s, bool rest) const {
  return {model_.mu + s.kappa, model_.mu - s.kappa, model_.lambda, rest};
}

Stress<float> Equation::rough_stress(const Scheme& s) const {
  const Stress<double> exact = stress(s, false);
  return {float(exact.plus), float(exact.minus), float(exact.lambda), false};
}

StepTraffic Equation::traffic(int iterations) const {
  const std::size_t solves = std::size_t(iterations);
  const std::size_t n = model_.rest.size();
  const std::size_t cells = cells_.bytes_per_apply(), factor = system_.bytes_per_solve();
  StepTraffic out;
  out.moved = solves * (cells + factor) + rig_.influence().size() * sizeof(float) + n * 12 * sizeof(Vec3);
  out.working_set = cells + factor / 2 + rig_.influence().size() * sizeof(float) + n * 12 * sizeof(Vec3);
  return out;
}

}  // namespace pliant::meshless
