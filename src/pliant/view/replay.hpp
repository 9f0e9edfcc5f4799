// SPDX-License-Identifier: Apache-2.0
// A saved session (Session::save "session") once more: the scene and the commands at their steps give the
// same state, bit for bit. The perfect bug report.
#pragma once

#include <filesystem>
#include <string>

#include "pliant/view/world.hpp"

namespace pliant::view {

struct Replayed {
  std::uint32_t steps = 0;
  std::size_t commands = 0;
  std::uint64_t hash = 0;            ///< of the state at the end
  bool same = false;                 ///< as when it was saved
  std::vector<std::string> refused;  ///< commands that were done then and are refused now
};

/// session: the JSON as it was saved. folder: where meshes that it names are looked for.
/// every_step: called after every step, and once before the first; empty: not.
Result<Replayed> replay(const Json& session, const std::filesystem::path& folder, int threads = 1,
                        const std::function<void(const World&)>& every_step = {});

/// The same from a file.
Result<Replayed> replay_file(const std::filesystem::path& file, int threads = 1);

}  // namespace pliant::view
