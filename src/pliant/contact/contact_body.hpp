// SPDX-License-Identifier: Apache-2.0
// How a body takes part in the step of an island (island/island_step.hpp), in which bodies that touch each other
// step together. Impulses r are in N s, those of this body's own contact problem: r = h' (contact force). On
// nodes they are J^T r, in the caller's order.
//
// The step in pieces. The unknown is the way D of the freedoms from their prediction X0 = x^ + h' v^; the step
// solves G(D) = h' J^T r. Of a linear model about some D the body keeps
//   g       G(D)                       H   the Hessian: G(D + d) = G(D) + H d
//   B       symmetric, about H^-1, and B^-1 bounds H: a step by B never climbs
//   step    a projected step: step = -B (g - h' J^T r)
//   p       the way from the last iterate to the next, and H p
// and the island puts these together: it solves the contact problem about the motion D - B g, whose answer r makes
// the projected steps of all bodies, and accelerates those (island_descent.hpp). Bodies whose freedoms are an array of
// numbers have the sums and products of this from DescendingBody (descending_body.hpp).
//
// Around the step: keep and restore go back to the state before it. When it has ended, impulses may still move the
// end by the response B (respond, move, shift), or change the velocities it begins with (kick).
#pragma once

#include <span>
#include <string>

#include "pliant/contact/contact_stage.hpp"

namespace pliant {

class ContactBody {
 public:
  virtual ~ContactBody() = default;

  /// The vertices that may meet others, from the nodes, and the search for colliders they meet.
  virtual ContactStage& stage() = 0;
  /// Of the present state: forces and sides of contacts with colliders.
  virtual ContactState& memory() = 0;

  /// The nodes that rows are over, at present.
  struct Nodes {
    const Points& x;  ///< m
    const Points& v;  ///< m/s
    std::span<const double>
        mass;           ///< kg; of points that carry none, weights that have the sum and the centre
    bool carry = true;  ///< the masses are those of the nodes
  };
  virtual Nodes nodes() const = 0;
  /// Teleport of the nodes, as Method::place.
  virtual void place(std::span<const Vec3> x, std::span<const Vec3> v) = 0;

  /// The method's own step meets colliders; else a body that is alone with them steps as an island, too.
  virtual bool meets_colliders_alone() const { return true; }

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
  /// After a step with these impulses on nodes, N s: a multistep scheme is to go on as if they had acted before it. Contact
  /// then acts in its own step alone, and smooth forces as the scheme says.
  virtual void pass_history(std::span<const Vec3> /*impulses*/) {}
  /// h' of a step of length h, s.
  virtual double rate(double h) const = 0;

  // ---- the step in pieces ----

  /// Predicts the end of the step: D = 0, g = G(0), and B g. Returns the trouble, or nothing.
  virtual std::string begin(const StepInput& input) = 0;
  /// x^ of every node: the end of the step is x^ + h' v.
  virtual std::span<const Vec3> hat() const = 0;
  /// B about X0 + D, for the contact problem.
  virtual SurfaceResponse& response() = 0;
  /// From the next begin() on, B may be a diagonal matrix, where that is about as good: problems of many contacts are
  /// then cheap. Around the step (respond) impulses then act on the masses alone.
  virtual void prefer_nodes(bool) {}
  /// It is one.
  virtual bool by_node() const { return false; }
  /// Velocities of all nodes in the motion D - B g.
  virtual void free_velocities(Points& v) const = 0;
  /// The projected step for these impulses on nodes. Returns step . (h' J^T r - g), the squared residual, kg m^2.
  virtual double project(std::span<const Vec3> impulses) = 0;
  /// H step. Returns step . H step.
  virtual double curve() = 0;
  struct Products {
    double mixed = 0;     ///< step . H p
    double straight = 0;  ///< p . H p
    double slope = 0;     ///< p . (h' J^T r - g)
  };
  virtual Products products() const = 0;
  /// p = s step + u p.
  virtual void extend(double s, double u) = 0;
  /// D += a step + b p, and g follows.
  virtual void move_by(double a, double b) = 0;
  /// B g of the present g.
  virtual void solve_residual() = 0;
  /// D += step: the end of this model. p = 0, and g is not known any more. Returns how far the surroundings of
  /// a node have turned since the model was made, rad: 0 where they cannot or where the equation is linear.
  virtual double end_model() = 0;
  /// A new model about the D reached. arcs: parts that have turned since the last model go on arcs, not on lines.
  virtual void renew_model(bool arcs) = 0;
  /// D = 0 again, and parts do not turn as rigid bodies in B any more: B^-1 bounds every Hessian. Follow with
  /// renew_model.
  virtual void start_anew(bool bound) = 0;
  /// Places and velocities of all nodes at D.
  virtual void reached(Points& x, Points& v) const = 0;
  /// The state is that at D, with the momentum of the outer forces and these impulses on nodes. Trouble: as before
  /// the step.
  virtual StepReport end(std::span<const Vec3> impulses, bool violent) = 0;
  /// After end(), too, response() and reached() are exact: of a body whose equation is linear.
  virtual bool ends_as_reached() const { return false; }

  // ---- before and after the step ----

  /// The response to impulses, about the present places of the nodes, in a step like `input`; begin() was called
  /// for one, so its matrix is at hand.
  virtual SurfaceResponse& response_at_rest(const StepInput& input) = 0;
  /// dv = B (impulses on nodes), by the response last asked for. What follows is about this answer.
  virtual void respond(std::span<const Vec3> impulses, Points& dv, Pool& pool) = 0;
  /// An impact: velocities jump by the answer before the step, as if the body had always moved with it.
  virtual void kick(double h) = 0;
  /// x += rate dv, v += dv.
  virtual void move(double rate) = 0;
  /// x += share dv s: velocities stay, and so does the history.
  virtual void shift(double share) = 0;
  /// After the step: what impacts with colliders that are over lack to their restitution (contact/rebound.hpp), from
  /// the hits that stage().rebound() has noted. x, v: nodes before the step. Returns the impulse, N s. By default
  /// bodies rebound by their elasticity alone.
  virtual Vec3 rebound(const StepInput& /*input*/, std::span<const Vec3> /*x*/, std::span<const Vec3> /*v*/) {
    return Vec3::Zero();
  }

  // ---- what it is like ----

  /// Points of the surface go on lines when the freedoms do. Of others move(), shift() and place() are asked anew for
  /// what they pass through.
  virtual bool is_straight() const { return true; }
  /// Of rows: more would need too much memory.
  virtual std::size_t most_contacts() const { return 3000; }
};

}  // namespace pliant
