// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/reduced/meeting.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/math/symmetric_eigen.hpp"
#include "pliant/methods/geometric/reduced/body.hpp"
#include "pliant/physics/check_input.hpp"

namespace pliant::geometric {
namespace {

constexpr double least_turning = 1e-9;  // of the largest: about such an axis a body does not turn

/// (tr m - m)^-1 of second moments.
Mat3 inverse_turning_of(const Mat3& second) {
  const Mat3 m = 0.5 * (second + second.transpose());
  return pseudo_inverse(m.trace() * Mat3::Identity() - m, least_turning);
}

/// a^T b.
Mat3 moments_of_rows(const Coordinates& a, const Coordinates& b) {
  Mat3 out;
  for (int r = 0; r < 3; ++r)
    for (int c = 0; c < 3; ++c) out(r, c) = a.col(r).dot(b.col(c));
  return out;
}

/// sum a_k x b_k of the rows.
Vec3 torque_of(const Coordinates& a, const Coordinates& b) {
  const Mat3 m = moments_of_rows(a, b);
  return {m(1, 2) - m(2, 1), m(2, 0) - m(0, 2), m(0, 1) - m(1, 0)};
}

/// z += w x a, row by row.
void turn_rows(const Vec3& w, const Coordinates& a, Coordinates& z) {
  z.col(0) += w.y() * a.col(2) - w.z() * a.col(1);
  z.col(1) += w.z() * a.col(0) - w.x() * a.col(2);
  z.col(2) += w.x() * a.col(1) - w.y() * a.col(0);
}

double mean_edge_of(const Model& model) {
  double sum = 0;
  for (const auto& e : model.edges) sum += (model.rest[e.b] - model.rest[e.a]).norm();
  return model.edges.empty() ? 0 : sum / double(model.edges.size());
}

Eigen::Map<const Coordinates> coordinates(const AlignedVector<double>& from) {
  return {from.data(), Eigen::Index(from.size() / 3), 3};
}
Eigen::Map<Coordinates> coordinates(AlignedVector<double>& from) {
  return {from.data(), Eigen::Index(from.size() / 3), 3};
}

}  // namespace

// ---- the response ----

void ReducedResponse::attach(const ReducedModel& model, const ContactRows& rows,
                             const ReducedMatrix& matrix) {
  model_ = &model;
  rows_ = &rows;
  matrix_ = &matrix;
}

void ReducedResponse::turn_about(const Coordinates& z, double mass, bool split) {
  split_ = split;
  mass_ = mass;
  if (!split) return;
  const ReducedModel& model = *model_;
  arm_ = model.rest_coordinates + z;
  const Vec3 centre = (arm_.transpose() * model.sum) / model.total_mass;
  for (int c = 0; c < 3; ++c) arm_.col(c) -= centre[c] * model.one_coordinates;
  heavy_.resizeLike(arm_);
  shadow_.resizeLike(arm_);
  multiply(model.mass, arm_, heavy_);
  multiply(matrix_->inverse(), heavy_, shadow_);
  inverse_inertia_ = inverse_turning_of(mass * moments_of_rows(arm_, heavy_));
  inverse_shadow_ = inverse_turning_of(moments_of_rows(shadow_, heavy_));
}

void ReducedResponse::solve(const Coordinates& f, Coordinates& out) const {
  multiply(matrix_->inverse(), f, out);
  if (!split_) return;
  const Vec3 shade = inverse_shadow_ * torque_of(shadow_, f), turn = inverse_inertia_ * torque_of(arm_, f);
  turn_rows(-shade, shadow_, out);
  turn_rows(turn, arm_, out);
}

void ReducedResponse::fill(std::span<const Contact> contacts, ContactProblem& problem, Pool&) {
  const Index n = Index(contacts.size());
  const Eigen::Index k = model_->columns();
  if (u_.rows() != k || u_.cols() < n) {
    u_.resize(k, n);
    answer_.resize(k, n);
  }
  problem.reset(n, 1, split_);
  for (Index c = 0; c < n; ++c) {
    auto u = u_.col(c);
    u.setZero();
    rows_->each_node(contacts[std::size_t(c)], [&](Index node, double weight) {
      u += weight * model_->basis.columns.row(node).transpose();
    });
    answer_.col(c).noalias() = matrix_->inverse() * u;
  }
  for (Index c = 0; c < n; ++c) {
    ContactProblem::Row& row = problem.row(c);
    row.normal = contacts[std::size_t(c)].normal;
    row.friction = contacts[std::size_t(c)].friction;
    for (Index d = 0; d <= c; ++d) problem.s(c, d) = problem.s(d, c) = float(u_.col(c).dot(answer_.col(d)));
    for (int axis = 0; split_ && axis < 3; ++axis) {
      row.lever[axis] = u_.col(c).dot(arm_.col(axis));
      row.shadow[axis] = u_.col(c).dot(shadow_.col(axis));
    }
  }
  if (split_) problem.part(0) = {inverse_inertia_, inverse_shadow_, 0};
  problem.prepare();
}

// ---- around the step ----

ReducedMeeting::ReducedMeeting(ReducedBody& body) : body_(body) {
  const Model& full = body_.model_.full;
  stage_.attach(body_.surface_.skin.contact_points(), full.rest, mean_edge_of(full));
  response_.attach(body_.model_, stage_.rows(), body_.cache_.matrix);
}

ReducedMeeting::Running::Running(ReducedBody& body, const StepInput& given)
    : input(given),
      scheme(Integrator::euler, input.h, body.damping_, body.options_.damping_frame),
      context{input, scheme, *input.pool, watch, report},
      equation{body.model_, body.options_, body.state_, body.cache_, body.scratch_, context} {}

ContactState& ReducedMeeting::memory() { return body_.state_.contact; }

ContactBody::Nodes ReducedMeeting::nodes() const {
  const NodeState& nodes = body_.nodes();
  return {nodes.x, nodes.v, nodes.mass};
}

void ReducedMeeting::place(std::span<const Vec3> x, std::span<const Vec3> v) { body_.place(x, v); }
void ReducedMeeting::keep(Slot slot) { kept_[std::size_t(slot)] = body_.state_; }

void ReducedMeeting::restore(Slot slot) {
  body_.state_ = *kept_[std::size_t(slot)];
  body_.cache_.take_rest_vectors(body_.model_, body_.state_);
  body_.nodes_.drop();
}

SurfaceResponse& ReducedMeeting::response_at_rest(const StepInput&) {
  response_.turn_about(body_.state_.z, step_->scheme.mass, loose());
  return response_;
}

void ReducedMeeting::respond(std::span<const Vec3> impulses, Points& dv, Pool&) {
  pull(impulses, 1, in_);
  answer_.resizeLike(in_);
  response_.solve(in_, answer_);
  show(answer_, 1, dv);
}

void ReducedMeeting::kick(double) {
  body_.state_.v += answer_;
  body_.nodes_.drop();
}

void ReducedMeeting::move(double rate) {
  body_.state_.z += rate * answer_;
  body_.state_.v += answer_;
  body_.nodes_.drop();
}

void ReducedMeeting::shift(double share) {
  body_.state_.z += share * answer_;
  body_.nodes_.drop();
}

// ---- the step in pieces ----

std::string ReducedMeeting::begin(const StepInput& input) {
  std::string trouble = body_.cache_.holds.take(body_.model_, input);
  if (!trouble.empty()) return trouble;
  step_.emplace(body_, input);
  ReducedEquation& e = step_->equation;
  trouble = e.set_matrix();
  if (!trouble.empty()) return trouble;
  const std::size_t length = 3 * std::size_t(body_.model_.columns());
  resize(length, length, input.h);
  for (Coordinates* array : {&in_, &out_, &moving_}) array->setZero(body_.model_.columns(), 3);
  const Points& x = body_.nodes().x;
  hat_.assign(x.begin(), x.end());
  e.predict(Past::unknown);
  start_anew(false);
  load_model();
  step_->watch.add_to(&StageTimes::rhs);
  return {};
}

void ReducedMeeting::start_anew(bool bound) {
  return_to_prediction();
  split_ = !bound && loose();
}

void ReducedMeeting::make_model(const Vector& d, Vector& g) {
  ReducedEquation& e = step_->equation;
  in_ = e.scratch.start + coordinates(d);
  e.residual(in_, true, out_);
  body_.cache_.holds.each_prescribed(body_.model_, [&](Index c, const auto&) { out_.row(c).setZero(); });
  coordinates(g) = out_;
  response_.turn_about(in_, step_->scheme.mass, split_);
}

double ReducedMeeting::multiply(const Vector& p, Vector& out) {
  in_ = coordinates(p);
  step_->equation.hessian(in_, out_);
  body_.cache_.holds.each_prescribed(body_.model_, [&](Index c, const auto&) { out_.row(c).setZero(); });
  coordinates(out) = out_;
  return dot(p, out);
}

void ReducedMeeting::answer(const Vector& f, Vector& out) {
  in_ = coordinates(f);
  response_.solve(in_, out_);
  coordinates(out) = out_;
}

void ReducedMeeting::load(std::span<const Vec3> impulses, Vector& out) {
  pull(impulses, step_->input.h, in_);
  body_.cache_.holds.each_prescribed(body_.model_, [&](Index c, const auto&) { in_.row(c).setZero(); });
  coordinates(out) = in_;
}

void ReducedMeeting::pull(std::span<const Vec3> impulses, double factor, Coordinates& out) const {
  out.setZero(body_.model_.columns(), 3);
  for (std::size_t i = 0; i < impulses.size(); ++i)
    for (int c = 0; c < 3; ++c)
      if (impulses[i][c] != 0)
        out.col(c) += factor * impulses[i][c] * body_.model_.basis.columns.row(Eigen::Index(i)).transpose();
}

void ReducedMeeting::show(const Coordinates& z, double factor, Points& out) const {
  out.resize(hat_.size());
  for (std::size_t i = 0; i < out.size(); ++i)
    for (int c = 0; c < 3; ++c)
      out[i][c] = factor * body_.model_.basis.columns.row(Eigen::Index(i)).dot(z.col(c));
}

void ReducedMeeting::velocities(const Vector& d, Points& out) const {
  moving_ = body_.scratch_.start + coordinates(d) - body_.scratch_.hat_z;
  show(moving_, 1 / step_->input.h, out);
}

double ReducedMeeting::turned_along(const Vector& way) {
  ++step_->report.iterations;
  in_ = coordinates(way);
  return step_->equation.largest_turn(in_);
}

StepReport ReducedMeeting::end(std::span<const Vec3> impulses, bool violent) {
  StepReport& report = step_->report;
  ReducedScratch& scratch = body_.scratch_;
  step_->watch.last = Clock::now();
  report.violent = violent;
  outer_.assign(impulses.begin(), impulses.end());
  for (std::size_t i = 0; i < outer_.size(); ++i) {
    outer_[i] /= step_->input.h;
    if (!step_->input.forces.empty()) outer_[i] += step_->input.forces[i];
  }
  step_->input.forces = outer_;
  scratch.vectors.d = coordinates(d_);
  body_.finish(step_->equation);
  if (!std::isfinite(geometric::dot(scratch.new_z, scratch.new_z) +
                     geometric::dot(scratch.new_v, scratch.new_v))) {
    report.trouble =
        "contact with other bodies has no finite answer: forces or speeds are beyond what numbers can hold; "
        "lower them, or make the step shorter";
    return report;
  }
  body_.accept(step_->input);
  body_.state_.past = Past::unknown;
  if (body_.options_.plasticity) report.yields = body_.flow(step_->input);
  report.active_rotations = body_.cache_.sweeps.active();
  step_->watch.add_to(&StageTimes::rhs);
  report.ms = own_time(step_->watch.ms);
  return report;
}

}  // namespace pliant::geometric
