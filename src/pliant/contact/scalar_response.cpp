// SPDX-License-Identifier: Apache-2.0
#include "pliant/contact/scalar_response.hpp"

#include <algorithm>

#include "pliant/math/symmetric_eigen.hpp"

namespace pliant {
namespace {

constexpr double least_inertia = 1e-9;  // of the largest: about such an axis a part does not turn

/// (tr m - m)^-1 for second moments m; an axis without inertia does not turn.
Mat3 inverse_inertia_of(const Mat3& second) {
  const Mat3 m = 0.5 * (second + second.transpose());
  return pseudo_inverse(m.trace() * Mat3::Identity() - m, least_inertia);
}

}  // namespace

void ScalarResponse::attach(const ContactRows& rows, std::span<const Index> part, Index parts) {
  rows_ = &rows;
  part_ = part;
  parts_.assign(std::size_t(parts), {});
}

std::string ScalarResponse::factor(const SymmetricMatrix& s, std::span<const double> mass,
                                   std::span<const unsigned char> held) {
  columns_.flush();
  mass_.assign(mass.begin(), mass.end());
  held_.assign(held.begin(), held.end());
  for (Points* array : {&arm_, &shadow_, &load_, &answer_}) array->assign(mass.size(), Vec3::Zero());
  direct_.keep_double(true);
  return direct_.factor(s).trouble;
}

void ScalarResponse::turn_about(const Points& x, bool split) {
  split_ = split;
  if (!split) return;
  for (Part& part : parts_) part = {};
  for (std::size_t i = 0; i < mass_.size(); ++i) {
    Part& part = parts_[std::size_t(part_[i])];
    part.mass += mass_[i];
    part.centre += mass_[i] * x[i];
  }
  for (Part& part : parts_) part.centre /= part.mass;
  for (Part& part : parts_) part.inverse_inertia.setZero();
  for (std::size_t i = 0; i < mass_.size(); ++i) {
    Part& part = parts_[std::size_t(part_[i])];
    arm_[i] = x[i] - part.centre;
    part.inverse_inertia += mass_[i] * arm_[i] * arm_[i].transpose();
  }
  for (Part& part : parts_) part.inverse_inertia = inverse_inertia_of(part.inverse_inertia);
  cast_shadows();
}

void ScalarResponse::cast_shadows() {
  for (std::size_t i = 0; i < mass_.size(); ++i) load_[i] = mass_[i] * arm_[i];
  direct_.solve(load_.data(), shadow_.data());
  for (Part& part : parts_) part.inverse_shadow.setZero();
  for (std::size_t i = 0; i < mass_.size(); ++i)
    parts_[std::size_t(part_[i])].inverse_shadow += mass_[i] * shadow_[i] * arm_[i].transpose();
  for (Part& part : parts_) part.inverse_shadow = inverse_inertia_of(part.inverse_shadow);
}

void ScalarResponse::solve_stiff(std::span<const Vec3> f, std::span<Vec3> z) {
  for (std::size_t i = 0; i < f.size(); ++i) load_[i] = held_[i] ? Vec3(Vec3::Zero()) : f[i];
  direct_.solve(load_.data(), answer_.data());
  std::copy(answer_.begin(), answer_.end(), z.begin());
}

void ScalarResponse::solve(std::span<const Vec3> f, std::span<Vec3> z) {
  for (std::size_t i = 0; i < f.size(); ++i) load_[i] = held_[i] ? Vec3(Vec3::Zero()) : f[i];
  direct_.solve(load_.data(), answer_.data());
  if (yield_) {
    yield_->pull(answer_, given_);
    yield_->solve(given_);
    yield_->push(given_, load_);
    direct_.solve(load_.data(), answer_.data());
  }
  if (split_) turn_freely();
  std::copy(answer_.begin(), answer_.end(), z.begin());
}

/// What is lacking to the shift and the spin that the load causes is set: turning, and the rounding of a stiff S.
void ScalarResponse::turn_freely() {
  for (Part& part : parts_) part.shade = part.momentum = part.spin = Vec3::Zero();
  for (std::size_t i = 0; i < load_.size(); ++i) part_at(i).shade += shadow_[i].cross(load_[i]);
  for (Part& part : parts_) part.shade = (part.inverse_shadow * part.shade).eval();
  for (std::size_t i = 0; i < load_.size(); ++i) {
    Part& part = part_at(i);
    answer_[i] -= part.shade.cross(shadow_[i]);
    const Vec3 lack = load_[i] - mass_[i] * answer_[i];
    part.momentum += lack;
    part.spin += arm_[i].cross(lack);
  }
  for (Part& part : parts_) {
    part.momentum /= part.mass;
    part.spin = (part.inverse_inertia * part.spin).eval();
  }
  for (std::size_t i = 0; i < load_.size(); ++i)
    answer_[i] += part_at(i).momentum + part_at(i).spin.cross(arm_[i]);
}

double ScalarResponse::turning(std::span<const Vec3> way) {
  double most = 0;
  if (!split_) return most;
  for (Part& part : parts_) part.spin.setZero();
  for (std::size_t i = 0; i < way.size(); ++i) part_at(i).spin += mass_[i] * arm_[i].cross(way[i]);
  for (const Part& part : parts_) most = std::max(most, (part.inverse_inertia * part.spin).norm());
  return most;
}

void ScalarResponse::need_columns(std::span<const Contact> contacts) {
  const Gather& points = rows_->points();
  wanted_.clear();
  for (const Contact& contact : contacts)
    for (const ContactTerm& term : contact.terms()) wanted_.push_back(term.vertex);
  std::sort(wanted_.begin(), wanted_.end());
  wanted_.erase(std::unique(wanted_.begin(), wanted_.end()), wanted_.end());
  const auto solve = [&](std::span<const Index> vertices) {
    std::fill(load_.begin(), load_.end(), Vec3::Zero());
    for (std::size_t c = 0; c < vertices.size(); ++c) {
      const std::size_t v = std::size_t(vertices[c]);
      for (Index k = points.begin[v]; k < points.begin[v + 1]; ++k) {
        const std::size_t node = std::size_t(points.column[std::size_t(k)]);
        if (!held_[node]) load_[node][Eigen::Index(c)] += points.weight[std::size_t(k)];
      }
    }
    direct_.solve(load_.data(), answer_.data());
  };
  const auto take = [&](int c, Index, std::span<float> column) {
    for (std::size_t i = 0; i < column.size(); ++i) column[i] = held_[i] ? 0.0f : float(answer_[i][c]);
  };
  columns_.need(wanted_, points.rows(), mass_.size(), solve, take);
}

double ScalarResponse::product(const Contact& contact, std::span<const float> column) const {
  double sum = 0;
  rows_->each_node(contact,
                   [&](Index node, double weight) { sum += weight * double(column[std::size_t(node)]); });
  return sum;
}

void ScalarResponse::weigh_columns(const Contact& contact) {
  column_.assign(mass_.size(), 0.0f);
  for (const ContactTerm& term : contact.terms()) {
    const std::span<const float> column = columns_[term.vertex];
    for (std::size_t i = 0; i < column.size(); ++i) column_[i] += float(term.weight) * column[i];
  }
}

/// W = J S^-1 J^T 1 + (Y^T S^-1 J^T)^T C^-1 (Y^T S^-1 J^T).
void ScalarResponse::fill_dense(std::span<const Contact> contacts, ContactProblem& problem) {
  const Index count = Index(contacts.size());
  problem.reset_dense(count);
  Eigen::MatrixXd& w = problem.dense();
  pulled_.resize(yield_->size(), 3 * count);
  for (Index d = 0; d < count; ++d) {
    const Contact& contact = contacts[std::size_t(d)];
    problem.row(d).normal = contact.normal;
    problem.row(d).friction = contact.friction;
    weigh_columns(contact);
    for (int axis = 0; axis < 3; ++axis) {
      for (std::size_t i = 0; i < column_.size(); ++i) answer_[i] = double(column_[i]) * Vec3::Unit(axis);
      yield_->pull(answer_, given_);
      pulled_.col(3 * d + axis) = given_;
    }
    for (Index c = 0; c <= d; ++c) {
      const Mat3 block = product(contacts[std::size_t(c)], column_) * Mat3::Identity();
      w.block<3, 3>(3 * c, 3 * d) = block;
      w.block<3, 3>(3 * d, 3 * c) = block;
    }
  }
  answered_ = pulled_;
  yield_->solve(answered_);
  w.noalias() += pulled_.transpose() * answered_;
  problem.prepare();
}

void ScalarResponse::fill(std::span<const Contact> contacts, ContactProblem& problem, Pool&) {
  need_columns(contacts);
  if (yield_) return fill_dense(contacts, problem);
  problem.reset(Index(contacts.size()), split_ ? Index(parts_.size()) : 1, split_);
  const Gather& points = rows_->points();
  for (Index d = 0; d < problem.size(); ++d) {
    const Contact& contact = contacts[std::size_t(d)];
    ContactProblem::Row& row = problem.row(d);
    row.normal = contact.normal;
    row.friction = contact.friction;
    weigh_columns(contact);
    for (Index c = 0; c <= d; ++c)
      problem.s(c, d) = problem.s(d, c) = float(product(contacts[std::size_t(c)], column_));
    if (!split_) continue;
    const Index vertex = contact.terms().list[0].vertex;
    row.part = part_[std::size_t(points.column[std::size_t(points.begin[std::size_t(vertex)])])];
    rows_->each_node(contact, [&](Index node, double weight) {
      row.lever += weight * arm_[std::size_t(node)];
      row.shadow += weight * shadow_[std::size_t(node)];
    });
  }
  for (std::size_t p = 0; split_ && p < parts_.size(); ++p)
    problem.part(Index(p)) = {parts_[p].inverse_inertia, parts_[p].inverse_shadow, 0};
  problem.prepare();
}

}  // namespace pliant
