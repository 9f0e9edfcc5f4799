// SPDX-License-Identifier: Apache-2.0
// Time and history: reset, posing, undo, and what the loop around the world does.
#include <fmt/format.h>

#include "pliant/view/commands/handlers.hpp"
#include "pliant/view/commands/request.hpp"

namespace pliant::view {

Action reset(Request& request) {
  Edit edit;
  edit.label = "Reset";
  edit.states_before[""] = request.world.state();
  request.world.reset();
  request.world.remember(std::move(edit));
  return done();
}

Action pose(Request& request) {
  World& world = request.world;
  const bool on = request.args.yes("on");
  if (on == world.posing()) return done();
  for (int i = 0; on && i < world.bodies(); ++i)
    if (!world.can_pose(i))
      refuse("not_supported",
             fmt::format("{} is in reduced space and takes no new handles, which posing makes",
                         request.body_name(i)),
             "take away its reduction, or put the handle into the scene");
  world.set_posing(on);
  return done();
}

namespace {

Action go_through_history(const Request& request, const Edit& entry, SceneChange::Kind kind) {
  SceneChange change = request.change(entry.label);
  change.kind = kind;
  change.result["label"] = change.label;
  return request.plan(std::move(change));
}

}  // namespace

Action undo(Request& request) {
  const History& history = request.world.history();
  if (!history.can_undo()) refuse("not_supported", "there is nothing to undo");
  return go_through_history(request, history.undone(), SceneChange::Kind::undo);
}

Action redo(Request& request) {
  const History& history = request.world.history();
  if (!history.can_redo()) refuse("not_supported", "there is nothing to redo");
  return go_through_history(request, history.redone(), SceneChange::Kind::redo);
}

void play(LoopControl& loop, const Arguments&) { loop.play(true); }

void pause(LoopControl& loop, const Arguments&) { loop.play(false); }

void step(LoopControl& loop, const Arguments& args) { loop.make_steps(args.whole_or("n", 1, 1, 1000)); }

void speed(LoopControl& loop, const Arguments& args) { loop.set_speed(args.number("x", 1.0 / 256, 16)); }

void record(LoopControl& loop, const Arguments& args) {
  if (args.yes("on"))
    loop.record(args.text_or("format", "glb"));
  else
    loop.stop_recording();
}

void build_cancel(LoopControl& loop, const Arguments&) { loop.cancel_build(); }

void shutdown(LoopControl& loop, const Arguments&) { loop.shut_down(); }

}  // namespace pliant::view
