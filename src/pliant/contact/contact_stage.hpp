// SPDX-License-Identifier: Apache-2.0
// Contact within a step, the same for all methods (docs/methods/contact.md). A step goes
//   1. find          which points touch at the end of the motion without contact
//   2. couple        the contact problem: how those points answer impulses
//      set_targets   by how much each gap may close
//      warm_start    the impulses of the last step
//   3. answer        impulses r about a motion that contains none
//      correct       the same about a motion that contains r: they change by dr
//   4. position_pass what still is deeper than the slop is moved out, velocities unchanged
//      push_out      the same before the body has moved, for bodies whose nodes cannot be moved afterwards
//   5. rebound       what an impact that is over lacks to the restitution of the collider (rebound.hpp)
//   6. tell, log, remember
// The method says how a point of its surface answers (SurfaceResponse), where the points are at the ends of
// the step (nodes, by the rows of the embedding), how fast they move (a function of the contact), and brings
// impulses back to its own motion: rows().collect gives them on the nodes.
#pragma once

#include <algorithm>

#include "pliant/base/check.hpp"
#include "pliant/contact/contact_log.hpp"
#include "pliant/contact/contact_memory.hpp"
#include "pliant/contact/contact_problem.hpp"
#include "pliant/contact/contact_rows.hpp"
#include "pliant/contact/detection.hpp"
#include "pliant/contact/position_pass.hpp"
#include "pliant/contact/rolling.hpp"
#include "pliant/physics/step.hpp"

namespace pliant {

/// How a body answers impulses r (N s) on its surface: its freedoms move by B J^T r (m/s), and so the contact
/// points by W r, W = J B J^T.
class SurfaceResponse {
 public:
  virtual ~SurfaceResponse() = default;
  /// Makes the problem of these contacts: matrix, normals, friction, and the parts that turn. Velocities and
  /// biases are the stage's.
  virtual void fill(std::span<const Contact> contacts, ContactProblem& problem, Pool& pool) = 0;
};

/// Of a body whose surface is linear in its nodes: they can be moved when the step is done.
class NodeResponse : public SurfaceResponse {
 public:
  /// x += B J^T r for r in m kg: velocities stay.
  virtual void displace(std::span<const Contact> contacts, std::span<const Vec3> r, std::span<Vec3> x,
                        Pool& pool) = 0;
};

class ContactStage {
 public:
  ContactStage() = default;
  ContactStage(const ContactStage&) = delete;  // its rooms refer to its points
  ContactStage& operator=(const ContactStage&) = delete;

  /// The nodes of a step.
  struct Motion {
    std::span<const Vec3> begin, end;            ///< now, and at the end of the step without contact
    std::span<const unsigned char> held = {};    ///< by node; empty: points of held nodes count like others
    int most = std::numeric_limits<int>::max();  ///< contacts, where that is below the body's option
  };
  struct Correction {
    ContactProblem::Outcome outcome;
    double most = 0;  ///< largest component of dr, N s
  };

  /// The parts of a body that nothing holds and whose problem is split, as they turn.
  struct Rolling {
    const StepInput& input;
    std::span<const double> mass;   ///< kg
    std::span<const Vec3> turning;  ///< rad/s, of the motion that the problem is about
  };

  enum class Order { place, given };
  /// points: those that may meet colliders, from the nodes. edge: of the mesh of nodes, m. Contacts number the
  /// points by their places at rest (point_order.hpp), or as given.
  void attach(const Gather& points, std::span<const Vec3> rest_nodes, double edge,
              Order order = Order::place);
  const ContactRows& rows() const { return rows_; }
  /// Of each point that was given, the number it has in contacts and rows.
  std::span<const Index> numbers() const { return numbers_; }
  /// As the last find() left them.
  std::span<const SideMemory> sides() const { return sides_; }
  double size() const { return detection_.size(); }  ///< of the body, m

  /// No contacts, and nothing is known of sides.
  void clear();
  /// The contacts of the step, sorted by key; all impulses are zero.
  void find(const StepInput& input, const Motion& motion, const ContactState& state);
  bool empty() const { return contacts_.empty(); }
  std::span<Contact> contacts() { return contacts_; }
  std::span<const Contact> contacts() const { return contacts_; }
  /// r, one entry a contact, N s.
  std::span<Vec3> impulses() { return impulses_; }
  std::span<const Vec3> impulses() const { return impulses_; }
  /// dr of the last correct().
  std::span<const Vec3> changes() const { return changes_; }
  /// Torques against the rolling of the parts of the problem, N m s, and what the last correct() changed of them.
  /// Empty: there are none.
  std::span<const Vec3> torques() const { return torques_; }
  std::span<const Vec3> torque_changes() const { return torque_changes_; }
  ContactProblem& problem() { return problem_; }
  /// note() is the method's: once for each problem whose impulses stand.
  Rebound& rebound() { return rebound_; }
  /// Rolling resistance (rolling.hpp) after the step.
  void resist_rolling(const StepInput& input, ReboundBody& body) { resist_rolling(input, edge_, body); }
  /// The same of a body whose points are so far apart, m.
  void resist_rolling(const StepInput& input, double edge, ReboundBody& body) {
    rolling_.resist(input, contacts_, impulses_, edge, body);
  }

  void couple(SurfaceResponse& response, Pool& pool) {
    response.fill(contacts_, problem_, pool);
    PLIANT_CHECK(problem_.positive());
  }

  /// bias(contact): the speed at which the gap may close, m/s.
  template <class Bias>
  void set_targets(Bias&& bias) {
    for (Index c = 0; c < problem_.size(); ++c) problem_.row(c).bias = bias(contacts_[std::size_t(c)]);
  }
  /// The problem begins with the forces of the last step times h; of the same point and collider where the
  /// feature is new.
  void warm_start(const ContactState& state, double h);
  /// The problem begins with impulses() as they are.
  void start_from_impulses();

  /// velocity(contact): of the contact point, m/s, without impulses.
  template <class Velocity>
  ContactProblem::Outcome answer(int sweeps, double tolerance, StepReport& report, Velocity&& velocity,
                                 const Rolling* rolling = nullptr) {
    for (Index c = 0; c < problem_.size(); ++c) {
      const Contact& contact = contacts_[std::size_t(c)];
      problem_.row(c).free = velocity(contact) - contact.velocity;
    }
    if (rolling) add_rolling(*rolling, false);
    const ContactProblem::Outcome outcome = solve(sweeps, tolerance, report);
    take_impulses();
    return outcome;
  }
  /// velocity(contact): with the impulses that the problem has.
  template <class Velocity>
  Correction correct(int sweeps, double tolerance, StepReport& report, Velocity&& velocity,
                     const Rolling* rolling = nullptr) {
    problem_.rebase([&](Index c) -> Vec3 {
      const Contact& contact = contacts_[std::size_t(c)];
      return velocity(contact) - contact.velocity;
    });
    if (rolling) add_rolling(*rolling, true);
    const ContactProblem::Outcome outcome = solve(sweeps, tolerance, report);
    return {outcome, take_changes()};
  }

  /// Moves what is deeper than the slop out, at most `passes` times; x: nodes at the end of the step. True:
  /// something was moved.
  bool position_pass(int passes, const StepInput& input, NodeResponse& response, std::span<Vec3> x,
                     StepReport& report);
  /// How deep what find() saw near colliders is in them with nodes at x, m; 0: nothing is in any.
  double depth(const StepInput& input, std::span<const Vec3> x);
  /// Impulses along the normals that would move contacts out, after answer(); they are no part of
  /// impulses(). velocity(contact, u): how fast the contact should be moved out, m/s and negative, or 0; u: of
  /// the contact point relative to the collider at the end of the step. None: nothing is to be moved.
  template <class Velocity>
  std::span<const Vec3> push_out(Velocity&& velocity) {
    velocities_.clear();
    for (Index c = 0; c < problem_.size(); ++c)
      velocities_.push_back(velocity(contacts_[std::size_t(c)], problem_.velocity(c)));
    const bool any = std::any_of(velocities_.begin(), velocities_.end(), [](double v) { return v < 0; });
    return any ? position_pass_.solve(contacts_, velocities_, problem_) : std::span<const Vec3>();
  }

  /// Sets how many contacts have an impulse, and adds all impulses, times `scale`.
  void tell(StepReport& report, double scale = 1) const;
  /// Adds what the contacts did to the log of the input, if there is one: impulses() times `scale`. begin,
  /// end(contact): where the contact point is at the two ends of the step.
  template <class Begin, class End>
  void log_at(const StepInput& input, double scale, Begin&& begin, End&& end) const {
    if (!input.contact_log) return;
    for (std::size_t c = 0; c < contacts_.size(); ++c) {
      const Contact& contact = contacts_[c];
      const Vec3 to = end(contact), way = to - begin(contact) - input.h * contact.velocity;
      input.contact_log->add({.key = contact.key,
                              .point = to,
                              .normal = contact.normal,
                              .gap = contact.gap + contact.normal.dot(way),
                              .impulse = scale * impulses_[c]});
    }
  }
  /// Of a body of nodes, which are there at the two ends of the step.
  void log(const StepInput& input, double scale, std::span<const Vec3> begin,
           std::span<const Vec3> end) const {
    log_at(
        input, scale, [&](const Contact& c) { return rows_.observe(c, begin); },
        [&](const Contact& c) { return rows_.observe(c, end); });
  }
  /// What the next step needs: forces r/h and sides. open: contacts without a force start from zero in the
  /// next step; otherwise they start from the force of another feature of their point, if there is one.
  void remember(double h, ContactState& state, bool open = false) const;

 private:
  Detection::Step detection_step(const StepInput& input) const;
  ContactProblem::Outcome solve(int sweeps, double tolerance, StepReport& report);
  /// Makes the problem find torques against rolling, from those known. moved: the turning is that with impulses.
  void add_rolling(const Rolling& rolling, bool moved);
  /// impulses_ and torques_ from the problem.
  void take_impulses();
  /// The same, and changes_; returns its largest component.
  double take_changes();

  Gather points_;
  std::vector<Index> numbers_;
  ContactRows rows_;
  Detection detection_;
  ContactProblem problem_, position_problem_;
  PositionPass position_pass_;
  Rebound rebound_;
  RollingResistance rolling_;
  double edge_ = 0;  // of the mesh of nodes, m
  std::vector<Contact> contacts_, touches_;
  Points impulses_, changes_, torques_, torque_changes_;
  std::vector<double> velocities_;  // of push_out
  std::vector<SideMemory> sides_;
};

}  // namespace pliant
