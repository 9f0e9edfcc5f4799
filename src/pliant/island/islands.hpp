// SPDX-License-Identifier: Apache-2.0
// Bodies that meet each other (docs/methods/contact.md). A step of all bodies goes
//   1. near     pairs of bodies whose surfaces are near, or would be, if every body kept its velocity
//   2. islands  bodies joined by such pairs step together (island_step.hpp)
//   3. alone    all others step as if they were alone in the world, bit for bit
//   4. check    where two of them met after all, their step is done again as an island
#pragma once

#include <algorithm>
#include <optional>
#include <string>

#include "pliant/island/island_step.hpp"
#include "pliant/proximity/crossing.hpp"

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
  };

  /// In place of all bodies so far. Of two that were here before, what is known of their contact stays; also when
  /// all left in between. Pairs that cross each other do not meet before they have parted: crossing() names
  /// them. Of bodies that touch, one is moved by a hair, if it is movable.
  void attach(std::span<const Joiner> joiners);
  /// Bodies were put elsewhere: what was known of pairs is forgotten, and it is seen anew which cross.
  void look_again();
  /// Nobody steps here: no two bodies may meet, and none needs an island to meet colliders.
  bool empty() const {
    return members_.size() < 2 && std::ranges::none_of(members_, [](const Member& m) {
             return !m.contact->meets_colliders_alone();
           });
  }
  std::span<Member> members() { return members_; }
  /// Pairs (bodies of the simulation) that pass through each other.
  std::vector<IndexPair> crossing() const;

  /// One step of all members, from their inputs: reports are theirs. Returns the member that failed: all are where
  /// they were before the step.
  std::optional<Index> step(Pool& pool);

  void save(Writer& writer) const;
  bool load(Reader& reader);

 private:
  Member make_member(const Joiner& joiner, ContactBody& contact);
  void pair_up();
  void take_memory(BodyPair& pair);
  void begin_step();
  void foresee(Member& member);
  std::optional<Index> march(int halvings, double end, double h, Pool& pool);
  void go_back(Member& member);
  void look_at_touching();
  void prepare_part(double end, double h);
  bool is_near(BodyPair& pair);
  void measure(BodyPair& pair) const;
  bool part_touching(BodyPair& pair);
  void find_touching_group(Index from, Index but);
  void look_for_crossing(BodyPair& pair);
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
  CrossingSearch crossing_search_;
  IslandStep island_;

  // Of a step.
  std::vector<Index> leader_;  // of a member, the lowest of its island by links
  std::vector<char> done_;
  std::vector<Member*> joined_;
  std::vector<BodyPair*> joined_pairs_;
  std::vector<Collider> colliders_;  // of a part of a step
  std::vector<EdgeCrossing> crossings_;
  std::vector<PairRow> rows_;
  PairRows finder_;
};

}  // namespace pliant
