// SPDX-License-Identifier: Apache-2.0
// What a body asks of its method. Each method folder fills it with the same rooms: options, model (immutable
// after build), build, energy, step, surface.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "pliant/base/archive.hpp"
#include "pliant/math/gather.hpp"
#include "pliant/physics/node_state.hpp"
#include "pliant/physics/statics.hpp"
#include "pliant/physics/step.hpp"

namespace pliant {

class ContactBody;  // contact/contact_body.hpp

/// What a summary says about a body's method.
struct MethodDescription {
  std::string name;  ///< "geometric"
  Index nodes = 0;
  Index freedoms = 0;       ///< unknowns of a step: 3 * free nodes in full space
  std::string solver;       ///< "direct", "multigrid"
  double setup_ms = 0;      ///< building, and what the first step prepares for all (a factor)
  std::size_t bytes = 0;    ///< memory held by model, state and scratch
  std::size_t weights = 0;  ///< of the matrix that makes the surface from nodes; 0 = not told
};

class Method {
 public:
  Method() = default;
  Method(const Method&) = delete;  // parts of a body know one another by address
  Method& operator=(const Method&) = delete;
  virtual ~Method() = default;

  /// One time step. On trouble the state stays as it was before the step.
  virtual StepReport advance(const StepInput& input) = 0;

  virtual const NodeState& nodes() const = 0;

  /// Teleport: new positions and velocities; memory of earlier steps (multistep history, warm starts) is
  /// dropped.
  virtual void place(std::span<const Vec3> x, std::span<const Vec3> v) = 0;

  /// The user's surface at the current state, one entry a vertex.
  virtual void surface(std::span<Vec3> vertices) const = 0;
  /// The same with the help of the pool's threads, where a method can use them.
  virtual void surface_in_parallel(std::span<Vec3> vertices, Pool& /*pool*/) const { surface(vertices); }

  /// W of surface = W nodes: a row a vertex of the surface, a column a node. The same for the body's whole life.
  virtual const Gather& embedding() const = 0;

  /// Forces on the surface as forces on the nodes: node_forces += W^T surface_forces.
  virtual void pull_back(std::span<const Vec3> surface_forces, std::span<Vec3> node_forces) const = 0;

  /// Elastic energy in J at the current positions, in double precision.
  virtual double elastic_energy() const = 0;

  /// Elastic force per node in N at the current positions, in double precision: minus the gradient of the
  /// energy.
  virtual void elastic_forces(std::span<Vec3> out) const = 0;

  /// One step towards rest: where gravity, the held nodes at their targets and what drives the body from
  /// inside at input.time balance the elastic forces. The state is at rest afterwards. A body whose residual
  /// is at most `tolerance` stays where it is. On trouble the body is as near as it came.
  virtual Relaxation relax(const StepInput& input, double tolerance, RelaxMemory& memory);
  /// Something inside drives the body (a skeleton); when that reaches its last key, s.
  virtual std::optional<double> driven_until() const { return std::nullopt; }

  /// For every surface vertex the share, 0 .. 1, of rotations around it that the last step computed afresh;
  /// false when the method cannot tell.
  virtual bool activity(std::span<float> /*vertices*/) const { return false; }

  /// The body as others meet it; null: it passes through them.
  virtual ContactBody* contact_body() { return nullptr; }

  /// Cells turned inside out; none when the method has no cells.
  virtual std::optional<int> inverted_cells() const { return std::nullopt; }

  virtual void save(Writer& writer) const = 0;
  virtual bool load(Reader& reader) = 0;  ///< false: not a state of this body, which stays as it is

  virtual MethodDescription describe() const = 0;

  /// Damping::mass, 1/s: the medium slows the body with this times its momentum.
  virtual double mass_damping() const = 0;
};

inline Relaxation Method::relax(const StepInput&, double, RelaxMemory&) {
  return {.trouble = "method " + describe().name + " has no static solve: use `pliant run` with damping"};
}

}  // namespace pliant
