// SPDX-License-Identifier: Apache-2.0
// What a body without bones does as a whole. Its rotations are polar ones of its own deformation: those of
// the step's begin lag behind a body that spins, and their elasticity would brake it. So they run ahead by
// the turn that the spin of the part makes in a step. What the solve still gets wrong is set afterwards: a
// part that nothing holds has the momentum and the spin of the integrator, where inner forces have no share,
//   (1 + h' alpha) p_n+1 = p^ + h' f,   (1 + h' alpha) L_n+1 = L^ + h' torque    (physics/momentum.hpp)
// A part on a point, a line or grabs turns as a whole, too: its rigid motion is balanced (RigidBalance).
#pragma once

#include "pliant/methods/meshless/equation.hpp"

namespace pliant::meshless {

/// The flesh turns by itself and leaves no spin free: kappa has no share.
bool own_rotations(const Rig& rig, const Options& options);
/// Rotations are polar ones of a body without bones.
bool runs_ahead(const Rig& rig, const Options& options);

/// Turns the rotations of the cells by what the parts spin in a step.
void run_ahead(const Model& model, double h, State& state, Scratch& scratch);

/// For parts that are held or grabbed and can turn as a whole: the rigid motion of the end x of a step that
/// takes the resultant and the moments out of the equation of motion.
void balance_rigid_motion(const Equation& e, Points& x);

/// Sets momentum and spin of the end x of a step of a body that nothing holds. contact: forces on the nodes,
/// N, or none.
void keep_momentum(const Equation& e, std::span<const Vec3> contact, Points& x);

}  // namespace pliant::meshless
