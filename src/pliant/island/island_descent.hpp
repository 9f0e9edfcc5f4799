// SPDX-License-Identifier: Apache-2.0
// The step of bodies that touch: ways D of all bodies and impulses r with G_b(D_b) = h' J_b^T r for every body b, r on
// Coulomb's cones (island_step.hpp). Accelerated projected gradients [Nesterov83] with restarts [ODonoghue15] in the
// metric of B^-1, over all bodies at once. From Y_0 = D_0,
//   D_k+1 = Y_k - B g(Y_k) + h' B J^T r      the projected step: r solves the contact problem about Y_k - B g(Y_k)
//   Y_k+1 = D_k+1 + b_k (D_k+1 - D_k),       b_k = (t_k - 1)/t_k+1,  t_k+1 = (1 + sqrt(1 + 4 t_k^2))/2,  t_0 = 1
// g is linear in D within a model. Where (D_k+1 - Y_k) . B^-1 (D_k+1 - D_k) < 0, t begins anew. Every D_k keeps to the
// contacts and the energy falls because B^-1 bounds H. Where contacts stay open, stuck or sliding as they are, Y_k+1
// minimises the model energy over the projected step and the direction before: conjugate gradients.
// Bodies that turn get new models about where they are; where that does not settle, B without its turning bounds every
// Hessian, and plain projected steps with a new model each cannot climb.
#pragma once

#include <limits>
#include <span>

#include "pliant/base/tiny_numbers.hpp"
#include "pliant/island/member.hpp"

namespace pliant {

class IslandDescent {
 public:
  struct Limits {
    int sweeps = 0;        ///< of one contact problem, at most
    double tolerance = 0;  ///< of contact problems, m/s
    double lively = 0;     ///< rad: bodies that turn farther get another model
  };
  struct Outcome {
    bool answers = true;   ///< false: prepare() could not
    bool violent = false;  ///< bodies turned too far for models that let them turn as rigid bodies
  };
  /// Members have begun their step. prepare(): makes the problem about their models, with its targets; false: it has
  /// no answer. The ways are those of the end, and the impulses of the rows belong to them.
  template <class Prepare>
  Outcome run(std::span<Member* const> members, IslandProblem& problem, const Limits& limits,
              Prepare&& prepare) {
    const FlushTinyNumbers in_this_descent;
    members_ = members;
    problem_ = &problem;
    limits_ = limits;
    sweeps_ = 0;
    states_.clear();
    if (!prepare()) return {.answers = false};
    const Model first = descend(most_projections);
    if (first.bounded && first.turn <= limits.lively) return {};
    Outcome outcome{.violent = first.turn > too_far};
    Again again(first);
    if (!first.bounded) start_anew(false);
    while (again.goes_on()) {
      renew(true);
      if (!prepare()) return {.answers = false};
      again.found(descend(most_projections));
    }
    if (again.settled()) return outcome;
    outcome.violent = true;
    start_anew(true);
    for (int k = 0; k < bounded_steps; ++k) {
      renew(false);
      if (!prepare()) return {.answers = false};
      descend(0);
    }
    return outcome;
  }
  int sweeps() const { return sweeps_; }
  double residual() const { return residual_; }  ///< of the last contact problem, m/s

 private:
  static constexpr int most_projections = 40, bounded_steps = 8;
  static constexpr double too_far = 0.3;  // rad

  /// What one model led to.
  struct Model {
    bool bounded = true;  ///< false: B^-1 does not bound H, the step may climb
    double first = 0;     ///< squared residual of its first step, kg m^2
    double turn = 0;      ///< rad
  };
  /// Whether another model is due after the last.
  class Again {
   public:
    explicit Again(const Model& first) : before_(first.first) {}
    bool goes_on() const { return !settled_ && !climbs_; }
    bool settled() const { return settled_; }
    void found(const Model& model);

   private:
    double before_, first_ = 0, least_ = std::numeric_limits<double>::infinity();
    int models_ = 0;
    bool settled_ = false, climbs_ = false;
  };

  /// At most so many projected steps after the first.
  Model descend(int most);
  /// The contact problem about D - B g, and the projected steps. Returns the squared residual, kg m^2.
  double project(double tolerance);
  bool states_changed();
  /// What a residual of the contact problem of 1 m/s leaves of the squared residual, kg m^2.
  double left() const;
  void renew(bool arcs);
  void start_anew(bool bound);

  std::span<Member* const> members_;
  IslandProblem* problem_ = nullptr;
  Limits limits_;
  std::vector<char> states_;  // of the rows: open, stuck or sliding
  int sweeps_ = 0;
  double residual_ = 0;
};

}  // namespace pliant
