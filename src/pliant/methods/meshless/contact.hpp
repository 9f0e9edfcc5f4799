// SPDX-License-Identifier: Apache-2.0
// Contact within the step (contact/contact_stage.hpp), with impulses r = h (contact force) on the surface:
//   1. find      which points would touch at the end of the free motion
//   2. answer    r of the contact problem about that motion
//   3. respond   the motion that these forces cause, by the matrix of the step: K and not only S
//   4. correct   the contact problem about the new motion changes r by dr; the motion by S^-1 J^T dr / h.
//                The end is feasible.
//   5. positions what still is deeper than the slop is moved out, velocities unchanged
//   6. rebound   what an impact that is over lacks to the restitution of the collider (contact/rebound.hpp)
#pragma once

#include "pliant/methods/meshless/contact_response.hpp"
#include "pliant/methods/meshless/equation.hpp"
#include "pliant/methods/skin.hpp"

namespace pliant::meshless {

/// Contact in one step of a body.
class ContactStep {
 public:
  /// All outlive this object.
  ContactStep(const Model& model, const Skin& skin, Cache& cache);

  /// Whether something touches on the way to scratch.x, the end of the free motion.
  bool touches(const Equation& e);
  /// The end of a step in which nothing touches: sets scratch.v, and what the next step needs to know.
  /// True: it rebounds, its velocities jump.
  bool pass(Equation& e);
  /// A step of Euler. scratch.x is the end of the free motion, and then that with contact; also sets scratch.v,
  /// and what the next step needs to know of the contacts. True: there are some.
  bool meet(Equation& e);

  ContactStage& stage() { return stage_; }
  std::size_t memory_bytes() const { return response_.memory_bytes(); }

 private:
  /// Steps 2 to 4.
  void answer(Equation& e);
  bool rebound(Equation& e);
  /// use(body): the parts as rigid bodies, from the beginning to the end of the step.
  template <class Do>
  void as_parts(Equation& e, Do&& use);

  ContactStage stage_;
  ContactResponse response_;
  Points kick_;  // velocities that the rebound adds, m/s
};

}  // namespace pliant::meshless
