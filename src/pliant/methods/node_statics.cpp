// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/node_statics.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pliant/base/check.hpp"
#include "pliant/physics/check_input.hpp"
#include "pliant/physics/damped_newton.hpp"
#include "pliant/physics/secant_pairs.hpp"
#include "pliant/physics/selection.hpp"

namespace pliant {
namespace {

constexpr double energy_noise = 1e-11;  // round-off of Pi, relative
constexpr double no_way = 1e-12;        // of the body's size: a direction so short is rounding
// A model of the Hessian that lacks much (the softness of a squashed body near its buckling) leaves more than `most` of
// the unbalanced force in each step; after so many in a row, near the balance, the steps taken correct it. Far from it
// the forces are not linear in them.
constexpr double most = 0.5;
constexpr int slow_steps = 8;
constexpr double near_balance = 0.1;  // residual
constexpr double jump_share = 1e-2;   // acting forces count at least this share of the largest unbalanced one

/// Potential and forces at some place.
struct Look {
  Points x;                           ///< m
  double elastic = 0, potential = 0;  ///< V and Pi, J
  bool has_forces = false;            ///< the rest is known, too
  double unbalanced = 0, acting = 0;  ///< N
  Points force;                       ///< f, N; 0 on held nodes
};

/// What goes from step to step.
struct Progress {
  Look look;          ///< where the last step ended
  SecantPairs pairs;  ///< of the steps since held nodes were moved
  int slow = 0;       ///< steps in a row that left most of the unbalanced force
};

/// The static problem at the positions of the method, as damped_newton.hpp sees it.
class NodeProblem {
 public:
  NodeProblem(Method& method, const StepInput& input, RelaxMemory& memory, const NodeDirection& direction)
      : method_(method), input_(input), memory_(memory), solve_(direction) {
    const Points& x = method.nodes().x;
    still_.assign(x.size(), Vec3::Zero());
    direction_.resize(x.size());
    is_held_.assign(x.size(), 0);
    for (const Index i : input.held) is_held_[std::size_t(i)] = 1;
    const bool begins = memory.start.empty();
    if (begins) memory.start = x;
    const bool moved = hold();
    if (begins || moved) memory.largest = std::max(memory.largest, here_.unbalanced);
  }

  double potential() const { return here_.potential; }
  double unbalanced() const { return here_.unbalanced; }
  double residual() const {
    if (here_.unbalanced == 0) return 0;
    return here_.unbalanced / std::max(here_.acting, jump_share * memory_.largest);
  }

  StaticDirection direction(double caution) {
    if (tried_) {  // no step was found
      go_back();
      forget_steps();
    }
    const StepInput at{.h = 1 / caution, .held = input_.held, .contact = {}, .pool = input_.pool};
    const auto solve = [&](std::span<const Vec3> f, std::span<Vec3> d) { return solve_(at, f, d); };
    StaticDirection out{.trouble = slow_ < slow_steps ? solve(here_.force, direction_)
                                                      : pairs_.direction(here_.force, direction_, solve)};
    double square = 0;
    for (std::size_t i = 0; i < here_.x.size(); ++i) {
      out.slope += here_.force[i].dot(direction_[i]);
      square += direction_[i].squaredNorm();
    }
    longest_ = std::max(longest_, std::sqrt(square / double(here_.x.size())));
    if (slow_ == slow_steps && out.trouble.empty() && !(out.slope > 0)) {
      forget_steps();
      return direction(caution);
    }
    return out;
  }
  /// Nothing acts, and what is unbalanced moves the body by no more than rounding: there is nothing to compare
  /// it with.
  bool rests_without_load() const {
    const Bounds box = bounds_of(memory_.start);
    return input_.gravity.isZero(0) && input_.forces.empty() &&
           longest_ <= no_way * (box.max - box.min).norm();
  }

  std::optional<double> try_step(double t) {
    there_.x = here_.x;
    for (std::size_t i = 0; i < here_.x.size(); ++i) there_.x[i] += t * direction_[i];
    look(there_);
    tried_ = true;
    return there_.potential;
  }
  double noise() const { return energy_noise * (std::abs(here_.potential) + std::abs(there_.elastic)); }
  double trial_unbalanced() {
    find_forces(there_);
    return there_.unbalanced;
  }

  /// The trial is the place from now on. Returns the root mean square displacement over the body's size.
  double accept() {
    find_forces(there_);
    Points step(here_.x.size()), growth(here_.x.size());
    double sum = 0;
    for (std::size_t i = 0; i < here_.x.size(); ++i) {
      step[i] = there_.x[i] - here_.x[i];
      growth[i] = here_.force[i] - there_.force[i];
      sum += step[i].squaredNorm();
    }
    pairs_.add(std::move(step), std::move(growth));
    const bool slow = residual() < near_balance && there_.unbalanced > most * here_.unbalanced;
    if (slow_ < slow_steps) slow_ = slow ? slow_ + 1 : 0;
    std::swap(here_, there_);
    const Bounds box = bounds_of(memory_.start);
    return std::sqrt(sum / double(here_.x.size())) / (box.max - box.min).norm();
  }
  /// The method is at x again after trials.
  void go_back() {
    method_.place(here_.x, still_);
    tried_ = false;
  }
  /// The next step begins where this one ended.
  void remember() { memory_.last = Progress{std::move(here_), std::move(pairs_), slow_}; }

 private:
  void forget_steps() {
    pairs_.clear();
    slow_ = 0;
  }

  /// Looks at the present positions, held nodes at their targets. True: one of those moved.
  bool hold() {
    here_.x = method_.nodes().x;
    bool moved = false;
    for (std::size_t n = 0; n < input_.held.size(); ++n) {
      Vec3& x = here_.x[std::size_t(input_.held[n])];
      moved |= x != input_.targets[n];
      x = input_.targets[n];
    }
    if (Progress* last = std::any_cast<Progress>(&memory_.last); last && !moved && last->look.x == here_.x) {
      here_ = std::move(last->look);
      pairs_ = std::move(last->pairs);
      slow_ = last->slow;
    } else {
      look(here_);
      find_forces(here_);
    }
    memory_.last.reset();
    return moved;
  }

  /// Weight and force of the input on node i, N.
  Vec3 load(const std::vector<double>& mass, std::size_t i) const {
    const Vec3 weight = mass[i] * input_.gravity;
    return input_.forces.empty() ? weight : Vec3(weight + input_.forces[i]);
  }

  /// The method is at out.x afterwards.
  void look(Look& out) {
    method_.place(out.x, still_);
    out.elastic = method_.elastic_energy();
    const std::vector<double>& mass = method_.nodes().mass;
    double outer = 0;
    for (std::size_t i = 0; i < out.x.size(); ++i)
      if (!is_held_[i]) outer += load(mass, i).dot(out.x[i] - memory_.start[i]);
    out.potential = out.elastic - outer;
    out.has_forces = false;
  }

  /// The method is at out.x.
  void find_forces(Look& out) {
    if (out.has_forces) return;
    out.force.resize(out.x.size());
    method_.elastic_forces(out.force);
    const std::vector<double>& mass = method_.nodes().mass;
    double free = 0, reaction = 0, loads = 0;
    for (std::size_t i = 0; i < out.x.size(); ++i) {
      Vec3& f = out.force[i];
      if (is_held_[i]) {
        reaction += f.squaredNorm();
        f.setZero();
        continue;
      }
      const Vec3 outer = load(mass, i);
      loads += outer.squaredNorm();
      f += outer;
      free += f.squaredNorm();
    }
    out.unbalanced = std::sqrt(free);
    out.acting = std::sqrt(loads) + std::sqrt(reaction);
    out.has_forces = true;
  }

  Method& method_;
  const StepInput& input_;
  RelaxMemory& memory_;
  const NodeDirection& solve_;
  Points still_, direction_;
  std::vector<char> is_held_;
  Look here_, there_;
  SecantPairs pairs_;
  int slow_ = 0;
  bool tried_ = false;  // the method is at the trial
  double longest_ = 0;  // direction so far, root mean square, m
};

}  // namespace

Relaxation relax_nodes(Method& method, const StepInput& input, double tolerance, RelaxMemory& memory,
                       const NodeDirection& direction) {
  PLIANT_CHECK(input.pool != nullptr);
  if (std::string wrong = trouble_of(input, Index(method.nodes().x.size())); !wrong.empty())
    return {.trouble = std::move(wrong)};
  NodeProblem problem(method, input, memory, direction);
  Relaxation out = static_step(problem, DampedNewton{}, tolerance, memory.caution);
  if (out.steps > 0 && out.trouble.empty() && problem.rests_without_load())
    out.residual = 0, out.stuck = false;
  problem.remember();
  return out;
}

}  // namespace pliant
