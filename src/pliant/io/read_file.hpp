// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <filesystem>
#include <string>

#include "pliant/base/result.hpp"

namespace pliant {

/// The bytes of a file; an Error with the cause when it is missing, a folder or unreadable.
Result<std::string> read_file(const std::filesystem::path& path);

}  // namespace pliant
