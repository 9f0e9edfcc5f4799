// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/meeting.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/math/dense_system.hpp"
#include "pliant/methods/cage/body.hpp"
#include "pliant/methods/cage/energy.hpp"
#include "pliant/methods/cage/open_faces.hpp"
#include "pliant/methods/cage/surface.hpp"
#include "pliant/physics/check_input.hpp"

namespace pliant::cage {
namespace {

constexpr int model_halvings = 6;      // of a model's way
constexpr double shortened_turn = 1;   // rad: a way that was shortened asks for another model
constexpr double merit_noise = 1e-12;  // of the energies that are compared
// Energy over mu and volume from which the whole Hessian is taken at once.
constexpr double strained = 0.03;

using Vector = AlignedVector<double>;
Eigen::Map<const Columns> columns(const Vector& v) { return {v.data(), 3, Eigen::Index(v.size() / 3)}; }
Eigen::Map<Columns> columns(Vector& v) { return {v.data(), 3, Eigen::Index(v.size() / 3)}; }

/// From each vertex to those that edges join to it, mean.
double mean_edge(const TriMesh& cage) {
  double sum = 0;
  for (const Triangle& t : cage.triangles)
    for (int k = 0; k < 3; ++k)
      sum += (cage.vertices[std::size_t(t[k])] - cage.vertices[std::size_t(t[(k + 1) % 3])]).norm();
  return cage.triangles.empty() ? 0 : sum / double(3 * cage.triangles.size());
}

/// Sum and moment.
void add_up(std::span<const Vec3> impulses, std::span<const Vec3> at, const Vec3& centre, Vec3& push,
            Vec3& turn) {
  for (std::size_t i = 0; i < impulses.size(); ++i) {
    if (impulses[i].isZero(0)) continue;
    push += impulses[i];
    turn += (at[i] - centre).cross(impulses[i]);
  }
}

}  // namespace

Meeting::Running::Running(Body& body, const StepInput& given)
    : input(given),
      step{{input, body.damping_, *input.pool, watch, report},
           body.model_,
           body.options_,
           body.state_,
           body.cache_,
           body.scratch_,
           body.contact_},
      equation(step.equation<double>()),
      objective(step, input.h, body.cache_.holds.hard() == 0) {}

Meeting::Meeting(Body& body) : body_(body) {
  const Model& model = body_.model_;
  stage_.attach(model.contact_points(), model.nodes, mean_edge(model.cage));
}

// ---- around the step ----

ContactState& Meeting::memory() { return body_.state_.met; }
const ContactState& Meeting::kept_memory() const { return kept_[std::size_t(Slot::attempt)]->met; }

ContactBody::Nodes Meeting::nodes() const {
  const NodeState& nodes = nodes_of(body_.model_, body_.state_, body_.cache_);
  return {nodes.x, nodes.v, nodes.mass};
}

void Meeting::place(std::span<const Vec3> x, std::span<const Vec3> v) { body_.place(x, v); }
void Meeting::keep(Slot slot) { kept_[std::size_t(slot)] = body_.state_; }

void Meeting::restore(Slot slot) {
  body_.state_ = *kept_[std::size_t(slot)];
  body_.load_plastic();
  body_.cache_.shown = false;
}

void Meeting::Response::fill(std::span<const Contact> contacts, ContactProblem& problem, Pool& pool) {
  Meeting& m = meeting_;
  const double h = m.now_->input.h;
  m.asked_.clear();
  for (const Contact& contact : contacts)
    m.stage_.rows().each_node(contact, [&](Index node, double) { m.asked_.push_back(node); });
  std::sort(m.asked_.begin(), m.asked_.end());
  m.asked_.erase(std::unique(m.asked_.begin(), m.asked_.end()), m.asked_.end());
  if (contacts.empty()) return problem.reset_dense(0);
  m.body_.scratch_.jacobians = m.jacobian_;
  ContactResponse<double>(m.now_->step, m, m.axes_, 1 / (m.bound_ * h * h), true)
      .fill(contacts, problem, pool);
}

void Meeting::weigh(const ContactTerm& term, Eigen::VectorXd& b) const {
  const Gather& points = stage_.rows().points();
  const Model& model = body_.model_;
  b.setZero(model.rows());
  for (Index k = points.begin[std::size_t(term.vertex)]; k < points.begin[std::size_t(term.vertex) + 1]; ++k)
    for (Index r = 0; r < model.rows(); ++r)
      b[r] += term.weight * points.weight[std::size_t(k)] * model.basis(r, points.column[std::size_t(k)]);
}

SurfaceResponse& Meeting::response_at_rest(const StepInput&) {
  const State& state = body_.state_;
  set_z(body_.model_, state.x, mean_of(state.x), axes_, body_.scratch_.z);
  now_->equation.find_jacobians();
  jacobian_ = body_.scratch_.jacobians;
  return response_;
}

void Meeting::gather_on_z(std::span<const Vec3> on_nodes, Columns& out) const {
  const Model& model = body_.model_;
  out.setZero(3, model.rows());
  for (std::size_t i = 0; i < on_nodes.size(); ++i) {
    if (on_nodes[i].isZero(0)) continue;
    const Vec3 f = axes_.transpose() * on_nodes[i];
    for (Index r = 0; r < model.rows(); ++r) out.col(r) += model.basis(r, Index(i)) * f;
  }
}

void Meeting::pull(std::span<const Vec3> impulses, double factor, Vector& out) {
  gather_on_z(impulses, on_z_);
  body_.scratch_.jacobians = jacobian_;
  now_->equation.pull_back(on_z_, trial_);
  columns(out) = factor * (axes_ * trial_);
}

void Meeting::respond(std::span<const Vec3> impulses, Points& dv, Pool&) {
  const double h = now_->input.h;
  right_.resize(length_);
  pull(impulses, h, right_);
  way_.resize(length_);
  answer(right_, way_);
  const Columns along = axes_.transpose() * columns(way_) / h;
  answer_.resize(3, body_.model_.rows());
  follow(body_.model_, jacobian_, along, answer_);
  answer_ = (axes_ * answer_).eval();
  if (body_.cache_.holds.empty()) {
    const State& state = body_.state_;
    Columns& z = body_.scratch_.new_z;
    const Whole whole = whole_of(body_.model_, state.x, answer_, z);
    Vec3 push = Vec3::Zero(), turn = Vec3::Zero();
    add_up(impulses, nodes().x, whole.centre, push, turn);
    complete_momentum(body_.model_, z, mean_of(state.x), push, turn, answer_);
  }
  spread(body_.model_, answer_, dv);
}

void Meeting::kick(double) {
  State& state = body_.state_;
  state.velocity += answer_;
  state.whole = whole_of(body_.model_, state.x, state.velocity, body_.scratch_.new_z);
  state.past = Past::unknown;
  body_.cache_.shown = false;
}

void Meeting::move(double rate) {
  body_.state_.x += rate * answer_.leftCols(body_.model_.n());
  body_.state_.velocity += answer_;
  look_again();
}

void Meeting::shift(double share) {
  body_.state_.x += share * answer_.leftCols(body_.model_.n());
  look_again();
}

void Meeting::look_again() {
  State& state = body_.state_;
  const auto look = [&]<class T>(Look<T>& now) {
    now_->step.equation<T>().look_at(state.x, now, *now_->input.pool);
  };
  if (body_.options_.precision == Precision::single)
    look(state.single);
  else
    look(state.twice);
  state.whole = whole_of(body_.model_, state.x, state.velocity, body_.scratch_.new_z);
  body_.cache_.shown = false;
}

// ---- the step in pieces ----

std::string Meeting::begin(const StepInput& input) {
  const Model& model = body_.model_;
  const Index n = model.n();
  if (std::string trouble = trouble_of(input, Index(model.nodes.size()), Index(model.nodes.size()) + n);
      !trouble.empty())
    return trouble;
  Scratch& s = body_.scratch_;
  if (!ready_ && body_.options_.precision == Precision::single) s.make<double>(model, true);
  ready_ = true;
  body_.cache_.holds.set(model, input, model.hold_stiffness);
  body_.contact_.clear();
  now_.emplace(body_, input);
  body_.load_plastic();
  resize(3 * std::size_t(n), 3 * std::size_t(n), input.h);
  now_->objective.begin(Past::unknown);
  hat_z_ = s.start_z;
  const Mat3& turn = now_->objective.turn();
  start_ = turn.isIdentity(0) ? body_.state_.x : s.undeformed;
  if (look_.batches.empty()) set_rest(model.batches(), look_);
  if (body_.options_.precision == Precision::single)
    copy_rotations(body_.state_.single, look_);
  else
    copy_rotations(body_.state_.twice, look_);
  look_.axes = Eigen::Quaterniond(turn * look_.axes.toRotationMatrix());
  place_nodes(model, hat_z_, look_.axes.toRotationMatrix(), hat_);
  start_anew(false);
  load_model();
  now_->watch.add_to(&StageTimes::rhs);
  return now_->report.trouble;
}

void Meeting::start_anew(bool bound) {
  return_to_prediction();
  bound_ = bound ? 2 : 1;
}

void Meeting::go_to(const Vector& d, Columns& x) const { x = start_ + columns(d); }

void Meeting::rate_of(const Columns& x, Columns& out) const {
  const Model& model = body_.model_;
  out.resize(3, model.rows());
  out.leftCols(model.n()) = x;
  scaled_normals(model.faces, x, out.rightCols(model.t()));
  out -= hat_z_;
  out /= rate_;
}

void Meeting::make_model(const Vector& d, Vector& g) {
  const Model& model = body_.model_;
  Scratch& s = body_.scratch_;
  go_to(d, at_);
  rate_of(at_, at_rate_);
  Equation<double>& equation = now_->equation;
  equation.look_at(at_, look_, *now_->input.pool);
  axes_ = look_.axes.toRotationMatrix();
  now_->objective.descend(look_, at_, mean_of(at_));
  columns(g) = -rate_ * rate_ * (axes_ * s.solved);
  const bool first = now_->report.iterations == 0;
  const bool whole = !first || look_.energy > strained * model.mu * model.volume;
  if (!now_->objective.factor(look_, whole))
    now_->report.trouble =
        "the matrix of the step is not positive definite: raise cage.regularisation or lower the stiffness";
  if (first) now_->objective.keep_damper(look_);
  ++now_->report.iterations;
  now_->report.refactored = true;
  jacobian_ = s.jacobians;
}

void Meeting::answer(const Vector& f, Vector& out) {
  const int n = int(body_.model_.n());
  AlignedVector<double>& right = now_->equation.work().right;
  std::fill(right.begin(), right.end(), 0.0);
  for (int i = 0; i < n; ++i) {
    const Vec3 seen = axes_.transpose() * columns(f).col(i);
    for (int k = 0; k < 3; ++k) right[std::size_t(k * n + i)] = seen[k];
  }
  solve(3 * n, now_->equation.work().system.data(), right.data());
  const double unit = 1 / (bound_ * rate_ * rate_);
  for (int i = 0; i < n; ++i) {
    const Vec3 seen(right[std::size_t(i)], right[std::size_t(n + i)], right[std::size_t(2 * n + i)]);
    columns(out).col(i) = unit * (axes_ * seen);
  }
}

void Meeting::load(std::span<const Vec3> impulses, Vector& out) { pull(impulses, now_->input.h, out); }

double Meeting::multiply(const Vector& p, Vector& out) {
  for (std::size_t k = 0; k < length_; ++k) out[k] = (load_[k] - g_[k]) / bound_;
  return dot(p, out);
}

void Meeting::moving(const Vector& d, Columns& out) const {
  const Model& model = body_.model_;
  const Columns along = axes_.transpose() * (start_ + columns(d) - at_) / rate_;
  out.resize(3, model.rows());
  follow(model, jacobian_, along, out);
  out = (axes_ * out).eval();
  out += at_rate_;
}

/// Of the nodes of the contacts alone: nobody asks for others.
void Meeting::free_velocities(Points& v) const {
  const Model& model = body_.model_;
  Vector d(length_);
  for (std::size_t k = 0; k < length_; ++k) d[k] = d_[k] - z_[k];
  moving(d, moving_);
  v.resize(model.nodes.size(), Vec3::Zero());
  for (const Index node : asked_) {
    Vec3 sum = Vec3::Zero();
    for (Index r = 0; r < model.rows(); ++r) sum += model.basis(r, node) * moving_.col(r);
    v[std::size_t(node)] = sum;
  }
}

void Meeting::velocities(const Vector& d, Points& out) const {
  moving(d, moving_);
  spread(body_.model_, moving_, out);
}

/// Of the end of a model: its places are those of the surface.
void Meeting::reached(Points& x, Points& v) const {
  Columns at;
  go_to(d_, at);
  rate_of(at, moving_);
  spread(body_.model_, moving_, v);
  Columns z = rate_ * moving_ + hat_z_;
  place_nodes(body_.model_, z, axes_, x);
}

double Meeting::merit(const Vector& way, double share) {
  trial_ = at_ + share * columns(way);
  if (!trial_.allFinite() || folds(body_.model_, at_, trial_)) return std::numeric_limits<double>::infinity();
  Look<double>& look = now_->equation.work().trial;
  look = look_;
  now_->equation.look_at(trial_, look, *now_->input.pool);
  return now_->objective.value(trial_, look.energy) - share * dot(load_, way) / (rate_ * rate_);
}

/// The way of the model is shortened until Phi falls along it, as in the body's own step.
double Meeting::end_model() {
  way_.resize(length_);
  for (std::size_t k = 0; k < length_; ++k) way_[k] = d_[k] + step_[k] - begin_[k];
  const double before = merit(way_, 0), noise = merit_noise * (std::abs(before) + body_.state_.whole.kinetic);
  double share = 1;
  int k = 0;
  while (k < model_halvings && !(merit(way_, share) <= before + noise)) share /= 2, ++k;
  if (k == model_halvings) share = 0;
  for (std::size_t i = 0; i < length_; ++i) {
    way_[i] *= share;
    d_[i] = begin_[i] + way_[i];
  }
  return share < 1 ? shortened_turn : turned_along(way_);
}

double Meeting::turned_along(const Vector& way) {
  const Model& model = body_.model_;
  double most = 0;
  Columns from(3, model.t()), to(3, model.t());
  scaled_normals(model.faces, at_, from);
  scaled_normals(model.faces, at_ + columns(way), to);
  for (Eigen::Index j = 0; j < from.cols(); ++j)
    most = std::max(most, from.col(j).cross(to.col(j)).norm() / (from.col(j).norm() * to.col(j).norm()));
  return most;
}

void Meeting::set_exact_momentum(std::span<const Vec3> impulses) {
  const Running& now = *now_;
  const State& state = body_.state_;
  Scratch& s = body_.scratch_;
  const double h = now.input.h, slower = 1 / (1 + h * now.step.scheme.mass);
  Points at;
  Columns z = s.new_z;
  const Whole end = whole_about(body_.model_, s.new_z, mean_of(s.new_x), s.new_velocity, nullptr);
  z.leftCols(body_.model_.n()).colwise() += mean_of(s.new_x);
  place_nodes(body_.model_, z, axes_, at);
  Vec3 push = h * body_.model_.total_mass * now.input.gravity, turn = Vec3::Zero();
  add_up(impulses, at, end.centre, push, turn);
  if (!now.input.forces.empty()) {
    outer_.assign(now.input.forces.begin(), now.input.forces.end());
    for (Vec3& force : outer_) force *= h;
    add_up(outer_, at, end.centre, push, turn);
  }
  complete_momentum(body_.model_, s.new_z, mean_of(s.new_x), slower * (state.whole.momentum + push),
                    slower * (state.whole.spin + turn), s.new_velocity, h, &s.new_x);
}

StepReport Meeting::end(std::span<const Vec3> impulses, bool violent) {
  const Model& model = body_.model_;
  Running& now = *now_;
  State& state = body_.state_;
  Scratch& s = body_.scratch_;
  now.watch.last = Clock::now();
  now.report.violent = violent;
  go_to(d_, s.new_x);
  rate_of(s.new_x, s.new_velocity);
  if (!s.new_x.allFinite() || !s.new_velocity.allFinite()) {
    now.report.trouble =
        "contact with other bodies has no finite answer: forces or speeds are beyond what numbers can hold; "
        "lower them, or make the step shorter";
    return now.report;
  }
  s.new_z.leftCols(model.n()) = s.new_x.colwise() - mean_of(s.new_x);
  scaled_normals(model.faces, s.new_x, s.new_z.rightCols(model.t()));
  if (body_.cache_.holds.empty()) set_exact_momentum(impulses);
  state.x_before.swap(state.x);
  state.v_before.swap(state.velocity);
  state.x.swap(s.new_x);
  state.velocity.swap(s.new_velocity);
  state.remember(now.input, Past::unknown);
  state.touches = true;
  state.lent = 0;
  state.contact.clear();
  const auto take = [&]<class T>(Look<T>& look) {
    copy_rotations(look_, look);
    look_again();
    if (body_.options_.plasticity) flow<T>(now.step);
  };
  if (body_.options_.precision == Precision::single)
    take(state.single);
  else
    take(state.twice);
  now.watch.add_to(&StageTimes::rhs);
  now.report.ms = own_time(now.watch.ms);
  return now.report;
}

}  // namespace pliant::cage
