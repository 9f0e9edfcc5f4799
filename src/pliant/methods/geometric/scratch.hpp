// SPDX-License-Identifier: Apache-2.0
// The arrays that a step works in. *Places* are the positions of nodes in the step's own order
// (arrangement.hpp). Each array is written before it is read in a step; entries of held nodes and padding
// stay 0.
#pragma once

#include <array>

#include "pliant/methods/geometric/linear_system.hpp"
#include "pliant/methods/geometric/sweeps.hpp"

namespace pliant::geometric {

/// What every solver of the step works on. x, y, z, 0 of every place.
struct SolverVectors {
  Floats d;   ///< D, the step from the prediction X0, m: the answer in the end
  Floats g;   ///< G(D), or the residual of its linear model, kg m
  Floats z;   ///< A^-1 g, m
  Floats p;   ///< search direction, m
  Floats hp;  ///< H p, kg m
};

/// The grabs of a step; two grabs of one node are one spring.
struct GrabSprings {
  struct Grabbed {
    LinearSystem::Spring spring;
    Vec3 target;  ///< m
  };
  std::array<Grabbed, max_grabs> list;
  int count = 0;

  bool empty() const { return count == 0; }
  const Grabbed* begin() const { return list.data(); }
  const Grabbed* end() const { return list.data() + count; }
};

/// Of the residual in double precision; empty where no step factors H. Nodes in the caller's order.
struct ExactVectors {
  Points x, v, g;
  std::vector<Mat3> turns;  ///< R + beta dR/dt

  void resize(std::size_t nodes) {
    for (Points* points : {&x, &v, &g}) points->resize(nodes);
    turns.resize(nodes);
  }
};

/// The last iterates of Anderson acceleration (math/anderson.hpp).
struct IterateHistory {
  static constexpr int window = 5;
  std::array<Floats, window + 1> iterate, increment;
};

/// Of the Newton iterations under contact (contact_newton.cpp).
struct ContactVectors {
  Floats step;    ///< the projected step
  Floats h_step;  ///< H times it
  Floats load;    ///< h' J^T r
  Floats outer;   ///< the part of G without elastic forces, kg m
  Floats begin;   ///< D where a linearisation began, m
  Floats way;     ///< displacement of the nodes from `from`, m
  Doubles from;   ///< positions in places, m
};

struct Scratch {
  Scratch(std::size_t nodes, std::size_t padded, bool sheet = false) {
    sheet_velocity.assign(sheet ? 4 * padded : 0, 0);
    held.assign(nodes, 0);
    trial_targets.reserve(nodes);
    for (Points* points :
         {&hat_x, &hat_v, &new_x, &new_v, &acceleration, &shifted_x, &shifted_v, &outer_forces})
      points->assign(nodes, Vec3::Zero());
    for (Doubles* array : {&start, &trial, &contact.from}) array->resize(4 * padded);
    for (Floats* array :
         {&base, &velocity, &vectors.d, &vectors.g, &vectors.z, &vectors.p, &vectors.hp, &contact.step,
          &contact.h_step, &contact.load, &contact.outer, &contact.begin, &contact.way})
      array->resize(4 * padded);
    for (auto* arrays : {&history.iterate, &history.increment})
      for (Floats& array : *arrays) array.resize(4 * padded);
    clear();
  }

  /// After a new held set: places mean other nodes, so all unknowns are zeroed.
  void clear() {
    for (Doubles* array : {&start, &trial}) std::fill(array->begin(), array->end(), 0.0);
    for (Floats* array : {&base, &velocity, &vectors.d, &vectors.g, &vectors.z, &vectors.p, &vectors.hp,
                          &contact.step, &contact.h_step, &contact.load})
      std::fill(array->begin(), array->end(), 0.0f);
    for (Floats& array : history.iterate) std::fill(array.begin(), array.end(), 0.0f);
  }

  // Nodes in the caller's order.
  std::vector<unsigned char> held;  ///< in this step, one byte a node
  Points hat_x, hat_v;              ///< x^, v^ of the integrator
  Points new_x, new_v;              ///< the end of the step; before it is known, positions of the kept volume
  Points acceleration;              ///< that BDF2 starts from, m/s^2
  Points trial_targets;             ///< of held nodes at the end of the trial step, m
  Points shifted_x, shifted_v;      ///< of the momentum after an impact
  Points outer_forces;              ///< with those of contacts, N
  Points forces;                    ///< those of the input, and what the history must not carry on, N
  std::vector<Mat3> slews;          ///< J of the stars in a static solve (tense_stars.hpp); empty: at rest

  // In places.
  Doubles start;           ///< X0 = x^ + h' v^, held nodes at their targets, m
  Doubles trial;           ///< X0 + u of the last residual, m
  Floats base;             ///< the part of G that does not depend on D, kg m
  Floats velocity;         ///< of the inner damping, m/s
  Doubles sheet_velocity;  ///< the same of a sheet

  GrabSprings grabs;
  SolverVectors vectors;
  ExactVectors exact;
  IterateHistory history;
  ContactVectors contact;
};

}  // namespace pliant::geometric
