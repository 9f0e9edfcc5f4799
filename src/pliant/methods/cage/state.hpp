// SPDX-License-Identifier: Apache-2.0
// What decides the next step together with model and input, and what a checkpoint holds.
#pragma once

#include "pliant/base/archive.hpp"
#include "pliant/contact/contact.hpp"
#include "pliant/methods/cage/look.hpp"
#include "pliant/methods/cage/model.hpp"
#include "pliant/physics/history.hpp"

namespace pliant::cage {

/// The body as a whole: what a free flight keeps.
struct Whole {
  Vec3 centre{0, 0, 0};    ///< of mass, m
  Vec3 momentum{0, 0, 0};  ///< kg m/s
  Vec3 spin{0, 0, 0};      ///< angular momentum about the centre, kg m^2/s
  double kinetic = 0;      ///< J
};

struct State : History<Columns> {
  Columns x;             ///< vertices of the cage, m
  Columns velocity;      ///< of Z: vertices, then scaled normals; m/s and 1/s
  bool touches = false;  ///< something touched in the last step
  double lent = 0;       ///< energy that rolling took and may give back, J (consistent_step.cpp)
  Look<float> single;    ///< of the precision in use; the other is empty
  Look<double> twice;
  Whole whole;
  std::vector<double> plastic;  ///< permanent strain: xx yy zz yz xz xy of every point; empty = elastic
  ContactState contact;
  ContactState met;  ///< with colliders beside other bodies, by vertex of the surface (meeting.hpp)
  /// Vertices of the surface that meet colliders besides the spread ones (contact_points.hpp); -1 = a free
  /// place.
  std::vector<Index> more;

  template <class T>
  Look<T>& look();
  template <class T>
  const Look<T>& look() const {
    return const_cast<State*>(this)->look<T>();
  }
  /// The body's own axes.
  const Eigen::Quaterniond& axes() const { return single.batches.empty() ? twice.axes : single.axes; }
  /// Drops what is known of contacts: the body was put somewhere else.
  void forget_contacts();
};
template <>
inline Look<float>& State::look() {
  return single;
}
template <>
inline Look<double>& State::look() {
  return twice;
}

/// The cage at rest; strains and the body as a whole are not looked at yet.
State state_at_rest(const Model& model, const Options& options);

void save(const State& state, Writer& writer);
/// `state` has the sizes that are read. False: not a state of this model; `state` stays as it is.
bool load(const Model& model, State& state, Reader& reader);

}  // namespace pliant::cage
