// SPDX-License-Identifier: Apache-2.0
// One step of bodies that touch each other [Zheng26; Ly20]. The unknowns are the ways D of all bodies from their
// predictions, and the impulses r of all contacts, those with colliders included. A body gives a linear model of its
// step and the response B that bounds it (contact/contact_body.hpp); so bodies of any methods meet.
//   1. rows      pairs of features that are near, or would be hit on the way; with the forces of the last step
//   2. begin     every body predicts the end of its step: D = 0
//   3. impact    (BDF2) where velocities at the beginning of the step run into each other they jump before the
//                step: the contact problem about v_n
//   4. descend   accelerated projected steps. Each solves the contact problem about the motions D - B g of all
//                bodies, so that every D keeps to the contacts; models are renewed where bodies turn. Given forces
//                instead of given places would be no way: a body that is pressed gives way to them, and buckles.
//   5. end       every body ends its step with the impulses as outer forces, which makes its momentum exact; the
//                problem about that end changes the impulses once more, and B brings in the change
//   6. way       how far surfaces can go on the straight way from where they are without coming near zero distance.
//                All pairs that stop it get rows, surfaces go that far, and 2 to 5 are done again with new normals;
//                done when the whole way is free
//   7. positions pairs and colliders that are too deep are moved apart; velocities stay
// Momentum is exact whatever the impulses: equal ones act on both bodies. Surfaces that have not crossed do not
// cross: 6 accepts no other step. Where it finds none, bodies stop on their way and the report says so.
#pragma once

#include <span>

#include "pliant/island/bonds.hpp"
#include "pliant/island/island_descent.hpp"
#include "pliant/island/pair_rows.hpp"

namespace pliant {

/// The force of a pair of features in the last step.
struct PairMemory {
  PairKey key;
  Index unused = 0;     ///< no bytes without a value
  Vec3 force{0, 0, 0};  ///< N, on the first body
};

/// Two bodies that may meet, or one that may meet itself.
struct BodyPair {
  Index first = 0, second = 0;  ///< members
  bool crossing = false;        ///< they overlap, and are led apart before they meet (leading_apart.hpp)
  Vec3 way{0, 0, 0};            ///< of the first, while they are led apart
  std::vector<PairRow> led;     ///< rows of that, for the next step
  std::vector<PairMemory> memory;
  std::vector<PairMemory> kept;  ///< the memory before the step

  // Of a step.
  double most_delta = std::numeric_limits<double>::infinity();  ///< of bodies that a bond ties, m
  double delta = 0, floor = 0;  ///< the distance to be kept, and that which is as good as touching, m
  double friction = 0;
  bool near = false;
  bool touching = false;  ///< features as good as touch: nobody could see whether they pass each other
  PairCandidates candidates;
  std::vector<PairRow> rows, hits;
  double free = 1;                ///< share of the last way that was free
  Points impulses;                ///< of the rows, on the first body, N s
  std::vector<PairMemory> known;  ///< impulses of the rows before they were found anew, by key

  bool within_one() const { return first == second; }
  PairMotion motion(const Member& a, const Member& b) const {
    return {*a.surface, *b.surface, a.at,
            b.at,       a.end,      b.end,
            delta,      floor,      within_one() ? a.self.get() : nullptr};
  }
};

/// Where surfaces were stopped on their way, so that a step lacks a part of its motion; or where bodies cross that
/// did not before.
struct Stop {
  Index first = 0, second = 0;  ///< bodies of the simulation
  Vec3 place{0, 0, 0};          ///< m
  double missing = 0;           ///< share of the step; 0: they cross
};

class IslandStep {
 public:
  struct Outcome {
    enum What { done, stuck, failed } what = done;
    Index member = 0;  ///< that failed
  };
  /// Surfaces of members are at `begin`, candidates of the pairs are known. stuck: surfaces do not get past each
  /// other in a step so long, or it has no finite end; it is to be made in halves. last: it is not. Bodies stay
  /// where the free way ended, and their reports say so; without a finite end it has failed. Only when it is done
  /// is the state that of its end.
  Outcome run(std::span<Member* const> members, std::span<BodyPair* const> pairs, std::span<Member> all,
              bool last, PairSearch& search, Pool& pool);
  /// Bonds between members, of all islands.
  void attach(Bonds& bonds) { bonds_ = &bonds; }
  /// Who stopped whom in the last run() that shortened the step.
  const Stop& stop() const { return stop_; }

 private:
  Member& member(Index of_all) { return all_[std::size_t(of_all)]; }

  void find_ground();
  bool find_more_ground(Member& member);
  static void add_ground(Member& member);
  void find_rows(bool first);
  void build_problem();
  void add_bonds();
  void set_bond_targets();
  void pass_on(BodyPair& pair);
  enum class At { begin, descent, end };
  void collect_impulses(At at);
  /// The motion reached stands for that of the state.
  static bool ends(const Member& member, At at);
  /// Nobody but the members has a share in their momentum.
  bool nothing_outside() const;
  void add_couple(Member& member, const Points& x);
  double way_of(const BodyPair& pair, const PairRow& row);
  /// False: failed_ could not.
  bool begin();
  bool impact();
  /// The responses of all bodies: of their models in the step, or about the places where they are.
  enum class About { model, end, kick };
  bool couple(About about);
  Vec3 velocity_of(Index row, bool at_begin) const;
  void set_targets();
  void scale_tolerance();
  bool descend();
  void answer_end();
  /// False: failed_ is beyond what numbers can hold, and its report says so.
  bool finite();
  /// Some node would go farther in this step than its body is large, and nothing outside works on the island.
  bool is_thrown() const;
  /// Kinetic, elastic, and that of gravity, J.
  double energy() const;
  void bring();
  double free_way(BodyPair& pair);
  double commit(bool final);
  void shorten(double left);
  void name_stop(double left);
  void move_apart();
  void shift_apart(double share);
  bool all_straight() const;
  void log_contacts();
  void tell_contacts();
  void finish();

  std::span<Member* const> members_;
  std::span<BodyPair* const> pairs_;
  std::span<Member> all_;
  PairSearch* search_ = nullptr;
  Pool* pool_ = nullptr;
  double h_ = 0;
  Index failed_ = 0;

  IslandProblem problem_;
  std::vector<IslandProblem::Part> parts_;
  std::vector<Index> slot_;  // of a member, its place in the island
  IslandDescent descent_;
  Points before_;
  std::vector<double> gaps_, lengths_;
  PairRows finder_;
  Bonds* bonds_ = nullptr;
  std::vector<TiedPoint*> tied_;  // of the island
  std::size_t first_tied_ = 0;    // row
  Stop stop_;
  double enough() const;
  double fastest_ = 0;  ///< node at the beginning of the step, m/s
  int sweeps_ = 0, most_sweeps_ = 0, rounds_ = 0;
  bool solved_ = false;  ///< impulses are those of the present rows
  bool answers_ = true;  ///< every body has a response that contact can be solved with
  double tolerance_ = 0, residual_ = 0;
};

}  // namespace pliant
