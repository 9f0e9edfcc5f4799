// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <string_view>

#include "pliant/base/layout.hpp"

namespace pliant {

/// Text that a user wrote to JSON; `//` and `/* */` comments are allowed. False: it is broken, and the problem
/// names line and column. A key that stands twice in one object is a problem too.
bool parse_json(std::string_view text, Json& json, Problems& problems);

}  // namespace pliant
