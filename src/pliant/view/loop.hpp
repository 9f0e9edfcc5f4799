// SPDX-License-Identifier: Apache-2.0
// The loop around a world (view/world.hpp). One turn:
//
//   1. a build that is finished is swapped in; the next change that waits begins
//   2. commands that came, in order; moves of the same thing that follow one another count as their last
//   3. a step, when it is due
//   4. what happened is told, the newest state is shown
//
// A build runs in a thread of its own while the old bodies go on; changes that come meanwhile wait in a line,
// so that they are planned against the scene that they will meet.
//
// loop.cpp has the turn, loop_builds.cpp the builds. The loop knows no thread of its own: a Session calls it.
#pragma once

#include "pliant/view/builder.hpp"
#include "pliant/view/commands.hpp"
#include "pliant/view/figures.hpp"
#include "pliant/view/inbox.hpp"
#include "pliant/view/recording.hpp"
#include "pliant/view/session.hpp"
#include "pliant/view/shown.hpp"
#include "pliant/view/uploads.hpp"

namespace pliant::view {

/// Members in four groups: what it is connected to, the transport, the build that runs with its line, and
/// what pages were shown last.
class Loop final : private LoopControl {
 public:
  /// folder: for recordings.
  Loop(const SessionOptions& options, SessionOutput output, Uploads& uploads, Inbox& inbox,
       const std::filesystem::path& folder);

  /// Before the first turn: the first scene is built in the caller's thread.
  Outcome<Json> load(Target scene);
  /// Before the first turn: makes what pages find when they come.
  void show_first();

  /// step_due: by the clock.
  void turn(bool step_due);
  bool step_wanted() const;
  double interval() const;  ///< between steps, s of the clock
  bool has_news() const { return builder_.has_news(); }
  void stop() { builder_.stop(); }

  /// Lets any thread look at the world between two turns, before the next one begins.
  template <class Look>
  auto visit(Look&& look) {
    struct Visit {
      Inbox& inbox;
      explicit Visit(Inbox& in) : inbox(in) { inbox.visitor_comes(); }
      ~Visit() { inbox.visitor_goes(); }
    } visit(inbox_);
    const std::lock_guard lock(mutex_);
    return look(world_, figures_, recordings_);
  }

  const Shown& shown() const { return shown_; }
  const Figures& figures() const { return figures_; }

 private:
  // ---- commands about the loop
  void play(bool on) override;
  void make_steps(int count) override;
  void set_speed(double times_real_time) override { speed_ = times_real_time; }
  void record(const std::string& format) override { recordings_.begin(world_, format); }
  void stop_recording() override { recordings_.end(world_); }
  void cancel_build() override;
  void shut_down() override;

  // ---- loop.cpp
  /// A command is done, refused, or begins a build; or it waits for the one that runs.
  void execute(Incoming in);
  Action act(const Call& call);
  /// The reply; the state that is shown next contains the command.
  void answer(const Incoming& in, const Action& action);
  void make_step();
  void send(int client, const Json& message) const;
  Json transport() const;
  /// The `scene` message for pages that come; tell: also for those that are there.
  void renew_scene(bool tell);
  void tell_happenings();
  void tell_transport();
  void publish();

  // ---- loop_builds.cpp
  /// The command waits behind the build that runs. False: it need not.
  bool wait_in_line(Incoming& in);
  void begin_build(Incoming in, Rebuild rebuild);
  void look_after_build();
  void finish_build(Parts parts);
  /// Changes that waited, until one of them builds.
  void next_in_line();
  void tell_progress(const std::string& stage, double fraction);
  /// What a page asked for is done all the same when it left, but not told to it.
  void nobody_waits(int client);

  const SessionOptions& options_;
  SessionOutput output_;
  Inbox& inbox_;
  std::mutex mutex_;  ///< held during a turn and a visit
  World world_;
  Shown shown_;
  Figures figures_;
  Recordings recordings_;

  bool playing_ = true;
  double speed_ = 1;  ///< times real time
  int steps_asked_ = 0;
  bool transport_changed_ = false;

  struct Build {
    Incoming in;
    std::shared_ptr<const Rebuild> rebuild;
    Ticks::time_point began;
  };
  std::optional<Build> build_;  ///< that runs
  std::deque<Incoming> line_;   ///< changes behind it
  Builder builder_;

  std::map<int, std::uint32_t> applied_;  ///< per page, the highest command that is done
  bool must_publish_ = true;
  Channels wanted_ = 0;  ///< by any page
  std::uint64_t serial_ = 0;
  std::shared_ptr<const Model> model_;
  Ticks::time_point published_{};
};

}  // namespace pliant::view
