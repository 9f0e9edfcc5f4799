// SPDX-License-Identifier: Apache-2.0
#include "pliant/contact/contact_points.hpp"

#include <algorithm>

namespace pliant {

void ContactPoints::find(std::span<const Contact> contacts) {
  vertices_.clear();
  for (const Contact& contact : contacts)
    for (const ContactTerm& term : contact.terms()) vertices_.push_back(term.vertex);
  std::sort(vertices_.begin(), vertices_.end());
  vertices_.erase(std::unique(vertices_.begin(), vertices_.end()), vertices_.end());
}

bool ContactPoints::reset(std::span<const Contact> contacts, Index parts, bool split, ContactProblem& problem,
                          bool swells) {
  const Index points = Index(vertices_.size());
  // A new problem at the place of another has no points.
  const bool known = problem_ == &problem && problem.points() == points && known_ == vertices_;
  problem_ = &problem;
  known_.assign(vertices_.begin(), vertices_.end());
  PointResponse& response = problem.reset_points(Index(contacts.size()), points, parts, split, swells);
  for (const Contact& contact : contacts) {
    response.begin_contact();
    for (const ContactTerm& term : contact.terms()) {
      const auto at = std::lower_bound(vertices_.begin(), vertices_.end(), term.vertex);
      response.add_point(Index(at - vertices_.begin()), term.weight);
    }
  }
  return known;
}

}  // namespace pliant
