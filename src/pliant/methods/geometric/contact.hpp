// SPDX-License-Identifier: Apache-2.0
// Contact within the step (docs/methods/contact.md), by the stage that all methods share
// (contact/contact_stage.hpp). With u = J v the velocities of surface vertices and r = h' (contact force) the
// impulses, the step's equation becomes G(D) = h' J^T r. J: surface points from nodes; B: what one step makes
// of an impulse, about A^-1 (contact_response.hpp); feasible: no point approaches a collider faster than its
// gap allows. The step goes
//   1. meet: which vertices would touch without contact (detection.hpp)
//   2. impact (BDF2 only): velocities jump where the body runs into a collider. BDF2 would read the jump as a
//      force and go on with a third of it: v^ = v + (v - v_before)/3 bounces. So what the collider takes from
//      the velocities at the beginning of the step is taken from both instants at once, as if the body had
//      always moved with it: v^ += dv, x^ += h/3 dv, dv = B J^T p with p from the contact problem about v.
//   3. projected step: r of the contact problem about the free motion D = -B G(0); D + h' B J^T r is feasible
//   4. Newton: conjugate gradients over projected steps, the contact problem inside each (contact_newton.hpp).
//      J^T r has also the torques that resist rolling (contact/rolling.hpp), as nodal impulses that turn a part rigidly.
//   5. momentum: exact, with the forces r (momentum.hpp)
//   6. last answer: the contact problem about that motion changes r by dr, the motion by dv = B J^T dr. The
//      end is feasible, and a body at rest under constant r stays at rest exactly, whatever B is.
//   7. position pass: what still is deeper than the slop is moved out, velocities unchanged.
//   8. rebound: what an impact that is over lacks to the restitution of the collider.
#pragma once

#include "pliant/methods/geometric/contact_response.hpp"
#include "pliant/methods/geometric/energy.hpp"
#include "pliant/methods/geometric/equation.hpp"
#include "pliant/methods/geometric/skin.hpp"

namespace pliant::geometric {

class ContactStep {
 public:
  /// All outlive this object.
  void build(const Model& model, const Skin& skin, Cache& cache, KeptVolume& kept);

  // ---- steps 1 and 2 ----

  /// Finds the contacts of the free motion D = -z. In: g = G(0), z = A^-1 g; both are renewed after an
  /// impact. True: there are contacts; then z = B g, and the contact problem has its matrix and targets.
  bool meet(Equation& e, SolverVectors& v);
  bool any() const { return !stage_.empty(); }
  /// No contacts and no jump.
  void forget();
  /// Whether something would touch on the way from the state to these places of the nodes.
  bool would_touch(const Equation& e, std::span<const Vec3> end);
  /// The jump of the velocities, m/s; null: there was none.
  const Points* jump() const { return jumped_ ? &jump_ : nullptr; }

  // ---- step 3, which step 4 repeats ----

  /// Back to D = 0, with g = G(0) and z = B g; without `split`, B = A^-1 from now on.
  void restart(bool split, Equation& e, SolverVectors& v);
  /// The contact problem about X0 + D, with the impulses that are known; g = G(D), z = A^-1 g in, B g out.
  void linearise_at(Equation& e, SolverVectors& v);
  /// z = B g, for g = G(D).
  void solve_residual(Equation& e, SolverVectors& v);
  /// step = D' - D, D' = D - B g + h' B J^T r feasible, r of the contact problem about D - B g; g = G(D),
  /// z = B g. scratch.contact.load = h' J^T r.
  void project_step(int sweeps, double tolerance, Equation& e, SolverVectors& v, Floats& step);

  /// What a residual of the contact problem, m/s, leaves of a step: squared in the norm of B^-1, kg m^2.
  double left(double residual, const Equation& e);

  /// Whether a contact opened, closed, began to slide or stopped sliding since the last call.
  bool states_changed();

  bool split() const { return response_.split(); }
  Index size() const { return Index(stage_.contacts().size()); }
  double total_mass() const { return total_mass_; }          ///< of the body, kg
  const std::vector<char>& turns() const { return turns_; }  ///< per part: its rigid turning can be split off

  // ---- for contact with other bodies (meeting.hpp) ----

  ContactStage& stage() { return stage_; }
  ContactResponse& response() { return response_; }
  /// z = A^-1 g in, z = B g out, for g = G(d).
  void complete_residual(Equation& e, const Floats& d, const Floats& g, Floats& z);
  /// Whether parts may turn rigidly: they are loose, and single precision tells their turning apart.
  bool free_to_turn(const Scheme& scheme, bool loose) const;

  /// A step that was made, for the rebound: nodes at its ends, and what it changes of the last.
  struct Made {
    std::span<const Vec3> x, v;
    std::span<Vec3> end_x, end_v, kicked;
  };
  /// Restitution after such a step, of what the stage has noted. Nothing: no kick. Else its impulse, N s.
  std::optional<Vec3> rebound_from(Equation& e, const StepInput& input, const Made& made,
                                   std::vector<ImpactMemory>& impacts);

  // ---- steps 5 to 8 ----

  /// The input's forces, and those of the contacts, in scratch.outer_forces.
  std::span<const Vec3> outer_forces(Equation& e) const;
  /// Rolling resistance (contact/rolling.hpp) after the step, where the contact problem is not split into parts that
  /// turn and could not find it: of bodies that nothing holds.
  void resist_rolling(Equation& e);
  void last_answer(Equation& e);
  void position_pass(Equation& e);
  /// Restitution (contact/rebound.hpp), of bodies that nothing holds.
  void rebound(Equation& e, std::vector<ImpactMemory>& impacts);
  /// What the next step needs to know; the state is that of the end of the step.
  void remember(const Equation& e, State& state) const;

 private:
  /// The contacts of the free motion D = -z.
  void find_contacts(const Equation& e, const Floats& z);
  /// Step 2. True: the velocities jump.
  bool jump_at_impact(Equation& e);
  /// The same: nothing holds them in this step.
  bool free_to_turn(const Equation& e) const;
  /// The contact problem about positions x, in places; z = A^-1 g in, B g out.
  void prepare_problem(const Doubles& x, bool split, Equation& e, SolverVectors& v);
  /// By how much the gaps may close.
  void set_targets(const Equation& e);
  /// The velocity of a contact point when the nodes move by d from the prediction.
  Vec3 velocity_of(const Contact& contact, const Floats& d, const Equation& e) const;
  /// use(body): the parts as rigid bodies, from the beginning to the end of the step.
  template <class Do>
  void as_parts(Equation& e, Do&& use);
  template <class Do>
  void as_parts(Equation& e, const Made& made, Do&& use);
  /// Torques take part in the next answer about D = load, or about the velocities.
  ContactStage::Rolling rolling_about(const Floats& load, const Equation& e);
  ContactStage::Rolling rolling_about(std::span<const Vec3> velocities, const Equation& e);
  /// on_nodes_ = J^T of these.
  void collect(std::span<const Vec3> impulses, std::span<const Vec3> torques, Points& out) const;
  /// array += scale J^T r on the free nodes.
  void add_impulses(double scale, Floats& array) const;

  const Model* model_ = nullptr;
  const Arrangement* arrangement_ = nullptr;
  const LinearSystem* system_ = nullptr;
  double total_mass_ = 0;
  bool whole_stencils_ = true;  // no vertex hangs on two parts
  std::vector<char> turns_;

  ContactStage stage_;
  ContactResponse response_;

  // Of the step.
  std::vector<char> states_;  // of the contacts: open, stuck or sliding
  Points on_nodes_;           // J^T r
  Points turning_;            // of the parts, rad/s
  std::vector<double> part_mass_;
  Points jump_, change_, free_end_, kick_;
  bool jumped_ = false, moved_ = false, kicked_ = false;
  Rotations rotations_;  // of an energy
};

}  // namespace pliant::geometric
