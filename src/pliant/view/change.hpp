// SPDX-License-Identifier: Apache-2.0
// What a command asks of the scene, and the plan that does it: planned once by World::plan, built once by
// build_parts in any thread, swapped in once by World::finish.
#pragma once

#include <functional>
#include <nlohmann/json.hpp>
#include <optional>
#include <string>
#include <vector>

#include "pliant/scene/build.hpp"
#include "pliant/view/refusal.hpp"

namespace pliant::view {

using Json = nlohmann::json;

/// A command and who gave it.
struct Call {
  int client = 0;
  std::string cmd;
  Json args = Json::object();
};

/// A scene as a file says it, with the file that names its folder.
struct Target {
  Json document = Json::object();
  std::string file;
  std::string name;  ///< "geometric/bar"; empty: the empty scene
};

/// A change of the scene that may need bodies built again.
struct SceneChange {
  Call call;
  std::string label;                ///< for the history
  std::string gesture;              ///< edits of one gesture are one entry; empty: stands alone
  bool last = true;                 ///< of its gesture
  std::function<void(Json&)> edit;  ///< of the scene without pins and handles; may refuse
  std::optional<Target> whole;      ///< another scene altogether, in place of edit
  enum class Kind { edit, undo, redo } kind = Kind::edit;
  bool keeps_state = false;  ///< the history keeps the state of the body (a method switch, a removal)
  std::string body;          ///< name of the body it is about
  std::string leaves;        ///< name of the body that leaves the scene, and its pins and handles with it
  std::string method;        ///< that the body is to get: pages hear when it cannot
  Json result = Json::object();
};

/// A change as it will be done.
struct Rebuild {
  SceneChange change;
  Target target;              ///< the scene as it will be
  SceneSpec spec;             ///< the same, read
  std::uint64_t history = 0;  ///< the entry that an undo or redo is about

  /// Where a body of the target comes from.
  enum class Source { stays, spare, built };
  struct BodyPlan {
    Source source = Source::stays;
    int before = -1;  ///< its place in the present scene; -1: it is new
    std::string key;  ///< what it is built from
  };
  std::vector<BodyPlan> bodies;
  bool colliders = false;  ///< are made anew

  /// Nothing takes time: it can be finished at once.
  bool builds_nothing() const;
  /// Bodies or colliders are others than before.
  bool changes_structure() const;
  bool bodies_leave = false;  ///< of the present ones
};

struct Part {
  int index = 0;  ///< in the target
  Body body;
  std::shared_ptr<const Shape> shape;
};

/// What was built for a change.
struct Parts {
  std::vector<Part> bodies;
  std::optional<std::vector<Collider>> colliders;
  std::vector<std::string> notes;
  std::optional<Refusal> trouble;
  bool stopped = false;  ///< by a user: trouble that says nothing about the change
};

/// What happens now, and the share that is done. False: stop here.
using BuildProgress = std::function<bool(const std::string& stage, double fraction)>;

Parts build_parts(const Rebuild& rebuild, ShapeCache& cache, int threads, const BuildProgress& progress = {});

/// The settings of a document that was written by the view.
ParsedScene parse(const Json& document, const std::string& file);

/// What a body must be built again for. Pins, handles and live options are not among it, except in a reduced
/// body, whose space is made for them.
std::string build_key(const Json& body);

/// What became of a command.
struct Action {
  std::optional<Json> done = {};  ///< the result
  std::optional<Refusal> refused = {};
  std::optional<Rebuild> rebuild = {};  ///< it is done when this is built and finished
  bool changes_nothing = false;         ///< a replay does not need it
};

}  // namespace pliant::view
