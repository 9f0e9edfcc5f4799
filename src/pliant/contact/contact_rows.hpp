// SPDX-License-Identifier: Apache-2.0
// The rows J of contacts over the nodes of a body: J v are the velocities of the contact points, J^T r the
// impulses r on the nodes. A row is the weighted sum of the embedding's rows of its vertices
// (Contact::terms).
#pragma once

#include <span>

#include "pliant/contact/contact.hpp"
#include "pliant/math/gather.hpp"

namespace pliant {

class ContactRows {
 public:
  /// The surface points that may meet colliders, from the nodes; they must outlive this object.
  void attach(const Gather& points) { points_ = &points; }
  const Gather& points() const { return *points_; }

  /// visit(node, weight) for the entries of a contact's row.
  template <class Visit>
  void each_node(const Contact& contact, Visit&& visit) const {
    for (const ContactTerm& term : contact.terms())
      for (std::size_t v = std::size_t(term.vertex), k = std::size_t(points_->begin[v]);
           k < std::size_t(points_->begin[v + 1]); ++k)
        visit(points_->column[k], term.weight * points_->weight[k]);
  }

  /// J v of one contact.
  Vec3 observe(const Contact& contact, std::span<const Vec3> v) const;
  /// out += J^T r of one contact.
  void add(const Contact& contact, const Vec3& r, std::span<Vec3> out) const;
  /// out = scale J^T r.
  void collect(std::span<const Contact> contacts, std::span<const Vec3> r, double scale,
               std::span<Vec3> out) const;

 private:
  const Gather* points_ = nullptr;
};

}  // namespace pliant
