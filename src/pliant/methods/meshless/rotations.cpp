// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/rotations.hpp"

#include "pliant/math/polar.hpp"
#include "pliant/methods/meshless/energy.hpp"

namespace pliant::meshless {
namespace {

constexpr float shortest_blend = 0.05f;  // a blend of quaternions that cancels tells no rotation
constexpr int block = 512;               // cells or nodes that a thread takes at a time

Eigen::Quaterniond quaternion_of(const Float4& q) { return Eigen::Quaterniond(q.x, q.y, q.z, q.w); }

void set_node(std::size_t i, const Eigen::Quaterniond& q, State& state, Scratch& scratch) {
  state.node_turned[i] = {float(q.w()), float(q.x()), float(q.y()), float(q.z())};
  scratch.node_rotation[i] = q.normalized().toRotationMatrix();
}

/// Polar rotations of a node are those of the mean deformation of the cells around it [Mueller02].
void turn_nodes_by_positions(const Model& model, const Points& x, State& state, Scratch& scratch) {
  std::vector<Mat3>& mean = scratch.node_rotation;
  std::fill(mean.begin(), mean.end(), Mat3::Zero());
  const Cells& cells = model.cells;
  for (Index c = 0; c < cells.count(); ++c) {
    const Mat3 f = cells.weight[std::size_t(c)] * deformation_gradient(cells, c, x);
    for (Index k = cells.begin[std::size_t(c)]; k < cells.begin[std::size_t(c) + 1]; ++k)
      mean[std::size_t(cells.node[std::size_t(k)])] += std::max(0.0, cells.centre_value[std::size_t(k)]) * f;
  }
  for (std::size_t i = 0; i < mean.size(); ++i)
    set_node(i, polar_rotation(mean[i], quaternion_of(state.node_turned[i])), state, scratch);
}

void turn_nodes_by_bones(State& state, Scratch& scratch) {
  for (std::size_t i = 0; i < state.node_turned.size(); ++i) {
    const Eigen::Quaterniond blend = quaternion_of(scratch.q_nodes[i]);
    set_node(i, blend.norm() > shortest_blend ? blend.normalized() : quaternion_of(state.node_turned[i]),
             state, scratch);
  }
}

/// Of the cells, where the blend of what the bones give to the nodes has a length. Returns how many do not.
int diffuse(const Float4* bones, const Rig& rig, const Cache& cache, State& state, Scratch& scratch,
            Pool& pool) {
  AlignedVector<Float4>& q = scratch.q_nodes;
  for_blocks(pool, Index(q.size()), block, [&](int begin, int end) {
    cell_kernels().diffuse(rig.influence().data(), rig.samples(), &bones->x, &q.data()->x, begin, end);
  });
  return cache.cells.blend(q.data(), shortest_blend, state.turned, pool);
}

}  // namespace

void turn_by_positions(const Model& model, const Points& x, State& state, Scratch& scratch, Pool& pool) {
  for_blocks(pool, model.cells.count(), block, [&](int begin, int end) {
    for (Index c = begin; c < end; ++c)
      set_quaternion(state.turned, c,
                     polar_rotation(deformation_gradient(model.cells, c, x), quaternion(state.turned, c)));
  });
  if (!state.node_turned.empty()) turn_nodes_by_positions(model, x, state, scratch);
}

int turn_by_bones(const Rig& rig, const Cache& cache, State& state, Scratch& scratch, Pool& pool) {
  const int kept = diffuse(scratch.posed.quaternions.data(), rig, cache, state, scratch, pool);
  if (!state.node_turned.empty()) turn_nodes_by_bones(state, scratch);
  return kept - cache.unreached;
}

/// Bones at rest all tell the same rotation: where their blend has no length no bone reaches at all.
int turn_upright(const Rig& rig, const Cache& cache, State& state, Scratch& scratch) {
  Pool alone(1);
  const std::vector<Float4> upright(std::size_t(rig.samples()), Float4{1, 0, 0, 0});
  return diffuse(upright.data(), rig, cache, state, scratch, alone);
}

}  // namespace pliant::meshless
