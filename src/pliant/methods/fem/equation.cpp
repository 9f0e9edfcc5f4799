// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/fem/equation.hpp"

#include "pliant/base/clock.hpp"

namespace pliant::fem {

Equation::Equation(const Model& model) : model_(model), held_(model.rest.size(), 0) {}

void Equation::arrange(std::span<const Index> nodes, const std::vector<unsigned char>& held) {
  if (arranged_ && held == held_) return;
  const auto start = Clock::now();
  if (!has_followers()) {
    assembly_.arrange(model_, held, matrix_);
  } else {
    if (!arranged_) assembly_.arrange(model_, std::vector<unsigned char>(model_.rest.size(), 0), matrix_);
    soft_holds_.arrange(model_, nodes, matrix_.pattern());
  }
  held_ = held;
  if (!arranged_) setup_ms_ += milliseconds_since(start);
  arranged_ = true;
}

void Equation::turn(Scratch& end, Pool& pool) {
  assembly_.visit(model_, end.x, end.v, 0, end.rotations, pool);
}

void Equation::linearise(const Context& step, Scratch& end) {
  const StepInput& input = step.input;
  const Scheme& s = step.scheme;
  step.watch.add_to(&StageTimes::rhs);
  assembly_.visit(model_, end.x, end.v, s.inner_drag, end.rotations, step.pool);
  step.watch.add_to(&StageTimes::rotation);
  assembly_.gather_forces(model_, end.g, step.pool);
  const std::vector<Index>& nodes = free();
  for (std::size_t k = 0; k < nodes.size(); ++k) {
    const Index i = nodes[k];
    // (1 + h' alpha) D / h'^2 + alpha v^ = (v - v^)/h' + alpha v
    const Vec3 inertia = (end.v[i] - end.hat_v[i]) / s.h + s.drag * end.v[i] - input.gravity;
    end.g[k] = s.elastic * (end.g[k] + model_.mass[i] * inertia);
    if (!input.forces.empty()) end.g[k] -= s.elastic * input.forces[i];
  }
  if (has_followers()) {
    pull_followers(step, end);
    return;
  }
  for (const Grab& grab : input.grabs)
    if (const Index k = assembly_.place(grab.node); k >= 0)
      end.g[k] += s.elastic * grab.stiffness * (end.x[grab.node] - grab.target);
}

void Equation::pull_followers(const Context& step, Scratch& end) const {
  const StepInput& input = step.input;
  const Scheme& s = step.scheme;
  soft_holds_.add_forces(end.x, input.targets, s.elastic, end.g);
  for (const Grab& grab : input.grabs) {
    Vec3 off = -grab.target;
    each_carrier(model_, grab.node, [&](Index i, double weight) { off += weight * end.x[i]; });
    each_carrier(model_, grab.node,
                 [&](Index i, double weight) { end.g[i] += s.elastic * grab.stiffness * weight * off; });
  }
  if (input.forces.empty()) return;
  for (Index node = model_.carriers(); node < model_.nodes(); ++node)
    each_carrier(model_, node,
                 [&](Index i, double weight) { end.g[i] -= s.elastic * weight * input.forces[node]; });
}

void Equation::assemble(const Scheme& s, std::span<const Grab> grabs, Pool& pool) {
  assembly_.gather_blocks(model_, s.stiffness, matrix_, pool);
  const auto add = [&](Index k, double value) {
    for (int c = 0; c < 3; ++c) matrix_.diagonal(k)[4 * c] += value;
  };
  const std::vector<Index>& nodes = free();
  for (std::size_t k = 0; k < nodes.size(); ++k) add(Index(k), s.mass * model_.mass[nodes[k]]);
  if (!has_followers()) {
    for (const Grab& grab : grabs)
      if (const Index k = assembly_.place(grab.node); k >= 0) add(k, s.elastic * grab.stiffness);
    return;
  }
  soft_holds_.add_blocks(s.elastic, matrix_);
  for (const Grab& grab : grabs)
    each_carrier(model_, grab.node, [&](Index i, double wi) {
      each_carrier(model_, grab.node, [&](Index j, double wj) {
        double* block = matrix_.block(find_block(matrix_.pattern(), i, j));
        for (int c = 0; c < 3; ++c) block[4 * c] += s.elastic * grab.stiffness * wi * wj;
      });
    });
}

BlockGradients::Outcome Equation::solve(const Points& g, Points& p, double tolerance, int most, Pool& pool) {
  return matrix_.solve(g.data(), p.data(), tolerance, most, pool);
}

void Equation::strain(std::span<const Vec3> targets, Scratch& end, Pool& pool) {
  assembly_.visit(model_, end.x, end.v, 0, end.rotations, pool);
  assembly_.gather_forces(model_, end.g, pool);
  assembly_.gather_blocks(model_, 1, matrix_, pool);
  if (!has_followers()) return;
  soft_holds_.add_forces(end.x, targets, 1, end.g);
  soft_holds_.add_blocks(1, matrix_);
}

void Equation::stiffen(const Points& p, Scratch& end, Points& out) const {
  const std::vector<Index>& nodes = assembly_.free();
  for (std::size_t k = 0; k < nodes.size(); ++k) end.p[k] = p[std::size_t(nodes[k])];
  matrix_.multiply(end.p.data(), end.g.data());
  std::fill(out.begin(), out.end(), Vec3::Zero());
  for (std::size_t k = 0; k < nodes.size(); ++k) out[std::size_t(nodes[k])] = end.g[k];
}

StepTraffic Equation::traffic(int iterations) const {
  const std::size_t matrix = matrix_.matrix_bytes(), ends = model_.rest.size() * sizeof(Vec3) * 16;
  StepTraffic out;
  out.moved = assembly_.bytes_per_visit(model_) + matrix + ends +
              std::size_t(iterations) * matrix_.bytes_per_iteration();
  out.working_set = matrix + model_.weight.size() * model_.element_bytes() + ends;
  return out;
}

}  // namespace pliant::fem
