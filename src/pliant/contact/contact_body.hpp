// SPDX-License-Identifier: Apache-2.0
// How a body takes part in contacts that its own step does not know: those with other bodies
// (island/island_step.hpp). Its method steps as always, with the forces of these contacts among the outer
// forces; around that step
//   keep, restore   go back to the state before it, or before the part of it that is being made
//   rate            h': an impulse r of the contact problem acts as the force r/h', and a change dv of the
//                   velocities at the end moves the end by h' dv
//   respond         B J^T r: what impulses do to the end of the step, without another step
//   kick            an impact: velocities jump before the step, as if the body had always moved with them
//   move            the end of the step is moved
// The body is that of the present state; impulses are in N s, on nodes in the caller's order.
#pragma once

#include <span>

#include "pliant/contact/contact_stage.hpp"

namespace pliant {

class ContactBody {
 public:
  virtual ~ContactBody() = default;

  /// The vertices that may meet others, from the nodes, and the search for colliders they meet.
  virtual ContactStage& stage() = 0;
  /// Of the present state: forces and sides of contacts with colliders.
  virtual ContactState& memory() = 0;

  /// What is kept: the state before the whole step, that before a part of it, and that from which every attempt
  /// at the step or the part starts, with the jump of an impact.
  enum class Slot { step, part, attempt };
  /// Remembers the state. Allocates nothing after the first time.
  virtual void keep(Slot slot) = 0;
  /// The state is that of the last keep() of the slot.
  virtual void restore(Slot slot) = 0;
  /// Contacts with colliders before the attempt.
  virtual const ContactState& kept_memory() const = 0;

  /// A multistep scheme whose history does not fit this step would guess its beginning from the forces of
  /// contact. It is to begin as if the body had moved on a line. True: the state has changed.
  virtual bool begin_straight(const StepInput& input) = 0;
  /// After a violent step under contact: the next step is to begin as if the body had moved on a line.
  virtual void end_straight() = 0;
  /// h' of a step of length h, s.
  virtual double rate(double h) const = 0;
  /// The response to impulses, about the present places of the nodes. A step like `input` was made since the
  /// state was kept, so its matrix is at hand.
  virtual SurfaceResponse& response(const StepInput& input) = 0;
  /// dv = B (impulses on nodes), by the response about the places it was last asked for.
  virtual void respond(std::span<const Vec3> impulses, Points& dv, Pool& pool) = 0;

  virtual void kick(std::span<const Vec3> dv, double h) = 0;
  /// x += h' dv, v += dv.
  virtual void move(std::span<const Vec3> dv, double rate) = 0;
  /// x += dx: velocities stay, and so does the history.
  virtual void shift(std::span<const Vec3> dx) = 0;
};

}  // namespace pliant
