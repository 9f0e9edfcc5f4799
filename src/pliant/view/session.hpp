// SPDX-License-Identifier: Apache-2.0
// A simulation that people touch while it runs: it takes commands (docs/session.md lists them), steps by the
// clock, and shows its newest state. It knows no socket: a server, a game engine or a test gives commands and
// takes what comes out.
//
//   view::Session session(std::move(source), options, {on_message, on_snapshot});
//   const int me = session.join();
//   session.submit(me, 1, "grab.begin", {{"epoch", 1}, {"grab", 1}, {"body", 0}, {"face", 12}, ...});
//
// Commands take effect only between steps, in the order in which they came, so that the scene and the
// commands by step number give the same motion again, bit for bit (view/replay.hpp).
#pragma once

#include <cstddef>
#include <cstdint>
#include <filesystem>
#include <functional>
#include <memory>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pliant/base/result.hpp"
#include "pliant/view/refusal.hpp"
#include "pliant/view/snapshot.hpp"

namespace pliant::view {

/// realtime: an own thread steps by the clock. manual: nothing happens but in turn(), on the caller's thread
/// (tests, replay, an engine with its own loop).
enum class Clock { realtime, manual };

struct SessionOptions {
  Clock clock = Clock::realtime;
  int threads = 1;                               ///< of the simulation; 0 = one per processor
  std::vector<std::filesystem::path> libraries;  ///< folders of shipped scenes, for scene.load
  std::vector<std::string> sets;                 ///< PATH=VALUE on the first scene, as --set takes them
  bool playing = true;                           ///< at the beginning
  bool wait_for_page = false;                    ///< time stands until begin(), or the first command
  bool allow_shutdown = false;                   ///< whether `shutdown` is a command
  std::function<void()> on_shutdown = {};        ///< called on the simulation thread
};

/// What comes out. Both are called on the simulation thread (manual: in turn()), or in the caller's for what
/// a call answers at once (too_many). They must return quickly and must not call the session back.
struct SessionOutput {
  /// A message as the page gets it ("type" inside). client: the receiver; everyone = all pages.
  std::function<void(int client, const nlohmann::json& message)> message = {};
  /// A newer snapshot is there: Session::newest().
  std::function<void()> snapshot = {};
};
inline constexpr int everyone = 0;

/// A file for the user.
struct Download {
  std::string name;  ///< "creature.json"
  std::string type;  ///< media type
  std::vector<std::byte> bytes;
};

class Session {
 public:
  /// A path or the name of a scene in the libraries; empty = an empty scene (the start page). The first scene
  /// is built here, before anything runs: its Error is returned.
  static Result<std::unique_ptr<Session>> open(const std::string& scene, const SessionOptions& options,
                                               SessionOutput output = {});
  ~Session();  ///< stops
  Session(const Session&) = delete;
  Session& operator=(const Session&) = delete;

  // All functions may be called from any thread.

  /// A page comes. The number is never used again within the session.
  int join(bool read_only = false);
  /// A page goes: its grabs end.
  void leave(int client);
  int clients() const;

  /// Somebody looks: time begins, if it waited for that. Any number of calls.
  void begin();
  bool waiting() const;

  /// Gives a command; exactly one `reply` comes out for it. At most 256 of a client wait: more -> too_many.
  void submit(int client, std::uint32_t id, std::string cmd, nlohmann::json args);

  /// Which channels the client shows. 0 = nothing (a hidden page). Without any wish no snapshots are made
  /// except after commands. A newly wanted channel is published at once, also while paused.
  void want(int client, Channels channels);

  /// The newest state; never null.
  std::shared_ptr<const Snapshot> newest() const;
  /// The newest `scene` message, with present option values; never null.
  std::shared_ptr<const nlohmann::json> scene_message() const;
  /// Scenes of the libraries: [{name, description, methods: [...], missing: [mesh files]}], for the start page.
  const nlohmann::json& scene_list() const;

  /// A mesh file for body.add: a report of what it is, with its `upload` id. Reads and repairs the
  /// mesh in the caller's thread. Refusals: too_large, not_supported (ending), bad_argument (what is wrong
  /// where).
  Outcome<nlohmann::json> upload(const std::string& name, const std::vector<std::byte>& bytes);

  /// kind: scene, mesh, recording, metrics, session. body: id, or empty for the first. format: by kind, empty
  /// for its first (mesh: obj ply stl glb; recording: that of the command).
  Outcome<Download> save(const std::string& kind, const std::string& body, const std::string& format);

  std::uint32_t step() const;  ///< steps done since the session began
  double rate() const;         ///< steps a second, over the last second

  /// One round of the loop: commands, finished builds, a step if playing (or asked by `step`), a snapshot.
  /// Only with Clock::manual. False after stop().
  bool turn();

  /// Ends the simulation thread and builds in progress. No callback comes afterwards. Idempotent.
  void stop();

 private:
  struct Parts;
  explicit Session(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace pliant::view
