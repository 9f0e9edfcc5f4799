// SPDX-License-Identifier: Apache-2.0
// The handlers of all commands, by the file that holds them. A handler reads the arguments; what is wrong
// refuses the command and changes nothing.
#pragma once

#include "pliant/view/commands.hpp"

namespace pliant::view {

// grabs.cpp
Action grab_begin(Request& request);
Action grab_move(Request& request);
Action grab_end(Request& request);
Action dent_begin(Request& request);
Action dent_move(Request& request);
Action dent_end(Request& request);
Action leave(Request& request);

// holds.cpp
Action pin_set(Request& request);
Action pin_brush(Request& request);
Action pin_clear(Request& request);
Action handle_add(Request& request);
Action handle_move(Request& request);
Action handle_remove(Request& request);

// controls.cpp
Action cage_move(Request& request);
Action joint_rotate(Request& request);
Action joint_move(Request& request);

// document.cpp
Action option_set(Request& request);
Action option_reset(Request& request);
Action method(Request& request);
Action skeleton_set(Request& request);
Action body_add(Request& request);
Action body_remove(Request& request);
Action scene_load(Request& request);

// time.cpp
Action reset(Request& request);
Action pose(Request& request);
Action undo(Request& request);
Action redo(Request& request);
void play(LoopControl& loop, const Arguments& args);
void pause(LoopControl& loop, const Arguments& args);
void step(LoopControl& loop, const Arguments& args);
void speed(LoopControl& loop, const Arguments& args);
void record(LoopControl& loop, const Arguments& args);
void build_cancel(LoopControl& loop, const Arguments& args);
void shutdown(LoopControl& loop, const Arguments& args);

}  // namespace pliant::view
