// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>

int main(int argc, char** argv) {
  CLI::App app("pliant: meshes that behave like soft matter");
  CLI11_PARSE(app, argc, argv);
  return 0;
}
