// SPDX-License-Identifier: Apache-2.0
// The shape in which a body rests: a minimum of
//   Pi(x) = V(x) - sum_i m_i g . x_i,   held nodes at their targets
// by Newton steps with a line search. A step solves (M/h^2 + H) d = f for the unbalanced force f = -dPi/dx,
// both in double; M/h^2 keeps it near where H knows better (h is long when steps go well and short when they
// do not: Levenberg's and Marquardt's damping, in the units of a time step). Handles go their way in
// increments, each balanced roughly before the next: a bar that is twisted twice ends twisted twice.
#include "pliant/sim/pose.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pliant/physics/selection.hpp"
#include "pliant/sim/body.hpp"

namespace pliant {
namespace {

constexpr double first_h = 0.5, shortest_h = 1e-4, longest_h = 100;  // s
constexpr double longest_turn = 0.25;                                // rad, of a handle in an increment
constexpr double longest_way = 0.05;                                 // of the body's size, likewise
constexpr int most_increments = 1000;
constexpr int steps_between = 6;        // Newton steps of an increment that is not the last, at most
constexpr double rough = 1e-2;          // residual of such an increment
constexpr int halvings = 6;             // of the line search
constexpr double sufficient = 1e-4;     // share of the expected decrease (Armijo)
constexpr double energy_noise = 1e-11;  // round-off of Pi, relative
constexpr double gone = 30;             // sizes from its start: nothing holds it
constexpr double jump_share = 1e-2;  // forces that act count at least this much of the first unbalanced ones

constexpr const char* falls =
    "a part of it falls without end: pin or hold every part, or set gravity to zero";

double size_of(const Points& points) {
  const Bounds box = bounds_of(points);
  return (box.max - box.min).norm();
}

/// Some node has left for good: it is many sizes farther from its start than any held one is to go.
bool away(const Points& start, const Points& x, double size, std::span<const Index> held,
          std::span<const Vec3> targets) {
  double led = 0;
  for (std::size_t k = 0; k < held.size(); ++k)
    led = std::max(led, (targets[k] - start[std::size_t(held[k])]).norm());
  for (std::size_t i = 0; i < x.size(); ++i)
    if (!((x[i] - start[i]).norm() < gone * size + led)) return true;
  return false;
}

/// The static problem at the positions of the method.
class Balance {
 public:
  Balance(Method& method, const Vec3& gravity, std::span<const Index> held, Pool& pool)
      : method_(method), gravity_(gravity), held_(held), pool_(pool) {
    const NodeState& nodes = method.nodes();
    start_ = x_ = nodes.x;
    still_.assign(x_.size(), Vec3::Zero());
    force_.resize(x_.size());
    direction_.resize(x_.size());
    is_held_.assign(x_.size(), 0);
    for (const Index i : held) is_held_[std::size_t(i)] = 1;
    size_ = size_of(start_);
  }

  double size() const { return size_; }
  double residual() const {
    return unbalanced_ == 0 ? 0 : unbalanced_ / std::max(acting_, jump_share * most_);
  }
  double unbalanced() const { return unbalanced_; }

  void hold(std::span<const Vec3> targets) {
    for (std::size_t n = 0; n < held_.size(); ++n) x_[std::size_t(held_[n])] = targets[n];
    look(x_);
    keep();
    most_ = std::max(most_, unbalanced_);
  }

  enum class Step { done, stuck, trouble };

  Step newton(std::string& trouble) {
    StepInput input;
    input.h = h_;
    input.held = held_;
    input.pool = &pool_;
    trouble = method_.newton_direction(input, force_, direction_);
    if (!trouble.empty()) return Step::trouble;
    double slope = 0;
    for (std::size_t i = 0; i < x_.size(); ++i) slope += force_[i].dot(direction_[i]);
    const double before = potential_, unbalanced = unbalanced_;
    double t = 1;
    for (int k = 0; slope > 0 && k <= halvings; ++k, t /= 2) {
      trial_ = x_;
      for (std::size_t i = 0; i < x_.size(); ++i) trial_[i] += t * direction_[i];
      look(trial_);
      const double noise = energy_noise * (std::abs(before) + std::abs(elastic_));
      const bool lower = now_.potential <= before - sufficient * t * slope;
      const bool calmer = now_.unbalanced < unbalanced && now_.potential <= before + noise;
      if (!lower && !calmer) continue;
      x_.swap(trial_);
      keep();
      if (k == 0) h_ = std::min(4 * h_, longest_h);
      if (k >= 3) h_ /= 4;
      return Step::done;
    }
    method_.place(x_, still_);
    look(x_);
    h_ /= 8;
    return h_ < shortest_h ? Step::stuck : Step::done;
  }

  bool away(std::span<const Vec3> targets) const { return pliant::away(start_, x_, size_, held_, targets); }

 private:
  /// Potential and forces at x, where the method is afterwards.
  void look(const Points& x) {
    method_.place(x, still_);
    elastic_ = method_.elastic_energy();
    method_.elastic_forces(force_trial());
    const std::vector<double>& mass = method_.nodes().mass;
    double outer = 0, free = 0, reaction = 0, load = 0;
    for (std::size_t i = 0; i < x.size(); ++i) {
      Vec3& f = next_force_[i];
      if (is_held_[i]) {
        reaction += f.squaredNorm();
        f.setZero();
        continue;
      }
      const Vec3 weight = mass[i] * gravity_;
      outer += weight.dot(x[i] - start_[i]);
      load += weight.squaredNorm();
      f += weight;
      free += f.squaredNorm();
    }
    now_ = {elastic_ - outer, std::sqrt(free), std::sqrt(load) + std::sqrt(reaction)};
  }
  std::span<Vec3> force_trial() {
    next_force_.resize(x_.size());
    return next_force_;
  }
  void keep() {
    force_.swap(next_force_);
    potential_ = now_.potential;
    unbalanced_ = now_.unbalanced;
    acting_ = now_.acting;
  }

  Method& method_;
  Vec3 gravity_;
  std::span<const Index> held_;
  Pool& pool_;
  Points start_, x_, trial_, still_, force_, next_force_, direction_;
  std::vector<char> is_held_;
  struct Look {
    double potential = 0, unbalanced = 0, acting = 0;
  } now_;
  double size_ = 0, elastic_ = 0, potential_ = 0, unbalanced_ = 0, acting_ = 0, most_ = 0, h_ = first_h;
};

}  // namespace

double Body::last_key() const {
  double last = 0;
  for (const PlacedHold& placed : holds_)
    if (!placed.hold.motion.keys.empty()) last = std::max(last, placed.hold.motion.keys.back().time);
  return std::max(last, method_->driven_until().value_or(0));
}

bool Body::held_at(double time) const {
  return method_->driven_until() || std::any_of(holds_.begin(), holds_.end(), [&](const PlacedHold& placed) {
           return time <= placed.hold.release;
         });
}

/// Increments the handles need between two times: the largest turn and way of any.
double Body::travel(double from, double to) const {
  const double size = size_of(rest_surface_);
  double most = 0;
  for (std::size_t k = 0; k < holds_.size(); ++k) {
    if (!active_[k]) continue;
    const Pose a = holds_[k].hold.motion.at(from), b = holds_[k].hold.motion.at(to);
    const double angle = Eigen::AngleAxisd(Mat3(b.rotation * a.rotation.transpose())).angle();
    most =
        std::max(most, angle / longest_turn + (b.translation - a.translation).norm() / (longest_way * size));
  }
  return most;
}

/// The same way in the same increments for a method that takes its own steps (Method::relax).
void Body::relax(const std::vector<double>& times, const Vec3& gravity, const PoseOptions& options,
                 Pool& pool, PoseResult& result) {
  bool stuck = false;
  const Points start = method_->nodes().x;
  const double size = size_of(start);
  for (int k = 0; k < result.increments; ++k) {
    if (result.iterations == options.iterations) {
      result.trouble =
          fmt::format("{} of {} increments of the handles' way after {} steps: raise --iterations", k,
                      result.increments, result.iterations);
      return;
    }
    const bool last = k + 1 == result.increments;
    aim(times[std::size_t(k)]);
    StepInput input;
    input.gravity = gravity;
    input.held = held_;
    input.targets = targets_;
    input.hold_sizes = hold_sizes_;
    input.grabs = grabs_;
    input.pool = &pool;
    for (int n = 0; result.iterations < options.iterations && (last || n < steps_between); ++n) {
      ++result.iterations;
      const Method::Relaxation now = method_->relax(input);
      result.trouble = now.trouble;
      if (!now.trouble.empty()) return;
      result.residual = now.residual;
      result.force = now.force;
      stuck = now.stuck;
      if (away(start, method_->nodes().x, size, held_, targets_)) {
        result.trouble = falls;
        return;
      }
      if (stuck || now.residual <= (last ? options.tolerance : rough)) break;
      if (options.progress && !options.progress(k, result.increments)) {
        result.stopped = true;
        return;
      }
    }
  }
  if (result.residual > options.tolerance)
    result.trouble = fmt::format(
        "no balance after {} steps{}: {:.2g} of the acting forces is left, {:.2g} asked; raise --iterations "
        "or "
        "--tolerance, or hold it at more places",
        result.iterations, stuck ? ", no lower energy was found" : "", result.residual, options.tolerance);
}

PoseResult Body::pose(double time, const Vec3& gravity, const PoseOptions& options, Pool& pool) {
  choose_held(time, 0);
  aim(time);
  const StepInput input{.time = time,
                        .gravity = gravity,
                        .held = held_,
                        .targets = targets_,
                        .contact = contact_,
                        .pool = &pool};
  if (const auto settled = method_->settle(input, options.tolerance))
    return {.trouble = settled->trouble,
            .residual = settled->residual,
            .force = settled->force,
            .iterations = settled->iterations,
            .kept_rotations = settled->kept_rotations};
  std::vector<double> times;
  constexpr int looks = 1000;
  double way = 0;
  for (int k = 1; k < looks && !options.from_here; ++k) {
    way += travel(time * (k - 1) / looks, time * k / looks);
    if (way >= 1 && int(times.size()) < most_increments) times.push_back(time * k / looks), way = 0;
  }
  times.push_back(time);

  PoseResult result;
  result.increments = int(times.size());
  if (method_->relaxes()) {
    relax(times, gravity, options, pool, result);
    return result;
  }
  Balance balance(*method_, gravity, held_, pool);
  for (int k = 0; k < result.increments; ++k) {
    const bool last = k + 1 == result.increments;
    aim(times[std::size_t(k)]);
    balance.hold(targets_);
    const double enough = last ? options.tolerance : rough;
    for (int n = 0; balance.residual() > enough && (last || n < steps_between); ++n) {
      if (result.iterations == options.iterations) break;
      ++result.iterations;
      const auto step = balance.newton(result.trouble);
      if (step == Balance::Step::trouble) return result;
      if (step == Balance::Step::stuck) break;
      if (balance.away(targets_)) break;
      if (options.progress && !options.progress(k, result.increments)) {
        result.stopped = true;
        break;
      }
    }
    if (result.stopped) break;
  }
  result.residual = balance.residual();
  result.force = balance.unbalanced();
  if (result.stopped || result.residual <= options.tolerance) return result;
  if (balance.away(targets_))
    result.trouble = falls;
  else
    result.trouble = fmt::format(
        "no balance after {} Newton steps: {:.2g} of the acting forces is left, {:.2g} asked; raise "
        "--iterations or --tolerance, or let `pliant run` with damping bring it to rest",
        result.iterations, result.residual, options.tolerance);
  return result;
}

}  // namespace pliant
