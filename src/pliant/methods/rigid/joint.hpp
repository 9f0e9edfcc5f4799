// SPDX-License-Identifier: Apache-2.0
// What pins and handles leave of a body's motion. One held node (or several at one place) is a ball joint, nodes on a
// line are a hinge, others fix the body. Targets that are no rigid image of the nodes are met in the mean, by the
// nearest rotation.
#pragma once

#include "pliant/methods/rigid/state.hpp"
#include "pliant/physics/step.hpp"

namespace pliant::rigid {

enum class Freedom { all, about_point, about_axis, none };

struct Joint {
  Freedom freedom = Freedom::all;
  Vec3 arm{0, 0,
           0};  ///< of the point that is held: the mean of the nodes; of a free body 0: the centre. Rest, m
  Vec3 axis{0, 0, 0};  ///< of a hinge, at rest
  // At the end of the step:
  Vec3 place{0, 0, 0};                                       ///< of that point, m
  Vec3 end_axis{0, 0, 0};                                    ///< of a hinge
  Eigen::Quaterniond turn = Eigen::Quaterniond::Identity();  ///< of a body that is fixed

  bool holds() const { return freedom != Freedom::all; }
};

/// now: the rotation from which the nearest one is looked for.
Joint joint_of(const Model& model, const StepInput& input, const Eigen::Quaterniond& now);

/// Held nodes to their targets to the last bit, where the rigid body is there up to rounding.
void put_held(const Model& model, const StepInput& input, Points& x);

}  // namespace pliant::rigid
