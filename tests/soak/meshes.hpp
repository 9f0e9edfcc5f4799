// SPDX-License-Identifier: Apache-2.0
// Small surfaces, clean and dirty, about 1 m large around the origin, as text of an OBJ file.
#pragma once

#include <string>

#include "tests/soak/dice.hpp"

namespace pliant::soak {

std::string random_mesh(Dice& dice);

}  // namespace pliant::soak
