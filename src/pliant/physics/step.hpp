// SPDX-License-Identifier: Apache-2.0
// What goes into one time step of a body and what comes out of it.
#pragma once

#include <cstddef>
#include <limits>
#include <span>
#include <string>
#include <vector>

#include "pliant/base/parallel.hpp"
#include "pliant/base/result.hpp"
#include "pliant/base/types.hpp"

namespace pliant {

/// A soft pull of one node towards a place: force = stiffness * (target - x). At most max_grabs at a time.
struct Grab {
  Index node = 0;
  Vec3 target{0, 0, 0};  ///< m
  double stiffness = 0;  ///< N/m
};
inline constexpr int max_grabs = 16;

class Collider;    // contact/collider.hpp
class ContactLog;  // contact/contact_log.hpp

/// Bodies that overlap at the start are led apart, or the scene is refused.
enum class OverlapStart { allow, refuse };

/// How a body meets colliders; scene keys `friction` and `contact`.
struct ContactOptions {
  double friction =
      -1;           ///< of the body; with it the coefficient is sqrt(body * collider). < 0: the collider's
  int sweeps = 50;  ///< at most, of the contact solver
  double tolerance = 1e-5;  ///< m/s
  double slop = 1e-4;       ///< penetration that is left alone, share of the body's size
  double offset = 0;        ///< distance kept from colliders, m
  int most = 1000;          ///< contacts at a time; more are reduced to the deepest and outermost
  bool bodies = false;      ///< meets other bodies that do, not only colliders
  bool self = true;         ///< and itself; without `bodies`: it does not
  /// m: two bodies keep half the sum of theirs. 0: half a percent of the size of a closed body, or the offset if
  /// that is more; a tenth of the mean edge of an open one.
  double thickness = 0;
  OverlapStart start = OverlapStart::allow;  ///< where it overlaps another
};

/// What is wrong with them: no numbers, or out of range.
std::vector<Problem> check_contact(const ContactOptions& options, const std::string& place = {});

struct StepInput {
  double h = 1.0 / 60;                 ///< s
  double time = 0;                     ///< at the end of the step, s: where a skeleton is
  Vec3 gravity{0, 0, 0};               ///< m/s^2
  std::span<const Index> held = {};    ///< nodes under hard control (pins and handles), ascending
  std::span<const Vec3> targets = {};  ///< where each held node is at the end of the step, m
  /// Of each held node, how many its pin or handle holds, for methods that hold softly; empty: all are of
  /// one.
  std::span<const Index> hold_sizes = {};
  std::span<const Grab> grabs = {};          ///< soft pulls, never a refactorisation
  std::span<const Vec3> forces = {};         ///< external force per node, N; empty = none
  std::span<const Collider> colliders = {};  ///< aimed at this step
  ContactOptions contact;
  ContactLog* contact_log = nullptr;  ///< gets what each contact did; none: nobody asks
  Pool* pool = nullptr;               ///< required
};

/// Wall time of the stages of a step, ms.
struct StageTimes {
  double rotation = 0, rhs = 0, solve = 0, contact = 0, total = 0;
};

/// Bytes of a step, counted by the method from its data structures (padding and repeated passes included,
/// cache-line waste and scratch that a better order would avoid not). The bench divides them by the measured
/// bandwidth: no program that stores this data this way can be faster.
struct StepTraffic {
  std::size_t moved = 0;        ///< read and written over all passes of the step
  std::size_t working_set = 0;  ///< distinct bytes among them: decides which cache level feeds the step
  double multiply_adds = 0;     ///< in double precision, where a factor takes longer than its bytes
};

struct StepReport {
  std::string trouble;  ///< empty = fine; else what went wrong and what to do; the state is the last good one
  StageTimes ms;
  StepTraffic bytes;
  int iterations = 0;             ///< inner iterations of the step solver
  bool violent = false;           ///< the safety net was used
  bool refactored = false;        ///< a matrix was factored that stays
  bool factored_hessian = false;  ///< the step was solved by a factor of its own Hessian
  int contacts = 0;               ///< with an impulse
  int contact_sweeps = 0;
  double contact_residual = 0;    ///< m/s, of the last sweep
  double penetration = 0;         ///< deepest after the step, m
  Vec3 contact_impulse{0, 0, 0};  ///< total on the body, N s
  int rounds = 0;                 ///< linearisations of contact with other bodies; 0: it met none
  double shortened = 0;           ///< share of the step that is missing, because surfaces would have crossed
  int active_rotations = -1;      ///< rotations computed afresh; -1 = the method has none
  int kept_rotations = -1;        ///< that nothing told and that stayed as they were; -1 = cannot happen
  int yields = -1;                ///< places of the body that flowed for good; -1 = it cannot
  int breakdowns = -1;            ///< solves that broke down or were left unsolved; -1 = cannot happen
  bool ok() const { return trouble.empty(); }
};

}  // namespace pliant
