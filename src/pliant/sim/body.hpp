// SPDX-License-Identifier: Apache-2.0
// A body in a simulation: its method, what holds it, and the surface the user sees.
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pliant/contact/collider.hpp"
#include "pliant/contact/contact_log.hpp"
#include "pliant/geometry/shape.hpp"
#include "pliant/methods/method.hpp"
#include "pliant/physics/motion.hpp"
#include "pliant/sim/outer_forces.hpp"
#include "pliant/sim/pose.hpp"

namespace pliant {

/// Nodes under hard control: a pin (no keys) or a handle. The motion turns them about the centre of where
/// they start. Nodes are numbered as those of the body's method; each stands in one hold at most.
struct Hold {
  std::vector<Index> nodes;
  Motion motion = {};
  double release = std::numeric_limits<double>::infinity();  ///< s
};

/// A hold as it acts: where its nodes start, and the centre its motion turns and scales them about.
struct PlacedHold {
  Hold hold;
  Points start;          ///< one a node, m
  Vec3 centre{0, 0, 0};  ///< m
  Vec3 scale{1, 1, 1};   ///< about the centre, before the turn
};

/// Where a body starts: positions and velocities per node. Empty = at rest.
struct Start {
  Points x, v;
};

/// What is around all bodies of a simulation.
struct Environment {
  Vec3 gravity{0, 0, 0};                     ///< m/s^2
  std::span<const WorldForce> forces = {};   ///< physics/world_force.hpp
  std::span<const Collider> colliders = {};  ///< aimed at the step
};

/// A body in a simulation: its method, its holds and grabs, and its surface. A body with problems has no nodes and
/// no surface, and steps and poses of it fail with their text. Members in three groups: the
/// surface with its volume; the holds with what follows from them (kept, because a step allocates nothing);
/// the last step.
class Body {
 public:
  /// The method is that of the shape, and is placed at the start, if there is one.
  Body(std::string name, const Shape& shape, std::unique_ptr<Method> method, std::vector<Hold> holds,
       const Start& start = {}, const ContactOptions& contact = {});

  /// What is wrong with what it was made from: no method, or that of another shape, a shape with problems (check_shape),
  /// holds of nodes that do not exist or that two hold, motions that are wrong (check_motion), a start or contact
  /// options that are no numbers.
  const std::vector<Problem>& problems() const { return problems_; }

  /// One time step that ends at `end`: holds are where they belong at that time, grabs as last set, colliders
  /// aimed at this step.
  const StepReport& advance(double end, double h, const Environment& around,
                            Pool& pool);  ///< which must outlive the body's last use
  /// What such a step asks of the method, for bodies that step together (island/islands.hpp).
  StepInput aim_at(double end, double h, const Environment& around, Pool& pool);
  /// The method has made the step.
  void note(const StepReport& report) { report_ = report; }

  /// Where the elastic forces balance gravity, the forces of the world and of the user, and the holds, all as they
  /// are at `time` (sim/pose.cpp). Colliders play no part. The body is there afterwards, at rest; without an answer it is
  /// as near as it came.
  PoseResult pose(double time, const Environment& around, const PoseOptions& options, Pool& pool);
  /// When the last handle reaches its last key, s; 0 without handles.
  double last_key() const;
  /// From that time on no hold moves or lets go, and nobody grabs it or pulls at it.
  bool is_left_alone(double time) const;
  bool grabbed() const { return !grabs_.empty(); }
  /// Something holds the body at that time.
  bool held_at(double time) const;

  /// As given; names rows and files.
  const std::string& name() const { return name_; }
  /// Energies, nodes and description of the body.
  const Method& method() const { return *method_; }
  /// To change live options between steps.
  Method& method() { return *method_; }
  const StepReport& report() const { return report_; }  ///< of the last step
  /// What each contact did in the last step, by contact point and collider.
  std::span<const ContactRecord> contacts() const { return contacts_.records(); }
  /// Length of the last step, s.
  double last_step() const { return last_step_; }
  /// Sum of gravity, the forces of the world and those of the user in the last step, N.
  const Vec3& outer_force() const { return outer_force_; }
  /// Of the surface, counter-clockwise from outside.
  const std::vector<Triangle>& triangles() const { return triangles_; }
  /// Vertices of the surface at rest, m.
  const Points& rest_surface() const { return rest_surface_; }
  /// The user's faces and texture coordinates, in the vertices of the surface; no faces = the triangles.
  const PolygonMesh& faces() const { return faces_; }
  /// Between the points that meet others: the surface, or a finer one.
  const std::vector<Triangle>& contact_triangles() const {
    return contact_triangles_.empty() ? triangles_ : contact_triangles_;
  }
  /// The same points at rest, m.
  const Points& contact_rest() const { return contact_rest_.empty() ? rest_surface_ : contact_rest_; }
  /// The surface bounds a volume.
  bool closed() const { return closed_; }
  const ContactOptions& contact() const { return contact_; }

  /// The surface at the current state.
  const Points& surface() const;
  /// Volume over rest volume, of a mesh body inside its faces split to the spacing of the nodes; nothing for
  /// an open surface.
  std::optional<double> volume_ratio() const;

  /// In place of all grabs so far, from the next step on; more than max_grabs are ignored. A step refuses grabs of
  /// nodes that do not exist, and those without a finite target.
  void set_grabs(std::span<const Grab> grabs);
  /// Forces on the nodes, N, one a node (method().nodes()), in place of those so far, from the next step on until
  /// they are set again; no entries: none. Forces on vertices of the surface become such by method().pull_back().
  /// The error: not one a node, or not finite; then those so far stay.
  std::optional<Error> set_forces(std::span<const Vec3> forces);
  /// As set; no entries: none.
  const Points& forces() const { return forces_.given(); }

  /// Pins and handles as they act.
  const std::vector<PlacedHold>& holds() const { return holds_; }
  /// In place of all holds so far, from the next step on. The error: nodes that do not exist or that two hold, or
  /// motions that are wrong; then those so far stay.
  std::optional<Error> set_holds(std::vector<PlacedHold> holds);
  /// A hold of these nodes at the places where they are; of nodes that do not exist, no place.
  PlacedHold hold_here(std::vector<Index> nodes) const;
  /// From the next step on. The error: options that are no numbers, or out of range; then those so far stay.
  std::optional<Error> set_contact(const ContactOptions& contact);

  /// The state as bytes.
  void save(Writer& writer) const;
  /// False: not a state of this body, which may be left with parts of it.
  bool load(Reader& reader);
  /// What the last step told, of a body that is not stepped now.
  void save_report(Writer& writer) const;
  bool load_report(Reader& reader);

 private:
  struct Slot {
    Index node, hold, rank;  ///< node = holds_[hold].nodes[rank]
  };
  void place_holds();
  void choose_held(double end, double h);
  double travel(double from, double to) const;
  std::vector<double> increments(double time) const;
  void aim(double end);
  std::span<const Vec3> outer_forces(std::span<const WorldForce> forces, double time, double h, Pool& pool);
  double volume(const Points& nodes, const Points& surface) const;
  void refuse_all(std::vector<Problem> problems);

  std::string name_;
  std::vector<Problem> problems_;
  std::vector<Triangle> triangles_;
  PolygonMesh faces_;
  Points rest_surface_;
  std::vector<Triangle> contact_triangles_;  ///< empty: the surface
  Points contact_rest_;                      ///< of their points
  Gather volume_points_;                     ///< contact points of the shape; no rows = the surface
  std::vector<Triangle> volume_triangles_;
  mutable Points volume_at_;
  double rest_volume_ = 0;
  bool closed_ = true;
  std::unique_ptr<Method> method_;
  double mass_ = 0;  ///< kg
  ContactOptions contact_;

  // Holds, and what follows from them.
  std::vector<PlacedHold> holds_;
  bool holds_changed_ = false;  ///< by set_holds: they belong to the state
  std::vector<Slot> slots_;     ///< all held nodes, ascending
  std::vector<char> active_;
  bool chosen_ = false;
  std::vector<Index> held_, held_slots_, hold_sizes_;
  Points targets_;
  std::vector<Pose> poses_;

  // Of the next and of the last step.
  std::vector<Grab> grabs_;
  OuterForces forces_;
  StepReport report_;
  ContactLog contacts_;
  double last_step_ = 0;       ///< s
  Vec3 outer_force_{0, 0, 0};  ///< of the last step, N
  /// Of the last static solve; the next one from here begins with it. Not state: load clears it.
  double caution_ = 0;
  Pool* pool_ = nullptr;  ///< of the last step: the surface is shown with its help
  mutable Points surface_;
};

}  // namespace pliant
