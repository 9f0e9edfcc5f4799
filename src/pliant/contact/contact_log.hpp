// SPDX-License-Identifier: Apache-2.0
// What the contacts of a body did in a step, for who looks at it (Body::contacts). No step reads it.
#pragma once

#include <span>
#include <vector>

#include "pliant/contact/contact.hpp"

namespace pliant {

struct ContactRecord {
  /// With another body: the feature of this body in place of the vertex, and -1 - kind (PairKey::Kind,
  /// island/pair_rows.hpp) in place of the collider.
  ContactKey key;
  /// The body that it meets, by its place in the simulation; -1: a collider. Of two bodies the first has the record.
  Index other = -1;
  Index nearest = -1;    ///< the body's vertex next to the place, where it meets another body
  Index unused = 0;      ///< no bytes without a value
  Vec3 point{0, 0, 0};   ///< of the body, at the end of the step, m
  Vec3 normal{0, 1, 0};  ///< from the collider or the other body to the body
  /// Over the contact plane at the end of the step, m, before the position pass; between bodies their distance less
  /// the one that they keep. Not a number for what only restitution gave.
  double gap = 0;
  Vec3 impulse{0, 0, 0};  ///< on the body in the step, N s

  double pressed() const { return normal.dot(impulse); }  ///< along the normal, N s
};

/// The records of one step, by what is met and by key: a contact that acts several times in a step is one of them.
class ContactLog {
 public:
  void clear() { records_.clear(); }
  /// Place, normal and gap are those of the last time, the impulses add up.
  void add(const ContactRecord& record);
  std::span<const ContactRecord> records() const { return records_; }

 private:
  std::vector<ContactRecord> records_;
};

}  // namespace pliant
