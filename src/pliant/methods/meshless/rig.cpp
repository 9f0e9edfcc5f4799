// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/rig.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numeric>
#include <optional>

#include "pliant/base/check.hpp"
#include "pliant/geometry/node_grid.hpp"
#include "pliant/geometry/triangle_tree.hpp"
#include "pliant/math/direct_solver.hpp"

namespace pliant::meshless {
namespace {

constexpr double too_near = 0.5;     // of the spacing: such nodes give way to a sample
constexpr double stiff_crook = 0.6;  // of half the width: nearer to a joint no bone is thick
constexpr double link_reach = 1.6;   // of the spacing: edges of a sample that no node gave way to

/// Columns of a gather renumbered; weights of columns that fall together are added by the sums they are in.
void renumber(Gather& gather, const std::vector<Index>& to) {
  for (Index& column : gather.column) column = to[std::size_t(column)];
}

/// The factor in single precision, corrected by residuals in double: each takes off three digits or more, so
/// that a correction this small leaves less than single precision keeps.
class RefinedSolver {
 public:
  explicit RefinedSolver(const SymmetricMatrix& matrix) : matrix_(matrix) {
    const DirectSolver::Report report = factor_.factor(matrix);
    PLIANT_CHECK(report.ok());
    f_.resize(std::size_t(matrix.rows()));
  }

  void solve(const Points& b, Points& x, Pool& pool) {
    std::fill(x.begin(), x.end(), Vec3::Zero());
    r_ = b;
    for (int k = 0; k < most_corrections; ++k) {
      if (k > 0) residual(b, x);
      for (std::size_t i = 0; i < x.size(); ++i)
        f_[i] = {float(r_[i].x()), float(r_[i].y()), float(r_[i].z()), 0};
      factor_.solve(f_.data(), f_.data(), pool);
      double change = 0, size = 0;
      for (std::size_t i = 0; i < x.size(); ++i) {
        const Vec3 d(f_[i].x, f_[i].y, f_[i].z);
        x[i] += d;
        change += d.squaredNorm();
        size += x[i].squaredNorm();
      }
      if (change <= small_correction * small_correction * size) break;
    }
  }

 private:
  static constexpr int most_corrections = 4;
  static constexpr double small_correction = 1e-4;

  void residual(const Points& b, const Points& x) {
    r_ = b;
    for (Index i = 0; i < matrix_.rows(); ++i) {
      const std::size_t begin = std::size_t(matrix_.begin[std::size_t(i)]),
                        end = std::size_t(matrix_.begin[std::size_t(i) + 1]) - 1;  // the diagonal
      Vec3 sum = matrix_.value[end] * x[std::size_t(i)];
      for (std::size_t k = begin; k < end; ++k) {
        const std::size_t j = std::size_t(matrix_.column[k]);
        sum += matrix_.value[k] * x[j];
        r_[j] -= matrix_.value[k] * x[std::size_t(i)];
      }
      r_[std::size_t(i)] -= sum;
    }
  }

  const SymmetricMatrix& matrix_;
  DirectSolver factor_;
  AlignedVector<Float4> f_;
  Points r_;
};

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

BoneSetting bone_setting(const Bones& bones, const Shape& shape, double spacing) {
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

/// Nodes within the radius of a bone follow the nearest sample on it, but for the zones of joints, which
/// bend.
void Rig::thicken(const BoneSetting& setting, const Model& model) {
  const auto& samples = bones_->samples();
  const auto& joints = bones_->skeleton().joints;
  std::vector<char> arrives(joints.size(), 0), leaves(joints.size(), 0);
  for (const Bone& bone : bones_->bones())
    leaves[std::size_t(bone.start)] = arrives[std::size_t(bone.end)] = 1;
  std::vector<char> is_sample(model.rest.size(), 0);
  for (const Index i : sample_node_) is_sample[std::size_t(i)] = 1;
  for (Index i = 0; i < model.nodes(); ++i) {
    if (is_sample[std::size_t(i)]) continue;
    const Vec3& x = model.rest[std::size_t(i)];
    double nearest = setting.radius;
    Index bone = -1;
    for (std::size_t b = 0; b < bones_->bones().size(); ++b) {
      const Bone& candidate = bones_->bones()[b];
      const Vec3 start = joints[std::size_t(candidate.start)].position;
      const double along = std::clamp((x - start).dot(candidate.direction), 0.0, candidate.length);
      bool bends = false;
      if (arrives[std::size_t(candidate.start)]) bends |= along < setting.pliable;
      if (leaves[std::size_t(candidate.end)]) bends |= candidate.length - along < setting.pliable;
      const double distance = (x - start - along * candidate.direction).norm();
      if (!bends && distance <= nearest) nearest = distance, bone = Index(b);
    }
    if (bone < 0) continue;
    Index best = -1;
    double closest = std::numeric_limits<double>::infinity();
    for (std::size_t s = 0; s < samples.size(); ++s)
      if (samples[s].bone == bone && (samples[s].X - x).norm() < closest)
        closest = (samples[s].X - x).norm(), best = Index(s);
    if (best >= 0) followers_.push_back({x, best});
  }
}

void Rig::diffuse(const Model& model, Pool& pool) {
  const Index n = model.nodes(), s = samples();
  influence_.assign(std::size_t(n) * std::size_t(s), 0.0f);
  std::vector<Index> place(std::size_t(n), -1), sample_of(std::size_t(n), -1), free;
  for (Index k = 0; k < s; ++k) sample_of[std::size_t(sample_node_[std::size_t(k)])] = k;
  for (Index i = 0; i < n; ++i)
    if (sample_of[std::size_t(i)] < 0) {
      place[std::size_t(i)] = Index(free.size());
      free.push_back(i);
    } else {
      influence_[std::size_t(i) * std::size_t(s) + std::size_t(sample_of[std::size_t(i)])] = 1;
    }
  if (free.empty()) return;
  // Parts that no bone reaches have nothing to diffuse: a breath of a diagonal keeps their block regular, and
  // their blend comes out as zero, which leaves them unturned.
  const SymmetricMatrix& l = model.laplacian;
  double mean = 0;
  for (Index i = 0; i < n; ++i) mean += l.value[std::size_t(l.begin[std::size_t(i) + 1] - 1)] / n;
  SymmetricMatrix inner;
  std::vector<std::vector<std::pair<Index, double>>> coupling{std::size_t(s)};  // of a sample: free row, -L
  for (Index i = 0; i < n; ++i) {
    for (Index k = l.begin[std::size_t(i)]; k < l.begin[std::size_t(i) + 1]; ++k) {
      const Index j = l.column[std::size_t(k)];
      const double value = l.value[std::size_t(k)];
      const Index pi = place[std::size_t(i)], pj = place[std::size_t(j)];
      if (pi >= 0 && pj >= 0) {
        inner.column.push_back(pj);
        inner.value.push_back(i == j ? value + 1e-10 * mean : value);
      } else if (pi >= 0) {
        coupling[std::size_t(sample_of[std::size_t(j)])].push_back({pi, -value});
      } else if (pj >= 0) {
        coupling[std::size_t(sample_of[std::size_t(i)])].push_back({pj, -value});
      }
    }
    if (place[std::size_t(i)] >= 0) inner.begin.push_back(Index(inner.column.size()));
  }
  RefinedSolver solver(inner);
  Points b(free.size()), z(free.size());
  for (Index first = 0; first < s; first += 3) {
    std::fill(b.begin(), b.end(), Vec3::Zero());
    for (Index c = 0; c < 3 && first + c < s; ++c)
      for (const auto& [row, value] : coupling[std::size_t(first + c)]) b[std::size_t(row)][c] += value;
    solver.solve(b, z, pool);
    for (std::size_t k = 0; k < free.size(); ++k)
      for (Index c = 0; c < 3 && first + c < s; ++c)
        influence_[std::size_t(free[k]) * std::size_t(s) + std::size_t(first + c)] = float(z[k][c]);
  }
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
