// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/bone_samples.hpp"

#include <algorithm>
#include <cmath>
#include <limits>

#include "pliant/base/check.hpp"

namespace pliant {
namespace {

/// A joint's turn v in two: exp(v) = exp(twist d) exp(bend), d the direction of the bone that arrives. The
/// twist is the part of the rotation vector along d: for turns about d and for hinges across d exact, and
/// continuous while a joint goes through any angle, where the usual quotient of quaternion components has a
/// pole at 180 degrees.
struct Parted {
  Vec3 twist{0, 0, 0}, bend{0, 0, 0};
};

Parted parted(const Vec3& turn, const Vec3& direction) {
  Parted out;
  out.twist = turn.dot(direction) * direction;
  const Quat rest = lifted_rotation(out.twist).conjugate() * lifted_rotation(turn);
  out.bend = turn_near(rest, turn - out.twist);
  return out;
}

/// Integral of exp(u w) d over u from 0 to `until`, for a rotation vector w and a direction d.
Vec3 swept(const Vec3& w, const Vec3& d, double until) {
  const double rate = w.norm(), angle = rate * until;
  if (angle < 1e-4) {  // series: the closed form loses digits
    return until * (d + until / 2 * w.cross(d) + until * until / 6 * w.cross(w.cross(d)));
  }
  const Vec3 axis = w / rate;
  const Vec3 across = axis.cross(d);
  return until * axis.dot(d) * axis + (std::sin(angle) / rate) * (d - axis.dot(d) * axis) +
         ((1 - std::cos(angle)) / rate) * across;
}

double shortest_bone_at(Index joint, const std::vector<Bone>& bones) {
  double shortest = std::numeric_limits<double>::infinity();
  for (const Bone& bone : bones)
    if (bone.start == joint || bone.end == joint) shortest = std::min(shortest, bone.length);
  return shortest;
}

}  // namespace

BoneSamples::BoneSamples(Skeleton skeleton, const BoneSampleOptions& options)
    : skeleton_(std::move(skeleton)), bones_(skeleton_.bones()) {
  PLIANT_CHECK(options.spacing > 0 && options.zone >= 0);
  const std::size_t count = skeleton_.joints.size();
  arriving_.assign(count, -1);
  leaf_.assign(count, 1);
  zone_.assign(count, 0);
  for (std::size_t b = 0; b < bones_.size(); ++b) {
    arriving_[std::size_t(bones_[b].end)] = Index(b);
    leaf_[std::size_t(bones_[b].start)] = 0;
  }
  // Only where a bone arrives and another leaves is there a corner to round.
  for (std::size_t j = 0; j < count; ++j)
    if (arriving_[j] >= 0 && !leaf_[j])
      zone_[j] = std::min(options.zone, 0.45 * shortest_bone_at(Index(j), bones_));

  std::vector<Index> at_joint(count, -1);
  // A joint at the place of its parent has the parent's sample.
  const auto place_of = [this](Index joint) {
    while (arriving_[std::size_t(joint)] < 0 && skeleton_.joints[std::size_t(joint)].parent >= 0)
      joint = skeleton_.joints[std::size_t(joint)].parent;
    return std::size_t(joint);
  };
  const auto add = [this](const BoneSample& sample, Index before) {
    samples_.push_back(sample);
    before_.push_back(before);
    return Index(samples_.size()) - 1;
  };
  for (std::size_t b = 0; b < bones_.size(); ++b) {
    const Bone& bone = bones_[b];
    const Joint &start = skeleton_.joints[std::size_t(bone.start)],
                &end = skeleton_.joints[std::size_t(bone.end)];
    Index& first = at_joint[place_of(bone.start)];
    if (first < 0) first = add({Index(b), 0, start.position, start.radius}, -1);
    Index before = first;
    const int parts = std::max(1, int(std::ceil(bone.length / options.spacing - 1e-9)));
    for (int k = 1; k <= parts; ++k) {
      const double s = double(k) / parts;
      const double radius = start.radius > 0 && end.radius > 0 ? (1 - s) * start.radius + s * end.radius : 0;
      const Vec3 X = k == parts ? end.position : Vec3(start.position + s * bone.length * bone.direction);
      before = add({Index(b), s, X, k == parts ? end.radius : radius}, before);
    }
    at_joint[std::size_t(bone.end)] = before;
  }
}

void BoneSamples::record(std::vector<double> times, std::vector<std::vector<SamplePose>> poses) {
  PLIANT_CHECK(!times.empty() && times.size() == poses.size());
  for (const auto& pose : poses) PLIANT_CHECK(pose.size() == samples_.size());
  times_ = std::move(times);
  record_ = std::move(poses);
}

void BoneSamples::recorded(double t, std::vector<SamplePose>& out) const {
  const std::size_t after = std::size_t(std::upper_bound(times_.begin(), times_.end(), t) - times_.begin());
  const std::size_t k = after == 0 ? 0 : after - 1, next = std::min(after, times_.size() - 1);
  const double s = next > k ? (t - times_[k]) / (times_[next] - times_[k]) : 0;
  out.resize(samples_.size());
  for (std::size_t i = 0; i < out.size(); ++i) {
    const SamplePose &a = record_[k][i], &b = record_[next][i];
    out[i].x = (1 - s) * a.x + s * b.x;
    // Poses of a record are close: the chord is the arc, and keeps the sheet of the quaternion.
    out[i].rotation = Quat((1 - s) * a.rotation.coeffs() + s * b.rotation.coeffs()).normalized();
  }
}

void BoneSamples::drive(Index joint, const Vec3& turn, const Vec3& move) {
  Joint& driven = skeleton_.joints[std::size_t(joint)];
  const auto known = [&](const auto& entry) { return entry.first == joint; };
  if (std::none_of(keyed_.begin(), keyed_.end(), known)) keyed_.emplace_back(joint, driven);
  if (turn.norm() > 0 || !driven.turns.times.empty()) {  // a joint without turns stays one
    driven.turns = {};
    driven.turns.times = {0};
    driven.turns.turns = {turn};
  }
  driven.moves = {};
  driven.moves.times = {0};
  driven.moves.moves = {move};
}

void BoneSamples::follow_keys(Index joint) {
  for (const auto& [index, before] : keyed_)
    if (index == joint) skeleton_.joints[std::size_t(joint)] = before;
}

void BoneSamples::pose(double t, Scratch& scratch, std::vector<SamplePose>& out) const {
  if (!times_.empty()) return recorded(t, out);
  std::vector<JointPose>& joints = scratch.joints;
  skeleton_.pose(t, joints);
  // The arcs at rounded joints move what comes after them: the positions of joints follow the bones.
  for (std::size_t j = 0; j < joints.size(); ++j) {
    if (arriving_[j] >= 0) {
      joints[j].position = along_bone(bones_[std::size_t(arriving_[j])], 1, joints).x;
    } else if (const Index parent = skeleton_.joints[j].parent; parent >= 0) {
      const JointPose& p = joints[std::size_t(parent)];
      joints[j].position = p.position + p.rotation * joints[j].move;
    }
  }
  out.resize(samples_.size());
  for (std::size_t i = 0; i < samples_.size(); ++i) {
    const BoneSample& sample = samples_[i];
    out[i] = along_bone(bones_[std::size_t(sample.bone)], sample.along, joints);
  }
}

/// The bone is walked from the position of its start (with the rotation half way through the bend there):
/// second half of the arc at the start, the straight part, the first half of the arc at the end.
SamplePose BoneSamples::along_bone(const Bone& bone, double s, const std::vector<JointPose>& joints) const {
  const JointPose &start = joints[std::size_t(bone.start)], &end = joints[std::size_t(bone.end)];
  const Vec3& d = bone.direction;
  const double way = s * bone.length;
  const double zone_in = zone_[std::size_t(bone.start)], zone_out = zone_[std::size_t(bone.end)];
  const Parted at_end = parted(end.turn, d);

  // D_start = D_before exp(twist) exp(bend); half of the bend is behind when this bone begins.
  Vec3 bend{0, 0, 0};
  if (const Index arriving = arriving_[std::size_t(bone.start)]; arriving >= 0)
    bend = parted(start.turn, bones_[std::size_t(arriving)].direction).bend;
  const Quat half = start.rotation * lifted_rotation(-0.5 * bend);

  SamplePose out;
  out.x = start.position + s * (joints[std::size_t(bone.start)].rotation * end.move);
  const double in_arc = std::min(way, zone_in);
  if (zone_in > 0) {
    const Vec3 w = bend / (2 * zone_in);  // rad per metre of bone
    out.x += half * swept(w, d, in_arc);
    out.rotation = half * lifted_rotation(in_arc * w);
  } else {
    out.rotation = way > 0 ? start.rotation : half;
  }
  if (way <= zone_in) return out;

  const double straight = bone.length - zone_in - zone_out;
  const double in_straight = std::min(way - zone_in, straight);
  out.x += start.rotation * (in_straight * d);
  out.rotation = start.rotation * lifted_rotation(in_straight / straight * at_end.twist);
  const double rest = way - zone_in - straight;
  const bool corner = leaf_[std::size_t(bone.end)] == 0;
  if (zone_out > 0 && rest > 0) {
    const Vec3 w = at_end.bend / (2 * zone_out);
    out.x += out.rotation * swept(w, d, rest);
    out.rotation = out.rotation * lifted_rotation(rest * w);
  } else if (zone_out == 0 && s >= 1 && corner) {
    out.rotation = out.rotation * lifted_rotation(0.5 * at_end.bend);
  }
  return out;
}

double BoneSamples::largest_step(const std::vector<SamplePose>& poses) const {
  double largest = 0;
  for (std::size_t i = 0; i < before_.size(); ++i) {
    if (before_[i] < 0) continue;
    const double cosine = poses[i].rotation.dot(poses[std::size_t(before_[i])].rotation);
    largest = std::max(largest, 2 * std::acos(std::clamp(cosine, -1.0, 1.0)));
  }
  return largest;
}

}  // namespace pliant
