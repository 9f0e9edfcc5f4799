// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/contact.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/contact/contact_memory.hpp"
#include "pliant/math/dense_system.hpp"

namespace pliant::cage {
namespace {

constexpr int most_contacts = 150;
constexpr double softness = 1e-6;  // of W's diagonal, for points that the cage cannot move apart
constexpr int lift_sweeps = 30;
constexpr double lift_share = 0.2;  // of what is too deep, a step
constexpr double most_lift = 0.05;  // of the size, a step

}  // namespace

ContactStep::ContactStep(const Model& model) : points_(model), begin_(points_.rest()), end_(points_.rest()) {
  detection_.build(points_.gather(), points_.rest(), model.size / 10);
}

void ContactStep::clear() {
  found_.clear();
  memory_.clear();
  sides_.clear();
}

bool ContactStep::meet(const Step& step, const Flight& flight, const Columns& rate, Index used, bool first) {
  clear();
  const StepInput& input = step.input;
  if (input.colliders.empty()) return false;
  sides_ = step.state.sides;
  if (first) points_.use(step.model, step.state.more);
  points_.each(step.model.rows(), step.scratch.z.data(), [&](Index p, const Vec3& at) {
    if (first) begin_[std::size_t(p)] = flight.c + flight.r0 * at;
    end_[std::size_t(p)] = flight.c1 + flight.r1 * at;
  });
  points_.each(used, rate.data(),
               [&](Index p, const Vec3& v) { end_[std::size_t(p)] += input.h * (flight.r1 * v); });
  for (std::size_t p = 0; p < begin_.size(); ++p)
    if (points_.unused()[p]) begin_[p] = end_[p] = begin_[0];
  ContactOptions options = input.contact;
  options.most = std::min(options.most, most_contacts);
  detection_.find({.colliders = input.colliders,
                   .options = options,
                   .h = input.h,
                   .begin = begin_,
                   .end = end_,
                   .last = step.state.contacts,
                   .held = points_.unused()},
                  sides_);
  found_.assign(detection_.contacts().begin(), detection_.contacts().end());
  return !found_.empty();
}

template <class T>
void ContactStep::fill_response(const Step& step, bool consistent) const {
  const Model& model = step.model;
  const Eigen::MatrixXd& value = points_.value();
  AlignedVector<T>& response = step.scratch.work<T>().response;
  const Index n = model.n(), count = Index(found_.size());
  const int wide = padded(3 * int(n));
  response.assign(panel_size(3 * int(count), wide), T(0));
  for (Index c = 0; c < count; ++c) {
    const Index point = found_[std::size_t(c)].key.vertex;
    T* rows[3];  // of the response, their entries 16 apart
    for (int axis = 0; axis < 3; ++axis) rows[axis] = response.data() + in_panels(3 * int(c) + axis, 0, wide);
    for (int axis = 0; axis < 3; ++axis)
      for (Index i = 0; i < n; ++i) rows[axis][std::size_t(axis * n + i) * panel_rows] = T(value(i, point));
    if (!consistent) continue;
    for (Index j = 0; j < model.t(); ++j)
      for (int k = 0; k < 3; ++k) {
        const Index i = model.faces[std::size_t(j)].corner[k];
        const Mat3 moved = value(n + j, point) * step.scratch.jacobians[std::size_t(j)][std::size_t(k)];
        for (int axis = 0; axis < 3; ++axis)
          for (int d = 0; d < 3; ++d) rows[axis][std::size_t(d * n + i) * panel_rows] += T(moved(axis, d));
      }
  }
}

template <class T>
void ContactStep::fill_w(const Step& step, double unit) {
  Work<T>& w = step.scratch.work<T>();
  const Index count = Index(found_.size());
  const int n3 = 3 * int(step.model.n()), c3 = 3 * int(count);
  solve_lower_rows(n3, w.system.data(), c3, w.response.data(), step.pool);
  w.touch.resize(panel_size(c3, padded(c3)));
  gram_panels(c3, padded(n3), w.response.data(), w.touch.data(), step.pool);
  contacts_.reset(count);
  Eigen::MatrixXd& dense = contacts_.w();
  double trace = 0;
  for (int j = 0; j < c3; ++j)
    for (int i = j; i < c3; ++i)
      dense(i, j) = dense(j, i) = unit * double(w.touch[in_panels(i, j, padded(c3))]);
  for (int j = 0; j < c3; ++j) trace += dense(j, j);
  dense.diagonal().array() += softness * trace / c3;
}

void ContactStep::fill_row(const Step& step, const Flight& flight, Index c) {
  const double h = step.input.h;
  const Contact& at = found_[std::size_t(c)];
  DenseContacts::Row& row = contacts_.row(c);
  const std::size_t p = std::size_t(at.key.vertex);
  row.normal = flight.r1.transpose() * at.normal;
  row.friction = at.friction;
  row.free = flight.r1.transpose() * ((end_[p] - begin_[p]) / h - at.velocity);
  row.bias = std::max(at.gap, 0.0) / h;
  Vec3 before = -at.velocity;
  for (Index r = 0; r < step.model.rows(); ++r)
    before += points_.value()(r, at.key.vertex) * step.state.velocity.col(r);
  const double approach = at.normal.dot(before);
  if (at.gap + h * approach <= 0)
    row.bias = with_restitution(at, approach, step.input.gravity.norm() * h, row.bias);
  if (const ContactMemory* known = recall(step.state.contacts, at.key))
    contacts_.set_impulse(c, h * (flight.r1.transpose() * known->force));
}

double ContactStep::lift(const Step& step, Index c) const {
  const double h = step.input.h, size = step.model.size, slop = step.input.contact.slop * size;
  const Contact& at = found_[std::size_t(c)];
  // Points that are asked because they were deep are kept from going deeper, not moved out: a stiff body
  // bent onto all of them gains energy (0.4 J of 127 J in a step of cage/drop at 5e5 Pa, h = 1/30).
  if (at.key.vertex >= points_.spread()) return 0;
  const double end = at.gap + h * (contacts_.normal(c).dot(contacts_.velocity(c)));
  return std::max(lift_share * std::min(end + slop, 0.0), -most_lift * size) / h;
}

template <class T>
void ContactStep::respond(const Step& step, const Flight& flight, double unit, bool consistent) {
  const Index count = Index(found_.size());
  const double h = step.input.h;
  StepReport& report = step.report;
  fill_response<T>(step, consistent);
  fill_w<T>(step, unit);
  for (Index c = 0; c < count; ++c) fill_row(step, flight, c);
  const DenseContacts::Outcome outcome =
      contacts_.solve(step.input.contact.sweeps, step.input.contact.tolerance);
  report.contact_sweeps += outcome.sweeps;
  report.contact_residual = outcome.residual;
  report.contact_impulse.setZero();
  report.contacts = 0;
  memory_.clear();
  lift_.clear();
  for (Index c = 0; c < count; ++c) {
    const Contact& at = found_[std::size_t(c)];
    const Vec3 r = flight.r1 * contacts_.impulse(c);
    memory_.push_back({.key = at.key, .force = r / h});
    report.contact_impulse += r;
    report.contacts += r.squaredNorm() > 0 || at.gap <= 0;
    lift_.push_back(lift(step, c));
  }
  apply<T>(step, unit * contacts_.impulses(), step.scratch.solved);
  if (std::any_of(lift_.begin(), lift_.end(), [](double l) { return l < 0; })) {
    contacts_.lift(lift_, lift_sweeps);
    apply<T>(step, unit * h * contacts_.impulses(), step.scratch.shift);
  }
}

template <class T>
void ContactStep::apply(const Step& step, const Eigen::VectorXd& impulses, Columns& change) const {
  Work<T>& w = step.scratch.work<T>();
  const Index n = step.model.n();
  const int n3 = 3 * int(n);
  std::fill(w.right.begin(), w.right.end(), T(0));
  for (Eigen::Index k = 0; k < impulses.size(); ++k) {
    const T r = T(impulses[k]);
    if (r == T(0)) continue;
    const T* row = w.response.data() + in_panels(int(k), 0, padded(n3));
    for (int i = 0; i < n3; ++i) w.right[std::size_t(i)] += r * row[std::size_t(i) * panel_rows];
  }
  solve_upper(n3, w.system.data(), w.right.data());
  for (Index i = 0; i < n; ++i)
    for (int c = 0; c < 3; ++c) change(c, i) += double(w.right[std::size_t(c * n + i)]);
}

void ContactStep::remember(State& state) {
  state.contacts.swap(memory_);
  state.sides.swap(sides_);
}

double ContactStep::depth(const Step& step) const {
  const Vec3 c = mean_of(step.state.x);
  const Mat3 frame = step.state.frame().toRotationMatrix();
  double deepest = 0;
  for (const Contact& at : found_) {
    const Vec3 now = c + frame * (step.scratch.z * points_.value().col(at.key.vertex));
    const Vec3 way = now - begin_[std::size_t(at.key.vertex)] - step.input.h * at.velocity;
    deepest = std::max(deepest, -at.gap - at.normal.dot(way));
  }
  return deepest;
}

void ContactStep::measure(const Step& step) {
  const double over_planes = depth(step);
  step.report.penetration =
      std::max(over_planes, points_.measure(step.model, step.input, step.state, step.cache));
}

void ContactStep::subtract_work(const Columns& z, double& energy) const {
  for (std::size_t k = 0; k < found_.size(); ++k) {
    Vec3 at = -begin_[std::size_t(found_[k].key.vertex)];
    for (Index r = 0; r < Index(z.cols()); ++r) at += points_.value()(r, found_[k].key.vertex) * z.col(r);
    energy -= memory_[k].force.dot(at);
  }
}

void ContactStep::add_forces(const Mat3& frame, Columns& on_z) const {
  for (std::size_t k = 0; k < found_.size(); ++k) {
    const Vec3 f = frame.transpose() * memory_[k].force;
    for (Index r = 0; r < Index(on_z.cols()); ++r)
      on_z.col(r) += points_.value()(r, found_[k].key.vertex) * f;
  }
}

template void ContactStep::respond<float>(const Step&, const Flight&, double, bool);
template void ContactStep::respond<double>(const Step&, const Flight&, double, bool);

}  // namespace pliant::cage
