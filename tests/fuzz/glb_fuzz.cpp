// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/glb_reader.hpp"
#include "tests/fuzz/check_mesh.hpp"

extern "C" int LLVMFuzzerTestOneInput(const unsigned char* data, std::size_t size) {
  pliant::check_mesh(pliant::parse_glb(pliant::as_text(data, size), "fuzz.glb"));
  return 0;
}
