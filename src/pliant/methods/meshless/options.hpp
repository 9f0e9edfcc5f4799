// SPDX-License-Identifier: Apache-2.0
// Settings of the meshless method (docs/methods/meshless.md).
#pragma once

#include <limits>
#include <optional>
#include <string>

#include "pliant/base/option.hpp"
#include "pliant/geometry/skeleton.hpp"
#include "pliant/physics/implicit_scheme.hpp"
#include "pliant/physics/motion.hpp"
#include "pliant/physics/plasticity.hpp"

namespace pliant::meshless {

enum class Warping { cell, node, row, none };
enum class Rotations { automatic, diffused, polar };
using pliant::Integrator;

/// A joint as a scene writes it.
struct JointKeys {
  std::string name = "joint";
  std::string parent;             ///< empty: a root
  Vec3 position{0, 0, 0};         ///< at rest, m
  double radius = 0;              ///< of the limb here, m; 0 = as far as the surface is
  std::vector<MotionKey> motion;  ///< turns about the joint and moves, relative to the parent
  Ease ease = Ease::smooth;
};

/// The bones inside the body and how they hold it.
struct Bones {
  static constexpr double automatic = std::numeric_limits<double>::infinity();

  std::string file;               ///< a skeleton file; the scene fills `skeleton` from it
  std::vector<JointKeys> joints;  ///< or the skeleton itself
  double spacing = automatic;     ///< of the samples along bones, m; automatic = that of the nodes
  double zone = automatic;        ///< m; automatic = half the width of the limb
  double radius = 0;              ///< m; 0 = thin
  bool like_mesh = true;          ///< scaled, turned and moved as the shape's mesh is
  bool elastic = false;           ///< a rod that bends between what its keys hold
  double joint_softness = 0.01;   ///< of that rod at joints, share of its stiffness
  bool loaded = false;            ///< the flesh and its weight bend that rod
  double rod_stiffness = 1e9;     ///< Young's modulus of a loaded rod, Pa
  double rod_thickness = 0.02;    ///< its diameter, m
  Skeleton skeleton;
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
};

const OptionTable<Options>& option_table();
const OptionTable<Bones>& bones_table();
const OptionTable<JointKeys>& joint_table();
const OptionTable<Region>& region_table();
const OptionTable<Plasticity>& plasticity_table();

}  // namespace pliant::meshless
