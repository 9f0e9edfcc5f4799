// SPDX-License-Identifier: Apache-2.0
// The contacts of a simulation as a user reads them: who touches what, where, with which force.
#pragma once

#include <string>
#include <vector>

#include "pliant/sim/simulation.hpp"

namespace pliant {

/// A contact in the last step. Impulses count as forces that last the whole step. One between two bodies is told
/// once: the other body has the opposite force.
struct ContactForce {
  int body = 0;          ///< index in the simulation
  int other_body = -1;   ///< the body that it meets; -1: a collider
  int collider = -1;     ///< the collider that it meets; -1: a body
  Index point = 0;       ///< number of the body's contact point; with another body the one next to the place
  Index feature = 0;     ///< face, edge or corner of what it meets
  Vec3 place{0, 0, 0};   ///< of the contact point at the end of the step, m
  Vec3 normal{0, 1, 0};  ///< towards the body
  /// m, < 0: inside; not a number where only restitution pushed. Between bodies: their distance less the one they keep.
  double gap = 0;
  double normal_force = 0;  ///< N, along the normal on the body
  Vec3 friction{0, 0, 0};   ///< N, across the normal on the body
};

/// By body, then by contact point and collider, then by the other body.
std::vector<ContactForce> contact_forces(const Simulation& simulation);

/// Of the last step of each body, N; 0 without a contact.
void largest_normal_forces(const Simulation& simulation, std::vector<double>& out);

/// contacts.csv: its first line, and a line a contact.
std::string contacts_csv_header();
std::string contacts_csv(const Simulation& simulation, int frame);

}  // namespace pliant
