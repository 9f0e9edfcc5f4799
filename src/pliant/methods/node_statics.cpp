// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/node_statics.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/physics/damped_newton.hpp"
#include "pliant/physics/selection.hpp"

namespace pliant {
namespace {

constexpr double energy_noise = 1e-11;  // round-off of Pi, relative
constexpr double jump_share = 1e-2;  // acting forces count at least this share of the largest unbalanced one

/// Potential and forces at some place.
struct Look {
  double elastic = 0, potential = 0;  ///< V and Pi, J
  double unbalanced = 0, acting = 0;  ///< N
  Points force;                       ///< f, N; 0 on held nodes
};

/// The static problem at the positions of the method, as damped_newton.hpp sees it.
class NodeProblem {
 public:
  NodeProblem(Method& method, const StepInput& input, const Points& start, const NodeDirection& direction)
      : method_(method), input_(input), start_(start), solve_(direction), x_(method.nodes().x) {
    still_.assign(x_.size(), Vec3::Zero());
    direction_.resize(x_.size());
    is_held_.assign(x_.size(), 0);
    for (const Index i : input.held) is_held_[std::size_t(i)] = 1;
  }

  /// Puts held nodes at their targets. True: one of them moved.
  bool hold() {
    bool moved = false;
    for (std::size_t n = 0; n < input_.held.size(); ++n) {
      Vec3& x = x_[std::size_t(input_.held[n])];
      moved |= x != input_.targets[n];
      x = input_.targets[n];
    }
    look(x_, here_);
    return moved;
  }

  const Look& here() const { return here_; }
  double potential() const { return here_.potential; }
  double unbalanced() const { return here_.unbalanced; }

  StaticDirection direction(double caution) {
    if (tried_) go_back();
    StaticDirection out{.trouble = solve_(1 / caution, here_.force, direction_)};
    for (std::size_t i = 0; i < x_.size(); ++i) out.slope += here_.force[i].dot(direction_[i]);
    return out;
  }

  std::optional<double> try_step(double t) {
    trial_ = x_;
    for (std::size_t i = 0; i < x_.size(); ++i) trial_[i] += t * direction_[i];
    look(trial_, there_);
    tried_ = true;
    return there_.potential;
  }
  double noise() const { return energy_noise * (std::abs(here_.potential) + std::abs(there_.elastic)); }
  double trial_unbalanced() const { return there_.unbalanced; }

  /// The trial is the place from now on. Returns the root mean square displacement, m.
  double accept() {
    double sum = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) sum += (trial_[i] - x_[i]).squaredNorm();
    x_.swap(trial_);
    std::swap(here_, there_);
    return std::sqrt(sum / double(x_.size()));
  }
  /// The method is at x again after trials.
  void go_back() {
    method_.place(x_, still_);
    tried_ = false;
  }

 private:
  /// The method is at x afterwards.
  void look(const Points& x, Look& out) {
    method_.place(x, still_);
    out.elastic = method_.elastic_energy();
    out.force.resize(x.size());
    method_.elastic_forces(out.force);
    const std::vector<double>& mass = method_.nodes().mass;
    double outer = 0, free = 0, reaction = 0, load = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      Vec3& f = out.force[i];
      if (is_held_[i]) {
        reaction += f.squaredNorm();
        f.setZero();
        continue;
      }
      const Vec3 weight = mass[i] * input_.gravity;
      outer += weight.dot(x[i] - start_[i]);
      load += weight.squaredNorm();
      f += weight;
      free += f.squaredNorm();
    }
    out.potential = out.elastic - outer;
    out.unbalanced = std::sqrt(free);
    out.acting = std::sqrt(load) + std::sqrt(reaction);
  }

  Method& method_;
  const StepInput& input_;
  const Points& start_;
  const NodeDirection& solve_;
  Points x_, trial_, still_, direction_;
  std::vector<char> is_held_;
  Look here_, there_;
  bool tried_ = false;  // the method is at the trial
};

}  // namespace

Relaxation relax_nodes(Method& method, const StepInput& input, double tolerance, RelaxMemory& memory,
                       const NodeDirection& direction) {
  const bool begins = memory.start.empty();
  if (begins) memory.start = method.nodes().x;
  NodeProblem problem(method, input, memory.start, direction);
  const bool moved = problem.hold();
  if (begins || moved) memory.largest = std::max(memory.largest, problem.unbalanced());

  Relaxation out;
  const auto tell = [&] {
    const Look& now = problem.here();
    out.force = now.unbalanced;
    out.residual =
        now.unbalanced == 0 ? 0 : now.unbalanced / std::max(now.acting, jump_share * memory.largest);
  };
  tell();
  if (out.residual <= tolerance) return out;
  out.steps = 1;
  switch (DampedNewton{}.step(problem, memory.caution, out.trouble)) {
    case DampedNewton::Outcome::moved: {
      const Bounds box = bounds_of(memory.start);
      out.change = problem.accept() / (box.max - box.min).norm();
      break;
    }
    case DampedNewton::Outcome::stuck:
      out.stuck = true;
      problem.go_back();
      break;
    case DampedNewton::Outcome::trouble:
      return out;
  }
  tell();
  return out;
}

}  // namespace pliant
