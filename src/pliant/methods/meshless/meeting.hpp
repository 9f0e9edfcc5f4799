// SPDX-License-Identifier: Apache-2.0
// Meshless flesh in the step of an island (contact/node_meeting.hpp). Rotations are those of its own step: of the bones,
// or polar ones that run ahead of the spin; polar ones are found anew for each model. Forces and K are those of its
// equation (equation.hpp), of flesh warped at nodes or rows those of its cells. What the cells have of K is at most (mu + kappa + |mu - kappa| + 3 lambda) L.
#pragma once

#include <array>
#include <optional>

#include "pliant/contact/node_meeting.hpp"
#include "pliant/methods/meshless/rod_coupling.hpp"

namespace pliant::meshless {

class Body;

class Meeting final : public NodeMeeting {
 public:
  /// The body that this belongs to.
  explicit Meeting(Body& body) : body_(body) {}

  ContactStage& stage() override;
  ContactState& memory() override;
  void place(std::span<const Vec3> x, std::span<const Vec3> v) override;
  bool meets_colliders_alone() const override;
  /// Beside a rod W is dense.
  std::size_t most_contacts() const override;
  void keep(Slot slot) override;
  void restore(Slot slot) override;
  const ContactState& kept_memory() const override { return kept_[std::size_t(Slot::attempt)]->contact; }

 protected:
  NodeState& state() override;
  const NodeState& state() const override;
  const Damping& damping() const override;
  std::string prepare(const StepInput& input) override;
  void bound(const StepInput& input, double stiffness, SymmetricEntries& entries) override;
  void evaluate(const Points& x, bool first, Points& force) override;
  void stiffen(const Points& p, Points& out) override;
  double turned(const Points& x) override;
  bool loose() const override;
  bool keeps_spin() const override;
  Yield* yields() override;
  void factored() override { given_.resize(0, 0); }
  void follow() override;
  bool grabs_pull_nodes() const override { return false; }
  bool holds_nodes() const override { return false; }
  void accept(const StepInput& input, StepReport& report) override;

 private:
  /// What one step is about.
  struct Running {
    Running(Body& body, const StepInput& given);
    Running(const Running&) = delete;  // its parts refer to each other
    Running& operator=(const Running&) = delete;

    StepInput input;
    Options options;  ///< cells have an energy, whatever the warping
    Scheme scheme;
    StageWatch watch;
    StepReport report;
    Context context;
    Equation equation;
  };

  /// Rotations are those of the present places.
  bool follows_flesh() const;
  /// rows S^-1 rows^T of the rows of the rod.
  void find_given();

  Body& body_;
  std::array<std::optional<State>, 3> kept_;  // by slot
  std::optional<Running> step_;
  bool attached_ = false;
  YieldingRod rod_;
  Eigen::MatrixXd given_;  // empty: S is another one
  Points load_at_, answer_at_;
  AlignedVector<Float4> z_, y_;
  PackedCells::Quaternions of_model_;  // scratch
};

}  // namespace pliant::meshless
