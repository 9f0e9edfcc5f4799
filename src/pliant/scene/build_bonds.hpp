// SPDX-License-Identifier: Apache-2.0
// The bonds of a scene: names become numbers.
#pragma once

#include <string>
#include <vector>

#include "pliant/base/result.hpp"
#include "pliant/scene/spec.hpp"
#include "pliant/sim/simulation.hpp"

namespace pliant {

/// The collider that "colliders.N" names; -1: it names none.
int find_collider(const SceneSpec& scene, const std::string& name);
/// What is wrong in the file.
void check_bonds(const SceneSpec& scene, Problems& problems);
/// Of a scene that has been checked.
std::vector<Bond> bonds_of(const SceneSpec& scene);
/// What only the bodies can tell, once Simulation::set_bonds has tied them.
Problems bond_problems(const SceneSpec& scene, Simulation& simulation);
/// "a - b: 12 of 25 points broke, the first at t = 0.5 s".
std::string bond_text(const Simulation& simulation, std::size_t bond);

}  // namespace pliant
