// SPDX-License-Identifier: Apache-2.0
// Contact within the step, by the stage that all methods share (contact/contact_stage.hpp). Impulses belong to the kick
// (flight.hpp): levers and inertia are those of the body at the kick, and so friction and normal impulses never give
// energy. Where something hits, the kick is at the beginning of the step, before the body has turned into what it hits;
// where it rests, slides or rolls it is in the middle, where a turn by w moves points along chords and not tangents.
// Sweeps may not find an answer where friction is large (Painleve's paradox). If what they leave would give energy, the
// step is one without friction.
#pragma once

#include "pliant/methods/rigid/flight.hpp"
#include "pliant/methods/skin.hpp"

namespace pliant::rigid {

class ContactStep {
 public:
  /// Both outlive this object.
  ContactStep(const Model& model, const Skin& skin);

  /// Impulses on the way to x, the nodes at the end of the step as if something touched. True: there are some, and the
  /// flight has them.
  bool meet(const StepInput& input, const State& state, std::span<const Vec3> x, Flight& flight,
            StepReport& report);
  /// At the end of the step: moves out what is too deep, throws back what has hit, and leaves what the next step needs to
  /// know. x: nodes of `end`. True: the body has moved once more.
  bool finish(const StepInput& input, const Flight& flight, State& state, Motion& end, std::span<Vec3> x,
              StepReport& report);

  ContactStage& stage() { return stage_; }
  Response& response() { return response_; }

 private:
  class Bouncing;
  using Outcome = ContactProblem::Outcome;
  Outcome answer(const StepInput& input, const Flight& flight, StepReport& report);
  /// What the impulses give the body, as seen from what it touches, J. Those that solve the problem never give anything.
  double work(const Flight& flight) const;
  bool hits(const StepInput& input, const Flight& flight) const;
  void take_place(const Flight& flight);

  const Model& model_;
  ContactStage stage_;
  Response response_;
};

}  // namespace pliant::rigid
