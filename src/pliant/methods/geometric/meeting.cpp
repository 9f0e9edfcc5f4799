// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/meeting.hpp"

#include <algorithm>
#include <cmath>
#include <utility>

#include "pliant/base/tiny_numbers.hpp"
#include "pliant/methods/geometric/body.hpp"
#include "pliant/methods/geometric/part_arcs.hpp"
#include "pliant/physics/check_input.hpp"

namespace pliant::geometric {

Meeting::Running::Running(Body& body, const StepInput& given)
    : input(given),
      scheme(body.options_.integrator, input.h, body.damping_, body.options_.damping_frame),
      context{input, scheme, *input.pool, watch, report},
      equation{body.model_, body.options_, body.state_, body.cache_, body.kept_, body.scratch_, context} {}

class Meeting::Working {
 public:
  explicit Working(Running& step) : watch_(step.watch) { watch_.last = Clock::now(); }
  ~Working() { watch_.add_to(&StageTimes::contact); }
  Working(const Working&) = delete;
  Working& operator=(const Working&) = delete;

 private:
  const FlushTinyNumbers in_this_piece_;
  StageWatch& watch_;
};

// ---- around the step ----

ContactStage& Meeting::stage() { return body_.contact_.stage(); }
ContactState& Meeting::memory() { return body_.state_.contact; }
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

void Meeting::end_straight() { body_.state_.past = Past::straight; }

double Meeting::rate(double h) const { return body_.options_.integrator == Integrator::bdf2 ? 2 * h / 3 : h; }

SurfaceResponse& Meeting::response_at_rest(const StepInput& input) {
  const FlushTinyNumbers in_this_call;
  const Scheme scheme(body_.options_.integrator, input.h, body_.damping_, body_.options_.damping_frame);
  const Arrangement& arrangement = body_.cache_.arrangement;
  const Points& x = body_.state_.nodes.x;
  places_.resize(4 * x.size());
  for (std::size_t i = 0; i < x.size(); ++i)
    for (int c = 0; c < 3; ++c)
      places_[4 * std::size_t(arrangement.place[i]) + std::size_t(c)] = x[i][c];
  ContactResponse& response = body_.contact_.response();
  response.turn_about(places_.data(), scheme.mass,
                      body_.contact_.free_to_turn(scheme, input.held.empty() && input.grabs.empty()),
                      *input.pool);
  return response;
}

void Meeting::respond(std::span<const Vec3> impulses, Points& dv, Pool& pool) {
  const FlushTinyNumbers in_this_call;
  dv.resize(impulses.size());
  body_.contact_.response().respond(impulses, dv, pool);
}

/// Held nodes stay where their targets are: the response leaves them alone.
void Meeting::kick(std::span<const Vec3> dv, double h) {
  State& state = body_.state_;
  for (std::size_t i = 0; i < dv.size(); ++i) {
    state.nodes.v[i] += dv[i];
    state.v_before[i] += dv[i];
    state.x_before[i] -= h * dv[i];
  }
}

void Meeting::move(std::span<const Vec3> dv, double rate) {
  for (std::size_t i = 0; i < dv.size(); ++i) {
    body_.state_.nodes.x[i] += rate * dv[i];
    body_.state_.nodes.v[i] += dv[i];
  }
}

void Meeting::shift(std::span<const Vec3> dx) {
  for (std::size_t i = 0; i < dx.size(); ++i) {
    body_.state_.nodes.x[i] += dx[i];
    body_.state_.x_before[i] += dx[i];
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
  const std::optional<Vec3> kicked =
      body_.contact_.rebound_from(step_->equation, input, {x, v, end_x_, end_v_, kick_}, state.contact.impacts);
  if (!kicked) return Vec3::Zero();
  kick(kick_, input.h);
  return *kicked;
}

// ---- the step in pieces ----

SolverVectors& Meeting::vectors() const { return body_.scratch_.vectors; }
ContactVectors& Meeting::ways() const { return body_.scratch_.contact; }

std::string Meeting::begin(const StepInput& input) {
  step_.emplace(body_, input);
  const Working here(*step_);
  StepReport& report = step_->report;
  report.trouble = trouble_of(input, body_.model_.nodes());
  if (!report.ok() || !body_.prepare(step_->context)) return report.trouble;
  Equation& e = step_->equation;
  report.trouble = e.set_grabs();
  if (!report.ok()) return report.trouble;
  body_.contact_.forget();
  body_.predict(e);
  start_anew(false);
  load_model();
  return {};
}

std::span<const Vec3> Meeting::hat() const { return body_.scratch_.hat_x; }
SurfaceResponse& Meeting::response() { return body_.contact_.response(); }

void Meeting::start_anew(bool bound) {
  Equation& e = step_->equation;
  std::fill(vectors().d.begin(), vectors().d.end(), 0.0f);
  split_ = !bound && body_.contact_.free_to_turn(e.scheme, e.input.held.empty() && e.scratch.grabs.empty());
  for (Index i = 0; i < e.model.nodes(); ++i)
    for (int c = 0; c < 3; ++c)
      ways().from[4 * std::size_t(e.cache.arrangement.place[i]) + std::size_t(c)] = e.state.nodes.x[i][c];
}

void Meeting::load_model() {
  Equation& e = step_->equation;
  SolverVectors& v = vectors();
  e.residual(&v.d, true, v.g);
  e.solve(v.g, v.z);
  body_.contact_.turn_about(e.scratch.trial, split_, e, v);
  std::fill(v.p.begin(), v.p.end(), 0.0f);
  std::fill(v.hp.begin(), v.hp.end(), 0.0f);
  std::copy(v.d.begin(), v.d.end(), ways().begin.begin());
}

/// What is straight in D are velocities, not the ways of parts that turn: those are bent to arcs, and the next model
/// is about the turned parts.
void Meeting::renew_model(bool arcs) {
  const Working here(*step_);
  Equation& e = step_->equation;
  SolverVectors& v = vectors();
  if (arcs && split_) {
    Doubles& from = ways().from;
    Floats& way = ways().way;
    for (std::size_t at = 0; at < way.size(); ++at)
      way[at] = float(e.scratch.start[at] + double(v.d[at]) - from[at]);
    add_arcs(e.model, e.cache.arrangement, body_.contact_.turns(), from.data(), way.data(), v.d.data());
    for (std::size_t at = 0; at < way.size(); ++at) from[at] = e.scratch.start[at] + double(v.d[at]);
  }
  load_model();
}

Vec3 Meeting::way(Index place) const {
  const Equation& e = step_->equation;
  const std::size_t at = 4 * std::size_t(place);
  if (place < e.cache.arrangement.free) {
    const Floats& d = vectors().d;
    return {d[at], d[at + 1], d[at + 2]};
  }
  const Index i = e.cache.arrangement.node[std::size_t(place)];
  return Eigen::Map<const Vec3>(e.scratch.start.data() + at) - e.scratch.hat_x[std::size_t(i)] -
         e.scheme.h * e.scratch.hat_v[std::size_t(i)];
}

void Meeting::free_velocities(Points& velocities) const {
  const Equation& e = step_->equation;
  const Floats& z = vectors().z;
  velocities.resize(e.state.nodes.x.size());
  for (Index k = 0; k < e.model.nodes(); ++k) {
    const std::size_t at = 4 * std::size_t(k), i = std::size_t(e.cache.arrangement.node[std::size_t(k)]);
    Vec3 d = way(k);
    if (k < e.cache.arrangement.free) d -= Vec3(z[at], z[at + 1], z[at + 2]);
    velocities[i] = e.scratch.hat_v[i] + d / e.scheme.h;
  }
}

void Meeting::reached(Points& x, Points& velocities) const {
  const Equation& e = step_->equation;
  x.resize(e.state.nodes.x.size());
  velocities.resize(x.size());
  for (Index k = 0; k < e.model.nodes(); ++k) {
    const std::size_t i = std::size_t(e.cache.arrangement.node[std::size_t(k)]);
    velocities[i] = e.scratch.hat_v[i] + way(k) / e.scheme.h;
    x[i] = e.scratch.hat_x[i] + e.scheme.h * velocities[i];
  }
}

double Meeting::project(std::span<const Vec3> impulses) {
  const Working here(*step_);
  Equation& e = step_->equation;
  Floats &load = ways().load, &step = ways().step;
  for (Index k = 0; k < e.cache.arrangement.free; ++k)
    for (int c = 0; c < 3; ++c)
      load[4 * std::size_t(k) + std::size_t(c)] =
          float(e.scheme.h * impulses[std::size_t(e.cache.arrangement.node[std::size_t(k)])][c]);
  e.solve(load, step);
  body_.contact_.response().complete(load.data(), load.data(), step.data());
  e.add(-1, vectors().z, step);
  return e.dot(step, load) - e.dot(step, vectors().g);
}

double Meeting::curve() {
  const Working here(*step_);
  return step_->equation.hessian(ways().step, ways().h_step);
}

ContactBody::Products Meeting::products() const {
  Equation& e = body_.meeting_.step_->equation;
  const SolverVectors& v = vectors();
  return {.mixed = e.dot(ways().step, v.hp),
          .straight = e.dot(v.p, v.hp),
          .slope = e.dot(v.p, ways().load) - e.dot(v.p, v.g)};
}

void Meeting::extend(double s, double u) {
  const Working here(*step_);
  SolverVectors& v = vectors();
  const Floats &step = ways().step, &h_step = ways().h_step;
  for (std::size_t at = 0; at < 4 * std::size_t(step_->equation.cache.arrangement.free); ++at) {
    v.p[at] = float(u) * v.p[at] + float(s) * step[at];
    v.hp[at] = float(u) * v.hp[at] + float(s) * h_step[at];
  }
}

void Meeting::move_by(double a, double b) {
  const Working here(*step_);
  Equation& e = step_->equation;
  SolverVectors& v = vectors();
  if (a != 0) {
    e.add(a, ways().step, v.d);
    e.add(a, ways().h_step, v.g);
  }
  if (b != 0) {
    e.add(b, v.p, v.d);
    e.add(b, v.hp, v.g);
  }
}

void Meeting::solve_residual() {
  const Working here(*step_);
  body_.contact_.solve_residual(step_->equation, vectors());
}

double Meeting::end_model() {
  const Working here(*step_);
  Equation& e = step_->equation;
  SolverVectors& v = vectors();
  e.add(1, ways().step, v.d);
  Floats& turned = ways().step;
  const Floats& begin = ways().begin;
  for (std::size_t at = 0; at < 4 * std::size_t(e.cache.arrangement.free); ++at)
    turned[at] = v.d[at] - begin[at];
  e.clear_turns();
  e.hessian(turned, ways().h_step);
  e.add_turn(1);
  ++step_->report.iterations;
  return e.largest_turn();
}

StepReport Meeting::end(std::span<const Vec3> impulses, bool violent) {
  StepReport& report = step_->report;
  Equation& e = step_->equation;
  {
    const Working here(*step_);
    report.violent = violent;
    Points& outer = e.scratch.outer_forces;
    for (std::size_t i = 0; i < outer.size(); ++i)
      outer[i] = impulses[i] / e.scheme.h + (e.input.forces.empty() ? Vec3(Vec3::Zero()) : e.input.forces[i]);
    step_->input.forces = outer;
    if (!std::isfinite(e.dot(vectors().d, vectors().d))) {
      body_.cache_.load_rotations(body_.state_);
      report.trouble =
          "contact with other bodies has no finite answer: forces or speeds are beyond what numbers can hold; "
          "lower them, or make the step shorter";
      return report;
    }
    body_.end_with_momentum(e);
    body_.accept(e);
    if (violent) end_straight();
    report.active_rotations = e.model.sheet ? e.model.owners() : body_.cache_.sweeps.active();
    if (body_.options_.plasticity) body_.flow(step_->context);
    body_.cache_.store_rotations(body_.state_, *e.input.pool);
  }
  report.ms = step_->watch.ms;
  report.ms.total = report.ms.rotation + report.ms.rhs + report.ms.solve + report.ms.contact;
  report.bytes = body_.traffic(report);
  return report;
}

}  // namespace pliant::geometric
