// SPDX-License-Identifier: Apache-2.0
// The response W = J D^-1 J^T of a body whose nodes answer impulses each for itself: D has a number for every node.
// Contacts know those that share a node with them and no others, so W is never formed. The velocities D^-1 J^T r of
// the nodes are kept and follow each change of an impulse: a sweep costs a few operations for each contact, and no
// column of an inverse has to be computed.
#pragma once

#include <algorithm>
#include <span>
#include <vector>

#include "pliant/base/types.hpp"

namespace pliant {

class LocalResponse {
 public:
  /// No contacts yet. inverse: D^-1 of each node, 1/kg, 0 where it is held; it must outlive the use.
  void reset(std::span<const float> inverse);
  /// Another contact; its entries follow.
  void begin_contact() { begin_.push_back(Index(terms_.size())); }
  void add_entry(Index node, double weight) {
    terms_.push_back({node, weight});
    begin_.back() = Index(terms_.size());
  }

  /// W_cd is this times 1.
  double entry(Index c, Index d) const;
  /// u of a contact.
  Vec3 operator()(Index c) const {
    Vec3 u = Vec3::Zero();
    for (const Term& t : terms(c)) u += t.weight * velocity_[std::size_t(t.node)];
    return u;
  }
  /// u += W (a change of the impulse of contact c).
  void add(Index c, const Vec3& change) {
    for (const Term& t : terms(c))
      velocity_[std::size_t(t.node)] += t.weight * double(inverse_[std::size_t(t.node)]) * change;
  }
  /// u = W r; impulse(c): r of a contact.
  template <class Impulse>
  void start_from(Impulse&& impulse) {
    std::fill(velocity_.begin(), velocity_.end(), Vec3::Zero());
    for (Index c = 0; c + 1 < Index(begin_.size()); ++c) add(c, impulse(c));
  }

 private:
  struct Term {
    Index node = 0;
    double weight = 0;
  };
  std::span<const Term> terms(Index c) const {
    const std::size_t first = std::size_t(begin_[std::size_t(c)]);
    return std::span(terms_).subspan(first, std::size_t(begin_[std::size_t(c) + 1]) - first);
  }

  std::span<const float> inverse_;
  std::vector<Index> begin_;  // of contact c: begin_[c] .. begin_[c + 1]
  std::vector<Term> terms_;
  Points velocity_;
};

}  // namespace pliant
