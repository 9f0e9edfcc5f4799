// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "pliant/geometry/skeleton.hpp"
#include "tests/fuzz/check_mesh.hpp"

namespace pliant {

inline void check_skeleton(const Skeleton& skeleton) {
  demand(!skeleton.bones().empty());
  for (std::size_t j = 0; j < skeleton.joints.size(); ++j) {
    const Joint& joint = skeleton.joints[j];
    demand(joint.parent >= -1 && joint.parent < Index(j));
    demand(joint.position.allFinite() && joint.radius >= 0 && !joint.name.empty());
    const bool cubic_turns = joint.turns.interpolation == Interpolation::cubic;
    demand(joint.turns.turns.size() == joint.turns.times.size());
    demand(!cubic_turns || (joint.turns.in.size() == joint.turns.times.size() &&
                            joint.turns.out.size() == joint.turns.times.size()));
    demand(joint.moves.moves.size() == joint.moves.times.size());
  }
  for (const double t : {-1.0, 0.3, skeleton.duration()}) skeleton.pose(t);
}

}  // namespace pliant
