// SPDX-License-Identifier: Apache-2.0
// What a body asks of its method. Each method folder fills it with the same rooms: options, model (immutable
// after build), build, energy, step, surface.
#pragma once

#include <memory>
#include <optional>
#include <span>
#include <string>

#include "pliant/base/archive.hpp"
#include "pliant/physics/node_state.hpp"
#include "pliant/physics/step.hpp"

namespace pliant {

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

/// How a method's own static solve ended.
struct Settled {
  std::string trouble;     ///< empty: it rests
  double residual = 0;     ///< unbalanced force over the forces that act
  double force = 0;        ///< unbalanced force, N (root of the sum of squares over the nodes)
  int iterations = 0;      ///< linear solves
  int kept_rotations = 0;  ///< that nothing told and that stayed as they were
};

class Method {
 public:
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

  /// Forces on the surface as forces on the nodes: node_forces += W^T surface_forces.
  virtual void pull_back(std::span<const Vec3> surface_forces, std::span<Vec3> node_forces) const = 0;

  /// Elastic energy in J at the current positions, in double precision.
  virtual double elastic_energy() const = 0;

  /// Elastic force per node in N at the current positions, in double precision: minus the gradient of the
  /// energy.
  virtual void elastic_forces(std::span<Vec3> out) const = 0;

  /// d = (M/h^2 + H)^-1 f on the nodes that are not held, 0 on held ones; f and d one entry a node, H the
  /// Hessian of the elastic energy at the current positions or a semidefinite model of it. It is what a
  /// static solve descends along (sim/pose.hpp). Of the input only h, the held nodes and the pool count; the
  /// state stays. Returns the trouble, empty when all is well.
  virtual std::string newton_direction(const StepInput& input, std::span<const Vec3> f, std::span<Vec3> d);

  /// Statics the method's own way: the body is where gravity, the held nodes and what drives it from inside
  /// at input.time balance the elastic forces, at rest. None: it has no way of its own, and Newton steps
  /// along newton_direction find the balance.
  virtual std::optional<Settled> settle(const StepInput& /*input*/, double /*tolerance*/) {
    return std::nullopt;
  }
  /// Something inside drives the body (a skeleton); when that reaches its last key, s.
  virtual std::optional<double> driven_until() const { return std::nullopt; }
  /// Static problems of a method whose freedoms are not its nodes, which then answers here instead of in
  /// newton_direction: one step with a line search towards rest under gravity, held nodes (softly) at their
  /// targets. Velocities become zero.
  virtual bool relaxes() const { return false; }
  struct Relaxation {
    std::string trouble;  ///< empty when all is well
    double residual = 0;  ///< unbalanced force over the forces that act, after the step
    double force = 0;     ///< unbalanced force, N
    double change = 0;    ///< root mean square way of a freedom over the body's size
    bool stuck = false;   ///< no lower energy was found
  };
  virtual Relaxation relax(const StepInput& /*input*/) {
    return {.trouble = "this method has no static step"};
  }

  /// For every surface vertex the share, 0 .. 1, of rotations around it that the last step computed afresh;
  /// false when the method cannot tell.
  virtual bool activity(std::span<float> /*vertices*/) const { return false; }

  /// Cells turned inside out; none when the method has no cells.
  virtual std::optional<int> inverted_cells() const { return std::nullopt; }

  virtual void save(Writer& writer) const = 0;
  virtual bool load(Reader& reader) = 0;  ///< false: not a state of this body; nothing usable was read

  virtual MethodDescription describe() const = 0;
};

inline std::string Method::newton_direction(const StepInput&, std::span<const Vec3>, std::span<Vec3>) {
  return "method " + describe().name + " has no static solve: use `pliant run` with damping";
}

}  // namespace pliant
