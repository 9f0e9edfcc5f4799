// SPDX-License-Identifier: Apache-2.0
// A case that shows something, made smaller as long as it still shows it.
#pragma once

#include <functional>

#include "tests/soak/cases.hpp"

namespace pliant::soak {

/// shows(case): it still does; asked until it answers false to more(). What has a place in a list or an object is left
/// out, big things first.
Json shrink(Json soak_case, const std::function<bool(const Json&)>& shows, const std::function<bool()>& more);

}  // namespace pliant::soak
