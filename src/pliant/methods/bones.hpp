// SPDX-License-Identifier: Apache-2.0
// Bones inside a body: their settings, for the methods that have them, and where they hold its nodes.
#pragma once

#include <limits>
#include <string>
#include <vector>

#include "pliant/base/option.hpp"
#include "pliant/base/result.hpp"
#include "pliant/geometry/bone_samples.hpp"
#include "pliant/geometry/shape.hpp"
#include "pliant/physics/motion.hpp"

namespace pliant {

struct Making;  // methods/entry.hpp

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
struct RigidBones {
  static constexpr double automatic = std::numeric_limits<double>::infinity();

  std::string file;               ///< a skeleton file; the scene fills `skeleton` from it
  std::vector<JointKeys> joints;  ///< or the skeleton itself
  double spacing = automatic;     ///< of the samples along bones, m; automatic = that of the nodes
  double zone = automatic;        ///< m; automatic = half the width of the limb
  double radius = 0;              ///< m; 0 = thin
  bool like_mesh = true;          ///< scaled, turned and moved as the shape's mesh is
  Skeleton skeleton;
};

/// Bones that may bend.
struct Bones : RigidBones {
  bool elastic = false;          ///< a rod that bends between what its keys hold
  double joint_softness = 0.01;  ///< of that rod at joints, share of its stiffness
  bool loaded = false;           ///< the flesh and its weight bend that rod
  double rod_stiffness = 1e9;    ///< Young's modulus of a loaded rod, Pa
  double rod_thickness = 0.02;   ///< its diameter, m
};

const OptionTable<RigidBones>& rigid_bones_table();
const OptionTable<Bones>& bones_table();
const OptionTable<JointKeys>& joint_table();

/// A skeleton from the joints of a scene. Problems are placed relative to the list.
Result<Skeleton> make_skeleton(const std::vector<JointKeys>& joints);

/// Fills bones.skeleton from its file or its joints. Problems are told at the settings' key, such as
/// "meshless.skeleton".
std::vector<Problem> find_skeleton(RigidBones& bones, const std::string& key, const Shape& shape,
                                   Making& making);

/// Settings of a skeleton in a body whose nodes are `spacing` apart. Automatic ones are resolved from the
/// shape: half the width of the limb is the distance from a joint to the surface, the median over the joints
/// that bend.
struct BoneSetting {
  BoneSampleOptions samples;
  double radius = 0;   ///< of thick bones, m
  double pliable = 0;  ///< length of bone on each side of a joint where even thick bones are thin, m
};
BoneSetting bone_setting(const RigidBones& bones, const Shape& shape, double spacing);

/// For each node the sample that it follows rigidly because it lies within the radius of a bone and not near a
/// joint; -1: none.
std::vector<Index> samples_around(const BoneSamples& bones, const BoneSetting& setting, const Points& nodes);

}  // namespace pliant
