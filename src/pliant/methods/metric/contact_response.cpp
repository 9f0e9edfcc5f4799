// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/contact_response.hpp"

#include <algorithm>

namespace pliant::metric {

void ContactResponse::attach(const ContactRows& rows, double unit, std::span<const Index> part) {
  rows_ = &rows;
  unit_ = unit;
  part_ = part;
  inverse_mass_.assign(part.size(), 0.0);
  on_nodes_.assign(part.size(), Vec3::Zero());
}

double ContactResponse::rigid_answer(std::span<const Vec3> on_nodes) {
  if (rigid_.empty()) return 0;
  push_.assign(rigid_.size(), Vec3::Zero());
  turn_.assign(rigid_.size(), Vec3::Zero());
  for (std::size_t i = 0; i < on_nodes.size(); ++i) {
    if (on_nodes[i].isZero(0)) continue;
    const std::size_t k = std::size_t(part_[i]);
    push_[k] += on_nodes[i];
    turn_[k] += (x_[i] - rigid_[k].centre).cross(on_nodes[i]);
  }
  double sum = 0;
  for (std::size_t k = 0; k < rigid_.size(); ++k)
    sum +=
        rigid_[k].inverse_mass * push_[k].squaredNorm() + turn_[k].dot(rigid_[k].inverse_inertia * turn_[k]);
  return sum;
}

/// (1 - theta) D_rigid. The nodes of a contact are of one part.
void ContactResponse::add_rigid(std::span<const Contact> contacts, ContactProblem& problem) const {
  const double rest = 1 - share_;
  for (std::size_t k = 0; k < rigid_.size(); ++k)
    problem.part(Index(k)).inverse_inertia = rest * rigid_[k].inverse_inertia;
  const Index n = Index(contacts.size());
  for (Index c = 0; c < n; ++c) {
    ContactProblem::Row& row = problem.row(c);
    rows_->each_node(contacts[c], [&](Index node, double) { row.part = part_[std::size_t(node)]; });
    row.lever = rows_->observe(contacts[c], x_) - rigid_[std::size_t(row.part)].centre;
  }
  for (Index c = 0; c < n; ++c)
    for (Index d = 0; d < n; ++d)
      if (problem.row(c).part == problem.row(d).part)
        problem.s(c, d) += float(rest * rigid_[std::size_t(problem.row(c).part)].inverse_mass);
}

void ContactResponse::fill(std::span<const Contact> contacts, ContactProblem& problem, Pool&) {
  const Index n = Index(contacts.size());
  const bool rigid = !rigid_.empty() && share_ < 1;
  problem.reset(n, rigid ? Index(rigid_.size()) : 1, rigid);
  entries_.clear();
  for (Index c = 0; c < n; ++c) {
    problem.row(c).normal = contacts[c].normal;
    problem.row(c).friction = contacts[c].friction;
    for (Index d = 0; d < n; ++d) problem.s(c, d) = 0;
    rows_->each_node(contacts[c], [&](Index node, double weight) { entries_.push_back({node, c, weight}); });
  }
  std::sort(entries_.begin(), entries_.end(), [](const Entry& a, const Entry& b) {
    return a.node != b.node ? a.node < b.node : a.contact < b.contact;
  });
  for (std::size_t begin = 0, end; begin < entries_.size(); begin = end) {
    for (end = begin + 1; end < entries_.size() && entries_[end].node == entries_[begin].node;) ++end;
    const double inverse = share_ * inverse_mass_[entries_[begin].node];
    for (std::size_t a = begin; a < end; ++a)
      for (std::size_t b = begin; b < end; ++b)
        problem.s(entries_[a].contact, entries_[b].contact) +=
            float(inverse * entries_[a].weight * entries_[b].weight);
  }
  if (rigid) add_rigid(contacts, problem);
  // A contact of held nodes only answers nothing.
  for (Index c = 0; c < n; ++c)
    if (!(problem.s(c, c) > 0)) problem.s(c, c) = float(1 / unit_);
  problem.prepare();
}

void ContactResponse::displace(std::span<const Contact> contacts, std::span<const Vec3> r, std::span<Vec3> x,
                               Pool&) {
  rows_->collect(contacts, r, 1, on_nodes_);
  for (std::size_t i = 0; i < x.size(); ++i) x[i] += inverse_mass_[i] * on_nodes_[i];
}

}  // namespace pliant::metric
