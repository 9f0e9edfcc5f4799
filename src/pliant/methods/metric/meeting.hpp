// SPDX-License-Identifier: Apache-2.0
// A metric body in the step of an island (contact/node_meeting.hpp). Forces are those of its energy (energy.hpp), K their
// Hessian without what is indefinite, in double:
//   lengths   eta/H^2 (max(s, 0) 1 + 2/H^2 d d^T); squared sets: eta/H^2 (max(s, 0) |s| 1 + 4 |s|/H^2 d d^T)
//   angles, orientation   eta j j^T, of the gradient j of what is squared
// The matrix that bounds K is a factor of the graph's Laplacian, for constraints stretched by up to a quarter.
#pragma once

#include <array>
#include <optional>

#include "pliant/contact/node_meeting.hpp"
#include "pliant/methods/metric/state.hpp"

namespace pliant::metric {

class Body;

/// More nodes would take too long to factor.
inline constexpr Index most_meeting_nodes = 40000;

class Meeting final : public NodeMeeting {
 public:
  /// The body that this belongs to.
  explicit Meeting(Body& body) : body_(body) {}

  ContactStage& stage() override;
  ContactState& memory() override;
  void place(std::span<const Vec3> x, std::span<const Vec3> v) override;
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
  void accept(const StepInput& input, StepReport& report) override;

 private:
  /// round 1 + along d d^T between two nodes.
  struct Length {
    Index a, b;
    double round, along;
    Vec3 d;
  };
  /// weight j j^T.
  struct Angle {
    Index o, a, b;
    double weight;
    Vec3 u, v;
  };
  struct Push {
    std::size_t cell;
    double weight;
    std::array<Vec3, 8> gradient;
  };

  Body& body_;
  std::array<std::optional<State>, 3> kept_;  // by slot
  bool attached_ = false;
  std::vector<Length> lengths_;
  std::vector<Angle> angles_;
  std::vector<Push> pushes_;
};

}  // namespace pliant::metric
