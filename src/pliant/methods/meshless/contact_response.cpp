// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/contact_response.hpp"

#include <algorithm>

namespace pliant::meshless {

void ContactResponse::attach(const Model& model, const ContactRows& rows, Cache& cache) {
  rows_ = &rows;
  cache_ = &cache;
  turning_.attach(model);
  const std::size_t n = model.rest.size();
  load_.resize(n);
  answer_.resize(n);
  on_nodes_.assign(n, Vec3::Zero());
  way_ = on_nodes_;
}

void ContactResponse::hold(double h) {
  h_ = h;
  free_ = false;
}

void ContactResponse::set_free(double h, const Points& x, double mass, bool split, Pool& pool) {
  h_ = h;
  free_ = true;
  turning_.about(x, mass, split, cache_->factors->system, pool);
}

void ContactResponse::need_columns(std::span<const Contact> contacts, Pool& pool) {
  const Gather& points = rows_->points();
  wanted_.clear();
  for (const Contact& contact : contacts)
    for (const ContactTerm& term : contact.terms()) wanted_.push_back(term.vertex);
  std::sort(wanted_.begin(), wanted_.end());
  wanted_.erase(std::unique(wanted_.begin(), wanted_.end()), wanted_.end());
  const auto solve = [&](std::span<const Index> vertices) {
    std::fill(load_.begin(), load_.end(), Float4{});
    for (std::size_t c = 0; c < vertices.size(); ++c) {
      const std::size_t v = std::size_t(vertices[c]);
      for (Index k = points.begin[v]; k < points.begin[v + 1]; ++k)
        (&load_[std::size_t(points.column[std::size_t(k)])].x)[c] = float(points.weight[std::size_t(k)]);
    }
    cache_->factors->system.solve(load_.data(), answer_.data(), pool);
  };
  const auto take = [&](int c, Index, std::span<float> column) {
    for (std::size_t i = 0; i < column.size(); ++i) column[i] = (&answer_[i].x)[c];
  };
  cache_->columns.need(wanted_, points.rows(), answer_.size(), solve, take);
}

void ContactResponse::fill(std::span<const Contact> contacts, ContactProblem& problem, Pool& pool) {
  need_columns(contacts, pool);
  const bool split = free_ && turning_.split();
  problem.reset(Index(contacts.size()), split ? turning_.parts() : 1, split);
  const float scale = float(1 / (h_ * h_));
  for (Index d = 0; d < problem.size(); ++d) {
    const Contact& contact = contacts[std::size_t(d)];
    problem.row(d).normal = contact.normal;
    problem.row(d).friction = contact.friction;
    const std::span<const float> column = cache_->columns[contact.key.vertex];
    for (Index c = 0; c <= d; ++c) {
      float sum = 0;
      rows_->each_node(contacts[std::size_t(c)],
                       [&](Index node, double weight) { sum += float(weight) * column[std::size_t(node)]; });
      problem.s(c, d) = problem.s(d, c) = scale * sum;
    }
  }
  if (split) {
    for (Index p = 0; p < turning_.parts(); ++p)
      problem.part(p) = {turning_.inverse_inertia(p) / (h_ * h_), turning_.inverse_shadow(p) / (h_ * h_)};
    const Gather& points = rows_->points();
    for (Index d = 0; d < problem.size(); ++d) {
      const Contact& contact = contacts[std::size_t(d)];
      ContactProblem::Row& row = problem.row(d);
      row.part = turning_.part_of(points.column[std::size_t(points.begin[std::size_t(contact.key.vertex)])]);
      rows_->each_node(contact, [&](Index node, double weight) {
        row.lever += weight * turning_.arm(node);
        row.shadow += weight * turning_.shadow(node);
      });
    }
  }
  problem.prepare();
}

void ContactResponse::displace(std::span<const Contact> contacts, std::span<const Vec3> r, std::span<Vec3> x,
                               Pool& pool) {
  move(1 / (h_ * h_), contacts, r, x, pool);
}

void ContactResponse::push(std::span<const Contact> contacts, std::span<const Vec3> r, std::span<Vec3> x,
                           Pool& pool) {
  move(1 / h_, contacts, r, x, pool);
}

void ContactResponse::move(double factor, std::span<const Contact> contacts, std::span<const Vec3> r,
                           std::span<Vec3> x, Pool& pool) {
  rows_->collect(contacts, r, factor, on_nodes_);
  for (std::size_t i = 0; i < on_nodes_.size(); ++i)
    load_[i] = {float(on_nodes_[i].x()), float(on_nodes_[i].y()), float(on_nodes_[i].z()), 0};
  cache_->factors->system.solve(load_.data(), answer_.data(), pool);
  for (std::size_t i = 0; i < way_.size(); ++i) way_[i] = Vec3(answer_[i].x, answer_[i].y, answer_[i].z);
  if (free_) turning_.complete(on_nodes_, way_);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += way_[i];
}

std::size_t ContactResponse::memory_bytes() const {
  return cache_->columns.memory_bytes() + rows_->points().column.size() * (sizeof(Index) + sizeof(double));
}

}  // namespace pliant::meshless
