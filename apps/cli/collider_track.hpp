// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <vector>

#include "pliant/contact/collider.hpp"
#include "pliant/render/sequence.hpp"

namespace pliant::cli {

/// The collider as a picture shows it, at these times, s.
ColliderTrack track_of(const Collider& collider, const std::vector<double>& times);

}  // namespace pliant::cli
