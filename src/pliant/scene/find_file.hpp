// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

namespace pliant {

/// A file as the scene names it: from the scene's folder, else from where the command runs. When it is in
/// neither, the place beside the scene, for the message.
inline std::filesystem::path find_file(const std::string& name, const std::filesystem::path& folder) {
  const std::filesystem::path beside = folder / name, here = name;
  std::error_code ignored;
  return std::filesystem::exists(beside, ignored) || !std::filesystem::exists(here, ignored) ? beside : here;
}

}  // namespace pliant
