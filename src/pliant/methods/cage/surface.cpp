// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/cage/surface.hpp"

#include <algorithm>

#include "pliant/base/check.hpp"
#include "pliant/methods/cage/body.hpp"

namespace pliant::cage {
namespace {

/// Calls put(point, z b) for 16 points at a time.
template <class Put>
void gather_skin(const Model& model, const AlignedVector<float>& z, int begin, int end, Put&& put) {
  const CageKernels<float>& kernel = kernels<float>();
  const Index rows = model.rows();
  constexpr int most = 4;
  for (int b = begin; b < end; b += most) {
    alignas(64) float out[most * 3 * lanes];
    kernel.gather_many(model.skin_value.data() + std::size_t(b) * std::size_t(rows) * lanes, int(rows),
                       z.data(), std::min(most, end - b), out);
    const int used = std::min(std::min(most, end - b) * lanes, int(model.skin.size()) - b * lanes);
    for (int k = 0; k < used; ++k) {
      const float* at = out + 3 * lanes * (k / lanes) + k % lanes;
      put(Index(b * lanes + k), Vec3(at[0], at[lanes], at[2 * lanes]));
    }
  }
}

AlignedVector<float> as_float(const Columns& z) {
  AlignedVector<float> out(std::size_t(z.size()));
  for (Eigen::Index k = 0; k < z.size(); ++k) out[std::size_t(k)] = float(z.data()[k]);
  return out;
}

/// dZ of a state.
Columns deformation(const Model& model, const State& state) {
  Columns dz(3, model.rows());
  set_z(model, state.x, mean_of(state.x), state.axes().toRotationMatrix(), dz);
  dz -= model.rest;
  return dz;
}

/// Calls put(node, dz b) for all nodes.
template <class Put>
void each_moved(const Model& model, const Columns& dz, Put&& put) {
  const Columns moved = dz * model.value;
  for (Index q = 0; q < model.count(); ++q) put(model.points[std::size_t(q)], Vec3(moved.col(q)));
  if (model.skin.empty()) return;
  gather_skin(model, as_float(dz), 0, model.skin_batches(),
              [&](Index s, const Vec3& d) { put(model.skin[std::size_t(s)], d); });
}

/// Places of deformation(), about c.
void place(const Model& model, const Columns& dz, const Vec3& c, const Mat3& axes, Points& out) {
  out.resize(model.nodes.size());
  each_moved(model, dz, [&](Index node, const Vec3& moved) {
    out[std::size_t(node)] = c + axes * (model.nodes[std::size_t(node)] - model.centre + moved);
  });
}

/// The vertices of the surface are the nodes that ride along.
bool is_skin(const Model& model) {
  const Gather& w = model.embedding;
  return w.rows() == Index(w.column.size()) && w.rows() == Index(model.skin.size()) &&
         std::equal(w.column.begin(), w.column.end(), model.skin.begin());
}

}  // namespace

const NodeState& nodes_of(const Model& model, const State& state, Cache& cache) {
  if (!cache.shown) {
    place(model, deformation(model, state), mean_of(state.x), state.axes().toRotationMatrix(), cache.nodes.x);
    spread(model, state.velocity, cache.nodes.v);
  }
  cache.shown = true;
  return cache.nodes;
}

void place_nodes(const Model& model, const Columns& z, const Mat3& axes, Points& out) {
  const Index n = model.n();
  const Vec3 c = mean_of(z.leftCols(n));
  Columns dz(3, model.rows());
  for (Index r = 0; r < model.rows(); ++r)
    dz.col(r) = axes.transpose() * (r < n ? Vec3(z.col(r) - c) : Vec3(z.col(r)));
  dz -= model.rest;
  place(model, dz, c, axes, out);
}

void spread(const Model& model, const Columns& motion, Points& out) {
  out.resize(model.nodes.size());
  each_moved(model, motion, [&](Index node, const Vec3& moved) { out[std::size_t(node)] = moved; });
}

void surface_of(const Model& model, const State& state, Cache& cache, std::span<Vec3> vertices, Pool& pool) {
  if (cache.shown || !is_skin(model))
    return gather(model.embedding, nodes_of(model, state, cache).x, vertices);
  const Mat3 axes = state.axes().toRotationMatrix();
  const Vec3 c = mean_of(state.x);
  const AlignedVector<float> z = as_float(deformation(model, state));
  for_blocks(pool, model.skin_batches(), 32, [&](int begin, int end) {
    gather_skin(model, z, begin, end, [&](Index s, const Vec3& d) {
      const Vec3& rest = model.nodes[std::size_t(model.skin[std::size_t(s)])];
      vertices[std::size_t(s)] = c + axes * (rest - model.centre + d);
    });
  });
}

const NodeState& Body::nodes() const { return nodes_of(model_, state_, cache_); }

void Body::surface(std::span<Vec3> vertices) const {
  PLIANT_CHECK(Index(vertices.size()) == model_.embedding.rows());
  gather(model_.embedding, nodes().x, vertices);
}

void Body::surface_in_parallel(std::span<Vec3> vertices, Pool& pool) const {
  PLIANT_CHECK(Index(vertices.size()) == model_.embedding.rows());
  surface_of(model_, state_, cache_, vertices, pool);
}

void Body::pull_back(std::span<const Vec3> surface_forces, std::span<Vec3> node_forces) const {
  scatter_add(model_.embedding, surface_forces, node_forces);
}

}  // namespace pliant::cage
