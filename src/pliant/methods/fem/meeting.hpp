// SPDX-License-Identifier: Apache-2.0
// Finite elements in the step of an island (contact/node_meeting.hpp): forces and K' are those of their own step
// (equation.hpp), at rotations of the place that a model is about. What the elements have of K' is at most
// (2 mu + 3 lambda) L, L_ab = sum W grad_a . grad_b, whatever their rotations are.
#pragma once

#include <array>
#include <optional>

#include "pliant/contact/node_meeting.hpp"
#include "pliant/methods/fem/state.hpp"

namespace pliant::fem {

class Body;

class Meeting final : public NodeMeeting {
 public:
  /// The body that this belongs to.
  explicit Meeting(Body& body);

  ContactStage& stage() override { return stage_; }
  ContactState& memory() override;
  void place(std::span<const Vec3> x, std::span<const Vec3> v) override;
  void keep(Slot slot) override;
  void restore(Slot slot) override;
  const ContactState& kept_memory() const override { return kept_[std::size_t(Slot::attempt)]->contact; }
  bool meets_colliders_alone() const override { return false; }

 protected:
  NodeState& state() override;
  const NodeState& state() const override;
  const Damping& damping() const override;
  StepInput adapted(const StepInput& input) override;
  std::string prepare(const StepInput& input) override;
  void bound(const StepInput& input, double stiffness, SymmetricEntries& entries) override;
  void evaluate(const Points& x, bool first, Points& force) override;
  void stiffen(const Points& p, Points& out) override;
  double turned(const Points& x) override;
  bool keeps_spin() const override;
  bool grabs_pull_nodes() const override;
  bool holds_nodes() const override;
  void follow() override;
  void accept(const StepInput& input, StepReport& report) override;

 private:
  Body& body_;
  Gather points_;  // contact points, from the nodes with freedom
  ContactStage stage_;
  Rotations of_model_;                        // scratch
  std::array<std::optional<State>, 3> kept_;  // by slot
};

}  // namespace pliant::fem
