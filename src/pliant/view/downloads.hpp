// SPDX-License-Identifier: Apache-2.0
// What a user can save of a session.
#pragma once

#include "pliant/view/figures.hpp"
#include "pliant/view/recording.hpp"
#include "pliant/view/session.hpp"

namespace pliant::view {

/// Arguments as of Session::save. folder: for temporary files.
Outcome<Download> make_download(const World& world, const Figures& figures, const Recordings& recordings,
                                const std::filesystem::path& folder, const std::string& kind,
                                const std::string& body, const std::string& format);

}  // namespace pliant::view
