// SPDX-License-Identifier: Apache-2.0
// The part of a session that decides the motion: a scene as it is now (a document that edits change), its
// bodies, who holds them, and what can be undone. No threads, no clocks: the same calls between the same
// steps give the same state, bit for bit. The session (view/session.hpp) runs it by the clock, a replay
// (view/replay.hpp) by a list.
//
// A command is either done at once, or it is a Rework: the document changes in a way that needs bodies built
// again. Then plan() says what to build, build_parts() builds it (in any thread), finish() swaps.
#pragma once

#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pliant/scene/build.hpp"
#include "pliant/view/command_log.hpp"
#include "pliant/view/history.hpp"
#include "pliant/view/refusal.hpp"

namespace pliant::view {

using Json = nlohmann::json;

/// A command and who gave it.
struct Call {
  int client = 0;
  std::string cmd;
  Json args = Json::object();
};

/// A scene that is wanted: as JSON, with the file that names its folder.
struct Target {
  Json document = Json::object();
  std::string file;
  std::string name;  ///< "geometric/bar"; empty: the empty scene
};

/// Builds in progress may be stopped: false.
using BuildProgress = std::function<bool(const std::string& stage, double fraction)>;

struct BuildJob {
  Target target;
  std::vector<int> bodies;  ///< of the target, to be built
  bool colliders = false;   ///< likewise
  bool nothing() const { return bodies.empty() && !colliders; }
};

struct Part {
  int index = 0;  ///< in the target
  Body body;
  std::shared_ptr<const Shape> shape;
};

struct Parts {
  std::vector<Part> bodies;
  std::optional<std::vector<Collider>> colliders;
  std::vector<std::string> notes;
  std::optional<Refusal> trouble;
  bool stopped = false;  ///< by a user: trouble that says nothing about the change
};

Parts build_parts(const BuildJob& job, ShapeCache& cache, int threads, const BuildProgress& progress = {});

/// An edit of the document that is not done yet.
struct Rework {
  Call call;
  std::string label;                ///< for the history
  std::string gesture;              ///< edits of one gesture are one entry; empty: stands alone
  bool last = true;                 ///< of its gesture
  std::function<void(Json&)> edit;  ///< may refuse
  std::optional<Target> whole;      ///< another scene altogether, in place of edit
  enum class Kind { edit, undo, redo } kind = Kind::edit;
  bool keeps_state = false;  ///< the history keeps the bodies' states (a method switch, a removal)
  std::string body;          ///< name of the body it is about, for messages
  Json result = Json::object();
};

/// What became of a command.
struct Action {
  std::optional<Json> done = {};  ///< the result
  std::optional<Refusal> refused = {};
  std::optional<Rework> change = {};
  bool changes_nothing = false;  ///< a replay does not need it
};

/// A soft grab or a dent.
struct Hand {
  int client = 0, id = 0;
  bool dent = false;
  bool cage = false;  ///< springs at vertices of the cage, numbered after the nodes; id unused
  int body = 0;
  Triangle corners{};
  Vec3 weights{0, 0, 0};      ///< barycentric
  std::vector<Index> nodes;   ///< that it pulls at
  std::vector<double> share;  ///< of the stiffness, sums to 1
  Points offset;  ///< grab: from the point to the node; dent: where the node was; cage: its target, m
  std::vector<double> depth_share;  ///< dent: 1 at the centre, 0 at the radius
  Vec3 target{0, 0, 0};             ///< m
  Vec3 inward{0, 0, 0};             ///< dent: direction
  double depth = 0;                 ///< dent, m
  double stiffness = 0;             ///< of all springs together, N/m
  int handle = -1;                  ///< while posing a grab is a handle: the hold it moves
  Vec3 begin{0, 0, 0};              ///< where the point was, m
};

/// What is known of a body besides its method.
struct Piece {
  std::shared_ptr<const Shape> shape;
  std::vector<std::byte> initial;  ///< its state at the start
  std::vector<PlacedHold> holds;   ///< likewise
  std::string key;                 ///< what it was built from
  double size = 1;                 ///< diagonal of the bounding box at rest, m
};

/// Something to tell all pages.
struct Happening {
  enum class Kind { options, history, scene, event } kind = Kind::event;
  Json message;
};

struct WorldOptions {
  int threads = 1;
  std::vector<std::filesystem::path> libraries;
  /// The file of an upload; empty: there is none of that id.
  std::function<std::filesystem::path(const std::string& upload)> upload = {};
};

class World {
 public:
  explicit World(WorldOptions options);

  // ---- commands
  Action interpret(const Call& call);
  /// What must be built for a change, given the present document. Refused when the document would be wrong.
  Outcome<BuildJob> plan(const Rework& change) const;
  /// The change is done, with what was built for it.
  Outcome<Json> finish(const Rework& change, const BuildJob& job, Parts parts);
  /// Plans, builds in this thread and finishes.
  Outcome<Json> change_now(const Rework& change);
  bool building_is_needed(const Outcome<BuildJob>& job) const { return job && !job.value->nothing(); }

  // ---- time
  /// One step, or one round of the static solve while posing. Nothing to do (posed already): false.
  bool advance();
  bool needs_advance() const { return !posing_ || posing_left_ > 0; }
  const std::optional<Json>& stopped() const { return stopped_; }  ///< the event that says why
  void go_on() { stopped_.reset(); }

  // ---- what is there
  const Simulation& simulation() const { return *simulation_; }
  Simulation& simulation() { return *simulation_; }
  const Target& target() const { return target_; }
  const SceneSpec& spec() const { return spec_; }
  const std::vector<Piece>& pieces() const { return pieces_; }
  const std::vector<Hand>& hands() const { return hands_; }
  const History& history() const { return history_; }
  std::uint32_t epoch() const { return epoch_; }
  std::uint32_t step() const { return step_; }
  std::uint64_t holds_version() const { return holds_version_; }
  bool posing() const { return posing_; }
  bool can_pose(int body) const;
  /// Methods that the body, as it is made and held now, was refused: {"fem": why}.
  Json refused_methods(int body) const;
  bool empty() const { return pieces_.empty(); }
  ShapeCache& cache() { return cache_; }
  int threads() const { return options_.threads; }
  double grab_stiffness(int body, double softness) const;
  /// The point of the surface that a hand holds.
  Vec3 point_of(const Hand& hand) const;
  Vec3 force_of(const Hand& hand) const;
  std::string pose_text() const { return pose_text_; }

  /// The scene as a file that `pliant run` takes. Files it names are named by their full place, uploads by
  /// their own name.
  Json saved_scene() const;
  /// Scene, commands by step, steps, and a hash of the state at the end, as JSON text. Nothing when there
  /// were too many commands.
  std::string saved_session() const;
  std::uint64_t state_hash() const;
  std::vector<std::byte> state() const;

  /// Since the last call.
  std::vector<Happening> take_happenings() { return std::exchange(happenings_, {}); }

 private:
  friend struct Commands;

  // world.cpp
  Target changed(const Rework& change) const;
  ParsedScene parsed(const Target& target) const;
  void adopt(Target target, Parts parts);
  void keep_hands(const std::vector<std::string>& names,
                  const std::vector<std::shared_ptr<const Shape>>& shapes);
  void carry(const Body& from, const Shape& from_shape, Body& to, const Shape& to_shape,
             bool same_method) const;
  void refresh();
  void log(const Call& call);
  void tell_options(const Json& before, int client);
  void tell_history();
  void structure_changed();
  std::string build_key(const Json& body) const;
  void keep_spare(std::string key, Body body, Piece piece);
  void reset();
  std::map<std::string, std::vector<std::byte>> states() const;
  std::map<std::string, std::vector<PlacedHold>> all_holds() const;
  void set_springs();
  bool pose_round();
  void touched();  ///< something that a posed shape depends on changed

  WorldOptions options_;
  ShapeCache cache_;
  Target target_;
  SceneSpec spec_;
  std::unique_ptr<Simulation> simulation_;
  std::vector<Piece> pieces_;
  struct Spare {
    Body body;
    Piece piece;
  };
  std::vector<Spare> spares_;  ///< bodies that were replaced, for a quick way back
  std::vector<Hand> hands_;
  History history_;
  std::uint32_t epoch_ = 0, step_ = 0;
  std::uint64_t holds_version_ = 0;
  bool posing_ = false;
  int posing_left_ = 0;  ///< rounds that may still be needed
  std::string pose_text_;
  std::optional<Json> stopped_;
  std::vector<Happening> happenings_;

  /// By what was asked for: why it could not be built.
  std::map<std::string, std::string> refused_methods_;
  static std::string method_request(const Json& body, const std::string& method);

  std::set<std::string> uploaded_;  ///< files that pages sent
  Target first_;                    ///< where the log begins
  std::uint32_t first_step_ = 0;
  CommandLog log_;
};

}  // namespace pliant::view
