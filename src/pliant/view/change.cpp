// SPDX-License-Identifier: Apache-2.0
#include "pliant/view/change.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "pliant/methods/catalogue.hpp"
#include "pliant/scene/build_colliders.hpp"
#include "pliant/view/method_facts.hpp"
#include "pliant/view/option_list.hpp"

namespace pliant::view {
namespace {

/// The scene with one of its bodies, and nothing that body does not need.
Json alone(const Json& document, std::size_t body) {
  Json out{{"bodies", Json::array({document["bodies"][body]})}};
  for (const char* key : {"timestep", "substeps", "gravity"})
    if (document.contains(key)) out[key] = document[key];
  return out;
}

/// bodies.0 of a scene that holds one body is bodies.N of the whole.
Error renumbered(Error error, std::size_t body) {
  for (Problem& problem : error.problems)
    if (problem.place.rfind("bodies.0", 0) == 0)
      problem.place = fmt::format("bodies.{}{}", body, problem.place.substr(8));
  return error;
}

}  // namespace

bool Rebuild::builds_nothing() const {
  return !colliders && std::none_of(bodies.begin(), bodies.end(),
                                    [](const BodyPlan& body) { return body.source == Source::built; });
}

bool Rebuild::changes_structure() const {
  return colliders || change.whole || bodies_leave ||
         std::any_of(bodies.begin(), bodies.end(),
                     [](const BodyPlan& body) { return body.source != Source::stays; });
}

ParsedScene parse(const Json& document, const std::string& file) {
  return parse_scene(document.dump(-1, ' ', false, Json::error_handler_t::replace), file);
}

Parts build_parts(const Rebuild& rebuild, ShapeCache& cache, int threads, const BuildProgress& progress) {
  Parts parts;
  const Json& document = rebuild.target.document;
  const std::string& file = rebuild.target.file;
  const auto count = std::count_if(rebuild.bodies.begin(), rebuild.bodies.end(),
                                   [](const auto& body) { return body.source == Rebuild::Source::built; });
  for (std::size_t i = 0; i < rebuild.bodies.size(); ++i) {
    if (rebuild.bodies[i].source != Rebuild::Source::built) continue;
    BuildOptions options{.threads = threads, .cache = &cache};
    options.cache_keys = {file + document["bodies"][i].value("shape", Json()).dump()};
    if (progress)
      options.progress = [&](const std::string& stage, double fraction) {
        return progress(stage, (double(parts.bodies.size()) + fraction) / double(count));
      };
    Result<Scene> scene = build_scene(parse(alone(document, i), file), options);
    if (!scene) {
      parts.trouble = refusal_of(renumbered(scene.error(), i), "build_failed");
      return parts;
    }
    std::vector<Body> made = scene->simulation.take_bodies();
    parts.bodies.push_back({int(i), std::move(made.front()), scene->shapes.front()});
    parts.notes.insert(parts.notes.end(), scene->notes.begin(), scene->notes.end());
  }
  if (rebuild.colliders) {
    BuiltColliders built =
        build_colliders(rebuild.spec.colliders, std::filesystem::path(file).parent_path(), 0);
    if (!built.problems.empty()) parts.trouble = refusal_of({file, built.problems}, "build_failed");
    parts.colliders = std::move(built.colliders);
  }
  return parts;
}

std::string build_key(const Json& body) {
  const std::string method = method_of(body);
  Json key = body;
  for (const std::string& other : method_names())
    if (other != method) key.erase(other);
  key["method"] = method;
  for (const char* words : {"name", "initial", "friction", "contact"}) key.erase(words);
  if (changes_in_place(body)) {
    for (const char* live : {"pins", "handles", "damping"}) key.erase(live);
    if (key.contains(method))
      for (const std::string& live : live_options(method)) key[method].erase(live);
    if (key.contains(method) && key[method].empty()) key.erase(method);
  }
  return key.dump();
}

}  // namespace pliant::view
