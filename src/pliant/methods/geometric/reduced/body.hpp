// SPDX-License-Identifier: Apache-2.0
// A body of the geometric method in reduced space [Huang06, Sec. 4]: x = X + Phi Z. A step knows only Z
// (k x 3 numbers) and one rotation a swept node; node positions and the surface are made when someone asks.
// step.cpp advances it, equation.hpp is what a step solves, statics.cpp finds where it rests, surface.cpp
// shows it.
#pragma once

#include "pliant/base/clock.hpp"
#include "pliant/methods/geometric/reduced/cache.hpp"
#include "pliant/methods/geometric/reduced/meeting.hpp"
#include "pliant/methods/geometric/reduced/nodes.hpp"
#include "pliant/methods/geometric/reduced/scratch.hpp"
#include "pliant/methods/geometric/reduced/surface.hpp"
#include "pliant/methods/method.hpp"

namespace pliant::geometric {

struct ReducedEquation;

class ReducedBody final : public Method {
 public:
  /// The model's cubature: every node, or fewer with weights; every node with plasticity or adaptive
  /// rotations. begun: when the work on the model began.
  ReducedBody(ReducedModel model, Skin skin, const Damping& damping, const Options& options,
              Clock::time_point begun);

  StepReport advance(const StepInput& input) override;
  const NodeState& nodes() const override { return nodes_.at(model_, state_); }
  /// What is not in the space is lost: the nearest place and velocity in the M norm are taken.
  void place(std::span<const Vec3> x, std::span<const Vec3> v) override;
  void surface(std::span<Vec3> vertices) const override;
  bool activity(std::span<float> vertices) const override;
  const Gather& embedding() const override { return surface_.skin.embedding; }
  void pull_back(std::span<const Vec3> surface_forces, std::span<Vec3> node_forces) const override;
  /// Of the swept nodes with their weights: the energy that this body conserves.
  double elastic_energy() const override;
  /// The forces that move the body: those of the energy, without what the space cannot follow.
  void elastic_forces(std::span<Vec3> out) const override;
  Relaxation relax(const StepInput& input, double tolerance, RelaxMemory& memory) override;
  std::optional<int> inverted_cells() const override;
  void save(Writer& writer) const override { state_.save(writer); }
  bool load(Reader& reader) override;
  MethodDescription describe() const override;
  double mass_damping() const override { return damping_.mass; }
  ContactBody* contact_body() override { return &meeting_; }

  const ReducedModel& model() const { return model_; }

 private:
  friend class ReducedMeeting;

  class StaticProblem;  // of relax, in statics.cpp

  /// Z^, V^ and the prediction: from the last step, or anew (start.cpp).
  void predict(ReducedEquation& equation);
  /// The acceleration that BDF2 starts from (physics/first_step.hpp).
  void find_acceleration(ReducedEquation& equation);
  /// Finds D, in scratch_.vectors.d.
  void solve(ReducedEquation& equation);
  /// The end of the step from D: with the exact momentum, held pieces at their targets.
  void finish(ReducedEquation& equation);
  /// The end of the step becomes the state.
  void accept(const StepInput& input);
  /// Rows flow towards the new state, with its own rotations. Returns how many did.
  int flow(const StepInput& input);
  /// Puts held pieces at their targets; nothing moves.
  void stand_still();

  ReducedModel model_;
  ReducedSurface surface_;
  Damping damping_;
  Options options_;
  double setup_ms_ = 0;

  ReducedState state_;
  ReducedCache cache_;
  ReducedScratch scratch_;
  mutable ReducedNodes nodes_;  // at state_
  ReducedMeeting meeting_{*this};
};

}  // namespace pliant::geometric
