// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/meeting.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pliant/base/tiny_numbers.hpp"
#include "pliant/methods/geometric/body.hpp"
#include "pliant/methods/geometric/kept_volume_step.hpp"
#include "pliant/methods/geometric/part_arcs.hpp"
#include "pliant/physics/check_input.hpp"

namespace pliant::geometric {

Meeting::Running::Running(Body& body, const StepInput& given)
    : input(given),
      scheme(body.options_.integrator, input.h, body.damping_, body.options_.damping_frame),
      context{input, scheme, *input.pool, watch, report},
      equation{body.model_, body.options_, body.state_, body.cache_, body.kept_, body.scratch_, context} {
  input.forces = body.forces_after_contact(given, scheme.h);
}

// ---- around the step ----

ContactStage& Meeting::stage() { return body_.contact_.stage(); }
ContactState& Meeting::memory() { return body_.state_.contact; }
ContactBody::Nodes Meeting::nodes() const {
  return {body_.state_.nodes.x, body_.state_.nodes.v, body_.state_.nodes.mass};
}
bool Meeting::meets_colliders_alone() const { return body_.kept_.empty(); }
void Meeting::place(std::span<const Vec3> x, std::span<const Vec3> v) { body_.place(x, v); }
void Meeting::keep(Slot slot) { kept_[std::size_t(slot)] = body_.state_; }

void Meeting::restore(Slot slot) {
  body_.state_ = *kept_[std::size_t(slot)];
  if (body_.options_.plasticity)
    body_.cache_.sweeps.set_rest(body_.model_, body_.cache_.arrangement, body_.state_.rest_vectors);
  body_.cache_.load_rotations(body_.state_);
}

bool Meeting::begin_straight(const StepInput& input) {
  State& state = body_.state_;
  if (body_.options_.integrator == Integrator::euler || state.continues(input)) return false;
  return std::exchange(state.past, Past::straight) != Past::straight;
}

void Meeting::pass_history(std::span<const Vec3> impulses) {
  State& state = body_.state_;
  state.carried.clear();
  if (body_.options_.integrator == Integrator::euler || state.past != Past::known) return;
  if (std::all_of(impulses.begin(), impulses.end(), [](const Vec3& r) { return r.isZero(0); })) return;
  state.carried.assign(impulses.begin(), impulses.end());
  for (std::size_t i = 0; i < state.carried.size(); ++i)
    if (step_->equation.scratch.held[i]) state.carried[i].setZero();
}

void Meeting::end_straight() { body_.state_.past = Past::straight; }

double Meeting::rate(double h) const { return body_.options_.integrator == Integrator::bdf2 ? 2 * h / 3 : h; }

SurfaceResponse& Meeting::response_at_rest(const StepInput& input) {
  if (by_node_) return masses_;
  const FlushTinyNumbers in_this_call;
  const Scheme scheme(body_.options_.integrator, input.h, body_.damping_, body_.options_.damping_frame);
  const Arrangement& arrangement = body_.cache_.arrangement;
  const Points& x = body_.state_.nodes.x;
  places_.resize(4 * x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    for (int c = 0; c < 3; ++c) places_[4 * std::size_t(arrangement.place[i]) + std::size_t(c)] = x[i][c];
  ContactResponse& response = body_.contact_.response();
  response.turn_about(places_.data(), scheme.mass,
                      body_.contact_.free_to_turn(scheme, input.held.empty() && input.grabs.empty()),
                      *input.pool);
  return response;
}

void Meeting::respond(std::span<const Vec3> impulses, Points& dv, Pool& pool) {
  const FlushTinyNumbers in_this_call;
  dv.resize(impulses.size());
  if (by_node_) {
    for (std::size_t i = 0; i < dv.size(); ++i)  // in double: it is momentum
      dv[i] = mass_inverse_[i] > 0 ? Vec3(impulses[i] / (step_->scheme.mass * body_.model_.mass[i]))
                                   : Vec3(Vec3::Zero());
    answer_ = dv;
    return;
  }
  body_.contact_.response().respond(impulses, dv, pool);
  answer_ = dv;
}

/// Held nodes stay where their targets are: the response leaves them alone.
void Meeting::kick(double h) {
  State& state = body_.state_;
  for (std::size_t i = 0; i < answer_.size(); ++i) {
    state.nodes.v[i] += answer_[i];
    state.v_before[i] += answer_[i];
    state.x_before[i] -= h * answer_[i];
  }
}

void Meeting::move(double rate) {
  for (std::size_t i = 0; i < answer_.size(); ++i) {
    body_.state_.nodes.x[i] += rate * answer_[i];
    body_.state_.nodes.v[i] += answer_[i];
  }
}

void Meeting::shift(double share) {
  for (std::size_t i = 0; i < answer_.size(); ++i) {
    body_.state_.nodes.x[i] += share * answer_[i];
    body_.state_.x_before[i] += share * answer_[i];
  }
}

/// As if the body had always moved with the kick.
Vec3 Meeting::rebound(const StepInput& input, std::span<const Vec3> x, std::span<const Vec3> v) {
  State& state = body_.state_;
  if (!input.held.empty() || !input.grabs.empty()) {
    state.contact.impacts.clear();
    return Vec3::Zero();
  }
  end_x_ = state.nodes.x;
  end_v_ = state.nodes.v;
  kick_.resize(end_v_.size());
  const std::optional<Vec3> kicked = body_.contact_.rebound_from(
      step_->equation, input, {x, v, end_x_, end_v_, kick_}, state.contact.impacts);
  if (!kicked) return Vec3::Zero();
  answer_ = kick_;
  kick(input.h);
  return *kicked;
}

// ---- the step in pieces ----

std::string Meeting::begin(const StepInput& input) {
  step_.emplace(body_, input);
  step_->watch.last = Clock::now();
  StepReport& report = step_->report;
  report.trouble = trouble_of(input, body_.model_.nodes());
  if (!report.ok() || !body_.prepare(step_->context)) return report.trouble;
  Equation& e = step_->equation;
  report.trouble = e.set_grabs();
  if (!report.ok()) return report.trouble;
  body_.contact_.forget();
  body_.predict(e);
  const std::size_t padded = body_.scratch_.vectors.d.size();
  if (!e.kept.empty()) stiffen_stretched_stars(e);
  resize(4 * std::size_t(e.cache.arrangement.free), padded, e.scheme.h);
  from_.resize(padded);
  way_.resize(padded);
  by_node_ = prefers_nodes_ && find_node_responses();
  start_anew(false);
  load_model();
  step_->watch.add_to(&StageTimes::rhs);
  return {};
}

std::span<const Vec3> Meeting::hat() const { return body_.scratch_.hat_x; }
SurfaceResponse& Meeting::response() {
  if (by_node_) return nodes_;
  return body_.contact_.response();
}

/// B = D^-1, D the sum of the sizes of each row of A: A <= D, and H <= A. A model then takes about as many projected
/// steps as the root of the ratio of D to the masses, however few modes the body bends in; A^-1 does no better for
/// sheets and other soft bodies, whose bending is as soft beside A. False: they would be too many.
bool Meeting::find_node_responses() {
  constexpr double softest = 3000;
  const Equation& e = step_->equation;
  const std::span<const float> bounds = e.cache.system.bounds();
  const std::size_t count = e.state.nodes.x.size();
  if (e.cache.system.sprung() || !e.kept.empty() || bounds.size() != std::size_t(e.cache.arrangement.free))
    return false;
  place_inverse_.resize(bounds.size());
  node_inverse_.assign(count, 0);
  mass_inverse_.assign(count, 0);
  for (std::size_t k = 0; k < bounds.size(); ++k) {
    const std::size_t i = std::size_t(e.cache.arrangement.node[k]);
    const double mass = e.scheme.mass * e.model.mass[i];
    if (!(double(bounds[k]) < softest * mass)) return false;
    place_inverse_[k] = node_inverse_[i] = 1 / bounds[k];
    mass_inverse_[i] = float(1 / mass);
  }
  const ContactRows& rows = body_.contact_.stage().rows();
  nodes_.attach(rows, node_inverse_);
  masses_.attach(rows, mass_inverse_);
  return true;
}

void Meeting::start_anew(bool bound) {
  Equation& e = step_->equation;
  return_to_prediction();
  split_ = !bound && body_.contact_.free_to_turn(e.scheme, e.input.held.empty() && e.scratch.grabs.empty());
  for (Index i = 0; i < e.model.nodes(); ++i)
    for (int c = 0; c < 3; ++c)
      from_[4 * std::size_t(e.cache.arrangement.place[i]) + std::size_t(c)] = e.state.nodes.x[i][c];
}

/// What is straight in D are velocities, not the ways of parts that turn: those are bent to arcs, and the next model
/// is about the turned parts.
void Meeting::renew_model(bool arcs) {
  Equation& e = step_->equation;
  if (arcs && split_) {
    for (std::size_t at = 0; at < way_.size(); ++at)
      way_[at] = float(e.scratch.start[at] + double(d_[at]) - from_[at]);
    add_arcs(e.model, e.cache.arrangement, body_.contact_.turns(), from_.data(), way_.data(), d_.data());
    for (std::size_t at = 0; at < way_.size(); ++at) from_[at] = e.scratch.start[at] + double(d_[at]);
  }
  load_model();
}

void Meeting::make_model(const Floats& d, Floats& g) {
  Equation& e = step_->equation;
  e.residual(&d, true, g);
  if (by_node_) return;
  body_.contact_.response().turn_about(e.scratch.trial.data(), e.scheme.mass, split_, e.context.pool);
  if (e.kept.empty()) return;
  go_to_volume();
  e.residual(&d, true, g);
}

/// D goes along B c to where the volume is kept; what B makes of anything keeps it from there on.
void Meeting::go_to_volume() {
  Equation& e = step_->equation;
  const Arrangement& arrangement = e.cache.arrangement;
  for (Index k = 0; k < e.model.nodes(); ++k) {
    const std::size_t at = 4 * std::size_t(k);
    e.scratch.new_x[std::size_t(arrangement.node[std::size_t(k)])] =
        Eigen::Map<const Vec3>(e.scratch.trial.data() + at);
  }
  e.kept.find_steps(e.scratch.new_x, arrangement);
  e.kept.add_steps(d_.data(), arrangement);
}

void Meeting::load(std::span<const Vec3> impulses, Floats& out) {
  const Equation& e = step_->equation;
  for (Index k = 0; k < e.cache.arrangement.free; ++k)
    for (int c = 0; c < 3; ++c)
      out[4 * std::size_t(k) + std::size_t(c)] =
          float(e.scheme.h * impulses[std::size_t(e.cache.arrangement.node[std::size_t(k)])][c]);
}

double Meeting::multiply(const Floats& p, Floats& out) { return step_->equation.hessian(p, out); }

void Meeting::answer(const Floats& f, Floats& out) {
  if (by_node_) {
    for (std::size_t at = 0; at < 4 * place_inverse_.size(); ++at) out[at] = place_inverse_[at / 4] * f[at];
    return;
  }
  step_->equation.solve(f, out);
  body_.contact_.response().complete(f.data(), f.data(), out.data());
}

void Meeting::answer_residual(const Floats& g, Floats& out) {
  if (by_node_) return answer(g, out);
  step_->equation.solve(g, out);
  body_.contact_.complete_residual(step_->equation, d_, g, out);
}

double Meeting::turned_along(const Floats& way) {
  Equation& e = step_->equation;
  e.clear_turns();
  e.hessian(way, h_step_);
  e.add_turn(1);
  ++step_->report.iterations;
  return e.largest_turn();
}

void Meeting::velocities(const Floats& d, Points& out) const {
  const Equation& e = step_->equation;
  out.resize(e.state.nodes.x.size());
  for (Index k = 0; k < e.model.nodes(); ++k) {
    const std::size_t at = 4 * std::size_t(k), i = std::size_t(e.cache.arrangement.node[std::size_t(k)]);
    out[i] =
        k < e.cache.arrangement.free
            ? Vec3(e.scratch.hat_v[i] + Vec3(d[at], d[at + 1], d[at + 2]) / e.scheme.h)
            : Vec3((Eigen::Map<const Vec3>(e.scratch.start.data() + at) - e.scratch.hat_x[i]) / e.scheme.h);
  }
}

StepReport Meeting::end(std::span<const Vec3> impulses, bool violent) {
  StepReport& report = step_->report;
  Equation& e = step_->equation;
  step_->watch.last = Clock::now();
  report.violent = violent;
  if (!std::isfinite(dot(d_, d_))) {
    body_.cache_.load_rotations(body_.state_);
    report.trouble =
        "contact with other bodies has no finite answer: forces or speeds are beyond what numbers can hold; "
        "lower them, or make the step shorter";
    return report;
  }
  Points& outer = e.scratch.outer_forces;
  for (std::size_t i = 0; i < outer.size(); ++i) {
    outer[i] = impulses[i] / e.scheme.h;
    if (!e.input.forces.empty()) outer[i] += e.input.forces[i];
  }
  step_->input.forces = outer;
  std::copy(d_.begin(), d_.end(), e.scratch.vectors.d.begin());
  body_.end_with_momentum(e, true);
  body_.accept(e);
  if (violent) end_straight();
  report.active_rotations = e.model.sheet ? e.model.owners() : body_.cache_.sweeps.active();
  if (body_.options_.plasticity) body_.flow(step_->context);
  body_.cache_.store_rotations(body_.state_, *e.input.pool);
  step_->watch.add_to(&StageTimes::rhs);
  report.ms = own_time(step_->watch.ms);
  report.bytes = body_.traffic(report);
  return report;
}

}  // namespace pliant::geometric
