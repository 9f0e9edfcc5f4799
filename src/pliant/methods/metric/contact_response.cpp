// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/contact_response.hpp"

#include <algorithm>

namespace pliant::metric {

void ContactResponse::attach(const ContactRows& rows, double unit, std::size_t nodes) {
  rows_ = &rows;
  unit_ = unit;
  inverse_mass_.assign(nodes, 0.0);
  on_nodes_.assign(nodes, Vec3::Zero());
}

void ContactResponse::fill(std::span<const Contact> contacts, ContactProblem& problem, Pool&) {
  const Index n = Index(contacts.size());
  problem.reset(n, 1, false);
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
