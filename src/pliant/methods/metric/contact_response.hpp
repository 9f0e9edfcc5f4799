// SPDX-License-Identifier: Apache-2.0
// How a metric body is assumed to answer impulses on its surface: a share theta of the response of the
// touching nodes' own masses, u = theta J M^-1 J^T r (contact.cpp says why and how theta is measured).
#pragma once

#include "pliant/contact/contact_stage.hpp"

namespace pliant::metric {

class ContactResponse final : public NodeResponse {
 public:
  /// rows outlive this object. unit: a typical mass, kg.
  void attach(const ContactRows& rows, double unit, std::size_t nodes);

  /// Per node, 1/kg; 0 of held nodes.
  std::vector<double>& inverse_mass() { return inverse_mass_; }
  const std::vector<double>& inverse_mass() const { return inverse_mass_; }
  /// theta of the next problems.
  void set_share(double share) { share_ = share; }

  void fill(std::span<const Contact> contacts, ContactProblem& problem, Pool& pool) override;
  void displace(std::span<const Contact> contacts, std::span<const Vec3> r, std::span<Vec3> x,
                Pool& pool) override;

 private:
  struct Entry {
    Index node, contact;
    double weight;
  };
  const ContactRows* rows_ = nullptr;
  double unit_ = 1, share_ = 1;
  std::vector<double> inverse_mass_;

  // Scratch.
  std::vector<Entry> entries_;  // of J, by nodes
  Points on_nodes_;
};

}  // namespace pliant::metric
