// SPDX-License-Identifier: Apache-2.0
// An Error of one problem, whose file the caller adds.
#pragma once

#include "pliant/base/result.hpp"

namespace pliant {

inline Error refuse(std::string place, std::string found, std::string expected, std::string hint) {
  return Error{{}, {{std::move(place), std::move(found), std::move(expected), std::move(hint)}}};
}

}  // namespace pliant
