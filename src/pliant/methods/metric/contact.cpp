// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/contact.hpp"

#include <algorithm>
#include <cmath>
#include <cstdint>

namespace pliant::metric {
namespace {

constexpr int position_passes = 3;
constexpr double roughness = 1e-3;  // of a spacing
constexpr double least_share = 1e-7;
// Theta falls by no more a solve: too large a theta is slow, no more. From 1, where nothing was measured yet, it
// may fall at once: the first impact would else be answered too weakly.
constexpr double kept_share = 0.7;
constexpr double harmless = 0.01;  // of a cell's edge: nodes moved alone by less, or bodies lifted by it

}  // namespace

ContactStep::ContactStep(const Model& model, const Gather& points, double unit) : model_(model) {
  stage_.attach(points, model.rest, model.edge);
  response_.attach(stage_.rows(), unit, model.part);
  on_nodes_.assign(model.rest.size(), Vec3::Zero());
  kick_ = on_nodes_;
}

/// A number in [0, roughness) of the spacing that belongs to the point.
double ContactStep::jitter(Index point) const {
  if (model_.orientation > 0) return 0;
  std::uint64_t bits = (std::uint64_t(point) + 1) * 0x9e3779b97f4a7c15u;
  bits ^= bits >> 29;
  bits *= 0xbf58476d1ce4e5b9u;
  bits ^= bits >> 32;
  return roughness * model_.edge * double(bits >> 11) * 0x1.0p-53;
}

void ContactStep::recall(const State& state, bool colliders, std::span<Vec3> outer) {
  stage_.clear();
  recalled_.clear();
  share_ = state.response;
  if (state.contact.memories.empty() || !colliders) return;
  std::fill(on_nodes_.begin(), on_nodes_.end(), Vec3::Zero());
  for (const ContactMemory& m : state.contact.memories) {
    recalled_.push_back(m.force);
    stage_.rows().add({.key = m.key}, m.force, on_nodes_);
  }
  for (std::size_t i = 0; i < outer.size(); ++i) outer[i] += on_nodes_[i];
}

void ContactStep::meet(const Context& step, const Equation& equation, const State& state, const Scratch& end,
                       std::span<const RigidAnswer> rigid) {
  response_.set_rigid(rigid, end.x);
  std::vector<double>& inverse_mass = response_.inverse_mass();
  const double drag = step.scheme.h * step.scheme.drag / 2;
  for (std::size_t i = 0; i < inverse_mass.size(); ++i)
    inverse_mass[i] = equation.is_held(Index(i)) ? 0 : 1 / (model_.mass[i] * (1 + drag));
  stage_.find(step.input, {.begin = state.nodes.x, .end = end.x}, state.contact);
  const std::span<Contact> contacts = stage_.contacts();
  for (Contact& c : contacts) c.gap -= jitter(c.key.vertex);
  const auto before = [](const ContactKey& a, const ContactKey& b) {
    return a.vertex != b.vertex ? a.vertex < b.vertex : a.collider < b.collider;
  };
  const std::vector<ContactMemory>& memory = state.contact.memories;
  for (std::size_t k = 0, c = 0; k < memory.size(); ++k) {
    while (c < contacts.size() && before(contacts[c].key, memory[k].key)) ++c;
    std::size_t best = contacts.size();
    for (std::size_t d = c; d < contacts.size() && !before(memory[k].key, contacts[d].key); ++d)
      if (best == contacts.size() || contacts[d].key.feature == memory[k].key.feature) best = d;
    if (best == contacts.size()) continue;
    stage_.impulses()[best] += step.input.h * recalled_[k];
    recalled_[k].setZero();
  }
}

bool ContactStep::touches(const Context& step, const State& state, const Scratch& end) {
  stage_.clear();
  stage_.find(step.input, {.begin = state.nodes.x, .end = end.x}, state.contact);
  return !stage_.empty();
}

bool ContactStep::pass(const Context& step, const Strengths& strengths, State& state, Scratch& end) {
  const bool kicked = rebound(step, strengths, state, end);
  stage_.tell(step.report);
  stage_.log(step.input, 1, state.nodes.x, end.x);
  stage_.remember(step.input.h, state.contact);
  return kicked;
}

void ContactStep::measure_share(const Scratch& end) {
  double done = 0;
  const std::span<const Contact> contacts = stage_.contacts();
  for (std::size_t c = 0; c < contacts.size(); ++c)
    done += stage_.changes()[c].dot(stage_.rows().observe(contacts[c], end.v) - speeds_[c]);
  done -= as_a_whole_;
  if (done > 0 && alone_ > as_a_whole_)
    share_ = std::clamp(std::max(done / (alone_ - as_a_whole_), share_ < 1 ? kept_share * share_ : 0),
                        least_share, 1.0);
}

/// An open gap may close and no more: the gap at the end, changed by h du, must not be negative.
double ContactStep::closing_speed(const Contact& contact, double h, const State& state,
                                  const Scratch& end) const {
  const ContactRows& rows = stage_.rows();
  const Vec3 way = rows.observe(contact, end.x) - rows.observe(contact, state.nodes.x) - h * contact.velocity;
  const Vec3 u = rows.observe(contact, end.v) - contact.velocity;
  const double gap = contact.gap + contact.normal.dot(way);
  return std::max(0.0, std::min(gap / h - contact.normal.dot(u), contact.gap / h));
}

bool ContactStep::answer(bool last, const Context& step, const State& state, const Scratch& end) {
  const ContactRows& rows = stage_.rows();
  const StepInput& input = step.input;
  response_.set_share(last ? 1 : share_);
  stage_.couple(response_, step.pool);
  stage_.set_targets([&](const Contact& contact) { return closing_speed(contact, input.h, state, end); });
  stage_.start_from_impulses();
  const auto speed = [&](const Contact& contact) { return rows.observe(contact, end.v); };
  speeds_.clear();
  for (const Contact& contact : stage_.contacts()) speeds_.push_back(speed(contact));
  const auto correction = stage_.correct(input.contact.sweeps, input.contact.tolerance, step.report, speed);
  rows.collect(stage_.contacts(), stage_.changes(), 1, on_nodes_);
  alone_ = 0;
  for (std::size_t i = 0; i < on_nodes_.size(); ++i)
    alone_ += response_.inverse_mass()[i] * on_nodes_[i].squaredNorm();
  as_a_whole_ = response_.rigid_answer(on_nodes_);
  bool changed = correction.most > 0;
  for (std::size_t k = 0; k < recalled_.size(); ++k)
    if (!recalled_[k].isZero(0)) {
      rows.add({.key = state.contact.memories[k].key}, -input.h * recalled_[k], on_nodes_);
      recalled_[k].setZero();
      changed = true;
    }
  solved_x_ = end.x;
  return changed;
}

void ContactStep::move(double h, Scratch& end) {
  for (std::size_t i = 0; i < on_nodes_.size(); ++i) {
    const Vec3 change = response_.inverse_mass()[i] * on_nodes_[i];
    end.v[i] += change;
    end.x[i] += h * change;
  }
}

void ContactStep::lift(const Context& step, Scratch& end) {
  if (stage_.empty()) return;
  response_.set_share(1);
  stage_.position_pass(position_passes, step.input, response_, end.x, step.report);
}

/// Nodes that are moved one by one strain the body by more than it came with when the step is too long: an
/// elephant of 1e6 Pa that fell by 0.3 m at h = 0.1 s was pressed flat and then thrown to the sky.
bool ContactStep::tears(const Context& step, const State& state, const Strengths& strengths,
                        const Scratch& end) const {
  if (stage_.empty()) return false;
  double farthest = 0, brought = 0;
  for (std::size_t i = 0; i < end.x.size(); ++i) {
    farthest = std::max(farthest, (end.x[i] - solved_x_[i]).squaredNorm());
    brought += model_.mass[i] *
               (state.nodes.v[i].squaredNorm() / 4 + harmless * model_.edge * step.input.gravity.norm());
  }
  if (!(farthest > harmless * harmless * model_.edge * model_.edge)) return false;
  return energy(model_, strengths, end.x) - energy(model_, strengths, solved_x_) > brought;
}

bool ContactStep::rebound(const Context& step, const Strengths& strengths, State& state, Scratch& end) {
  std::vector<ImpactMemory>& impacts = state.contact.impacts;
  if (!step.input.held.empty() || !step.input.grabs.empty()) {
    impacts.clear();
    return false;
  }
  stage_.rebound().note(stage_.contacts(), stage_.impulses());
  const auto elastic = [&](std::span<const Vec3> x) { return energy(model_, strengths, x); };
  ReboundNodes<decltype(elastic)> body(stage_.rows(),
                                       {.part = model_.part,
                                        .mass = model_.mass,
                                        .x = state.nodes.x,
                                        .v = state.nodes.v,
                                        .end_x = end.x,
                                        .end_v = end.v,
                                        .kicked = kick_,
                                        .h = step.input.h},
                                       elastic);
  step.report.contact_impulse += stage_.rebound().finish(step.input, impacts, body);
  return body.any();
}

void ContactStep::finish(const Context& step, State& state, const Scratch& end) {
  stage_.tell(step.report);
  stage_.log(step.input, 1, state.nodes.x, end.x);
  stage_.remember(step.input.h, state.contact);
  state.response = share_;
}

}  // namespace pliant::metric
