// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/fem/rig.hpp"

#include <Eigen/LU>
#include <algorithm>
#include <limits>
#include <map>

#include "pliant/physics/diffusion.hpp"

namespace pliant::fem {
namespace {

constexpr double shortest_blend = 0.05;  // a sum of unit quaternions, a corner, that tells no rotation
constexpr int at_once = 256;

/// The tetrahedron holds the point: no corner has a negative weight there.
bool holds(const Model& model, Index e, const Vec3& x) {
  const Element element = model.element(e);
  double least = 1;
  for (std::size_t a = 0; a < 4; ++a) {
    const double apart = element.gradient[a].dot(x - model.rest[std::size_t(element.node[a])]);
    least = std::min(least, 1 + apart);
  }
  return least > -1e-9;
}

Index nearest_sample(const BoneSamples& bones, const Vec3& x) {
  const auto& samples = bones.samples();
  return Index(std::min_element(samples.begin(), samples.end(),
                                [&](const BoneSample& a, const BoneSample& b) {
                                  return (a.X - x).squaredNorm() < (b.X - x).squaredNorm();
                                }) -
               samples.begin());
}

Index nearest_node(const Model& model, const Vec3& x) {
  Index best = 0;
  for (Index i = 1; i < model.nodes(); ++i)
    if ((model.rest[std::size_t(i)] - x).squaredNorm() < (model.rest[std::size_t(best)] - x).squaredNorm())
      best = i;
  return best;
}

/// Of every node the sample that it follows; -1: none.
std::vector<Index> followed_samples(const BoneSamples& bones, const BoneSetting& setting,
                                    const Model& model) {
  std::vector<Index> out(model.rest.size(), -1);
  if (setting.radius > 0) out = samples_around(bones, setting, model.rest);
  const auto follow = [&](Index node) {
    if (out[std::size_t(node)] < 0)
      out[std::size_t(node)] = nearest_sample(bones, model.rest[std::size_t(node)]);
  };
  for (const BoneSample& sample : bones.samples()) {
    bool inside = false;
    for (Index e = 0; e < model.elements(); ++e) {
      if (!holds(model, e, sample.X)) continue;
      inside = true;
      for (const Index node : model.element(e).node) follow(node);
    }
    if (!inside) follow(nearest_node(model, sample.X));
  }
  return out;
}

Eigen::Vector4d sum_of_corners(const Element& element, const AlignedVector<Float4>& nodes) {
  Eigen::Vector4d sum = Eigen::Vector4d::Zero();
  for (const Index node : element.node) {
    const Float4& q = nodes[std::size_t(node)];
    sum += Eigen::Vector4d(q.x, q.y, q.z, q.w);
  }
  return sum;
}

/// The sum of the corners' quaternions has a length.
bool tells(const Eigen::Vector4d& sum, int corners) { return sum.norm() > shortest_blend * corners; }

SymmetricMatrix laplacian(const Model& model) {
  std::vector<std::map<Index, double>> rows(model.rest.size());
  for (Index e = 0; e < model.elements(); ++e) {
    const Element element = model.element(e);
    for (std::size_t a = 0; a < element.node.size(); ++a)
      for (std::size_t b = 0; b < element.node.size(); ++b)
        if (element.node[b] <= element.node[a])
          rows[std::size_t(element.node[a])][element.node[b]] +=
              element.weight * element.gradient[a].dot(element.gradient[b]);
  }
  return symmetric_from_rows(rows);
}

}  // namespace

Rig::Rig(const Skeleton& skeleton, const BoneSetting& setting, const Model& model, bool diffused, Pool& pool)
    : bones_(BoneSamples(skeleton, setting.samples)) {
  const std::vector<Index> followed = followed_samples(*bones_, setting, model);
  for (Index i = 0; i < model.nodes(); ++i)
    if (followed[std::size_t(i)] >= 0) {
      nodes_.push_back(i);
      sample_.push_back(followed[std::size_t(i)]);
      rest_.push_back(model.rest[std::size_t(i)]);
    }
  if (diffused)
    influence_ = influence_of_sources(laplacian(model), followed, Index(bones_->samples().size()), pool);
}

StepInput Rig::with_bones(const StepInput& input, Scratch& scratch) const {
  bones_->pose(input.time, scratch.bones, scratch.pose);
  scratch.held.clear();
  scratch.targets.clear();
  std::size_t n = 0;
  const auto add_held = [&](Index before) {
    for (; n < input.held.size() && input.held[n] < before; ++n) {
      scratch.held.push_back(input.held[n]);
      scratch.targets.push_back(input.targets[n]);
    }
  };
  for (std::size_t k = 0; k < nodes_.size(); ++k) {
    add_held(nodes_[k]);
    if (n < input.held.size() && input.held[n] == nodes_[k]) continue;
    const std::size_t s = std::size_t(sample_[k]);
    scratch.held.push_back(nodes_[k]);
    scratch.targets.push_back(carried(scratch.pose[s], bones_->samples()[s], rest_[k]));
  }
  add_held(std::numeric_limits<Index>::max());
  StepInput out = input;
  out.held = scratch.held;
  out.targets = scratch.targets;
  out.hold_sizes = {};
  return out;
}

void Rig::blend(std::span<const Float4> samples, AlignedVector<Float4>& nodes, Pool& pool) const {
  nodes.resize(influence_.size() / samples.size());
  for_blocks(pool, Index(nodes.size()), at_once, [&](int begin, int end) {
    for (int i = begin; i < end; ++i) {
      Float4 sum{};
      const float* row = influence_.data() + std::size_t(i) * samples.size();
      for (std::size_t s = 0; s < samples.size(); ++s) {
        const Float4& q = samples[s];
        sum.x += row[s] * q.x, sum.y += row[s] * q.y, sum.z += row[s] * q.z, sum.w += row[s] * q.w;
      }
      nodes[std::size_t(i)] = sum;
    }
  });
}

/// Bones at rest all tell the same rotation: where their blend has no length no bone reaches at all.
std::vector<unsigned char> Rig::reached(const Model& model) const {
  const std::vector<Float4> upright(bones_->samples().size(), Float4{1, 0, 0, 0});
  AlignedVector<Float4> nodes;
  Pool alone(1);
  blend(upright, nodes, alone);
  std::vector<unsigned char> out;
  for (Index e = 0; e < model.elements(); ++e)
    out.push_back(tells(sum_of_corners(model.element(e), nodes), model.corners));
  return out;
}

int Rig::turn(const Model& model, double time, Scratch& scratch, Rotations& rotations, Pool& pool) const {
  bones_->pose(time, scratch.bones, scratch.pose);
  scratch.samples.resize(scratch.pose.size());
  for (std::size_t s = 0; s < scratch.pose.size(); ++s) {
    const Quat& q = scratch.pose[s].rotation;
    scratch.samples[s] = {float(q.w()), float(q.x()), float(q.y()), float(q.z())};
  }
  blend(scratch.samples, scratch.nodes, pool);
  int kept = 0;
  for (Index e = 0; e < model.elements(); ++e) {
    if (!model.is_given(e)) continue;
    const Eigen::Vector4d sum = sum_of_corners(model.element(e), scratch.nodes);
    if (tells(sum, model.corners))
      rotations[std::size_t(e)] = Eigen::Quaterniond(sum[0], sum[1], sum[2], sum[3]).normalized();
    else
      ++kept;
  }
  return kept;
}

std::size_t Rig::memory_bytes() const {
  return influence_.size() * sizeof(float) + nodes_.size() * (2 * sizeof(Index) + sizeof(Vec3));
}

}  // namespace pliant::fem
