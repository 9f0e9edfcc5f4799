// SPDX-License-Identifier: Apache-2.0
#include <cstdlib>

#include "pliant/scene/parse.hpp"
#include "pliant/scene/validate.hpp"
#include "tests/fuzz/check_mesh.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const pliant::ParsedScene scene = pliant::parse_scene(pliant::as_text(data, size), "fuzz.json");
  if (!scene.readable && scene.problems.empty()) std::abort();
  if (scene.problems.empty()) pliant::validate(scene.spec);
  return 0;
}
