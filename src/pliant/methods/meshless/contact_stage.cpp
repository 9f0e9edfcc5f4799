// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/contact_stage.hpp"

#include <algorithm>

namespace pliant::meshless {
namespace {

constexpr std::size_t most_bytes = std::size_t(1) << 28;  // of columns
constexpr std::size_t least_columns = 1200;

}  // namespace

void ContactStage::attach(Gather rows, const Points& rest, double spacing) {
  rows_ = std::move(rows);
  nodes_ = rest.size();
  detection_.build(rows_, rest, spacing);
  slot_of_.assign(std::size_t(rows_.rows()), -1);
}

void ContactStage::flush() {
  for (Column& column : columns_)
    if (column.vertex >= 0) slot_of_[std::size_t(column.vertex)] = -1, column.vertex = -1;
}

Index ContactStage::slot() {
  const std::size_t room =
      std::max(least_columns, most_bytes / (sizeof(float) * std::max<std::size_t>(1, nodes_)));
  if (columns_.size() < room) {
    columns_.emplace_back();
    columns_.back().value.resize(nodes_);
    return Index(columns_.size()) - 1;
  }
  const auto oldest = std::min_element(columns_.begin(), columns_.end(),
                                       [](const Column& a, const Column& b) { return a.used < b.used; });
  if (oldest->vertex >= 0) slot_of_[std::size_t(oldest->vertex)] = -1;
  oldest->vertex = -1;
  return Index(oldest - columns_.begin());
}

void ContactStage::fill(std::span<const Contact> contacts, double h, ScalarSystem& system,
                        const FreeTurning* turning, ContactProblem& problem, Pool& pool) {
  ++uses_;
  load_.resize(nodes_);
  answer_.resize(nodes_);
  wanted_.clear();
  for (const Contact& contact : contacts) {
    const Index at = slot_of_[std::size_t(contact.key.vertex)];
    if (at >= 0) columns_[std::size_t(at)].used = uses_;
    if (at < 0) wanted_.push_back(contact.key.vertex);
  }
  std::sort(wanted_.begin(), wanted_.end());
  wanted_.erase(std::unique(wanted_.begin(), wanted_.end()), wanted_.end());
  for (std::size_t first = 0; first < wanted_.size(); first += 3) {
    std::fill(load_.begin(), load_.end(), Float4{});
    const std::size_t count = std::min<std::size_t>(3, wanted_.size() - first);
    for (std::size_t c = 0; c < count; ++c) {
      const std::size_t v = std::size_t(wanted_[first + c]);
      for (Index k = rows_.begin[v]; k < rows_.begin[v + 1]; ++k)
        (&load_[std::size_t(rows_.column[std::size_t(k)])].x)[c] = float(rows_.weight[std::size_t(k)]);
    }
    system.solve(load_.data(), answer_.data(), pool);
    for (std::size_t c = 0; c < count; ++c) {
      const Index at = slot();
      Column& column = columns_[std::size_t(at)];
      column.vertex = wanted_[first + c];
      column.used = uses_;
      slot_of_[std::size_t(column.vertex)] = at;
      for (std::size_t i = 0; i < nodes_; ++i) column.value[i] = (&answer_[i].x)[c];
    }
  }
  const bool split = turning && turning->split();
  problem.reset(Index(contacts.size()), split ? turning->parts() : 1, split);
  const float scale = float(1 / (h * h));
  for (Index d = 0; d < problem.size(); ++d) {
    problem.row(d).normal = contacts[std::size_t(d)].normal;
    problem.row(d).friction = contacts[std::size_t(d)].friction;
    const std::vector<float>& column =
        columns_[std::size_t(slot_of_[std::size_t(contacts[std::size_t(d)].key.vertex)])].value;
    for (Index c = 0; c <= d; ++c) {
      const std::size_t v = std::size_t(contacts[std::size_t(c)].key.vertex);
      float sum = 0;
      for (Index k = rows_.begin[v]; k < rows_.begin[v + 1]; ++k)
        sum += float(rows_.weight[std::size_t(k)]) * column[std::size_t(rows_.column[std::size_t(k)])];
      problem.s(c, d) = problem.s(d, c) = scale * sum;
    }
  }
  if (split) {
    for (Index p = 0; p < turning->parts(); ++p)
      problem.part(p) = {turning->inverse_inertia(p) / (h * h), turning->inverse_shadow(p) / (h * h)};
    for (Index d = 0; d < problem.size(); ++d) {
      ContactProblem::Row& row = problem.row(d);
      const std::size_t v = std::size_t(contacts[std::size_t(d)].key.vertex);
      row.part = turning->part_of(rows_.column[std::size_t(rows_.begin[v])]);
      for (Index k = rows_.begin[v]; k < rows_.begin[v + 1]; ++k) {
        const Index i = rows_.column[std::size_t(k)];
        row.lever += rows_.weight[std::size_t(k)] * turning->arm(i);
        row.shadow += rows_.weight[std::size_t(k)] * turning->shadow(i);
      }
    }
  }
  problem.prepare();
}

Vec3 ContactStage::observe(const Contact& contact, std::span<const Vec3> v) const {
  Vec3 sum = Vec3::Zero();
  const std::size_t row = std::size_t(contact.key.vertex);
  for (Index k = rows_.begin[row]; k < rows_.begin[row + 1]; ++k)
    sum += rows_.weight[std::size_t(k)] * v[std::size_t(rows_.column[std::size_t(k)])];
  return sum;
}

void ContactStage::collect(std::span<const Contact> contacts, std::span<const Vec3> r, double factor,
                           std::span<Vec3> out) const {
  std::fill(out.begin(), out.end(), Vec3::Zero());
  for (std::size_t c = 0; c < contacts.size(); ++c) {
    const std::size_t row = std::size_t(contacts[c].key.vertex);
    for (Index k = rows_.begin[row]; k < rows_.begin[row + 1]; ++k)
      out[std::size_t(rows_.column[std::size_t(k)])] += factor * rows_.weight[std::size_t(k)] * r[c];
  }
}

std::size_t ContactStage::memory_bytes() const {
  return columns_.size() * nodes_ * sizeof(float) + rows_.column.size() * (sizeof(Index) + sizeof(double));
}

}  // namespace pliant::meshless
