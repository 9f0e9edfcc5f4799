// SPDX-License-Identifier: Apache-2.0
// One time step:
//   1. hold      what pins and handles leave of the motion (joint.hpp)
//   2. fly       half of the turning, the kick of gravity, forces and grabs, the other half (flight.hpp)
//   3. meet      impulses where that would go into colliders; with them the flight ends elsewhere (contact.hpp)
//   4. finish    what still is too deep is moved out; restitution
//   5. accept    places and velocities of the nodes
#include "pliant/base/check.hpp"
#include "pliant/methods/rigid/body.hpp"
#include "pliant/physics/check_input.hpp"
#include "pliant/physics/stage_watch.hpp"

namespace pliant::rigid {
namespace {

constexpr double middle = 0.5;  // of the step: where the kick is

bool is_finite(const Motion& m) {
  return m.centre.allFinite() && m.velocity.allFinite() && m.spin.allFinite() && m.turn.coeffs().allFinite();
}

}  // namespace

StepReport Body::advance(const StepInput& input) {
  PLIANT_CHECK(input.pool != nullptr);
  StageWatch watch;
  StepReport report;
  report.trouble = trouble_of(input, model_.nodes());
  if (!report.ok()) return report;

  Flight flight(model_, input, damping_.mass, state_.motion);
  flight.kick(middle);
  Motion end = flight.end(false);
  watch.add_to(&StageTimes::solve);
  const bool meets = !input.colliders.empty() && flight.joint().freedom != Freedom::none;
  if (meets) {
    if (!arrive(flight.end(true), input, report)) return report;
    const bool touches = contact_.meet(input, state_, end_x_, flight, report);
    end = flight.end(touches);
  }
  if (!arrive(end, input, report)) return report;
  if (!meets)
    state_.contact.clear();
  else if (contact_.finish(input, flight, state_, end, end_x_, report))
    move_nodes(model_, end, end_x_, end_v_, *input.pool);
  watch.add_to(&StageTimes::contact);
  put_held(model_, input, end_x_);
  accept(end);
  report.ms = watch.total();
  return report;
}

bool Body::arrive(const Motion& end, const StepInput& input, StepReport& report) {
  if (is_finite(end))
    move_nodes(model_, end, end_x_, end_v_, *input.pool);
  else
    report.trouble =
        "the step has no finite answer: forces, grabs or targets are beyond what numbers can hold";
  return report.ok();
}

}  // namespace pliant::rigid
