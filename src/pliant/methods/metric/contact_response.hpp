// SPDX-License-Identifier: Apache-2.0
// How a metric body is assumed to answer impulses on its surface: as a whole, exactly, and beside that with a
// share theta of the response of the touching nodes' own masses,
//   S = theta D + (1 - theta) D_rigid,   D = J M^-1 J^T,   D_rigid r = r/M + (I^-1 a x r) x a
// of the contacts of one part, with the arm a from its centre. contact.hpp says why and how theta is
// measured. Bodies that are held: D_rigid = 0.
#pragma once

#include "pliant/contact/contact_stage.hpp"
#include "pliant/methods/metric/rigid_motion.hpp"

namespace pliant::metric {

class ContactResponse final : public NodeResponse {
 public:
  /// rows and part, the piece of every node, outlive this object. unit: a typical mass, kg.
  void attach(const ContactRows& rows, double unit, std::span<const Index> part);

  /// Per node, 1/kg; 0 of held nodes.
  std::vector<double>& inverse_mass() { return inverse_mass_; }
  const std::vector<double>& inverse_mass() const { return inverse_mass_; }
  /// theta of the next problems.
  void set_share(double share) { share_ = share; }
  /// Of the parts, with the nodes at x; no parts: the body is held. Both are read by later calls.
  void set_rigid(std::span<const RigidAnswer> parts, std::span<const Vec3> x) { rigid_ = parts, x_ = x; }
  /// r . D_rigid r of impulses on the nodes, m^2 kg/s^2.
  double rigid_answer(std::span<const Vec3> on_nodes);

  void fill(std::span<const Contact> contacts, ContactProblem& problem, Pool& pool) override;
  void displace(std::span<const Contact> contacts, std::span<const Vec3> r, std::span<Vec3> x,
                Pool& pool) override;

 private:
  struct Entry {
    Index node, contact;
    double weight;
  };
  void add_rigid(std::span<const Contact> contacts, ContactProblem& problem) const;

  const ContactRows* rows_ = nullptr;
  std::span<const Index> part_;
  std::span<const RigidAnswer> rigid_;
  std::span<const Vec3> x_;
  double unit_ = 1, share_ = 1;
  std::vector<double> inverse_mass_;

  // Scratch.
  std::vector<Entry> entries_;  // of J, by nodes
  Points on_nodes_, push_, turn_;
};

}  // namespace pliant::metric
