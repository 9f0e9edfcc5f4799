// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/methods/entry.hpp"

namespace pliant::rigid {

/// What the catalogue says of the method.
const MethodEntry& entry();

}  // namespace pliant::rigid
