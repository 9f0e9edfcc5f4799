// SPDX-License-Identifier: Apache-2.0
#include "pliant/view/commands.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pliant/base/layout.hpp"
#include "pliant/view/commands/handlers.hpp"
#include "pliant/view/commands/request.hpp"

namespace pliant::view {
namespace {

constexpr bool waits = true, tells = true;

// clang-format off
constexpr Command table[] = {
    // name            world           loop          run           thing     waits  transport
    {"play",           nullptr,        play,         Run::none,    nullptr,  !waits, tells},
    {"pause",          nullptr,        pause,        Run::none,    nullptr,  !waits, tells},
    {"step",           nullptr,        step,         Run::none,    nullptr,  !waits, tells},
    {"speed",          nullptr,        speed,        Run::none,    nullptr,  !waits, tells},
    {"record",         nullptr,        record,       Run::none,    nullptr,  !waits, tells},
    {"build.cancel",   nullptr,        build_cancel, Run::none,    nullptr,  !waits, tells},
    {"shutdown",       nullptr,        shutdown,     Run::none,    nullptr,  !waits, tells},

    {"grab.begin",     grab_begin,     nullptr,      Run::end,     "grab"},
    {"grab.move",      grab_move,      nullptr,      Run::move,    "grab"},
    {"grab.end",       grab_end,       nullptr,      Run::end,     "grab"},
    {"dent.begin",     dent_begin,     nullptr,      Run::end,     "dent"},
    {"dent.move",      dent_move,      nullptr,      Run::move,    "dent"},
    {"dent.end",       dent_end,       nullptr,      Run::end,     "dent"},
    {"leave",          leave},

    {"pin.set",        pin_set,        nullptr,      Run::none,    nullptr,  waits},
    {"pin.brush",      pin_brush,      nullptr,      Run::none,    nullptr,  waits},
    {"pin.clear",      pin_clear,      nullptr,      Run::none,    nullptr,  waits},
    {"handle.add",     handle_add,     nullptr,      Run::none,    nullptr,  waits},
    {"handle.move",    handle_move,    nullptr,      Run::move,    "handle", waits},
    {"handle.remove",  handle_remove,  nullptr,      Run::none,    nullptr,  waits},

    {"cage.move",      cage_move},
    {"joint.rotate",   joint_rotate},
    {"joint.move",     joint_move},

    {"option.set",     option_set,     nullptr,      Run::drag,    "path",   waits},
    {"option.reset",   option_reset,   nullptr,      Run::none,    nullptr,  waits},
    {"method",         method,         nullptr,      Run::none,    nullptr,  waits},
    {"skeleton.set",   skeleton_set,   nullptr,      Run::none,    nullptr,  waits},
    {"body.add",       body_add,       nullptr,      Run::none,    nullptr,  waits},
    {"body.remove",    body_remove,    nullptr,      Run::none,    nullptr,  waits},
    {"scene.load",     scene_load,     nullptr,      Run::none,    nullptr,  waits},

    {"reset",          reset},
    {"pose",           pose,           nullptr,      Run::end_all, nullptr,  !waits, tells},
    {"undo",           undo,           nullptr,      Run::end_all, nullptr,  waits},
    {"redo",           redo,           nullptr,      Run::end_all, nullptr,  waits},
};
// clang-format on

Run run_of(const Call& call) {
  const Command* command = find_command(call.cmd);
  return command ? command->run : Run::none;
}

/// Only the last of a run of such commands counts.
bool newest_is_enough(const Call& call) {
  const Run run = run_of(call);
  return run == Run::move ||
         (run == Run::drag && call.args.is_object() && call.args.value("final", Json(true)) == false);
}

/// Both move, begin or end the same thing.
bool same_thing(const Call& a, const Call& b) {
  const Command *one = find_command(a.cmd), *other = find_command(b.cmd);
  if (!one || !other || !one->thing || !other->thing) return false;
  const auto value = [](const Call& call, const char* thing) {
    return call.args.is_object() && call.args.contains(thing) ? call.args[thing] : Json();
  };
  return a.client == b.client && std::string_view(one->thing) == other->thing &&
         value(a, one->thing) == value(b, other->thing);
}

}  // namespace

std::span<const Command> commands() { return table; }

const Command* find_command(std::string_view name) {
  const auto at = std::find_if(std::begin(table), std::end(table),
                               [&](const Command& command) { return command.name == name; });
  return at == std::end(table) ? nullptr : at;
}

Refusal unknown_command(const std::string& name) {
  std::vector<std::string> names;
  for (const Command& command : table) names.emplace_back(command.name);
  return {"unknown_command", fmt::format("there is no command {}", name), {}, nearest_name(name, names), {}};
}

bool is_replaced(const std::deque<Incoming>& batch, std::size_t index) {
  const Call& call = batch[index].call;
  if (!newest_is_enough(call)) return false;
  for (std::size_t k = index + 1; k < batch.size(); ++k) {
    const Call& later = batch[k].call;
    if (run_of(later) == Run::end_all) return false;
    if (same_thing(call, later)) return later.cmd == call.cmd;
  }
  return false;
}

bool replaces_waiting(const Call& earlier, const Call& later) {
  return newest_is_enough(earlier) && same_thing(earlier, later);
}

Action interpret(World& world, const Call& call) {
  const Command* command = find_command(call.cmd);
  if (!command || !command->world) return {.refused = unknown_command(call.cmd)};
  try {
    Request request{world, call, Arguments(call.args)};
    Action action = command->world(request);
    if (action.done && !action.changes_nothing) world.log(call);
    if (!action.rebuild || !action.rebuild->builds_nothing()) return action;
    Outcome<Json> result = world.finish(*action.rebuild, {});
    if (!result) return {.refused = result.refusal};
    return {.done = std::move(*result.value)};
  } catch (const Refused& refused) {
    return {.refused = refused.refusal};
  } catch (const Json::exception& error) {  // texts that are no UTF-8
    return {.refused = Refusal{"bad_argument", error.what()}};
  }
}

}  // namespace pliant::view
