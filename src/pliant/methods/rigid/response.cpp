// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/rigid/response.hpp"

#include "pliant/physics/free_turn.hpp"

namespace pliant::rigid {
namespace {

/// P with P w = w x arm.
Mat3 turning_of(const Vec3& arm) {
  Mat3 p;
  p.row(0) << 0, arm.z(), -arm.y();
  p.row(1) << -arm.z(), 0, arm.x();
  p.row(2) << arm.y(), -arm.x(), 0;
  return p;
}

}  // namespace

Twist Mobility::answer(const Vec3& force, const Vec3& torque) const {
  if (split) return {light() * force, turn() * torque};
  Vec6 load;
  load << force, torque;
  const Vec6 moved = matrix * load;
  return {moved.head<3>(), moved.tail<3>()};
}

void Response::attach(const Model& model, const ContactRows& rows) {
  model_ = &model;
  rows_ = &rows;
}

void Response::set(const Mobility& mobility, const Vec3& about, const Mat3& rotation) {
  mobility_ = mobility;
  about_ = about;
  rotation_ = rotation;
}

double Response::weight(const Contact& contact) {
  double sum = 0;
  for (const ContactTerm& term : contact.terms()) sum += term.weight;
  return sum;
}

Vec3 Response::lever(const Contact& contact) const {
  return rotation_ * (rows_->observe(contact, model_->arm) - weight(contact) * about_);
}

Vec3 Response::moment(std::span<const Contact> contacts, std::span<const Vec3> r,
                      std::span<const Vec3> torques) const {
  Vec3 sum = Vec3::Zero();
  for (std::size_t c = 0; c < contacts.size(); ++c)
    if (!r[c].isZero(0)) sum += lever(contacts[c]).cross(r[c]);
  for (const Vec3& torque : torques) sum += torque;
  return sum;
}

Twist Response::answer(std::span<const Contact> contacts, std::span<const Vec3> r,
                       std::span<const Vec3> torques) const {
  Vec3 sum = Vec3::Zero();
  for (std::size_t c = 0; c < r.size(); ++c) sum += weight(contacts[c]) * r[c];
  return mobility_.answer(sum, moment(contacts, r, torques));
}

void Response::fill(std::span<const Contact> contacts, ContactProblem& problem, Pool&) {
  const Index n = Index(contacts.size());
  if (mobility_.split) {
    problem.reset(n, 1, true);
    problem.part(0).inverse_inertia = mobility_.turn();
  } else {
    problem.reset_dense(n);
  }
  for (Index c = 0; c < n; ++c) {
    const Contact& contact = contacts[std::size_t(c)];
    ContactProblem::Row& row = problem.row(c);
    row.normal = contact.normal;
    row.friction = contact.friction;
    row.lever = lever(contact);
    if (!mobility_.split) continue;
    const double shift = mobility_.light() * weight(contact);
    for (Index d = 0; d < n; ++d) problem.s(c, d) = float(shift * weight(contacts[std::size_t(d)]));
  }
  if (!mobility_.split) fill_dense(contacts, problem);
  problem.prepare();
}

void Response::fill_dense(std::span<const Contact> contacts, ContactProblem& problem) const {
  using Mat36 = Eigen::Matrix<double, 3, 6>;
  const auto row_of = [&](Index c) {
    Mat36 row;
    row << weight(contacts[std::size_t(c)]) * Mat3::Identity(), turning_of(problem.row(c).lever);
    return row;
  };
  for (Index c = 0; c < problem.size(); ++c) {
    const Mat36 answer = row_of(c) * mobility_.matrix;
    for (Index d = 0; d < problem.size(); ++d)
      problem.dense().block<3, 3>(3 * c, 3 * d) = answer * row_of(d).transpose();
  }
}

void Response::displace(std::span<const Contact> contacts, std::span<const Vec3> r, std::span<Vec3> x,
                        Pool& pool) {
  const Twist way = answer(contacts, r);
  rigid::displace(*moved, about_, way.velocity, way.turning);
  const Mat3 rotation = moved->rotation();
  for_blocks(pool, model_->nodes(), 4096, [&](int begin, int end) {
    for (std::size_t i = std::size_t(begin); i < std::size_t(end); ++i)
      x[i] = moved->centre + rotation * model_->arm[i];
  });
}

void displace(Motion& motion, const Vec3& about, const Vec3& way, const Vec3& turn) {
  const Mat3 by = rotation_by(turn);
  const Vec3 place = motion.place(about);
  motion.centre = place + way + by * (motion.centre - place);
  motion.turn = (Eigen::Quaterniond(by) * motion.turn).normalized();
  motion.spin = by * motion.spin;
}

}  // namespace pliant::rigid
