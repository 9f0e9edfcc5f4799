// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/body.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/base/check.hpp"
#include "pliant/methods/meshless/rod_coupling.hpp"

namespace pliant::meshless {

namespace {

/// Rotation of a node, for warping at nodes and rows.
Mat3 node_rotation(const State& state, Index node) {
  const Float4& q = state.node_turned[std::size_t(node)];
  return Eigen::Quaterniond(q.x, q.y, q.z, q.w).normalized().toRotationMatrix();
}

/// R_i^T x_i.
Points unturned_nodes(const State& state) {
  Points y = state.nodes.x;
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = node_rotation(state, Index(i)).transpose() * y[i];
  return y;
}

}  // namespace

Body::Body(Model model, Rig rig, Skin skin, const Damping& damping, const Options& options)
    : model_(std::move(model)),
      rig_(std::move(rig)),
      skin_(std::move(skin)),
      damping_(damping),
      options_(options),
      cache_(model_),
      state_(state_at_rest(model_, cache_.cells, options)),
      scratch_(model_, options),
      contact_(model_, skin_, cache_),
      meeting_(*this) {
  PLIANT_CHECK(options.rotations != Rotations::automatic);
  if (rig_.rod()) state_.rod = rig_.rod()->at_rest();
  if (options.rotations == Rotations::diffused && options.warping != Warping::none && !rig_.empty())
    cache_.unreached = turn_upright(rig_, cache_, state_, scratch_);
}

void Body::place(std::span<const Vec3> x, std::span<const Vec3> v) {
  PLIANT_CHECK(x.size() == model_.rest.size() && v.size() == model_.rest.size());
  std::copy(x.begin(), x.end(), state_.nodes.x.begin());
  std::copy(v.begin(), v.end(), state_.nodes.v.begin());
  state_.contact.clear();
  state_.past = Past::unknown;
  state_.touches = false;
  if (options_.rotations != Rotations::polar) return;
  Pool alone(1);
  turn(state_.nodes.x, true, alone);
}

int Body::turn(const Points& x, bool polar, Pool& pool) {
  if (options_.warping == Warping::none) return 0;
  if (!polar) return turn_by_bones(rig_, cache_, state_, scratch_, pool);
  turn_by_positions(model_, x, state_, scratch_, pool);
  return 0;
}

double Body::elastic_energy() const {
  const double flesh = flesh_energy() + tie_energy(model_, state_.nodes.x);
  if (!rig_.rod()) return flesh;
  return flesh + rod_energy(rig_, state_.rod, hold_stiffness(), state_.nodes.x);
}

double Body::flesh_energy() const {
  if (options_.warping == Warping::none) return energy(model_, cache_.unturned, state_.flow, state_.nodes.x);
  if (options_.warping == Warping::node)
    return energy(model_, cache_.unturned, state_.flow, unturned_nodes(state_));
  if (options_.rotations != Rotations::polar || options_.warping != Warping::cell)
    return energy(model_, state_.turned, state_.flow, state_.nodes.x);
  return polar_energy(model_, state_.turned, state_.flow, state_.nodes.x);
}

void Body::elastic_forces(std::span<Vec3> out) const {
  PLIANT_CHECK(out.size() == nodes().x.size());
  const bool polar = options_.rotations == Rotations::polar && options_.warping == Warping::cell;
  switch (options_.warping) {
    case Warping::cell:
      gradient(model_, state_.turned, state_.flow, polar, state_.nodes.x, out);
      break;
    case Warping::none:
      gradient(model_, cache_.unturned, state_.flow, false, state_.nodes.x, out);
      break;
    case Warping::node:
      gradient(model_, cache_.unturned, state_.flow, false, unturned_nodes(state_), out);
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = node_rotation(state_, Index(i)) * out[i];
      break;
    case Warping::row: {
      std::vector<Mat3> turned;
      for (Index i = 0; i < model_.nodes(); ++i) turned.push_back(node_rotation(state_, i));
      row_forces(model_, turned, state_.flow, true, state_.nodes.x, out);
      break;
    }
  }
  for (Vec3& force : out) force = -force;
  add_tie_forces(model_, state_.nodes.x, out);
  if (rig_.rod()) add_rod_forces(rig_, state_.rod, hold_stiffness(), state_.nodes.x, out);
}

std::optional<double> Body::driven_until() const {
  if (rig_.empty()) return std::nullopt;
  return rig_.bones().skeleton().duration();
}

std::string Body::drive_joint(const DrivenJoint& joint) {
  if (rig_.empty() || joint.joint < 0 || joint.joint >= Index(rig_.bones().skeleton().joints.size()))
    return "the body has no such joint";
  if (rig_.bones().is_recorded()) return "an elastic skeleton follows its keys only";
  rig_.drive(joint.joint, joint.turn, joint.move);
  for (DrivenJoint& known : state_.driven)
    if (known.joint == joint.joint) {
      known = joint;
      return {};
    }
  state_.driven.push_back(joint);
  return {};
}

void Body::save(Writer& writer) const { meshless::save(state_, writer); }

bool Body::load(Reader& reader) {
  const std::vector<DrivenJoint> before = state_.driven;
  if (!meshless::load(reader, rig_.empty() ? 0 : rig_.bones().skeleton().joints.size(), state_)) return false;
  for (const DrivenJoint& known : before)
    if (std::none_of(state_.driven.begin(), state_.driven.end(),
                     [&](const DrivenJoint& joint) { return joint.joint == known.joint; }))
      rig_.follow_keys(known.joint);
  for (const DrivenJoint& joint : state_.driven) rig_.drive(joint.joint, joint.turn, joint.move);
  return true;
}

MethodDescription Body::describe() const {
  MethodDescription out;
  out.name = "meshless";
  out.nodes = model_.nodes();
  out.freedoms = 3 * model_.nodes();
  out.solver = options_.warping == Warping::node ? "direct, block" : "direct";
  out.setup_ms = cache_.setup_ms;
  const std::size_t n = model_.rest.size();
  out.bytes = cache_.cells.memory_bytes() + rig_.memory_bytes() + cache_.memory_bytes() +
              contact_.memory_bytes() +
              model_.cells.node.size() * (sizeof(Index) + sizeof(Vec3) + sizeof(double)) +
              n * (8 * sizeof(Vec3) + 10 * sizeof(Float4)) + state_.turned.size() * sizeof(float);
  return out;
}

}  // namespace pliant::meshless
