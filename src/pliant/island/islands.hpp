// SPDX-License-Identifier: Apache-2.0
// Bodies that meet each other and themselves (docs/methods/contact/bodies.md). A step of all bodies goes
//   1. near     pairs of bodies whose surfaces are near, or would be, if every body kept its velocity; a body and
//               itself are a pair, too
//   2. islands  bodies joined by such pairs step together (island_step.hpp)
//   3. alone    all others step as if they were alone in the world, bit for bit
//   4. check    where two of them met after all, or one met itself, their step is done again as an island
#pragma once

#include <algorithm>
#include <functional>
#include <optional>
#include <string>

#include "pliant/island/island_step.hpp"
#include "pliant/island/leading_apart.hpp"

namespace pliant {

class Islands {
 public:
  /// A body that may meet others.
  struct Joiner {
    Index body = 0;
    Method* method = nullptr;
    std::span<const Triangle> triangles;  ///< between the points of the contact stage, in its given numbers
    ContactOptions contact;               ///< until its first step tells them anew
    double thickness = 0;                 ///< m, if the contact options give none; 0: of the size
    bool movable = true;                  ///< it starts here, and nothing holds it
    bool closed = true;                   ///< the triangles bound a volume
    std::span<const Vec3> rest = {};  ///< the same points at rest, in their given numbers; none: it does not
                                      ///< meet itself
  };

  /// In place of all bodies so far. Of two that were here before, what is known of their contact stays; also when
  /// all left in between. Pairs that overlap are led apart before they meet: overlaps() tells them. Of bodies that
  /// touch, one is moved by a hair, if it is movable.
  void attach(std::span<const Joiner> joiners);
  /// Bodies were put elsewhere: what was known of pairs is forgotten, and it is seen anew which cross.
  void look_again();
  /// Nobody steps here: no two bodies may meet or are tied, and none needs an island to meet colliders.
  bool empty() const {
    if (!bonds_.empty()) return members_.empty();
    return pairs_.empty() && std::ranges::none_of(members_, [](const Member& m) {
             return !m.contact->meets_colliders_alone();
           });
  }
  /// In place of all bonds so far: they are made where bodies and colliders are.
  void set_bonds(std::vector<Bond> bonds, std::span<const Collider> colliders, double time);
  const Bonds& bonds() const { return bonds_; }
  std::span<Member> members() { return members_; }
  /// Pairs (bodies of the simulation) that overlap and are led apart; a body and itself: it passes through itself.
  std::vector<IndexPair> crossing() const;
  /// How two bodies overlap now.
  std::vector<Overlap> overlaps();
  /// Where the last step stopped bodies, or lost hold of them.
  std::span<const Stop> stops() const { return stops_; }
  /// Of a body of the simulation: where its mesh passes through itself at rest, and so does not meet itself. Nothing
  /// where it meets itself nowhere.
  std::optional<SelfSearch::Flaws> flaws(Index body) const;

  /// Islands that come to rest fall asleep (sleeping.hpp); false: all wake, and none does.
  void let_sleep(bool on);
  bool asleep(Index body) const;
  /// The body wakes, and all that sleep with it.
  void wake(Index body);
  void wake_all();

  /// Sets the input of a member for the step, and whether it is settled.
  using Aim = std::function<void(Member&)>;
  /// One step of all members that are awake: reports are theirs. The colliders are those of the inputs. Returns the
  /// member that failed: all are where they were before the step.
  std::optional<Index> step(const Aim& aim, std::span<const Collider> colliders, Pool& pool);

  void save(Writer& writer) const;
  bool load(Reader& reader);

 private:
  Member* member_of(Index body);
  Member make_member(const Joiner& joiner, ContactBody& contact);
  void pair_up();
  void take_memory(BodyPair& pair);
  void begin_step(std::span<const Collider> colliders);
  void begin_step(Member& member);
  void begin_step(BodyPair& pair);
  void prepare(BodyPair& pair);
  /// All that sleep with this member, in mid-step.
  void rouse(Index member);
  void rouse_who_is_met();
  void fall_asleep();
  double end_of_step() const;
  bool both_asleep(const BodyPair& pair) const;
  bool one_asleep(const BodyPair& pair) const;
  void foresee(Member& member);
  std::optional<Index> march(int halvings, double end, double h, Pool& pool);
  void go_back(Member& member);
  void look_at_touching();
  void prepare_part(double end, double h);
  bool is_near(BodyPair& pair);
  bool is_near_itself(BodyPair& pair);
  bool steps_as_island(Index member);
  bool ends_apart(BodyPair& pair);
  void measure(BodyPair& pair) const;
  void find_bond_distances();
  bool is_bonded(Index member) const { return bonds_.holds_any(member); }
  bool part_touching(BodyPair& pair);
  void find_touching_group(Index from, Index but);
  void look_for_crossing(BodyPair& pair);
  void lead(BodyPair& pair);
  /// Both want to.
  bool are_willing(const BodyPair& pair) const;
  bool may_meet(const BodyPair& pair) const;
  void search(BodyPair& pair);
  void join(Index a, Index b);
  Index root(Index member);
  std::optional<Index> step_island(Index leader, Pool& pool);
  /// Bodies that stepped apart and met: their pairs are near. True: there are some.
  bool check_apart();

  std::vector<Member> members_;
  std::vector<BodyPair> pairs_;
  std::vector<Member> members_before_;  ///< during attach, and after all have left
  std::vector<BodyPair> pairs_before_;
  PairSearch search_;
  LeadingApart leading_;
  IslandStep island_;
  Bonds bonds_;

  bool may_sleep_ = false;

  // Of a step.
  const Aim* aim_ = nullptr;
  std::vector<char> roused_;    // in this search
  std::vector<char> restless_;  // of a root: its island does not rest
  std::vector<Index> leader_;   // of a member, the lowest of its island by links
  std::vector<char> done_;
  std::vector<Member*> joined_;
  std::vector<BodyPair*> joined_pairs_;
  std::vector<Collider> colliders_;  // of a part of a step
  std::vector<Stop> stops_;
  std::vector<PairRow> rows_;
  PairRows finder_;
};

}  // namespace pliant
