// SPDX-License-Identifier: Apache-2.0
// The commands of a page (docs/session.md lists their arguments): one table, which everything that asks about
// a command reads. The handlers are in view/commands/, by subject.
#pragma once

#include <deque>
#include <span>
#include <string_view>

#include "pliant/view/arguments.hpp"
#include "pliant/view/world.hpp"

namespace pliant::view {

struct Request;  // view/commands/request.hpp

/// What commands can do to the loop around the world (view/session.hpp). Each may refuse.
class LoopControl {
 public:
  virtual void play(bool on) = 0;
  virtual void make_steps(int count) = 0;  ///< and pause
  virtual void set_speed(double times_real_time) = 0;
  virtual void record(const std::string& format) = 0;
  virtual void stop_recording() = 0;
  virtual void cancel_build() = 0;
  virtual void shut_down() = 0;

 protected:
  ~LoopControl() = default;
};

/// How commands that wait in one batch count. A run is made of moves of one thing.
enum class Run {
  none,
  move,     ///< of a run only the last counts
  drag,     ///< likewise, as long as its argument `final` is false
  end,      ///< about the same thing: the run ends here
  end_all,  ///< the runs of all things end here
};

struct Command {
  std::string_view name;
  /// One of the two.
  Action (*world)(Request&) = nullptr;
  void (*loop)(LoopControl&, const Arguments&) = nullptr;
  Run run = Run::none;
  const char* thing = nullptr;   ///< the argument that names what is moved
  bool waits_for_build = false;  ///< it changes the scene beyond live settings, or depends on what does
  bool tells_transport = false;  ///< pages hear of play, speed, posing and recording afterwards
};

std::span<const Command> commands();
const Command* find_command(std::string_view name);
/// Of a name that the table does not have.
Refusal unknown_command(const std::string& name);

/// A command that waits for its turn.
struct Incoming {
  Call call;
  std::uint32_t id = 0;  ///< chosen by the page, for the reply
  bool gone = false;     ///< the page left: nobody waits for a reply
};

/// Whether a later command of the batch makes this one needless.
bool is_replaced(const std::deque<Incoming>& batch, std::size_t index);
/// Whether `later` replaces `earlier`, which waits for a build.
bool replaces_waiting(const Call& earlier, const Call& later);

/// A command to the world: done, refused, or a change that needs a build.
Action interpret(World& world, const Call& call);

}  // namespace pliant::view
