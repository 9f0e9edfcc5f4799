// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/entry.hpp"

#include <fmt/format.h>

#include "pliant/base/layout.hpp"
#include "pliant/geometry/inside.hpp"
#include "pliant/methods/bones_layout.hpp"
#include "pliant/methods/meshless/body.hpp"
#include "pliant/methods/meshless/build.hpp"
#include "pliant/methods/meshless/prepare.hpp"

namespace pliant {

template <>
const Layout<meshless::Region>& layout_of() {
  static const auto layout = make_layout<meshless::Region>(
      "region", "flesh of another stiffness around a bone", meshless::region_table());
  return layout;
}

template <>
const Layout<meshless::Finer>& layout_of() {
  static const auto layout = make_layout<meshless::Finer>(
      "finer", "a ball in which nodes are nearer to one another", meshless::finer_table());
  return layout;
}

template <>
const Layout<meshless::Plasticity>& layout_of() {
  static const auto layout = make_layout<meshless::Plasticity>(
      "meshless plasticity", "when the flesh keeps a new shape, and how much of it",
      meshless::plasticity_table());
  return layout;
}

template <>
const Layout<meshless::Options>& layout_of() {
  using S = meshless::Options;
  static const auto layout = make_layout<S>(
      "meshless", "settings of the meshless method", meshless::option_table(),
      {optional_field("skeleton", &S::bones, "bones that move the flesh; none: a body without bones"),
       optional_field("plasticity", &S::plasticity, "dents and bends that stay; none = always springs back"),
       list_field("regions", &S::regions, "flesh of another stiffness"),
       list_field("finer", &S::finer, "more nodes where flesh bends most")});
  return layout;
}

namespace meshless {
namespace {

/// Where the flesh is poorer than it should be, one sentence a kind.
std::vector<std::string> notes(const Options&, const BodyPlan&, const Method& method, const StepPlan&) {
  std::vector<std::string> out;
  const auto* flesh = dynamic_cast<const Body*>(&method);
  if (!flesh) return out;
  const Cells& cells = flesh->model().cells;
  const auto note = [&](int count, const char* what) {
    if (count > 0) out.push_back(fmt::format("{} {}", count, what));
  };
  note(cells.widened,
       "points of its cells had too few nodes around them, or nodes in a plane, and see further");
  note(cells.constant,
       "of these still do not tell a strain (constant shape functions): use more nodes or a larger support");
  note(cells.lonely, "nodes in parts thinner than a cell have a cell of their own: use more nodes");
  note(flesh->unreached_cells(), "cells lie in parts without a bone and do not turn: give each part a bone");
  return out;
}

/// The samples at the joints, in their order, then all others.
std::vector<std::size_t> joints_first(const BoneSamples& bones) {
  const std::vector<Joint>& joints = bones.skeleton().joints;
  std::vector<std::size_t> out(joints.size(), 0), others;
  std::vector<char> found(joints.size(), 0);
  for (std::size_t s = 0; s < bones.samples().size(); ++s) {
    const BoneSample& sample = bones.samples()[s];
    if (sample.along != 0 && sample.along != 1) {
      others.push_back(s);
      continue;
    }
    const Bone& bone = bones.bones()[std::size_t(sample.bone)];
    const std::size_t joint = std::size_t(sample.along == 0 ? bone.start : bone.end);
    out[joint] = s, found[joint] = 1;
  }
  for (std::size_t j = 0; j < joints.size(); ++j)  // a joint at the place of its parent has no sample
    if (!found[j] && joints[j].parent >= 0) out[j] = out[std::size_t(joints[j].parent)];
  out.insert(out.end(), others.begin(), others.end());
  return out;
}

/// Of the samples of a loaded rod whether keys say where they are, at all times: no hand pulls at these.
std::vector<char> placed_by_keys(const Rig& rig) {
  std::vector<char> out(std::size_t(rig.samples()), 0);
  for (const RodHold& hold : rod_holds(rig.bones(), 0))
    if (hold.x) out[std::size_t(hold.node)] = 1;
  return out;
}

/// A rod is where its samples are. Flesh and hands bend a loaded one.
void add_rod(const Body& flesh, Controls& out) {
  const Rig& rig = flesh.rig();
  const std::vector<Index>& before = rig.bones().before();
  const std::vector<std::size_t> samples = joints_first(rig.bones());
  const std::vector<char> placed = rig.rod() ? placed_by_keys(rig) : std::vector<char>();
  std::vector<Index> place(before.size(), -1);
  for (std::size_t k = 0; k < samples.size(); ++k) {
    const std::size_t s = samples[k];
    if (place[s] < 0) place[s] = Index(k);
    const Index node = rig.sample_nodes()[s];
    JointPose& pose = out.joints.emplace_back();
    pose.position = flesh.model().field_at(node, flesh.nodes().x);
    if (!rig.rod()) continue;
    pose = {flesh.rod().rotation[s], flesh.rod().x[s]};
    out.joint_nodes.push_back(placed[s] ? -1 : node);
  }
  for (std::size_t s = 0; s < before.size(); ++s)
    if (before[s] >= 0) out.joint_links.push_back({place[std::size_t(before[s])], place[s]});
}

Controls controls(const Options&, const Method& method) {
  Controls out;
  const auto* flesh = dynamic_cast<const Body*>(&method);
  if (!flesh || flesh->rig().empty()) return out;
  out.skeleton = &flesh->rig().bones().skeleton();
  out.joints_driven = !flesh->driven_joints().empty();
  if (flesh->rig().rod() || flesh->rig().bones().is_recorded()) add_rod(*flesh, out);
  return out;
}

std::string drive_joint(const Options&, Method& method, Index joint, const Vec3& turn, const Vec3& move) {
  return dynamic_cast<Body&>(method).drive_joint({joint, turn, move});
}

}  // namespace

/// The cubes that the energy is integrated over, moved as its gradients say.
Inside inside(const Method& method) {
  const auto* flesh = dynamic_cast<const Body*>(&method);
  if (!flesh) return {};
  const Cells& cells = flesh->model().cells;
  const Points& x = flesh->nodes().x;
  std::vector<std::array<Vec3, 8>> inverted;
  for (Index c = 0; c < cells.count(); ++c) {
    const Mat3 f = deformation_gradient(cells, c, x);
    if (f.determinant() > 0) continue;
    Vec3 centre = Vec3::Zero();
    for (Index k = cells.begin[std::size_t(c)]; k < cells.begin[std::size_t(c) + 1]; ++k)
      centre += cells.centre_value[std::size_t(k)] * x[std::size_t(cells.node[std::size_t(k)])];
    for (int corner = 0; Vec3 & at : inverted.emplace_back()) {
      const Vec3 side(corner & 1 ? 1 : -1, corner & 2 ? 1 : -1, corner & 4 ? 1 : -1);
      at = centre + f * cells.edge_of(c).cwiseProduct(side) / 2;
      ++corner;
    }
  }
  Inside out{.inverted = std::move(inverted)};
  if (flesh->rig().empty() || !(flesh->rig().bones().is_recorded() || flesh->rig().rod())) return out;
  const std::vector<Index>& nodes = flesh->rig().sample_nodes();  // the flesh there is where the rod is
  for (std::size_t s = 0; s < nodes.size(); ++s)
    if (const Index before = flesh->rig().bones().before()[s]; before >= 0)
      out.rod.push_back({x[std::size_t(nodes[std::size_t(before)])], x[std::size_t(nodes[s])]});
  return out;
}

const MethodEntry& entry() {
  static const MethodEntry entry = make_entry<Options>(
      "meshless", "settings of the meshless method", any_layout<Options>(),
      {.prepare = prepare,
       .build = [](const Options& options,
                   const BodyPlan& plan) { return build(plan.shape, plan.density, plan.damping, options); },
       .set_live = set_live_of<Body, Options>,
       .notes = notes,
       .abilities = {Ability::contact, Ability::live, Ability::plasticity, Ability::points, Ability::skeleton,
                     Ability::elastic},
       .controls = controls,
       .drive_joint = drive_joint,
       .stiffness = [](const Options& options) { return options.stiffness; },
       .remedies =
           [](const Options&) {
             return Remedies{.bones =
                                 "smaller angles, longer bones for the same turn, or more samples along them "
                                 "(meshless.skeleton.spacing)"};
           },
       .verdict =
           [](const Options&, const Solidity& solidity) {
             return solidity.any_solid ? Verdict{"yes, filled with nodes", true}
                                       : Verdict{"no, flesh is a solid", false};
           }});
  return entry;
}

}  // namespace meshless
}  // namespace pliant
