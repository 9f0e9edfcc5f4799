// SPDX-License-Identifier: Apache-2.0
// The response of a body whose nodes answer impulses each for itself (local_response.hpp).
#pragma once

#include "pliant/contact/contact_stage.hpp"

namespace pliant {

class NodeByNode final : public SurfaceResponse {
 public:
  /// inverse: what an impulse on a node changes of its velocity, 1/kg. Both outlive this object's use.
  void attach(const ContactRows& rows, std::span<const float> inverse) {
    rows_ = &rows;
    inverse_ = inverse;
  }
  void fill(std::span<const Contact> contacts, ContactProblem& problem, Pool&) override {
    LocalResponse& response = problem.reset_local(Index(contacts.size()), inverse_);
    for (Index c = 0; c < problem.size(); ++c) {
      const Contact& contact = contacts[std::size_t(c)];
      problem.row(c).normal = contact.normal;
      problem.row(c).friction = contact.friction;
      response.begin_contact();
      rows_->each_node(contact, [&](Index node, double weight) { response.add_entry(node, weight); });
    }
    problem.prepare();
  }

 private:
  const ContactRows* rows_ = nullptr;
  std::span<const float> inverse_;
};

}  // namespace pliant
