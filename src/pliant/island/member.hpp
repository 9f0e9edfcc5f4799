// SPDX-License-Identifier: Apache-2.0
// A body that may meet others, and what a step of its island knows of it.
#pragma once

#include <memory>

#include "pliant/contact/contact_body.hpp"
#include "pliant/island/island_problem.hpp"
#include "pliant/island/meeting_surface.hpp"
#include "pliant/methods/method.hpp"
#include "pliant/proximity/self_search.hpp"

namespace pliant {

struct Member {
  Index body = 0;  ///< in the simulation
  Method* method = nullptr;
  ContactBody* contact = nullptr;
  std::unique_ptr<MeetingSurface> surface;
  std::unique_ptr<SelfSearch> self;  ///< it meets itself, too; or nothing
  double thickness = 0;              ///< m: two bodies keep half the sum of theirs
  double usual = 0;                  ///< the thickness when its contact options give none, m; 0: of the size
  double friction = 0;               ///< < 0: not given

  // Sleeping (sleeping.hpp).
  bool settled = false;    ///< nothing that changes with time acts on it
  double quiet = 0;        ///< for how long it has been at rest, s
  Index sleeps_with = -1;  ///< the lowest member of those that fell asleep with it; -1: it is awake
  bool asleep() const { return sleeps_with >= 0; }

  StepInput input;                     ///< as the body's own step has it
  StepInput whole;                     ///< the same of the whole step, while it is made in parts
  Points targets;                      ///< of held nodes, in a part
  StepReport report;                   ///< of the whole step
  StepReport earlier;                  ///< of the parts of the step so far
  bool movable = true, closed = true;  ///< at the start; the surface bounds a volume

  // Vertices of the surface, m. `at` is where the way that is accepted so far ends.
  Points begin, at, end;
  Points step_begin;  ///< of the whole step, while it is made in parts
  // Nodes.
  Points node_begin, v_begin, node_at;
  Points v_start;        ///< before the jump of an impact
  Points hat;            ///< x^ of the step: x = x^ + h' v
  Points outer;          ///< forces of a step, N
  Points wanted;         ///< impulses of the rows, N s
  Points applied;        ///< those that the present state knows
  Points change;         ///< scratch
  Points end_x, end_v;   ///< nodes where a descent ended
  double mass = 0;       ///< kg
  Vec3 couple{0, 0, 0};  ///< N m s
  Vec3 mean_v{0, 0, 0};  ///< of the centre of mass, m/s
  std::vector<unsigned char> held;

  std::vector<Contact> ground;       ///< with colliders
  std::vector<Contact> more_ground;  ///< found since the problem was built: for the next
  Points ground_impulses;            ///< N s
  std::vector<SideMemory> sides;     ///< of colliders the body is on
  std::vector<Contact> contacts;     ///< of all rows of this body
  ContactLog log;                    ///< of a step or part of one, until it is done
  ContactProblem problem;

  double rate() const { return contact->rate(input.h); }
  const ContactRows& rows() const { return contact->stage().rows(); }
  const Points& x() const { return contact->nodes().x; }
  const Points& v() const { return contact->nodes().v; }
  void place_surface(std::span<const Vec3> nodes, Points& out) const {
    out.resize(std::size_t(rows().points().rows()));
    gather(rows().points(), nodes, out);
  }
};

/// `report` is of the later part of a step.
inline void add_earlier(StepReport& report, const StepReport& earlier) {
  for (double StageTimes::*stage : {&StageTimes::rotation, &StageTimes::rhs, &StageTimes::solve,
                                    &StageTimes::contact, &StageTimes::total})
    report.ms.*stage += earlier.ms.*stage;
  report.iterations += earlier.iterations;
  report.violent |= earlier.violent;
  report.refactored |= earlier.refactored;
  report.contact_sweeps += earlier.contact_sweeps;
  report.contact_impulse += earlier.contact_impulse;
  report.rounds += earlier.rounds;
  report.shortened += earlier.shortened;
}

}  // namespace pliant
