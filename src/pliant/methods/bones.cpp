// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/bones.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <numbers>

#include "pliant/geometry/triangle_tree.hpp"
#include "pliant/methods/entry.hpp"
#include "pliant/physics/selection.hpp"

namespace pliant {
namespace {

constexpr double stiff_crook = 0.6;  // of half the width: nearer to a joint no bone is thick

/// Problems of the joints, told at the settings' key.
std::vector<Problem> told_at(const std::string& place, const Error& error) {
  std::vector<Problem> out;
  for (Problem problem : error.problems) {
    problem.place = place + (problem.place.empty() ? "" : "." + problem.place);
    out.push_back(std::move(problem));
  }
  return out;
}

/// A bone far from the flesh can hold nothing.
std::vector<Problem> check_inside(const Skeleton& skeleton, const std::string& key, const Shape& shape) {
  const Bounds box = bounds_of(shape.surface.vertices);
  for (const Joint& joint : skeleton.joints)
    if (((joint.position - box.min).array() < 0).any() || ((box.max - joint.position).array() < 0).any())
      return {{key,
               fmt::format("joint \"{}\" at [{:g}, {:g}, {:g}]", joint.name, joint.position.x(),
                           joint.position.y(), joint.position.z()),
               fmt::format("joints inside the body, which reaches from [{:g}, {:g}, {:g}] to [{:g}, "
                           "{:g}, {:g}]",
                           box.min.x(), box.min.y(), box.min.z(), box.max.x(), box.max.y(), box.max.z()),
               {}}};
  if (skeleton.bones().empty())
    return {{key, "no bone", "at least two joints, one the parent of the other", {}}};
  return {};
}

}  // namespace

std::vector<Problem> find_skeleton(RigidBones& bones, const std::string& key, const Shape& shape,
                                   Making& making) {
  if (bones.file.empty() == bones.joints.empty())
    return {
        {key, bones.file.empty() ? "neither file nor joints" : "both file and joints", "one of them", {}}};
  Result<Skeleton> skeleton =
      bones.file.empty() ? make_skeleton(bones.joints) : making.files.skeleton(bones.file);
  if (!skeleton)
    return told_at(bones.file.empty() ? fmt::format("{}.joints", key)
                                      : fmt::format("{}.file: {}", key, making.files.place(bones.file)),
                   skeleton.error());
  if (making.placement && bones.like_mesh) place_like(*making.placement, *skeleton);
  bones.skeleton = std::move(*skeleton);
  return check_inside(bones.skeleton, key, shape);
}

namespace {

/// A field of RigidBones as one of S.
template <class S, class T>
T S::*of(T RigidBones::*field) {
  return field;
}

template <class S>
OptionTable<S> rigid_options() {
  return {
      option("file", of<S>(&RigidBones::file),
             {.help = "the skeleton: JSON, or the skin of a glTF file; from the scene's folder or from "
                      "where the command runs"}),
      option("spacing", of<S>(&RigidBones::spacing),
             {.unit = "m",
              .min = 0,
              .max = 1e6,
              .above_min = true,
              .help = "between samples along a bone; none = as the nodes"}),
      option("zone", of<S>(&RigidBones::zone),
             {.unit = "m",
              .min = 0,
              .max = 1e6,
              .help = "length of bone on both sides of a joint that bends with it; 0 = sharp joints; none = "
                      "half the width of the limb"}),
      option("radius", of<S>(&RigidBones::radius),
             {.unit = "m",
              .min = 0,
              .max = 1e6,
              .help = "flesh within it follows the bone rigidly, but for the zones; 0 = thin bones; fine "
                      "sets of nodes and twisted limbs want 0.1 to 0.3 of the limb's width"}),
      option("like_mesh", of<S>(&RigidBones::like_mesh),
             {.help = "true: positions are those of the mesh's file, and the skeleton is scaled, turned and "
                      "moved as the mesh is; false: they are those of the scene; no effect on other shapes"}),
  };
}

}  // namespace

const OptionTable<RigidBones>& rigid_bones_table() {
  static const auto table = rigid_options<RigidBones>();
  return table;
}

const OptionTable<Bones>& bones_table() {
  static const auto table = [] {
    auto out = rigid_options<Bones>();
    for (const Option<Bones>& more :
         {option("elastic", &Bones::elastic,
                 {.help = "true: an elastic rod, held where joints have keys (by rotation or place) and in "
                          "balance between them; false: bones are rigid and joints turn as their keys say"}),
          option(
              "joint_softness", &Bones::joint_softness,
              {.unit = "1",
              .min = 1e-4,
              .max = 1,
              .help = "bending and twisting stiffness of an elastic skeleton at its joints, share of that of "
                      "its bones"}),
          option("loaded", &Bones::loaded,
                 {.help =
                      "true, of an elastic skeleton with a radius: weight and flesh bend the rod and the rod "
                      "the flesh; rotations are polar; no colliders"}),
          option("rod_stiffness", &Bones::rod_stiffness,
                 {.unit = "Pa",
                 .min = 1,
                 .max = 1e13,
                 .scale = Scale::logarithmic,
                 .help = "Young's modulus of a loaded rod; wood 1e10, bone 2e10, steel 2e11"}),
          option("rod_thickness", &Bones::rod_thickness,
                 {.unit = "m",
                 .min = 0,
                 .max = 1e6,
                 .above_min = true,
                 .help = "diameter of a loaded rod, whose section is round; its mass is that of the flesh"})})
      out.push_back(more);
    return out;
  }();
  return table;
}

const OptionTable<JointKeys>& joint_table() {
  using S = JointKeys;
  static const OptionTable<S> table{
      option("name", &S::name, {.help = "each once"}),
      option("parent", &S::parent, {.help = "the name of a joint before it; none: a root"}),
      option("position", &S::position, {.unit = "m", .min = -1e6, .max = 1e6, .help = "at rest"}),
      option("radius", &S::radius,
             {.unit = "m", .min = 0, .max = 1e6, .help = "of the limb here; 0 = as far as the surface is"}),
      option("ease", &S::ease,
             {.choices = {"smooth", "linear"},
              .help = "smooth stops at every key (s^2 (3 - 2 s)); linear keeps constant speed between keys"}),
  };
  return table;
}

Result<Skeleton> make_skeleton(const std::vector<JointKeys>& joints) {
  Error error;
  Skeleton out;
  for (std::size_t j = 0; j < joints.size(); ++j) {
    const JointKeys& from = joints[j];
    Joint joint;
    joint.name = from.name;
    joint.position = from.position;
    joint.radius = from.radius;
    for (std::size_t k = 0; k < j; ++k) {
      if (joints[k].name == from.parent) joint.parent = Index(k);
      if (joints[k].name == from.name)
        error.problems.push_back(
            {fmt::format("{}.name", j), fmt::format("\"{}\" again", from.name), "each name once", {}});
    }
    if (!from.parent.empty() && joint.parent < 0)
      error.problems.push_back({fmt::format("{}.parent", j),
                                fmt::format("\"{}\"", from.parent),
                                "the name of a joint before it in the list",
                                {}});
    joint.turns.interpolation = joint.moves.interpolation =
        from.ease == Ease::smooth ? Interpolation::smooth : Interpolation::linear;
    for (const MotionKey& key : from.motion) {
      joint.turns.times.push_back(key.time);
      joint.moves.times.push_back(key.time);
      const double length = key.rotate.axis.norm();
      joint.turns.turns.push_back(
          length > 0 ? Vec3(key.rotate.degrees * std::numbers::pi / 180 / length * key.rotate.axis)
                     : Vec3(0, 0, 0));
      joint.moves.moves.push_back(key.translate);
    }
    out.joints.push_back(std::move(joint));
  }
  if (!error.problems.empty()) return error;
  return out;
}

BoneSetting bone_setting(const RigidBones& bones, const Shape& shape, double spacing) {
  const TriangleTree tree(boundary_of(shape).vertices, boundary_of(shape).triangles);
  std::vector<double> radii;
  for (std::size_t j = 0; j < bones.skeleton.joints.size(); ++j) {
    const Joint& joint = bones.skeleton.joints[j];
    bool inner = false;
    for (const Joint& other : bones.skeleton.joints) inner |= other.parent == Index(j);
    if (joint.parent < 0 || !inner) continue;
    const auto surface = tree.nearest(joint.position, std::numeric_limits<double>::infinity());
    radii.push_back(joint.radius > 0 ? joint.radius : surface.distance);
  }
  std::sort(radii.begin(), radii.end());
  const double half_width = radii.empty() ? 0 : radii[radii.size() / 2];
  BoneSetting out;
  out.samples.spacing = bones.spacing < Bones::automatic ? bones.spacing : spacing;
  out.samples.zone = bones.zone < Bones::automatic ? bones.zone : half_width;
  out.radius = bones.radius;
  out.pliable = std::max(out.samples.zone, stiff_crook * half_width);
  return out;
}

std::vector<Index> samples_around(const BoneSamples& bones, const BoneSetting& setting, const Points& nodes) {
  const auto& samples = bones.samples();
  const auto& joints = bones.skeleton().joints;
  std::vector<char> arrives(joints.size(), 0), leaves(joints.size(), 0);
  for (const Bone& bone : bones.bones()) leaves[std::size_t(bone.start)] = arrives[std::size_t(bone.end)] = 1;
  std::vector<Index> out(nodes.size(), -1);
  for (std::size_t i = 0; i < nodes.size(); ++i) {
    const Vec3& x = nodes[i];
    double nearest = setting.radius;
    Index bone = -1;
    for (std::size_t b = 0; b < bones.bones().size(); ++b) {
      const Bone& candidate = bones.bones()[b];
      const Vec3 start = joints[std::size_t(candidate.start)].position;
      const double along = std::clamp((x - start).dot(candidate.direction), 0.0, candidate.length);
      bool bends = false;
      if (arrives[std::size_t(candidate.start)]) bends |= along < setting.pliable;
      if (leaves[std::size_t(candidate.end)]) bends |= candidate.length - along < setting.pliable;
      const double distance = (x - start - along * candidate.direction).norm();
      if (!bends && distance <= nearest) nearest = distance, bone = Index(b);
    }
    if (bone < 0) continue;
    double closest = std::numeric_limits<double>::infinity();
    for (std::size_t s = 0; s < samples.size(); ++s)
      if (samples[s].bone == bone && (samples[s].X - x).norm() < closest)
        closest = (samples[s].X - x).norm(), out[i] = Index(s);
  }
  return out;
}

}  // namespace pliant
