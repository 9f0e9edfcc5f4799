// SPDX-License-Identifier: Apache-2.0
// What a soak runs: a random scene and what happens to it, as JSON that a file can hold.
//
//   {"scene": {...},                      a scene file
//    "meshes": {"lump.obj": "v 0 0 0 ..."}, the files it names
//    "steps": 300,
//    "twin": 40,                          at this step a second scene takes over the state, with other threads
//    "edits": [{"step": 80, "set": "bodies.0.damping.mass=2"},
//              {"step": 90, "grab": {"body": 0, "node": 0.3, "way": [0.1, 0, 0], "stiffness": 100}},
//              {"step": 95, "let_go": {"body": 0}},
//              {"step": 99, "hold": {"body": 0, "share": 0.2}},     the first fifth of the nodes, where they are
//              {"step": 120, "push": {"body": 0, "acceleration": [0, 5, 0]}}]}
#pragma once

#include <cstdint>
#include <nlohmann/json.hpp>

namespace pliant::soak {

using Json = nlohmann::json;

/// The same for the same numbers, whatever ran before.
Json random_case(std::uint64_t seed, std::uint64_t number);

}  // namespace pliant::soak
