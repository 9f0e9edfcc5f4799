// SPDX-License-Identifier: Apache-2.0
// Runs the pliant command and keeps what it says.
#pragma once

#include <gtest/gtest.h>
#include <sys/wait.h>

#include <cstdio>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>

#include "tests/support/places.hpp"

namespace pliant {

struct CommandResult {
  int exit = -1;
  std::string output;  ///< both streams
  bool says(const std::string& text) const { return output.find(text) != std::string::npos; }
};

/// What a program prints.
inline std::string output_of(const std::string& command) {
  std::string text;
  std::FILE* pipe = popen(command.c_str(), "r");
  for (int c; pipe && (c = std::fgetc(pipe)) != EOF;) text += char(c);
  if (pipe) pclose(pipe);
  return text;
}

/// `before` is put in front of the command: an environment variable, `timeout`.
inline CommandResult run_pliant(const std::string& arguments, const std::string& before = "") {
  const std::string command = before + " '" + build_folder() + "/pliant' " + arguments + " 2>&1";
  CommandResult result;
  std::FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) return result;
  char buffer[4096];
  for (std::size_t n; (n = std::fread(buffer, 1, sizeof buffer, pipe)) > 0;) result.output.append(buffer, n);
  const int status = pclose(pipe);
  result.exit = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
  return result;
}

/// Wrong input: exit 2, told in these words.
inline testing::AssertionResult refused(const CommandResult& result, const std::string& words) {
  if (result.exit == 2 && result.says(words)) return testing::AssertionSuccess();
  return testing::AssertionFailure() << "exit " << result.exit << ", expected 2 and \"" << words << "\":\n"
                                     << result.output;
}

inline std::string read_text(const std::filesystem::path& path) {
  std::ifstream in(path, std::ios::binary);
  return {std::istreambuf_iterator<char>(in), {}};
}

inline std::filesystem::path write_text(const std::filesystem::path& path, const std::string& text) {
  std::ofstream(path, std::ios::binary) << text;
  return path;
}

}  // namespace pliant
