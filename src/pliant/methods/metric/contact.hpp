// SPDX-License-Identifier: Apache-2.0
// Contact with friction. The matrix of a step changes with every step and its inverse is never at hand. The
// contact problem is given the body's answer as a whole, which is known exactly (momentum.hpp), and a share
// theta of the response of the touching nodes' own masses, S = theta D + (1 - theta) D_rigid
// (contact_response.hpp). theta is measured of the last change dr of the impulses and what it did to the
// velocities u: (dr . du - dr . D_rigid dr)/(dr . D dr - dr . D_rigid dr). By theta D alone, a stiff body
// would never rest: it answers as a whole by about a tenth of D and in itself by a thousandth, so that theta
// measured of the one throws it by the other. A step goes
//   1. recall: the forces of the contacts of the last step act as outer forces in the solve
//   2. meet: which points touch at the end of that motion (contact/contact_stage.hpp)
//   3. answer: the contact problem about that motion changes the impulses by dr, so that r is on Coulomb's
//      cone; the motion is solved again with r, theta is measured, and so once more
//   4. move: the problem about the last motion with theta = 1: its dr moves the touching nodes alone,
//      v += M^-1 J^T dr, and the end is feasible
//   5. lift: what still is deeper than the slop is moved out, velocities unchanged
// At rest dr = 0: the forces that were recalled carry the body, whatever response was assumed. With theta = 1
// throughout, impulses would follow changes of the motion as slowly as the touching nodes are light: a body
// of thousands of nodes would float on forces of an impact long past.
// Without the orientation term a layer of cells that is pressed flat onto a plane feels no force off it and
// stays flat for ever (all terms are even in the distance); so that it never is exactly flat, each point then
// keeps its own distance from colliders, up to 1e-3 of a spacing [the trap: docs/methods/metric.md].
#pragma once

#include "pliant/methods/metric/contact_response.hpp"
#include "pliant/methods/metric/energy.hpp"
#include "pliant/methods/metric/equation.hpp"
#include "pliant/methods/metric/scratch.hpp"

namespace pliant::metric {

/// Contact in one step of a body.
class ContactStep {
 public:
  /// Model and points outlive this object. unit: a typical mass, kg.
  ContactStep(const Model& model, const Gather& points, double unit);

  /// A new step, without contacts yet: the forces of the last one are added to `outer`, N.
  void recall(const State& state, bool colliders, std::span<Vec3> outer);
  /// The contacts of the step that ends at end.x: again, where there are none as long as the recalled forces
  /// lift the body. What was recalled for them starts their impulses. rigid: as
  /// ContactResponse::set_rigid.
  void meet(const Context& step, const Equation& equation, const State& state, const Scratch& end,
            std::span<const RigidAnswer> rigid);
  /// theta from what the last change of the impulses did.
  void measure_share(const Scratch& end);
  /// Whether a step that ends at end.x touches: for bdf2, before anything else of a step. pass: it does not;
  /// true: the rebound of an impact that is over changes velocities.
  bool touches(const Context& step, const State& state, const Scratch& end);
  bool pass(const Context& step, const Strengths& strengths, State& state, Scratch& end);
  ContactStage& stage() { return stage_; }
  bool touched() const { return !stage_.empty(); }
  /// Neither contacts nor recalled forces.
  bool is_idle() const { return stage_.empty() && recalled_.empty(); }

  /// The contact problem about the motion as it is changes the impulses: on_nodes() = J^T dr. Of contacts
  /// that are gone, the recalled forces are taken back. last: with theta = 1. False: nothing changes.
  bool answer(bool last, const Context& step, const State& state, const Scratch& end);
  std::span<const Vec3> on_nodes() const { return on_nodes_; }  ///< N s
  /// The changed impulses move the touching nodes alone.
  void move(double h, Scratch& end);
  /// What still is too deep is moved out of the colliders.
  void lift(const Context& step, Scratch& end);
  /// Where the solves did not answer an impact, nodes are moved out of a collider one by one. True: that
  /// strains the body by more than it came with.
  bool tears(const Context& step, const State& state, const Strengths& strengths, const Scratch& end) const;
  /// Restitution (contact/rebound.hpp), of bodies that nothing holds.
  bool rebound(const Context& step, const Strengths& strengths, State& state, Scratch& end);
  /// The step stands.
  void finish(const Context& step, State& state, const Scratch& end);

 private:
  double jitter(Index point) const;
  double closing_speed(const Contact& contact, double h, const State& state, const Scratch& end) const;

  const Model& model_;
  ContactStage stage_;
  ContactResponse response_;
  double share_ = 1;                   // theta
  double alone_ = 0, as_a_whole_ = 0;  // dr . D dr and dr . D_rigid dr of the last change
  Points recalled_;                    // forces of the last step that no contact has taken over, N
  Points speeds_;                      // of the contact points before the last change, m/s
  Points on_nodes_;
  Points kick_;      // velocities that the rebound adds, m/s
  Points solved_x_;  // the end before nodes are moved one by one
};

}  // namespace pliant::metric
