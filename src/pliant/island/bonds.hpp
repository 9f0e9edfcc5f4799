// SPDX-License-Identifier: Apache-2.0
// Bonds tie points of a body to the surface of another, or to a collider, where they are when the bond is made: rows
// of the contact problem that hold both ways and in all directions,
//   v_p - v_q = -(x^_p - x^_q - o)/h'        so that x_p - x_q = o at the end of the step (x = x^ + h' v)
// with q the nearest point of a triangle of the other body and o the offset from it, which turns with the triangle.
// Their impulses are equal and opposite like those of contacts. A bond lets go as a whole when the sum of its forces
// is above its strength, and point by point where a force is above its pressure times the area of the point.
// Bodies that a bond ties are in one island always. They meet each other as far as they did not overlap when they
// were tied, at most at 0.9 of the distance they had.
#pragma once

#include <limits>
#include <span>
#include <vector>

#include "pliant/contact/collider.hpp"
#include "pliant/island/member.hpp"
#include "pliant/physics/selection.hpp"

namespace pliant {

struct Bond {
  Index body = 0;       ///< of the simulation
  Index other = -1;     ///< the body it is tied to; -1: a collider
  Index collider = -1;  ///< that collider
  Selector select;      ///< points of the first body, by where they are when the bond is made
  double within =
      0;  ///< m: of these the ones that are so near to the other; 0: 0.05 of the first body's size
  double strength = std::numeric_limits<double>::infinity();  ///< N, of the whole bond
  double pressure = std::numeric_limits<double>::infinity();  ///< Pa, of a point
};

/// What has become of a bond.
struct BondFacts {
  Index points = 0, broken = 0;
  double first_break = -1;  ///< s; < 0: none
  double force = 0;         ///< N, of the last step
};

/// A point that is tied.
struct TiedPoint {
  Index bond = 0, vertex = 0;
  Index triangle = -1;  ///< of the other body
  Index broken = 0;
  Vec3 barycentric{0, 0, 0};  ///< there
  Vec3 offset{0, 0, 0};       ///< in the frame of the triangle; of a collider the place in its own frame, m
  double area = 0;            ///< m^2
  Vec3 force{0, 0, 0};        ///< N, on the first body
  Vec3 impulse{0, 0, 0};      ///< of the step, N s
};

class Bonds {
 public:
  /// In place of all so far. tie() makes them.
  void set(std::vector<Bond> bonds);
  bool empty() const { return bonds_.empty(); }
  const std::vector<Bond>& list() const { return bonds_; }
  /// Bonds that are not made yet are made where their bodies and colliders are. Members: at their places `begin`.
  void tie(std::span<const Member> members, std::span<const Collider> colliders, double time);
  /// The numbers of the members that have the bodies, anew.
  void find_members(std::span<const Member> members);

  std::span<TiedPoint> points() { return points_; }
  /// Members of a bond; -1: the other is a collider, or the body is not here.
  Index member(const TiedPoint& p) const { return ends_[std::size_t(p.bond)].first; }
  Index other(const TiedPoint& p) const { return ends_[std::size_t(p.bond)].second; }
  /// Some point holds the two together.
  bool holds(Index first, Index second) const;
  bool holds_any(Index member) const;
  /// visit(first, second) for the members of each bond that holds; second -1: a collider.
  template <class Visit>
  void each_pair(Visit&& visit) const {
    for (std::size_t b = 0; b < bonds_.size(); ++b)
      if (facts_[b].broken < facts_[b].points && ends_[b].first >= 0) visit(ends_[b].first, ends_[b].second);
  }

  /// Where the tied point should be from the point of the other body: first the point, m. x: vertices of the other.
  Vec3 offset(const TiedPoint& p, const Member& other, std::span<const Vec3> x) const;
  /// Place of the tied point on the collider.
  Vec3 place(const TiedPoint& p, std::span<const Collider> colliders, Instant instant) const;

  /// Before and after a step that ends at `time`: lets go what is pulled too hard, if the member is in the step.
  void keep() { kept_ = points_, kept_facts_ = facts_; }
  void go_back(Index member);
  void let_go(std::span<const char> stepped, double time);

  const std::vector<BondFacts>& facts() const { return facts_; }
  void save(Writer& writer) const;
  bool load(Reader& reader);

 private:
  void tie(std::size_t bond, const Member& first, const Member* second, const Collider* collider,
           double time);

  std::vector<Bond> bonds_;
  std::vector<IndexPair> ends_;  ///< members
  std::vector<char> tied_;
  std::vector<BondFacts> facts_, kept_facts_;
  std::vector<TiedPoint> points_, kept_;
};

}  // namespace pliant
