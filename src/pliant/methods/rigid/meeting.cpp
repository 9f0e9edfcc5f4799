// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/rigid/meeting.hpp"

#include <Eigen/LU>

#include "pliant/math/symmetric_eigen.hpp"
#include "pliant/methods/rigid/body.hpp"
#include "pliant/physics/check_input.hpp"

namespace pliant::rigid {
namespace {

constexpr double least_inertia = 1e-9;  // of the largest: about such an axis a body does not turn

/// Weights of nodes that sum to the mass, with the centre of mass for their centre.
std::vector<double> weights_of(const Model& model) {
  const double n = double(model.arm.size());
  Vec3 mean = Vec3::Zero();
  for (const Vec3& a : model.arm) mean += a / n;
  Mat3 second = Mat3::Zero();
  for (const Vec3& a : model.arm) second += (a - mean) * (a - mean).transpose();
  const Vec3 slope = pseudo_inverse(second, least_inertia) * (model.mass * mean);
  std::vector<double> out;
  for (const Vec3& a : model.arm) out.push_back(model.mass / n - slope.dot(a - mean));
  return out;
}

Vec6 numbers(const AlignedVector<double>& from) { return Eigen::Map<const Vec6>(from.data()); }
void put(const Vec6& from, AlignedVector<double>& to) { Eigen::Map<Vec6>(to.data()) = from; }

}  // namespace

Meeting::Meeting(Body& body) : body_(body), weight_(weights_of(body.model_)) {}

// ---- around the step ----

ContactStage& Meeting::stage() { return body_.contact_.stage(); }
ContactState& Meeting::memory() { return body_.state_.contact; }

ContactBody::Nodes Meeting::nodes() const {
  return {body_.state_.nodes.x, body_.state_.nodes.v, weight_, false};
}

void Meeting::place(std::span<const Vec3> x, std::span<const Vec3> v) { body_.place(x, v); }
void Meeting::keep(Slot slot) { kept_[std::size_t(slot)] = body_.state_; }
void Meeting::restore(Slot slot) { body_.state_ = *kept_[std::size_t(slot)]; }

void Meeting::load_arms(const Mobility& mobility, const Mat3& rotation) {
  const Vec3& about = step_->flight.joint().arm;
  mobility_ = mobility;
  arm_.resize(body_.model_.arm.size());
  for (std::size_t i = 0; i < arm_.size(); ++i) arm_[i] = rotation * (body_.model_.arm[i] - about);
  body_.contact_.response().set(mobility, about, rotation);
}

Vec6 Meeting::wrench_of(std::span<const Vec3> impulses) const {
  Vec3 sum = Vec3::Zero(), moment = Vec3::Zero();
  for (std::size_t i = 0; i < impulses.size(); ++i) {
    sum += impulses[i];
    moment += arm_[i].cross(impulses[i]);
  }
  Vec6 out;
  out << sum, moment;
  return out;
}

SurfaceResponse& Meeting::response_at_rest(const StepInput&) {
  const Mat3 rotation = body_.state_.motion.rotation();
  load_arms(step_->flight.mobility_at(rotation), rotation);
  return body_.contact_.response();
}

void Meeting::respond(std::span<const Vec3> impulses, Points& dv, Pool&) {
  const Vec6 wrench = wrench_of(impulses);
  moment_ = wrench.tail<3>();
  answer_ = mobility_.answer(wrench.head<3>(), moment_);
  dv.resize(arm_.size());
  for (std::size_t i = 0; i < dv.size(); ++i) dv[i] = answer_.at(arm_[i]);
}

void Meeting::move_nodes_with(const Motion& motion) {
  move_nodes(body_.model_, motion, body_.end_x_, body_.end_v_, *step_->input.pool);
  put_held(body_.model_, step_->input, body_.end_x_);
  body_.accept(motion);
}

void Meeting::kick(double) {
  Motion motion = body_.state_.motion;
  const Vec3 to_centre = motion.rotation() * -step_->flight.joint().arm;
  motion.velocity += answer_.at(to_centre);
  motion.spin += motion.inertia(body_.model_) * answer_.turning;
  move_nodes(body_.model_, motion, body_.end_x_, body_.end_v_, *step_->input.pool);
  body_.accept(motion);
}

/// The flight gets the answer besides.
void Meeting::move(double rate) {
  step_->flight.add(answer_, moment_);
  for (int c = 0; c < 3; ++c) {
    d_[std::size_t(c)] += rate * answer_.velocity[c];
    d_[std::size_t(c) + 3] += rate * answer_.turning[c];
  }
  accept();
}

void Meeting::shift(double share) {
  Motion motion = body_.state_.motion;
  displace(motion, step_->flight.joint().arm, share * answer_.velocity, share * answer_.turning);
  move_nodes_with(motion);
}

// ---- the step in pieces ----

std::string Meeting::begin(const StepInput& input) {
  if (std::string trouble = trouble_of(input, body_.model_.nodes()); !trouble.empty()) return trouble;
  step_.emplace(body_.model_, input, body_.damping_.mass, body_.state_.motion);
  resize(6, 6, input.h);
  step_->flight.kick(0);
  find_middle(Vec6::Zero());
  load_model();
  step_->watch.add_to(&StageTimes::solve);
  return {};
}

void Meeting::find_middle(const Vec6& wrench) {
  Running& s = *step_;
  const double h = s.input.h;
  const Joint& joint = s.flight.joint();
  Flight flight = s.flight;
  flight.add(s.mobility.answer(wrench.head<3>(), wrench.tail<3>()), wrench.tail<3>());
  const Motion end = flight.end(true);
  const bool pulled = !s.input.grabs.empty();
  s.middle = pulled ? s.begin.rotation() : s.begin.turn.slerp(0.5, end.turn).toRotationMatrix();
  s.mobility = pulled ? s.flight.mobility() : s.flight.mobility_at(s.middle);
  s.free.velocity = (end.place(joint.arm) - s.begin.place(joint.arm)) / h;
  Vec3 turning = flight.twist().turning;
  if (joint.freedom == Freedom::all && !pulled) turning = s.mobility.turn() * flight.momentum();
  if (joint.freedom == Freedom::none) {
    const Eigen::AngleAxisd way(Mat3(end.rotation() * s.begin.rotation().transpose()));
    turning = way.angle() / h * way.axis();
  }
  s.free.turning = turning;
  if (!pulled) s.mobility.matrix /= s.flight.factor();
  load_arms(s.mobility, s.middle);
  const Mat3 rotation = end.rotation();
  hat_.resize(arm_.size());
  for (std::size_t i = 0; i < hat_.size(); ++i)
    hat_[i] = end.centre + rotation * body_.model_.arm[i] - h * s.free.at(arm_[i]);
  const Twist change = s.mobility.answer(wrench.head<3>(), wrench.tail<3>());
  s.free.velocity -= change.velocity;
  s.free.turning -= change.turning;
}

Vec6 Meeting::undo(const Mobility& mobility, const Vec6& motion) const {
  if (!mobility.split) {
    if (step_->flight.joint().freedom == Freedom::all) return mobility.matrix.inverse() * motion;
    Vec6 out = Vec6::Zero();
    out.tail<3>() = pseudo_inverse(mobility.turn(), least_inertia) * motion.tail<3>();
    return out;
  }
  Vec6 out;
  out.head<3>() = mobility.light() > 0 ? Vec3(motion.head<3>() / mobility.light()) : Vec3(Vec3::Zero());
  out.tail<3>() = pseudo_inverse(mobility.turn(), least_inertia) * motion.tail<3>();
  return out;
}

/// The same wrench of impulses has another D where C is another.
void Meeting::make_model(const Vector& d, Vector& g) {
  const Vec6 load = undo(step_->mobility, numbers(d));
  if (!load.isZero(0)) {
    find_middle(load / step_->input.h);
    put(step_->mobility.matrix * load, d_);
  }
  put(load, g);
}

SurfaceResponse& Meeting::response() {
  load_arms(step_->mobility, step_->middle);
  return body_.contact_.response();
}

double Meeting::multiply(const Vector& p, Vector& out) {
  put(undo(step_->mobility, numbers(p)), out);
  return dot(p, out);
}

void Meeting::answer(const Vector& f, Vector& out) { put(step_->mobility.matrix * numbers(f), out); }

void Meeting::load(std::span<const Vec3> impulses, Vector& out) {
  put(step_->input.h * wrench_of(impulses), out);
}

void Meeting::velocities(const Vector& d, Points& out) const {
  const Vec6 change = numbers(d) / step_->input.h;
  const Twist now{step_->free.velocity + change.head<3>(), step_->free.turning + change.tail<3>()};
  out.resize(arm_.size());
  for (std::size_t i = 0; i < out.size(); ++i) out[i] = now.at(arm_[i]);
}

/// Of the moments of an impulse a step counts c - h V + a, c the centre at the end.
void Meeting::reached(Points& x, Points& v) const {
  DescendingBody::reached(x, v);
  const Running& s = *step_;
  Vec3 momentum = Vec3::Zero();
  for (std::size_t i = 0; i < v.size(); ++i) momentum += weight_[i] * v[i];
  const Vec3 centre = s.begin.centre + s.input.h / body_.model_.mass * momentum;
  for (std::size_t i = 0; i < x.size(); ++i) x[i] = centre + s.middle * body_.model_.arm[i];
}

double Meeting::turned_along(const Vector& way) { return numbers(way).tail<3>().norm(); }

StepReport Meeting::end(std::span<const Vec3> impulses, bool) {
  StepReport& report = step_->report;
  step_->watch.last = Clock::now();
  const Vec6 wrench = wrench_of(impulses);
  const Twist change = step_->mobility.answer(wrench.head<3>(), wrench.tail<3>());
  step_->flight.add(change, wrench.tail<3>());
  Vec6 way;
  way << change.velocity, change.turning;
  put(step_->input.h * way, d_);
  if (accept()) body_.state_.contact.impacts.clear();
  step_->watch.add_to(&StageTimes::solve);
  report.ms = own_time(step_->watch.ms);
  return report;
}

bool Meeting::accept() {
  const Motion end = step_->flight.end(true);
  if (!body_.arrive(end, step_->input, step_->report)) return false;
  put_held(body_.model_, step_->input, body_.end_x_);
  body_.accept(end);
  return true;
}

}  // namespace pliant::rigid
