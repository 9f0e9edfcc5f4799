// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/methods/entry.hpp"
#include "pliant/methods/inside.hpp"

namespace pliant::geometric {

/// What the catalogue says of the method.
const MethodEntry& entry();
/// What it tells of a body, when it is one of its own.
Inside inside(const Method& method);

}  // namespace pliant::geometric
