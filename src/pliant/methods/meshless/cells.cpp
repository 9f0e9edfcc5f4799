// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/meshless/cells.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <limits>
#include <map>
#include <numeric>
#include <unordered_map>

#include "pliant/base/refuse.hpp"
#include "pliant/geometry/node_grid.hpp"
#include "pliant/geometry/sight.hpp"
#include "pliant/geometry/triangle_tree.hpp"
#include "pliant/methods/meshless/finer_nodes.hpp"

namespace pliant::meshless {
namespace {

constexpr int block = 256;
constexpr double most_cells = 3e8;     // of the bounding box
constexpr double least_filled = 0.25;  // of the volume, or it is no solid
constexpr double lonely_mass = 1e-3;   // of the mean

/// Bits of three small numbers, interleaved: cells near in space are near in order.
std::uint64_t interleave(std::uint32_t v) {
  std::uint64_t x = v & 0x1fffff;
  x = (x | x << 32) & 0x1f00000000ffff;
  x = (x | x << 16) & 0x1f0000ff0000ff;
  x = (x | x << 8) & 0x100f00f00f00f00f;
  x = (x | x << 4) & 0x10c30c30c30c30c3;
  return (x | x << 2) & 0x1249249249249249;
}

struct Face {
  Vec3 x;
  std::array<Index, 2> anchors{-1, -1};  ///< of its cells; the second is -1 on the boundary
};

/// Where a cell is: in steps of its own edge, which is halved so often.
struct At {
  std::array<int, 3> step{};
  int halved = 0;
};

/// The place of the cell beside on a side.
At beside(At at, int side) {
  at.step[std::size_t(side / 2)] += side % 2 == 0 ? -1 : 1;
  return at;
}

class Builder {
 public:
  Builder(const Shape& shape, const MovingLeastSquares& mls, const std::vector<FinerBall>& finer, Pool& pool)
      : shape_(shape),
        mls_(mls),
        finer_(finer),
        pool_(pool),
        tree_(boundary_of(shape).vertices, boundary_of(shape).triangles),
        sight_(tree_, mls.spacing(), !shape.closed),
        grid_(mls.nodes(), mls.spacing()) {}

  Result<Cells> build() {
    lay_out();
    if (double(dims_[0]) * dims_[1] * dims_[2] > most_cells)
      return refuse("shape",
                    fmt::format("a bounding box of {} x {} x {} cells", dims_[0], dims_[1], dims_[2]),
                    fmt::format("at most {:g}", most_cells), "use fewer nodes");
    find_inside();
    const double volume = std::accumulate(shape_.graph.volumes.begin(), shape_.graph.volumes.end(), 0.0);
    double filled = 0;
    for (const At& at : at_) filled += cell_volume(at.halved);
    if (filled < least_filled * volume)
      return refuse("shape", "a sheet, or walls thinner than the nodes are apart", "a solid",
                    "meshless flesh needs an inside: raise nodes, or take the geometric method");
    anchor();
    make_faces();
    evaluate_faces();
    fill_cells();
    add_lonely(volume);
    const double sum = std::accumulate(out_.weight.begin(), out_.weight.end(), 0.0);
    for (double& w : out_.weight) w *= volume / sum;
    return std::move(out_);
  }

 private:
  Vec3 edge(int halved) const { return out_.edge / (1 << halved); }
  double cell_volume(int halved) const { return edge(halved).prod(); }

  void lay_out() {
    const TriMesh& boundary = boundary_of(shape_);
    low_ = high_ = boundary.vertices[std::size_t(boundary.triangles.front()[0])];
    for (const Triangle& t : boundary.triangles)
      for (const Index v : t) {
        low_ = low_.cwiseMin(boundary.vertices[std::size_t(v)]);
        high_ = high_.cwiseMax(boundary.vertices[std::size_t(v)]);
      }
    for (int c = 0; c < 3; ++c) {
      dims_[c] = std::max(1, int(std::lround(std::min(1e6, (high_[c] - low_[c]) / (mls_.spacing() / 2)))));
      out_.edge[c] = (high_[c] - low_[c]) / dims_[c];
    }
  }

  Vec3 centre_of(const At& at) const {
    return low_ + edge(at.halved).cwiseProduct(Vec3(at.step[0] + 0.5, at.step[1] + 0.5, at.step[2] + 0.5));
  }
  std::size_t key(const std::array<int, 3>& step) const {
    return (std::size_t(step[2]) * std::size_t(dims_[1]) + std::size_t(step[1])) * std::size_t(dims_[0]) +
           std::size_t(step[0]);
  }
  bool in_box(const At& at) const {
    for (std::size_t c = 0; c < 3; ++c)
      if (at.step[c] < 0 || at.step[c] >= dims_[c] << at.halved) return false;
    return true;
  }
  /// How often the cells are halved that a cell which is not holds.
  int halvings_of(const std::array<int, 3>& step) const {
    if (finer_.empty()) return 0;
    const Vec3 low = low_ + out_.edge.cwiseProduct(Vec3(step[0], step[1], step[2]));
    return halvings(finer_, low, low + out_.edge);
  }
  /// The same where a cell is.
  int halvings_at(const At& at) const {
    return halvings_of({at.step[0] >> at.halved, at.step[1] >> at.halved, at.step[2] >> at.halved});
  }
  /// Along a curve that fills space; places of different cells differ.
  static std::uint64_t code(const At& at, int finest) {
    const auto bits = [&](std::size_t c) {
      return interleave(std::uint32_t(at.step[c]) << (finest - at.halved));
    };
    return bits(0) | bits(1) << 1 | bits(2) << 2;
  }
  /// The cell in a place; -1: none.
  Index cell_in(const At& at) const {
    if (!in_box(at)) return -1;
    if (at.halved == 0) return id_[key(at.step)];
    const auto found = halved_id_.find(code(at, at.halved) << 3 | std::uint64_t(at.halved));
    return found == halved_id_.end() ? -1 : found->second;
  }

  /// Along lines in x: crossings of a closed surface add up to the winding number.
  void find_inside() {
    std::vector<std::vector<At>> rows(std::size_t(dims_[1]) * std::size_t(dims_[2]));
    for_blocks(pool_, int(rows.size()), 16, [&](int begin, int end) {
      std::vector<TriangleTree::Crossing> hits;
      const double margin = 0.01 * (high_ - low_).norm();
      for (int r = begin; r < end; ++r) {
        std::array<int, 3> at{0, r % dims_[1], r / dims_[1]};
        Vec3 from = centre_of({at}), to = from;
        from.x() = low_.x() - margin;
        to.x() = high_.x() + margin;
        if (shape_.closed) tree_.crossings(from, to, hits);
        std::size_t next = 0;
        int winding = 0;
        for (at[0] = 0; at[0] < dims_[0]; ++at[0]) {
          const Vec3 x = centre_of({at});
          if (shape_.closed) {
            const double t = (x.x() - from.x()) / (to.x() - from.x());
            for (; next < hits.size() && hits[next].t <= t; ++next)
              winding += hits[next].cosine < 0 ? 1 : hits[next].cosine > 0 ? -1 : 0;
          }
          if (const int halved = halvings_of(at); halved > 0)
            add_halved(at, halved, rows[std::size_t(r)]);
          else if (shape_.closed ? winding > 0 : tree_.winding(x) > 0.5)
            rows[std::size_t(r)].push_back({at});
        }
      }
    });
    int finest = 0;
    for (const auto& row : rows)
      for (const At& at : row) finest = std::max(finest, at.halved);
    std::vector<std::pair<std::uint64_t, At>> order;
    for (const auto& row : rows)
      for (const At& at : row) order.push_back({code(at, finest), at});
    std::sort(order.begin(), order.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    id_.assign(std::size_t(dims_[0]) * std::size_t(dims_[1]) * std::size_t(dims_[2]), -1);
    for (const auto& [along, at] : order) {
      const Index id = Index(at_.size());
      if (at.halved == 0)
        id_[key(at.step)] = id;
      else
        halved_id_[code(at, at.halved) << 3 | std::uint64_t(at.halved)] = id;
      at_.push_back(at);
    }
  }

  /// The cells with their centre inside that a halved one holds.
  void add_halved(const std::array<int, 3>& step, int halved, std::vector<At>& out) const {
    const int parts = 1 << halved;
    for (int k = 0; k < parts; ++k)
      for (int j = 0; j < parts; ++j)
        for (int i = 0; i < parts; ++i) {
          const At at{{parts * step[0] + i, parts * step[1] + j, parts * step[2] + k}, halved};
          if (tree_.winding(centre_of(at)) > 0.5) out.push_back(at);
        }
  }

  /// Hexahedral shapes have no narrow gaps: their nodes lie on the surface.
  bool has_gaps() const { return shape_.graph.cells.empty(); }

  /// Every cell's nearest node that it sees.
  void anchor() {
    anchor_.resize(at_.size());
    clearance_.assign(at_.size(), 0);
    for_blocks(pool_, int(at_.size()), block, [&](int begin, int end) {
      std::vector<NodeGrid::Found> found;
      Sight::Scratch scratch;
      for (int c = begin; c < end; ++c) {
        const Vec3 x = centre_of(at_[std::size_t(c)]);
        grid_.nearest(x, 1, std::numeric_limits<double>::infinity(), found);
        anchor_[std::size_t(c)] = found.front().id;
        if (!has_gaps()) continue;
        const double reach = 2 * mls_.spacing();
        const auto surface = tree_.nearest(x, reach);
        const double clearance = surface.triangle < 0 ? reach : surface.distance;
        clearance_[std::size_t(c)] = clearance;
        if (found.front().squared < clearance * clearance) continue;
        grid_.nearest(x, 24, 4 * mls_.spacing(), found);
        for (const auto& f : found)
          if (sight_.clear({x, 1, clearance}, {mls_.nodes()[std::size_t(f.id)], 1, 0}, scratch)) {
            anchor_[std::size_t(c)] = f.id;
            break;
          }
      }
    });
  }

  /// Cells on the two sides of a narrow gap do not share the face between them.
  bool joined(Index c, Index d, Sight::Scratch& scratch) const {
    if (!has_gaps()) return true;
    const Vec3 x = centre_of(at_[std::size_t(c)]), y = centre_of(at_[std::size_t(d)]);
    const double apart = (y - x).norm(), clear = clearance_[std::size_t(c)];
    return clear > apart || sight_.clear({x, 1, clear}, {y, 1, clearance_[std::size_t(d)]}, scratch);
  }

  /// Larger cells first: the faces between cells of two sizes are those of the smaller ones.
  void make_faces() {
    face_of_.assign(6 * at_.size(), -1);
    int finest = 0;
    for (const At& at : at_) finest = std::max(finest, at.halved);
    for (int halved = 0; halved <= finest; ++halved)
      for (Index c = 0; c < Index(at_.size()); ++c)
        for (int side = 0; side < 6; ++side) {
          if (at_[std::size_t(c)].halved != halved || face_at(c, side) != -1) continue;
          const At there = beside(at_[std::size_t(c)], side);
          const int finer = in_box(there) ? halvings_at(there) - halved : 0;
          if (finer <= 0) {
            face_at(c, side) = add_face(c, side, at_[std::size_t(c)], cell_in(there));
            continue;
          }
          std::vector<Index> parts;
          each_part(at_[std::size_t(c)], side, finer, [&](const At& inner) {
            parts.push_back(add_face(c, side, inner, cell_in(beside(inner, side))));
          });
          face_at(c, side) = -2 - Index(split_.size());
          split_.push_back(std::move(parts));
        }
  }
  Index& face_at(Index cell, int side) { return face_of_[6 * std::size_t(cell) + std::size_t(side)]; }

  /// The parts of a cell halved `times` more that touch its side.
  template <class Visit>
  static void each_part(const At& at, int side, int times, Visit&& visit) {
    const int parts = 1 << times;
    const std::size_t axis = std::size_t(side / 2);
    for (int v = 0; v < parts; ++v)
      for (int u = 0; u < parts; ++u) {
        At part{at.step, at.halved + times};
        for (int& step : part.step) step *= parts;
        part.step[axis] += side % 2 == 0 ? 0 : parts - 1;
        part.step[(axis + 1) % 3] += u;
        part.step[(axis + 2) % 3] += v;
        visit(part);
      }
  }

  /// The face on a side of `at`, which is cell c or a part of it, towards cell d or the outside (-1).
  Index add_face(Index c, int side, const At& at, Index d) {
    Face face{centre_of(at), {anchor_[std::size_t(c)], -1}};
    face.x[side / 2] += (side % 2 == 0 ? -0.5 : 0.5) * edge(at.halved)[side / 2];
    const Index mine = Index(faces_.size());
    if (d >= 0 && joined(c, d, scratch_)) {
      face.anchors[1] = anchor_[std::size_t(d)];
      face_at(d, side ^ 1) = mine;
    }
    faces_.push_back(face);
    return mine;
  }

  void evaluate_faces() {
    values_.resize(faces_.size());
    for_blocks(pool_, int(faces_.size()), block, [&](int begin, int end) {
      MlsValues at;
      for (int f = begin; f < end; ++f) {
        const Face& face = faces_[std::size_t(f)];
        const bool one = face.anchors[1] < 0 || face.anchors[1] == face.anchors[0];
        mls_.evaluate(face.x, std::span(face.anchors).first(one ? 1 : 2), at);
        keep(at, values_[std::size_t(f)]);
      }
    });
  }

  struct Values {
    std::vector<Index> node;
    std::vector<double> value;
    char widened = 0, constant = 0;
  };
  static void keep(const MlsValues& from, Values& to) {
    to.node = from.node;
    to.value = from.value;
    to.widened = from.widened > 0;
    to.constant = from.constant;
  }

  /// Of a side in parts: the mean over them, as if phi were constant on each.
  void evaluate_split() {
    split_values_.resize(split_.size());
    std::map<Index, double> sum;
    for (std::size_t k = 0; k < split_.size(); ++k) {
      sum.clear();
      const double share = 1.0 / double(split_[k].size());
      for (const Index face : split_[k]) {
        const Values& from = values_[std::size_t(face)];
        for (std::size_t n = 0; n < from.node.size(); ++n) sum[from.node[n]] += share * from.value[n];
      }
      for (const auto& [node, value] : sum) {
        split_values_[k].node.push_back(node);
        split_values_[k].value.push_back(value);
      }
    }
  }
  const Values& values_on(Index face) const {
    return face >= 0 ? values_[std::size_t(face)] : split_values_[std::size_t(-2 - face)];
  }

  /// One cell from the values at its six faces (- x, + x, - y, ...) and its centre.
  struct Cell {
    std::vector<Index> node;
    Points gradient;
    std::vector<double> centre;
  };
  void assemble(const std::array<const Values*, 7>& at, const Vec3& edge, Cell& cell) const {
    cell.node.clear();
    for (const Values* v : at) cell.node.insert(cell.node.end(), v->node.begin(), v->node.end());
    std::sort(cell.node.begin(), cell.node.end());
    cell.node.erase(std::unique(cell.node.begin(), cell.node.end()), cell.node.end());
    cell.gradient.assign(cell.node.size(), Vec3::Zero());
    cell.centre.assign(cell.node.size(), 0);
    for (int side = 0; side < 7; ++side) {
      std::size_t k = 0;
      for (std::size_t j = 0; j < at[std::size_t(side)]->node.size(); ++j) {
        while (cell.node[k] != at[std::size_t(side)]->node[j]) ++k;
        const double value = at[std::size_t(side)]->value[j];
        if (side == 6)
          cell.centre[k] = value;
        else
          cell.gradient[k][side / 2] += (side % 2 == 0 ? -value : value) / edge[side / 2];
      }
    }
  }
  void append(const Cell& cell, const Vec3& centre, double weight, int halved) {
    out_.node.insert(out_.node.end(), cell.node.begin(), cell.node.end());
    out_.gradient.insert(out_.gradient.end(), cell.gradient.begin(), cell.gradient.end());
    out_.centre_value.insert(out_.centre_value.end(), cell.centre.begin(), cell.centre.end());
    out_.begin.push_back(Index(out_.node.size()));
    out_.centre.push_back(centre);
    out_.weight.push_back(weight);
    out_.halved.push_back(char(halved));
  }

  void fill_cells() {
    evaluate_split();
    std::vector<Cell> cells(at_.size());
    std::vector<char> widened(at_.size(), 0), constant(at_.size(), 0);
    for_blocks(pool_, int(at_.size()), block, [&](int begin, int end) {
      MlsValues at;
      Values centre;
      for (int c = begin; c < end; ++c) {
        mls_.evaluate(centre_of(at_[std::size_t(c)]), std::span(&anchor_[std::size_t(c)], 1), at);
        keep(at, centre);
        widened[std::size_t(c)] = centre.widened, constant[std::size_t(c)] = centre.constant;
        std::array<const Values*, 7> all{};
        for (std::size_t s = 0; s < 6; ++s) all[s] = &values_on(face_of_[6 * std::size_t(c) + s]);
        all[6] = &centre;
        assemble(all, edge(at_[std::size_t(c)].halved), cells[std::size_t(c)]);
      }
    });
    for (const Values& v : values_) out_.widened += v.widened, out_.constant += v.constant;
    for (std::size_t c = 0; c < cells.size(); ++c) {
      out_.widened += widened[c], out_.constant += constant[c];
      append(cells[c], centre_of(at_[c]), cell_volume(at_[c].halved), at_[c].halved);
    }
  }

  /// A node that no cell carries has neither mass nor stiffness: it gets a cube of its own.
  void add_lonely(double volume) {
    std::vector<double> share(mls_.nodes().size(), 0);
    for (Index c = 0; c < out_.count(); ++c)
      for (Index k = out_.begin[std::size_t(c)]; k < out_.begin[std::size_t(c) + 1]; ++k)
        share[std::size_t(out_.node[std::size_t(k)])] +=
            out_.weight[std::size_t(c)] * out_.centre_value[std::size_t(k)];
    const double least = lonely_mass * volume / double(share.size());
    MlsValues at;
    std::array<Values, 7> values;
    std::array<const Values*, 7> all{};
    for (std::size_t s = 0; s < 7; ++s) all[s] = &values[s];
    Cell cell;
    for (Index i = 0; i < Index(share.size()); ++i) {
      if (share[std::size_t(i)] > least) continue;
      ++out_.lonely;
      const Vec3& x = mls_.nodes()[std::size_t(i)];
      for (int s = 0; s < 7; ++s) {
        Vec3 p = x;
        if (s < 6) p[s / 2] += (s % 2 == 0 ? -0.5 : 0.5) * out_.edge[s / 2];
        mls_.evaluate(p, std::span(&i, 1), at);
        keep(at, values[std::size_t(s)]);
        out_.widened += at.widened > 0, out_.constant += at.constant;
      }
      assemble(all, out_.edge, cell);
      append(cell, x, std::max(shape_.graph.volumes[std::size_t(i)], 2 * least), 0);
    }
  }

  const Shape& shape_;
  const MovingLeastSquares& mls_;
  const std::vector<FinerBall>& finer_;
  Pool& pool_;
  TriangleTree tree_;
  Sight sight_;
  Sight::Scratch scratch_;
  NodeGrid grid_;
  Vec3 low_, high_;
  std::array<int, 3> dims_{};
  std::vector<At> at_;     ///< of a cell
  std::vector<Index> id_;  ///< cell at a place of the grid, -1 = none
  std::unordered_map<std::uint64_t, Index> halved_id_;
  std::vector<Index> anchor_;
  std::vector<double> clearance_;
  std::vector<Index> face_of_;             ///< -2 - k: all of split_[k]
  std::vector<std::vector<Index>> split_;  ///< faces of smaller cells on one side of a cell
  std::vector<Values> split_values_;
  std::vector<Face> faces_;
  std::vector<Values> values_;
  Cells out_;
};

}  // namespace

std::vector<std::array<Index, 2>> inner_pairs(const NodeGraph& graph) {
  std::vector<std::array<Index, 2>> pairs;
  for (const auto& e : graph.edges) pairs.push_back({e.a, e.b});
  for (const auto& cell : graph.cells)
    for (std::size_t a = 0; a < 8; ++a)
      for (std::size_t b = a + 1; b < 8; ++b)
        pairs.push_back({std::min(cell[a], cell[b]), std::max(cell[a], cell[b])});
  std::sort(pairs.begin(), pairs.end());
  pairs.erase(std::unique(pairs.begin(), pairs.end()), pairs.end());
  std::erase_if(pairs, [](const auto& pair) { return pair[0] == pair[1]; });
  return pairs;
}

Result<Cells> make_cells(const Shape& shape, const MovingLeastSquares& mls,
                         const std::vector<FinerBall>& finer, Pool& pool) {
  if (boundary_of(shape).triangles.empty() || !shape.graph.triangles.empty())
    return refuse("shape", "no solid", "a shape with an inside", {});
  return Builder(shape, mls, finer, pool).build();
}

Gather mls_rows(const Points& points, const Gather& rows, const MovingLeastSquares& mls, Pool& pool) {
  std::vector<MlsValues> values(points.size());
  for_blocks(pool, int(points.size()), block, [&](int begin, int end) {
    for (int r = begin; r < end; ++r) {
      Index anchor = 0;
      double nearest = std::numeric_limits<double>::infinity();
      for (Index k = rows.begin[std::size_t(r)]; k < rows.begin[std::size_t(r) + 1]; ++k) {
        const Index i = rows.column[std::size_t(k)];
        const double squared = (mls.nodes()[std::size_t(i)] - points[std::size_t(r)]).squaredNorm();
        if (squared < nearest) nearest = squared, anchor = i;
      }
      mls.evaluate(points[std::size_t(r)], std::span(&anchor, 1), values[std::size_t(r)]);
    }
  });
  Gather out;
  for (const MlsValues& v : values) {
    out.column.insert(out.column.end(), v.node.begin(), v.node.end());
    out.weight.insert(out.weight.end(), v.value.begin(), v.value.end());
    out.begin.push_back(Index(out.column.size()));
  }
  return out;
}

}  // namespace pliant::meshless
