// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/lattice.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>

namespace pliant {
namespace {

constexpr int block_cells = 16;  // cells a side of the blocks that the threads share
constexpr double enough_samples = 12000;
constexpr double least_clearance = 1e-6;  // of the body's size (1 here): nearer is on the surface

enum class Verdict { out, in, mixed };

/// Of all points within `radius` of the centre. Where the surface has holes the winding number changes away
/// from it, too; but it is harmonic there, and by Harnack's inequality a positive harmonic function in a ball
/// of radius 2 r is at most 6 times its central value within r.
Verdict verdict(const Interior& s, const Vec3& centre, double radius) {
  const double reach = s.closed ? radius : 2 * radius;
  if (s.tree.any_within(centre, reach * (1 + 1e-9))) return Verdict::mixed;
  const double w = s.tree.winding(centre);
  if (s.closed) return w > 0.5 ? Verdict::in : Verdict::out;
  if (w < 1.0 / 12) return Verdict::out;
  return w > 11.0 / 12 ? Verdict::in : Verdict::mixed;
}

struct Cells {
  Vec3 origin;
  double size;
  std::array<int, 3> count;
};

/// Cells from `origin` on that hold the box.
Cells cells_over(const Interior& s, double size, const Vec3& origin) {
  Cells cells{origin, size, {}};
  for (int k = 0; k < 3; ++k) cells.count[k] = int(std::ceil((s.high[k] - origin[k]) / size)) + 1;
  return cells;
}

/// The lattice lies in the middle of the box: its layers, a / 2 apart, keep the same distance of 0.05 to 0.3
/// a from opposite faces. A box then has even layers up to its faces, what is pinned at a face is held near
/// it, and a symmetric body has a nearly symmetric lattice.
Vec3 lattice_origin(const Interior& s, double a) {
  Vec3 origin;
  for (int k = 0; k < 3; ++k) {
    const double half = 0.5 * (s.high[k] - s.low[k]), layer = 0.5 * a;
    double first = half - layer * std::floor(half / layer);  // with a layer in the middle
    if (first < 0.1 * layer) first += 0.5 * layer;
    if (first >= 0.6 * layer) first -= 0.5 * layer;
    origin[k] = s.low[k] + first;
  }
  return origin;
}

/// Calls visit(corner, side, out) for every block in parallel and joins what they write, in block order.
template <class T, class Visit>
std::vector<T> over_blocks(const Cells& cells, Pool& pool, Visit&& visit) {
  // More blocks than a pool takes at once happen to boxes full of air: those are larger.
  constexpr double most_blocks = 60000;
  int side = block_cells;
  std::array<int, 3> blocks;
  const auto count_blocks = [&] {
    for (int k = 0; k < 3; ++k) blocks[k] = (cells.count[k] + side - 1) / side;
    return double(blocks[0]) * blocks[1] * blocks[2];
  };
  while (count_blocks() > most_blocks) side *= 2;
  const int count = blocks[0] * blocks[1] * blocks[2];
  std::vector<std::vector<T>> parts(static_cast<std::size_t>(count));
  pool.run(count, [&](int part) {
    const std::array<int, 3> corner{part % blocks[0] * side, part / blocks[0] % blocks[1] * side,
                                    part / (blocks[0] * blocks[1]) * side};
    visit(corner, side, parts[std::size_t(part)]);
  });
  std::vector<T> out;
  for (const auto& part : parts) out.insert(out.end(), part.begin(), part.end());
  return out;
}

/// The points of block `corner` .. `corner + side` that are inside.
void collect(const Interior& s, const Cells& cells, const std::array<int, 3>& corner, int side, bool known_in,
             Points& out) {
  const Vec3 low = cells.origin + cells.size * Vec3(corner[0], corner[1], corner[2]);
  if (((low - s.high).array() > 0).any()) return;
  if (!known_in) {
    const double half = 0.5 * (side - 0.5) * cells.size;
    const Verdict v = verdict(s, low + Vec3::Constant(half), std::numbers::sqrt3 * half);
    if (v == Verdict::out) return;
    known_in = v == Verdict::in;
  }
  if (side > 1) {
    for (int child = 0; child < 8; ++child) {
      std::array<int, 3> at = corner;
      for (int k = 0; k < 3; ++k) at[k] += (child >> k & 1) * side / 2;
      collect(s, cells, at, side / 2, known_in, out);
    }
    return;
  }
  for (const double offset : {0.0, 0.5}) {
    const Vec3 p = low + Vec3::Constant(offset * cells.size);
    if (known_in || s.tree.winding(p) > 0.5) out.push_back(p);
  }
}

/// A number in [0, 1) that depends on the cell and the axis alone.
double jitter(const std::array<int, 3>& cell, int axis) {
  std::uint64_t z = std::uint64_t(cell[0]) | std::uint64_t(cell[1]) << 20 | std::uint64_t(cell[2]) << 40 |
                    std::uint64_t(axis) << 60;
  z += 0x9e3779b97f4a7c15ull;
  z = (z ^ (z >> 30)) * 0xbf58476d1ce4e5b9ull;
  z = (z ^ (z >> 27)) * 0x94d049bb133111ebull;
  return double((z ^ (z >> 31)) >> 11) * 0x1.0p-53;
}

/// Cells of a block that are inside, those at the surface by one sample each.
double count_inside(const Interior& s, const Cells& cells, const std::array<int, 3>& corner, int side) {
  const Vec3 low = cells.origin + cells.size * Vec3(corner[0], corner[1], corner[2]);
  if (((low - s.high).array() > 0).any()) return 0;
  const double half = 0.5 * side * cells.size;
  const Verdict v = verdict(s, low + Vec3::Constant(half), std::numbers::sqrt3 * half);
  if (v == Verdict::out) return 0;
  if (v == Verdict::in) return double(side) * side * side;
  if (side == 1)
    return s.tree.winding(low + cells.size * Vec3(jitter(corner, 0), jitter(corner, 1), jitter(corner, 2))) >
           0.5;
  double count = 0;
  for (int child = 0; child < 8; ++child) {
    std::array<int, 3> at = corner;
    for (int k = 0; k < 3; ++k) at[k] += (child >> k & 1) * side / 2;
    count += count_inside(s, cells, at, side / 2);
  }
  return count;
}

/// Samples of the layer under the surface, told by the nodes they are nearest to.
class LayerSamples {
 public:
  LayerSamples(const Interior& s, const Cells& cells, const SolidNodes& nodes, double depth)
      : s_(s), cells_(cells), nodes_(nodes), depth_(depth) {}

  void collect(const std::array<int, 3>& corner, int side, std::vector<Index>& out) const {
    Scratch scratch;
    collect(corner, side, false, scratch, out);
  }

 private:
  struct Scratch {
    std::vector<NodeGrid::Found> found;
    Sight::Scratch sight;
  };

  void collect(const std::array<int, 3>& corner, int side, bool known_in, Scratch& scratch,
               std::vector<Index>& out) const {
    const Vec3 low = cells_.origin + cells_.size * Vec3(corner[0], corner[1], corner[2]);
    if (((low - s_.high).array() > 0).any()) return;
    if (side == 1) {
      const Vec3 p = low + cells_.size * Vec3(jitter(corner, 0), jitter(corner, 1), jitter(corner, 2));
      const Index node = nearest(p, scratch);
      if (known_in || inside(p, node, scratch)) out.push_back(node);
      return;
    }
    const double half = 0.5 * side * cells_.size, radius = std::numbers::sqrt3 * half;
    const Vec3 centre = low + Vec3::Constant(half);
    // The distance to the surface changes no faster than the place: a node's tells much about its
    // surroundings.
    const Index node = nearest(centre, scratch);
    const Place& near = nodes_.places[std::size_t(node)];
    const double away = (centre - near.x).norm(), clear = 0.999 * near.clearance;
    if (clear - away > radius + depth_) return;  // no layer here
    if (s_.closed && clear > away + radius) known_in = true;
    if (!known_in) {
      const Verdict v = verdict(centre, radius, node, scratch);
      if (v == Verdict::out) return;
      known_in = v == Verdict::in;
    }
    for (int child = 0; child < 8; ++child) {
      std::array<int, 3> at = corner;
      for (int k = 0; k < 3; ++k) at[k] += (child >> k & 1) * side / 2;
      collect(at, side / 2, known_in, scratch, out);
    }
  }

  Verdict verdict(const Vec3& centre, double radius, Index node, Scratch& scratch) const {
    if (!s_.closed) return pliant::verdict(s_, centre, radius);
    if (s_.tree.any_within(centre, radius * (1 + 1e-9))) return Verdict::mixed;
    return inside(centre, node, scratch) ? Verdict::in : Verdict::out;
  }

  Index nearest(const Vec3& p, Scratch& scratch) const {
    nodes_.grid.nearest(p, 1, std::numeric_limits<double>::infinity(), scratch.found);
    return scratch.found.front().id;
  }
  /// Of a closed surface the winding number is counted on the short way to the nearest node, unless that lies
  /// on the surface (a node of the lattice may, by chance), where it has no side.
  bool inside(const Vec3& p, Index node, Scratch& scratch) const {
    const Place& from = nodes_.places[std::size_t(node)];
    const bool count = s_.closed && from.clearance > least_clearance;
    return (count ? nodes_.sight.winding(p, from, scratch.sight) : s_.tree.winding(p)) > 0.5;
  }

  const Interior& s_;
  const Cells& cells_;
  const SolidNodes& nodes_;
  double depth_;
};

}  // namespace

Points inside_points(const Interior& interior, double a, Pool& pool) {
  const Cells cells = cells_over(interior, a, lattice_origin(interior, a));
  return over_blocks<Vec3>(cells, pool, [&](const std::array<int, 3>& corner, int side, Points& out) {
    collect(interior, cells, corner, side, false, out);
  });
}

double counted_volume(const Interior& interior, double finest, Pool& pool) {
  const Vec3 size = interior.high - interior.low;
  double cell = std::cbrt(std::max(size.prod(), 1e-12) / (2.0 * enough_samples));
  for (;;) {
    cell = std::max(cell, finest);
    const Cells cells = cells_over(interior, cell, interior.low);
    const std::vector<double> counts = over_blocks<double>(
        cells, pool, [&](const std::array<int, 3>& corner, int side, std::vector<double>& out) {
          out.push_back(count_inside(interior, cells, corner, side));
        });
    const double count = std::accumulate(counts.begin(), counts.end(), 0.0);
    if (count >= enough_samples || cell <= finest) return count * cell * cell * cell;
    cell /= std::cbrt(std::clamp(1.2 * enough_samples / std::max(1.0, count), 2.0, 64.0));
  }
}

std::vector<double> nearest_volumes(const Interior& interior, const SolidNodes& nodes,
                                    const std::vector<char>& deep, double a, Pool& pool) {
  const Cells cells = cells_over(interior, a / 3, interior.low);
  // A sample deeper than this is within sqrt(5)/4 a of a lattice node, and that one is deep.
  const LayerSamples samples(interior, cells, nodes, 1.2 * a);
  const std::vector<Index> owners = over_blocks<Index>(
      cells, pool, [&](const std::array<int, 3>& corner, int side, std::vector<Index>& out) {
        samples.collect(corner, side, out);
      });
  std::vector<double> volumes(deep.size(), 0);
  for (const Index node : owners) volumes[node] += cells.size * cells.size * cells.size;
  for (std::size_t i = 0; i < deep.size(); ++i)
    if (deep[i]) volumes[i] = a * a * a / 2;
  return volumes;
}

}  // namespace pliant
