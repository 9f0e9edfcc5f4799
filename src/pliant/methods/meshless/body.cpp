// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/body.hpp"

#include <algorithm>
#include <cmath>

#include "pliant/base/check.hpp"

namespace pliant::meshless {

Body::Body(Model model, Rig rig, Gather embedding, Gather contact, const Damping& damping,
           const Options& options)
    : model_(std::move(model)),
      rig_(std::move(rig)),
      cells_(model_.cells, model_.rest, model_.relative),
      embedding_(std::move(embedding)),
      contact_points_(contact.rows() > 0 ? std::move(contact) : embedding_),
      damping_(damping),
      options_(options),
      state_(first_state(model_, cells_, options)),
      rotations_(model_, rig_, cells_, options, state_),
      equation_(model_, rig_, cells_, options, state_, rotations_),
      solver_(model_.rest.size(), equation_.symmetric()),
      momentum_(model_, rig_, options),
      scratch_(model_.rest.size()) {
  PLIANT_CHECK(options.rotations != Rotations::automatic);
  stage_.attach(contact_points_, model_.rest, model_.spacing);
  response_.attach(model_, stage_.rows(), equation_.scalar_system());
}

void Body::place(std::span<const Vec3> x, std::span<const Vec3> v) {
  PLIANT_CHECK(x.size() == model_.rest.size() && v.size() == model_.rest.size());
  std::copy(x.begin(), x.end(), state_.nodes.x.begin());
  std::copy(v.begin(), v.end(), state_.nodes.v.begin());
  state_.contact.clear();
  if (options_.rotations != Rotations::polar || options_.warping == Warping::none) return;
  Pool alone(1);
  rotations_.turn(state_.nodes.x, true, alone);
}

double Body::elastic_energy() const {
  if (options_.warping == Warping::none)
    return energy(model_, rotations_.unturned(), state_.flow, state_.nodes.x);
  if (options_.warping == Warping::node)
    return energy(model_, rotations_.unturned(), state_.flow, unturned_nodes());
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
      gradient(model_, rotations_.unturned(), state_.flow, false, state_.nodes.x, out);
      break;
    case Warping::node:
      gradient(model_, rotations_.unturned(), state_.flow, false, unturned_nodes(), out);
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
  out.setup_ms = setup_ms_ + equation_.setup_ms();
  const std::size_t n = model_.rest.size();
  out.bytes = cells_.memory_bytes() + rig_.memory_bytes() + equation_.memory_bytes() +
              response_.memory_bytes() +
              model_.cells.node.size() * (sizeof(Index) + sizeof(Vec3) + sizeof(double)) +
              n * (8 * sizeof(Vec3) + 10 * sizeof(Float4)) + state_.turned.size() * sizeof(float);
  return out;
}

}  // namespace pliant::meshless
