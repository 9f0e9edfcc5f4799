// SPDX-License-Identifier: Apache-2.0
#include "pliant/contact/contact_stage.hpp"

#include <algorithm>
#include <numeric>

#include "pliant/contact/point_order.hpp"

namespace pliant {

void ContactStage::attach(const Gather& points, std::span<const Vec3> rest_nodes, double edge, Order order) {
  if (order == Order::place) {
    points_ = in_place_order(points, rest_nodes, numbers_);
  } else {
    points_ = points;
    numbers_.resize(std::size_t(points.rows()));
    std::iota(numbers_.begin(), numbers_.end(), 0);
  }
  rows_.attach(points_);
  edge_ = edge;
  detection_.build(points_, rest_nodes, edge);
}

void ContactStage::clear() {
  contacts_.clear();
  impulses_.clear();
  changes_.clear();
  torques_.clear();
  torque_changes_.clear();
  sides_.clear();
  rebound_.clear();
}

Detection::Step ContactStage::detection_step(const StepInput& input) const {
  return {.colliders = input.colliders, .options = input.contact, .h = input.h, .begin = {}, .end = {}};
}

void ContactStage::find(const StepInput& input, const Motion& motion, const ContactState& state) {
  Detection::Step step = detection_step(input);
  step.options.most = std::min(step.options.most, motion.most);
  step.begin = motion.begin;
  step.end = motion.end;
  step.held = motion.held;
  step.last = state.memories;
  sides_ = state.sides;
  detection_.find(step, sides_);
  contacts_.assign(detection_.contacts().begin(), detection_.contacts().end());
  impulses_.assign(contacts_.size(), Vec3::Zero());
  changes_.assign(contacts_.size(), Vec3::Zero());
  torques_.clear();
  torque_changes_.clear();
}

void ContactStage::warm_start(const ContactState& state, double h) {
  torques_.clear();
  for (Index c = 0; c < problem_.size(); ++c)
    if (const ContactMemory* known = recall(state.memories, contacts_[std::size_t(c)].key))
      problem_.set_impulse(c, h * known->force);
}

void ContactStage::start_from_impulses() {
  for (Index c = 0; c < problem_.size(); ++c) problem_.set_impulse(c, impulses_[std::size_t(c)]);
}

ContactProblem::Outcome ContactStage::solve(int sweeps, double tolerance, StepReport& report) {
  const ContactProblem::Outcome outcome = problem_.solve(sweeps, tolerance);
  report.contact_sweeps += outcome.sweeps;
  report.contact_residual = outcome.residual;
  return outcome;
}

void ContactStage::add_rolling(const Rolling& rolling, bool moved) {
  if (!problem_.split()) {
    torques_.clear();
    return;
  }
  torques_.resize(std::size_t(problem_.parts()), Vec3::Zero());
  torque_changes_.assign(torques_.size(), Vec3::Zero());
  for (Index p = 0; p < problem_.parts(); ++p) {
    problem_.rolling(p).most = torques_[std::size_t(p)].norm();
    problem_.set_torque(p, torques_[std::size_t(p)]);
  }
  problem_.sum_response();
  for (Index p = 0; p < problem_.parts(); ++p) {
    const Vec3& w = rolling.turning[std::size_t(p)];
    if (moved)
      problem_.rebase_turning(p, w);
    else
      problem_.rolling(p).free = w;
  }
  rolling_.bound(rolling.input, contacts_, rolling.mass, edge_, problem_);
  for (Index p = 0; p < problem_.parts(); ++p)
    problem_.set_torque(p, problem_.rolling(p).most > 0 ? torques_[std::size_t(p)] : Vec3(Vec3::Zero()));
}

void ContactStage::take_impulses() {
  for (std::size_t p = 0; p < torques_.size(); ++p) torques_[p] = problem_.torque(Index(p));
  for (Index c = 0; c < problem_.size(); ++c) impulses_[std::size_t(c)] = problem_.impulse(c);
}

double ContactStage::take_changes() {
  double most = 0;
  for (std::size_t p = 0; p < torques_.size(); ++p) {
    torque_changes_[p] = problem_.torque(Index(p)) - torques_[p];
    most = std::max(most, torque_changes_[p].cwiseAbs().maxCoeff() / problem_.rolling(Index(p)).reach);
    torques_[p] = problem_.torque(Index(p));
  }
  for (Index c = 0; c < problem_.size(); ++c) {
    Vec3 &change = changes_[std::size_t(c)], &impulse = impulses_[std::size_t(c)];
    change = problem_.impulse(c) - impulse;
    most = std::max(most, change.cwiseAbs().maxCoeff());
    impulse = problem_.impulse(c);
  }
  return most;
}

bool ContactStage::position_pass(int passes, const StepInput& input, NodeResponse& response,
                                 std::span<Vec3> x, StepReport& report) {
  const double slop = input.contact.slop * size();
  const Detection::Step step = detection_step(input);
  double least = detection_.touches(step, x, slop, touches_);
  int pass = 0;
  for (; pass < passes && least < -slop; ++pass) {
    response.fill(touches_, position_problem_, *input.pool);
    response.displace(touches_, position_pass_.solve(touches_, slop, size(), position_problem_), x,
                      *input.pool);
    least = detection_.touches(step, x, slop, touches_);
  }
  report.penetration = std::max(report.penetration, -least);
  return pass > 0;
}

double ContactStage::depth(const StepInput& input, std::span<const Vec3> x) {
  return -detection_.touches(detection_step(input), x, input.contact.slop * size(), touches_);
}

void ContactStage::tell(StepReport& report, double scale) const {
  report.contacts = 0;
  Vec3 sum = Vec3::Zero();
  for (const Vec3& impulse : impulses_) {
    sum += impulse;
    report.contacts += !impulse.isZero(0);
  }
  report.contact_impulse += scale * sum;
}

void ContactStage::remember(double h, ContactState& state, bool open) const {
  pliant::remember(contacts_, impulses_, h, state.memories, open);
  state.sides = sides_;
}

}  // namespace pliant
