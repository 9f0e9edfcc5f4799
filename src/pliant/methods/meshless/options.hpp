// SPDX-License-Identifier: Apache-2.0
// Settings of the meshless method (docs/methods/meshless.md).
#pragma once

#include <optional>
#include <string>

#include "pliant/base/option.hpp"
#include "pliant/methods/bones.hpp"
#include "pliant/methods/meshless/finer_ball.hpp"
#include "pliant/physics/implicit_scheme.hpp"
#include "pliant/physics/plasticity.hpp"

namespace pliant::meshless {

enum class Warping { cell, node, row, none };
enum class Rotations { automatic, diffused, polar };
using pliant::Bones;
using pliant::Integrator;
using pliant::JointKeys;

enum class Near { joints, point };

/// Where nodes are nearer to one another.
struct Finer {
  Near near = Near::joints;
  std::string joint;    ///< the only one; empty: all between two bones
  Vec3 point{0, 0, 0};  ///< m
  double radius = 0.1;  ///< m
  double ratio = 2;     ///< of the distances of nodes, outside over inside
};

/// Flesh around one bone.
struct Region {
  std::string bone;        ///< the name of the joint at its start
  double stiffness = 1e5;  ///< Pa
};

/// When the body keeps a new shape.
struct Plasticity : PlasticLaw {};

struct Options {
  double stiffness = 1e5;
  double poisson = 0.3;
  double support = 1.3;
  Warping warping = Warping::cell;
  Rotations rotations = Rotations::automatic;
  Integrator integrator = Integrator::bdf2;
  double kappa = 0.1;
  double hold = 1000;
  int iterations = 4;
  double tolerance = 1e-4;
  int refinements = 0;
  std::optional<Bones> bones;
  std::optional<Plasticity> plasticity;
  std::vector<Region> regions;
  std::vector<Finer> finer;
  std::vector<FinerBall> finer_balls = {};  ///< make_flesh: where these are
  double spacing = 0;                       ///< make_flesh: of the nodes outside of them, m; 0 = of all nodes
};

const OptionTable<Options>& option_table();
const OptionTable<Region>& region_table();
const OptionTable<Finer>& finer_table();
const OptionTable<Plasticity>& plasticity_table();

}  // namespace pliant::meshless
