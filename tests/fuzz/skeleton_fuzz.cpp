// SPDX-License-Identifier: Apache-2.0
// Whatever the text: a skeleton that can be posed and comes back as it was written, or an error that says
// something.
#include "pliant/io/skeleton_file.hpp"
#include "tests/fuzz/check_mesh.hpp"
#include "tests/fuzz/check_skeleton.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  const auto skeleton = pliant::parse_skeleton(pliant::as_text(data, size), "fuzz.json");
  if (!skeleton) {
    pliant::demand(!skeleton.error().problems.empty() && !skeleton.error().text().empty());
    return 0;
  }
  pliant::check_skeleton(*skeleton);
  const auto again = pliant::parse_skeleton(pliant::skeleton_text(*skeleton), "again.json");
  pliant::demand(again && again->joints.size() == skeleton->joints.size());
  return 0;
}
