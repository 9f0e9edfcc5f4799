// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/body.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/base/check.hpp"
#include "pliant/math/polar.hpp"

namespace pliant::meshless {

double norm(const Points& vectors) {
  double sum = 0;
  for (const Vec3& v : vectors) sum += v.squaredNorm();
  return std::sqrt(sum);
}

Body::Body(Model model, Rig rig, Gather embedding, Gather contact, const Damping& damping,
           const Options& options)
    : model_(std::move(model)),
      rig_(std::move(rig)),
      packed_(model_.cells, model_.rest, model_.relative),
      embedding_(std::move(embedding)),
      contact_points_(contact.rows() > 0 ? std::move(contact) : embedding_),
      damping_(damping),
      options_(options),
      hold_(options.hold * model_.young * model_.spacing) {
  PLIANT_CHECK(options.rotations != Rotations::automatic);
  part_turn_.resize(model_.parts.size());
  stage_.attach(contact_points_, model_.rest, model_.spacing);
  response_.attach(model_, stage_.rows(), system_);
  const std::size_t n = model_.rest.size();
  state_.nodes = {model_.rest, Points(n, Vec3::Zero()), model_.mass};
  state_.turned = unturned_ = packed_.unturned();
  if (turns_nodes()) state_.node_turned.assign(n, Float4{1, 0, 0, 0});
  if (options.plasticity) state_.flow.assign(std::size_t(packed_.batches()) * 6 * lanes, 0);
  for (Points* points : {&new_x_, &new_v_, &r_, &elastic_, &y_, &on_nodes_}) points->assign(n, Vec3::Zero());
  for (auto* vector : {&d_, &f_, &z_, &p_, &ap_, &q_nodes_}) vector->assign(n, Float4{});
  if (options.warping == Warping::row)
    for (auto* vector : {&s_, &t_, &shadow_}) vector->assign(n, Float4{});
  if (turns_nodes()) turned_.assign(n, Mat3::Identity());
  if (options.warping == Warping::node) block_b_.assign(3 * n, Vec3::Zero()), block_z_ = block_b_;
  if (diffuses() && !rig_.empty()) unreached_ = cells_without_bone();
}

void Body::place(std::span<const Vec3> x, std::span<const Vec3> v) {
  PLIANT_CHECK(x.size() == model_.rest.size() && v.size() == model_.rest.size());
  std::copy(x.begin(), x.end(), state_.nodes.x.begin());
  std::copy(v.begin(), v.end(), state_.nodes.v.begin());
  state_.contact.clear();
  if (options_.rotations != Rotations::polar || options_.warping == Warping::none) return;
  Pool alone(1);
  turn(state_.nodes.x, true, alone);
}

double Body::elastic_energy() const {
  if (options_.warping == Warping::none) return energy(model_, unturned_, state_.flow, state_.nodes.x);
  if (options_.warping == Warping::node) return energy(model_, unturned_, state_.flow, unturned_nodes());
  if (options_.rotations != Rotations::polar || options_.warping != Warping::cell)
    return energy(model_, state_.turned, state_.flow, state_.nodes.x);
  return polar_energy(model_, state_.turned, state_.flow, state_.nodes.x);
}

Mat3 Body::node_rotation(Index node) const {
  const Float4& q = state_.node_turned[std::size_t(node)];
  return Eigen::Quaterniond(q.x, q.y, q.z, q.w).normalized().toRotationMatrix();
}

/// R_i^T x_i.
Points Body::unturned_nodes() const {
  Points y = state_.nodes.x;
  for (std::size_t i = 0; i < y.size(); ++i) y[i] = node_rotation(Index(i)).transpose() * y[i];
  return y;
}

void Body::elastic_forces(std::span<Vec3> out) const {
  const bool polar = options_.rotations == Rotations::polar && options_.warping == Warping::cell;
  switch (options_.warping) {
    case Warping::cell:
      gradient(model_, state_.turned, state_.flow, polar, state_.nodes.x, out);
      break;
    case Warping::none:
      gradient(model_, unturned_, state_.flow, false, state_.nodes.x, out);
      break;
    case Warping::node:
      gradient(model_, unturned_, state_.flow, false, unturned_nodes(), out);
      for (std::size_t i = 0; i < out.size(); ++i) out[i] = node_rotation(Index(i)) * out[i];
      break;
    case Warping::row: {
      std::vector<Mat3> turned;
      for (Index i = 0; i < model_.nodes(); ++i) turned.push_back(node_rotation(i));
      row_forces(model_, turned, state_.flow, true, state_.nodes.x, out);
      break;
    }
  }
  for (Vec3& force : out) force = -force;
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

void Body::save(Writer& writer) const {
  writer.array(state_.nodes.x);
  writer.array(state_.nodes.v);
  writer.array(std::vector<float>(state_.turned.begin(), state_.turned.end()));
  writer.array(state_.node_turned);
  writer.array(std::vector<double>(state_.flow.begin(), state_.flow.end()));
  writer.array(state_.contact.memories);
  writer.array(state_.contact.sides);
  writer.value(std::uint64_t(state_.driven.size()));
  for (const DrivenJoint& driven : state_.driven) {
    writer.value(driven.joint);
    for (int c = 0; c < 3; ++c) writer.value(driven.turn[c]), writer.value(driven.move[c]);
  }
}

bool Body::load(Reader& reader) {
  State next = state_;
  std::vector<float> turned(next.turned.size());
  std::vector<double> flow(next.flow.size());
  reader.array(next.nodes.x);
  reader.array(next.nodes.v);
  reader.array(turned);
  reader.array(next.node_turned);
  reader.array(flow);
  reader.list(next.contact.memories);
  reader.list(next.contact.sides);
  std::uint64_t driven = 0;
  reader.value(driven);
  const std::size_t joints = rig_.empty() ? 0 : rig_.bones().skeleton().joints.size();
  if (!reader.ok() || driven > joints) return false;
  next.driven.resize(driven);
  for (DrivenJoint& joint : next.driven) {
    reader.value(joint.joint);
    for (int c = 0; c < 3; ++c) reader.value(joint.turn[c]), reader.value(joint.move[c]);
    if (!reader.ok() || joint.joint < 0 || std::size_t(joint.joint) >= joints) return false;
  }
  for (const DrivenJoint& known : state_.driven)
    if (std::none_of(next.driven.begin(), next.driven.end(),
                     [&](const DrivenJoint& joint) { return joint.joint == known.joint; }))
      rig_.follow_keys(known.joint);
  for (const DrivenJoint& joint : next.driven) rig_.drive(joint.joint, joint.turn, joint.move);
  std::copy(turned.begin(), turned.end(), next.turned.begin());
  std::copy(flow.begin(), flow.end(), next.flow.begin());
  state_ = std::move(next);
  return true;
}

MethodDescription Body::describe() const {
  MethodDescription out;
  out.name = "meshless";
  out.nodes = model_.nodes();
  out.freedoms = 3 * model_.nodes();
  out.solver = options_.warping == Warping::node ? "direct, block" : "direct";
  out.setup_ms = setup_ms_;
  const std::size_t n = model_.rest.size();
  out.bytes = packed_.memory_bytes() + rig_.memory_bytes() + system_.memory_bytes() + block_.memory_bytes() +
              response_.memory_bytes() +
              model_.cells.node.size() * (sizeof(Index) + sizeof(Vec3) + sizeof(double)) +
              n * (8 * sizeof(Vec3) + 10 * sizeof(Float4)) + state_.turned.size() * sizeof(float);
  return out;
}

}  // namespace pliant::meshless
