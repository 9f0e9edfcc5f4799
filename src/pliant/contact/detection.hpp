// SPDX-License-Identifier: Apache-2.0
// Which vertices of a body's surface meet which colliders in this step. A vertex goes from x to y, where it
// would be without contact; it is a contact when it touches now, when y is inside, or when its way crosses a
// thin collider. Positions of vertices are only computed near colliders: nodes are asked first, each for the
// vertices it carries.
#pragma once

#include <span>

#include "pliant/contact/collider.hpp"
#include "pliant/contact/contact.hpp"
#include "pliant/math/gather.hpp"
#include "pliant/physics/step.hpp"

namespace pliant {

class Detection {
 public:
  /// The rows are the vertices that may meet colliders; they must outlive this object.
  void build(const Gather& embedding, std::span<const Vec3> rest_nodes, double edge);

  struct Step {
    std::span<const Collider> colliders;
    ContactOptions options;
    double h = 0;                              ///< s
    std::span<const Vec3> begin;               ///< nodes now
    std::span<const Vec3> end;                 ///< nodes at the end of the step without contact
    std::span<const ContactMemory> last = {};  ///< contacts of the last step, by key
    std::span<const unsigned char> held = {};  ///< by node; vertices of held nodes alone meet nothing
  };

  /// Finds contacts, sorted by key, at most options.most; `sides` is read and renewed. Of many contacts,
  /// those of the last step are preferred, so that they do not wander at rest.
  void find(const Step& step, std::vector<SideMemory>& sides);

  std::span<const Contact> contacts() const { return contacts_; }
  double size() const { return size_; }  ///< largest edge of the bounding box at rest, m

  /// What the vertices that find() saw near colliders touch at the end of the step, with gaps below the band,
  /// at the given nodes, sorted by key: of what one node carries, the deepest of every direction. Returns the
  /// smallest gap, 0 when none is negative.
  double touches(const Step& step, std::span<const Vec3> nodes, double band, std::vector<Contact>& out);

 private:
  struct Near {
    Index vertex, collider, carrier;
    Side side;
  };
  Vec3 place(Index vertex, std::span<const Vec3> nodes) const;
  bool is_held(Index vertex, const Step& step) const;
  bool node_is_near(Index carrier, const Collider& collider, const Step& step) const;
  void meet(Index vertex, Index carrier, Index k, const Step& step, Side& side);
  void take_deepest(std::vector<Contact>& out);
  void thin_out(const Step& step);
  void thin_out_group(std::span<Index> group, const Step& step);
  void keep_deepest(const Step& step);

  const Gather* embedding_ = nullptr;
  std::vector<Index> carriers_;          // nodes that carry vertices, ascending
  std::vector<double> reach_;            // how far a carrier's vertices are from it, m
  std::vector<Index> first_, vertices_;  // of carrier k: vertices_[first_[k]] .. vertices_[first_[k + 1] - 1]
  double size_ = 0, margin_ = 0, largest_reach_ = 0;

  std::vector<Contact> contacts_;
  std::vector<Near> near_;
  std::vector<SideMemory> new_sides_;
  std::vector<double> depth_;   // of contacts_, while finding: predicted gap
  std::vector<Index> carrier_;  // of contacts_, while finding
  std::vector<char> known_;     // of contacts_, while finding: they had a force in the last step
  std::vector<Index> order_;
  std::vector<char> kept_;
  std::vector<Contact> found_;  // of one carrier and collider
};

}  // namespace pliant
