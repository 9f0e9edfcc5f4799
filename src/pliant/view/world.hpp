// SPDX-License-Identifier: Apache-2.0
// The part of a session that decides the motion: a scene as edits left it, its bodies, who grabs them, and
// what can be undone. No threads, no clocks: the same calls between the same steps give the same state, bit
// for bit. The session (view/session.hpp) runs it by the clock, a replay (view/replay.hpp) by a list.
//
// A command (view/commands.hpp) is either done at once, or it is a SceneChange: plan() says what to
// build for it, build_parts() builds it (in any thread), finish() swaps it in. Between plan() and finish()
// only pins and handles may change, which are kept apart from the rest of the scene (view/holds.hpp).
//
// World is one class because undo, replay and rebuilds need all of it at a time. Its functions are in
// world.cpp (what is there, edits), world_change.cpp (changes of the scene), posing.cpp and saving.cpp.
#pragma once

#include <filesystem>
#include <functional>
#include <map>
#include <nlohmann/json.hpp>
#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "pliant/scene/build.hpp"
#include "pliant/view/change.hpp"
#include "pliant/view/command_log.hpp"
#include "pliant/view/grabs.hpp"
#include "pliant/view/history.hpp"
#include "pliant/view/holds.hpp"
#include "pliant/view/refusal.hpp"

namespace pliant::view {

/// What is known of a body besides its method.
struct Piece {
  std::shared_ptr<const Shape> shape;
  std::vector<std::byte> initial;  ///< its state at the start
  std::string key;                 ///< what it was built from
  double size = 1;                 ///< diagonal of the bounding box at rest, m
  std::vector<Triangle> faces;     ///< of a cloud of points, to point at (geometry/point_cloud.hpp)
  double point_spacing = 0;        ///< of a cloud, m; 0: a surface
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

  // ---- changes of the scene
  /// Refused when the scene would be wrong.
  Outcome<Rebuild> plan(SceneChange change) const;
  /// The change is done, with what was built for it.
  Outcome<Json> finish(const Rebuild& rebuild, Parts parts);
  /// Builds in this thread and finishes.
  Outcome<Json> build_now(const Rebuild& rebuild);
  /// Another scene, built in this thread.
  Outcome<Json> load_now(Target scene);

  // ---- edits at once
  /// Pins and handles of a body. `edit` may refuse; then nothing changed.
  void edit_holds(int body, const std::string& label, const std::string& gesture,
                  const std::function<void(BodyHolds&)>& edit);
  /// Into the history; all pages hear of it. The scene before and after is the present one.
  void remember(Edit edit);
  void close_gesture() { history_.close_gesture(); }
  /// Everything goes back to the start, clock included.
  void reset();
  void set_posing(bool on);
  /// Something changed that a posed shape depends on.
  void touched();
  /// Pages need the scene anew: indices they know mean something else.
  void structure_changed();
  /// For a replay: a command that was done.
  void log(const Call& call);
  Grabs& grabs() { return grabs_; }
  Body& body(int index) { return simulation_->body(index); }

  // ---- time
  /// One step, or one round of the static solve while posing. Nothing to do (posed already): false.
  bool advance();
  bool needs_advance() const { return !posing_ || posing_left_ > 0; }
  const std::optional<Json>& stopped() const { return stopped_; }  ///< the event that says why
  void go_on() { stopped_.reset(); }

  // ---- what is there
  const Simulation& simulation() const { return *simulation_; }
  const Body& body(int index) const { return simulation_->bodies()[std::size_t(index)]; }
  /// Without pins and handles.
  const Json& scene() const { return scene_; }
  /// The scene as a file says it.
  Json document() const;
  const std::string& file() const { return file_; }  ///< names the folder of the scene
  const std::string& name() const { return name_; }
  const SceneSpec& spec() const { return spec_; }
  const BodySpec& spec(int body) const { return spec_.bodies[std::size_t(body)]; }
  Controls controls(int body) const;  ///< its cage, its skeleton
  const std::vector<Piece>& pieces() const { return pieces_; }
  const Piece& piece(int body) const { return pieces_[std::size_t(body)]; }
  /// What pages see and point at: the triangles of the surface, or those of a cloud.
  const std::vector<Triangle>& faces(int body) const;
  int bodies() const { return int(pieces_.size()); }
  bool empty() const { return pieces_.empty(); }
  const BodyHolds& holds(int body) const;
  const Grabs& grabs() const { return grabs_; }
  const History& history() const { return history_; }
  std::uint32_t epoch() const { return epoch_; }
  std::uint32_t step() const { return step_; }
  bool posing() const { return posing_; }
  std::string pose_text() const { return pose_text_; }
  /// Whether pins and handles of the body can change.
  bool can_pose(int body) const;
  /// Methods that the body, as it is made and held now, was refused: {"name": why}.
  Json refused_methods(int body) const;
  double stiffness_of_grab(int body, double softness) const;  ///< N/m
  ShapeCache& cache() { return cache_; }
  int threads() const { return options_.threads; }
  const std::vector<std::filesystem::path>& libraries() const { return options_.libraries; }
  /// The file of an upload, which the scene will name; empty: there is none of that id.
  std::filesystem::path take_upload(const std::string& upload);

  std::vector<std::byte> state() const;
  std::vector<std::byte> state(int body) const;
  std::uint64_t state_hash() const;
  /// The scene as a file that `pliant run` takes. Files it names are named by their full place, uploads by
  /// their own name.
  Json saved_scene() const;
  /// Scene, commands by step, steps, and a hash of the state at the end, as JSON text. Nothing when there
  /// were too many commands.
  std::string saved_session() const;

  /// Since the last call.
  std::vector<Happening> take_happenings() { return std::exchange(happenings_, {}); }

 private:
  // world_change.cpp
  /// The scene after a change, without pins and handles.
  Json changed_scene(const SceneChange& change) const;
  /// Pins and handles after a change.
  Holds changed_holds(const SceneChange& change) const;
  /// How each body of the target comes about.
  void plan_bodies(Rebuild& rebuild) const;
  /// A place for the target: nothing of the present scene stays.
  void forget_scene();
  /// The bodies of the target: those that were built, those that wait as spares, those that stay.
  void adopt(const Rebuild& rebuild, Parts parts);
  /// A body that is not among the present ones: just built, or a spare at its start.
  Body take_new_body(const Rebuild& rebuild, int index, Parts& parts);
  /// Pins and handles of a body that was built, at its start. Users may have changed them meanwhile.
  std::vector<PlacedHold> holds_of_new(const Body& body, const Shape& shape, const Json& built_from) const;
  /// Live settings take effect.
  void apply_spec();
  /// States and holds of the history, after an undo or redo.
  void restore(const std::map<std::string, std::vector<std::byte>>& states, const Holds& holds);
  /// What the history keeps of a change that was done.
  void write_history(const Rebuild& rebuild, Edit edit);
  void note_refused_method(const Rebuild& rebuild, const Refusal& why);
  void tell_options(const Json& before, int client);
  void tell_history();
  std::vector<Grabs::Held> held() const;  ///< all bodies, as grabs know them
  int index_of(const std::string& name) const;

  // world.cpp, posing.cpp
  void set_springs();
  bool pose_round();

  WorldOptions options_;
  ShapeCache cache_;
  Json scene_;  ///< without pins and handles
  std::string file_, name_;
  Holds holds_;
  SceneSpec spec_;
  std::unique_ptr<Simulation> simulation_;
  std::vector<Piece> pieces_;
  struct Spare {
    Body body;
    Piece piece;
  };
  std::vector<Spare> spares_;  ///< bodies that were replaced, for a quick way back
  Grabs grabs_;
  History history_;
  std::uint32_t epoch_ = 0, step_ = 0;
  bool posing_ = false;
  int posing_left_ = 0;  ///< rounds that may still be needed
  std::string pose_text_;
  std::optional<Json> stopped_;
  std::vector<Happening> happenings_;
  std::map<std::string, std::string> refused_methods_;  ///< by what was asked for: why it could not be built
  std::set<std::string> uploaded_;                      ///< files that pages sent
  Target first_;                                        ///< where the log begins
  std::uint32_t first_step_ = 0;
  CommandLog log_;
};

}  // namespace pliant::view
