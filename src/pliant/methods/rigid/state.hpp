// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <Eigen/Geometry>

#include "pliant/base/archive.hpp"
#include "pliant/base/parallel.hpp"
#include "pliant/contact/contact.hpp"
#include "pliant/methods/rigid/model.hpp"
#include "pliant/physics/node_state.hpp"

namespace pliant::rigid {

/// The motion of the body: six numbers of place, six of motion.
struct Motion {
  Vec3 centre{0, 0, 0};                                      ///< of mass, m
  Eigen::Quaterniond turn = Eigen::Quaterniond::Identity();  ///< from rest
  Vec3 velocity{0, 0, 0};                                    ///< of the centre, m/s
  Vec3 spin{0, 0, 0};  ///< angular momentum about the centre, kg m^2/s: what free flight keeps

  Mat3 rotation() const { return turn.toRotationMatrix(); }
  Vec3 place(const Vec3& arm) const { return centre + rotation() * arm; }
  /// R J R^T, kg m^2.
  Mat3 inertia(const Model& model) const {
    const Mat3 r = rotation();
    return r * model.inertia * r.transpose();
  }
  /// w, rad/s.
  Vec3 turning(const Model& model) const;
};

/// What decides the next step together with model and input. The nodes follow from the motion.
struct State {
  Motion motion;
  NodeState nodes;
  ContactState contact;
};

/// x and v of nodes that move so.
void move_nodes(const Model& model, const Motion& motion, Points& x, Points& v, Pool& pool);
/// Of the mass.
void move_mass(const Model& model, const Motion& motion, NodeState::MassPoints& mass);
/// The rigid motion nearest to these nodes, all of which count alike.
Motion nearest_motion(const Model& model, std::span<const Vec3> x, std::span<const Vec3> v);

State state_at_rest(const Model& model);
void save(const State& state, Writer& writer);
/// False: not a state of this body; `state` stays as it is.
bool load(Reader& reader, State& state);

}  // namespace pliant::rigid
