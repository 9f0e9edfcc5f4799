// SPDX-License-Identifier: Apache-2.0
// Second stop: a scene as written becomes bodies that can move.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <memory>
#include <mutex>
#include <string>
#include <vector>

#include "pliant/base/result.hpp"
#include "pliant/scene/own_meshes.hpp"
#include "pliant/scene/parse.hpp"
#include "pliant/sim/recorder.hpp"
#include "pliant/sim/simulation.hpp"

namespace pliant {

/// A scene that is ready to run.
struct Scene {
  std::string name;  ///< "geometric/bar", or the file's name without its ending
  SceneSpec spec;
  std::uint64_t fingerprint = 0;  ///< ParsedScene::fingerprint
  Simulation simulation;
  std::vector<Probe> probes;
  std::vector<std::shared_ptr<const Shape>> shapes;  ///< of the bodies, at rest
  std::vector<std::string> notes;  ///< what was decided or repaired on the way, one sentence each
  std::vector<Overlap> overlaps;   ///< bodies that overlap at the start
  /// Of each body, ms: reading, repairing and filling its mesh, a cage, building its method, besides what
  /// MethodDescription::setup_ms counts.
  std::vector<double> build_ms = {};

  /// The whole set-up of a body so far, ms; 0 without such a body.
  double setup_ms(std::size_t body) const {
    if (body >= simulation.bodies().size()) return 0;
    return (body < build_ms.size() ? build_ms[body] : 0) +
           simulation.bodies()[body].method().describe().setup_ms;
  }
};

/// Shapes made so far, for who builds variants of a scene. Any thread may use it.
class ShapeCache {
 public:
  /// What decides a shape besides its method and node places (a text of the caller's, with the contents of
  /// files); 16 shapes are kept.
  std::shared_ptr<const Shape> find(const std::string& key) const;
  /// Replaces the oldest when 16 are kept.
  void keep(const std::string& key, std::shared_ptr<const Shape> shape);

 private:
  mutable std::mutex mutex_;
  std::vector<std::pair<std::string, std::shared_ptr<const Shape>>> shapes_;
};

/// Threads, kept shapes and progress of a build.
struct BuildOptions {
  int threads = 1;                           ///< 0 = one per processor
  ShapeCache* cache = nullptr;               ///< none: every shape is made
  std::vector<std::string> cache_keys = {};  ///< one a body, with a cache
  OwnMeshes meshes = {};                     ///< surfaces that are in no file
  /// What happens now ("shape of bar"), and the share that is done; false: stop here.
  std::function<bool(const std::string& stage, double fraction)> progress = {};
};

/// What contact asks of a body: its settings, and what its shape tells where they leave it open.
ContactOptions contact_of(const BodySpec& body, const Shape& shape);

/// Bodies that overlap and were not to.
Problems refused_overlaps(Simulation& simulation);

/// What overlaps or passes through other bodies, and why, one sentence each.
std::vector<std::string> meeting_notes(Simulation& simulation);

/// Everything wrong in the file is in the Error, also what only the shapes can tell (a pin that selects
/// nothing). threads: 0 = one per processor.
Result<Scene> build_scene(const ParsedScene& parsed, int threads = 1);
Result<Scene> build_scene(const ParsedScene& parsed, const BuildOptions& options);

}  // namespace pliant
