// SPDX-License-Identifier: Apache-2.0
// The file of a session: the commands of pages, in any order and with any arguments, on a small scene of this program's
// own (scenes have a target of their own). What would only make bodies large is left out.
#include <nlohmann/json.hpp>

#include "pliant/view/replay.hpp"
#include "tests/fuzz/check_mesh.hpp"

namespace {

using pliant::view::Json;

const Json& small_scene() {
  static const Json scene = Json::parse(R"({
    "bodies": [
      {"name": "a", "shape": {"box": {"size": [0.2, 0.2, 0.2], "nodes": [2, 2, 2]}}, "contact": {"bodies": true},
       "pins": [{"select": {"halfspace": {"point": [0, 0, 0], "normal": [-1, 0, 0]}}}]},
      {"name": "b", "method": "rigid", "contact": {"bodies": true},
       "shape": {"box": {"size": [0.2, 0.2, 0.2], "nodes": [2, 2, 2], "corner": [0, 0.21, 0]}}}],
    "colliders": [{"plane": {"point": [0, -0.1, 0]}}]})");
  return scene;
}

bool makes_large(const std::string& text) {
  for (const char* word :
       {"nodes", "resolution", "cells", "leaves", "count", "iterations", "sweeps", "points", "budget",
        "substeps", "refinements", "modal", "basis", "cubature", "most", "repeat", "skeleton", "mesh"})
    if (text.find(word) != std::string::npos) return true;
  return false;
}

}  // namespace

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const std::string text(pliant::as_text(data, size));
  if (makes_large(text)) return -1;
  Json session = Json::parse(text, nullptr, false);
  if (session.is_object() && session.contains("commands")) {
    if (session.contains("scene")) session["scene"] = small_scene();
    if (session.contains("steps") && session["steps"].is_number_unsigned())
      session["steps"] = session["steps"].get<std::uint64_t>() % 6;
  }
  const auto replayed = pliant::view::replay(session, ".");
  if (!replayed) pliant::demand(!replayed.error().problems.empty() && !replayed.error().text().empty());
  if (replayed)
    for (const std::string& why : replayed->refused) pliant::demand(!why.empty());
  return 0;
}
