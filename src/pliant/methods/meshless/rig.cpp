// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/rig.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "pliant/base/check.hpp"
#include "pliant/geometry/node_grid.hpp"
#include "pliant/physics/diffusion.hpp"

namespace pliant::meshless {
namespace {

constexpr double too_near = 0.5;     // of the spacing: such nodes give way to a sample
constexpr double on_the_line = 0.1;  // of the spacing: a node this near to a bone has no lever on its turns
constexpr double link_reach = 1.6;   // of the spacing: edges of a sample that no node gave way to

/// Columns of a gather renumbered; weights of columns that fall together are added by the sums they are in.
void renumber(Gather& gather, const std::vector<Index>& to) {
  for (Index& column : gather.column) column = to[std::size_t(column)];
}

}  // namespace

Shape with_samples(Shape shape, const Points& samples) {
  NodeGraph& graph = shape.graph;
  const double a = median_nearest(shape.graph.positions);
  const Index before = Index(graph.positions.size());
  const NodeGrid grid(graph.positions, a);
  const Adjacency links = adjacency(before, graph.edges);
  std::vector<Index> to(graph.positions.size());
  std::iota(to.begin(), to.end(), 0);
  std::vector<char> taken(graph.positions.size(), 0);
  std::vector<NodeGrid::Found> found;
  std::vector<std::array<Index, 2>> pairs;
  for (const auto& e : graph.edges) pairs.push_back({e.a, e.b});
  for (const Vec3& x : samples) {
    grid.nearest(x, 64, too_near * a * (1 - 1e-9), found);
    std::erase_if(found, [&](const auto& f) { return taken[std::size_t(f.id)]; });
    if (!found.empty()) {
      const Index node = found.front().id;
      graph.positions[std::size_t(node)] = x;
      for (const auto& f : found) taken[std::size_t(f.id)] = 1, to[std::size_t(f.id)] = node;
      continue;
    }
    const Index node = Index(graph.positions.size());
    grid.nearest(x, 1, std::numeric_limits<double>::infinity(), found);
    const Index nearest = found.front().id;
    graph.positions.push_back(x);
    graph.volumes.push_back(0);
    pairs.push_back({nearest, node});
    for (Index k = links.begin[std::size_t(nearest)]; k < links.begin[std::size_t(nearest) + 1]; ++k)
      if ((graph.positions[std::size_t(links.target[std::size_t(k)])] - x).norm() < link_reach * a)
        pairs.push_back({links.target[std::size_t(k)], node});
  }
  // Numbers without gaps.
  std::vector<Index> number(graph.positions.size(), -1);
  Points positions;
  std::vector<double> volumes;
  for (Index i = 0; i < Index(graph.positions.size()); ++i) {
    if (i < before && to[std::size_t(i)] != i) continue;
    number[std::size_t(i)] = Index(positions.size());
    positions.push_back(graph.positions[std::size_t(i)]);
    volumes.push_back(graph.volumes[std::size_t(i)]);
  }
  for (Index i = 0; i < before; ++i)
    if (to[std::size_t(i)] != i) {
      number[std::size_t(i)] = number[std::size_t(to[std::size_t(i)])];
      volumes[std::size_t(number[std::size_t(i)])] += graph.volumes[std::size_t(i)];
    }
  graph.positions = std::move(positions);
  graph.volumes = std::move(volumes);
  for (auto& [p, q] : pairs) {
    p = number[std::size_t(p)], q = number[std::size_t(q)];
    if (p > q) std::swap(p, q);
  }
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  graph.edges.clear();
  for (const auto& [p, q] : pairs)
    if (p != q) graph.edges.push_back({p, q, 0});
  for (auto& cell : graph.cells)
    for (Index& node : cell) node = number[std::size_t(node)];
  renumber(shape.embedding, number);
  renumber(shape.contact, number);
  return shape;
}

Rig::Rig(const Skeleton& skeleton, const BoneSetting& setting, const Model& model,
         const MovingLeastSquares& mls, Pool& pool)
    : bones_(BoneSamples(skeleton, setting.samples)) {
  const NodeGrid grid(model.rest, model.spacing);
  std::vector<NodeGrid::Found> found;
  Points places;
  Gather anchors;
  for (const BoneSample& sample : bones_->samples()) {
    grid.nearest(sample.X, 1, std::numeric_limits<double>::infinity(), found);
    PLIANT_CHECK(found.front().squared <= 1e-12 * model.spacing * model.spacing);
    sample_node_.push_back(found.front().id);
    places.push_back(sample.X);
  }
  if (setting.radius > 0) thicken(setting, model);
  for (const Follower& follower : followers_) places.push_back(follower.X);
  for (const Vec3& x : places) {
    grid.nearest(x, 1, std::numeric_limits<double>::infinity(), found);
    anchors.column.push_back(found.front().id);
    anchors.weight.push_back(1);
    anchors.begin.push_back(Index(anchors.column.size()));
  }
  rows_ = mls_rows(places, anchors, mls, pool);
  diffuse(model, pool);
}

void Rig::thicken(const BoneSetting& setting, const Model& model) {
  std::vector<Index> sample = samples_around(*bones_, setting, model.rest);
  for (const Index i : sample_node_) sample[std::size_t(i)] = -1;
  for (Index i = 0; i < model.nodes(); ++i)
    if (sample[std::size_t(i)] >= 0)
      followers_.push_back({model.rest[std::size_t(i)], sample[std::size_t(i)]});
}

void Rig::diffuse(const Model& model, Pool& pool) {
  std::vector<Index> sample_of(model.rest.size(), -1);
  for (Index k = 0; k < samples(); ++k) sample_of[std::size_t(sample_node_[std::size_t(k)])] = k;
  influence_ = influence_of_sources(model.laplacian, sample_of, samples(), pool);
}

bool Rig::make_elastic(double joint_softness) {
  Points places;
  for (const Joint& joint : bones_->skeleton().joints) places.push_back(joint.position);
  Vec3 low = places.front(), high = low;
  for (const Vec3& p : places) low = low.cwiseMin(p), high = high.cwiseMax(p);
  // Without loads only ratios matter: a round section (GJ = EI / (1 + nu), nu = 0.3) of 1/50 of the length.
  const double length = (high - low).norm();
  return record_rod(*bones_, {1e4 / (length * length), 1, 1 / 1.3}, joint_softness, 1.0 / 120);
}

void Rig::make_loaded(const RodStiffness& stiffness, double joint_softness) {
  rod_ = rod_along(*bones_, stiffness, joint_softness);
}

Index Rig::rod_node(Index row) const {
  return row < samples() ? row : followers_[std::size_t(row - samples())].sample;
}

Vec3 Rig::arm(Index row) const {
  if (row < samples()) return Vec3::Zero();
  const Follower& follower = followers_[std::size_t(row - samples())];
  return follower.X - bones_->samples()[std::size_t(follower.sample)].X;
}

bool Rig::grips(double spacing) const {
  return std::any_of(followers_.begin(), followers_.end(), [&](const Follower& follower) {
    const BoneSample& sample = bones_->samples()[std::size_t(follower.sample)];
    const Vec3& along = bones_->bones()[std::size_t(sample.bone)].direction;
    return (follower.X - sample.X).cross(along).norm() > on_the_line * spacing;
  });
}

void Rig::pose(double t, Scratch& scratch) const {
  bones_->pose(t, scratch.bones, scratch.pose);
  follow(scratch);
}

void Rig::pose(const RodState& rod, Scratch& scratch) const {
  scratch.pose.resize(rod.x.size());
  for (std::size_t s = 0; s < rod.x.size(); ++s) scratch.pose[s] = {rod.x[s], rod.rotation[s]};
  follow(scratch);
}

void Rig::follow(Scratch& scratch) const {
  scratch.quaternions.resize(sample_node_.size());
  scratch.targets.resize(std::size_t(rows_.rows()));
  for (std::size_t s = 0; s < sample_node_.size(); ++s) {
    const SamplePose& pose = scratch.pose[s];
    scratch.quaternions[s] = {float(pose.rotation.w()), float(pose.rotation.x()), float(pose.rotation.y()),
                              float(pose.rotation.z())};
    scratch.targets[s] = pose.x;
  }
  for (std::size_t f = 0; f < followers_.size(); ++f) {
    const std::size_t s = std::size_t(followers_[f].sample);
    scratch.targets[sample_node_.size() + f] =
        carried(scratch.pose[s], bones_->samples()[s], followers_[f].X);
  }
}

std::size_t Rig::memory_bytes() const {
  return influence_.size() * sizeof(float) + rows_.column.size() * (sizeof(Index) + sizeof(double)) +
         followers_.size() * sizeof(Follower);
}

}  // namespace pliant::meshless
