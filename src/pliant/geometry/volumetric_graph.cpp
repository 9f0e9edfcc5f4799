// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/volumetric_graph.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>
#include <numeric>
#include <optional>
#include <span>

#include "pliant/geometry/lattice.hpp"
#include "pliant/geometry/place_order.hpp"
#include "pliant/geometry/sight.hpp"
#include "pliant/math/symmetric_eigen.hpp"

namespace pliant {
namespace {

using Pair = std::array<Index, 2>;
constexpr double finest = 1.0 / 400;  // lattice constant, of the diagonal
constexpr double thinnest = 1e-3;     // of the diagonal: lattice as for walls of this thickness at least
constexpr double most_degree = 14;    // edges that a node asks for
constexpr double most_nodes = 1.5;    // of the budget; then the lattice gets coarser
constexpr double few_nodes = 3000;    // that many are no trouble
constexpr Index neighbours_asked = 48;
constexpr double edge_reach = 1.9;      // of a
constexpr double shortest_edge = 1e-3;  // of a: nearer nodes are one
constexpr double nearest_frame = 0.05;  // of a: a shorter edge would be stiffer than the solver likes
constexpr double least_volume = 0.05;   // of the mean
constexpr double chain = 0.08;          // second eigenvalue of a star over the first: turns about one axis
constexpr double flat = 0.02;           // third eigenvalue of a star over the first: all in one plane
constexpr int most_leaning = 9;         // nodes that carry a vertex
constexpr int block = 256;

/// A point of the surface and the place just under it.
struct Probe {
  Vec3 x, normal;
  double depth = 0;  ///< to the next surface along -normal, at most 2 a
  Place under;
};

/// Angle-weighted unit normals; zero where a vertex has no area around it.
Points angle_normals(const Points& vertices, const std::vector<Triangle>& triangles) {
  Points normals(vertices.size(), Vec3::Zero());
  for (const Triangle& t : triangles) {
    const Vec3 area = (vertices[t[1]] - vertices[t[0]]).cross(vertices[t[2]] - vertices[t[0]]);
    if (!(area.norm() > 0)) continue;
    for (int k = 0; k < 3; ++k) {
      const Vec3 u = (vertices[t[(k + 1) % 3]] - vertices[t[k]]).normalized(),
                 v = (vertices[t[(k + 2) % 3]] - vertices[t[k]]).normalized();
      normals[t[k]] += std::atan2(u.cross(v).norm(), u.dot(v)) * area.normalized();
    }
  }
  for (Vec3& n : normals) n = n.norm() > 1e-9 ? n.normalized() : Vec3(0, 0, 0);
  return normals;
}

/// How the edges of a node lie: sum of u u^T, u the unit vectors along them. Most nodes have edges in all
/// directions, and three invariants tell that without the eigenvalues l0 <= l1 <= l2.
struct Star {
  Mat3 tensor = Mat3::Zero();

  void add(const Vec3& r) {
    const Vec3 u = r.normalized();
    tensor += u * u.transpose();
  }
  /// l0 > flat l2 for sure: l0 = det / (l1 l2) >= 4 det / trace^2, l2 <= trace.
  bool surely_not_flat() const {
    return 4 * tensor.determinant() > 1.01 * flat * std::pow(tensor.trace(), 3);
  }
  /// l1 > chain l2 for sure: l0 l1 + l1 l2 + l2 l0 <= 3 l1 l2, l2 <= trace.
  bool surely_no_chain() const {
    const double trace = tensor.trace();
    return (trace * trace - tensor.squaredNorm()) / 2 > 1.01 * 3 * chain * trace * trace;
  }
};

/// u or -u: an eigenvector has no sign, and rounding must not give it one.
Vec3 with_sign(const Vec3& u) {
  const double almost = (1 - 1e-6) * u.cwiseAbs().maxCoeff();
  for (int c = 0; c < 3; ++c)
    if (std::abs(u[c]) > almost) return u[c] < 0 ? Vec3(-u) : u;
  return u;
}

/// A unit vector across the unit vector u: from the first of the axes that are most across.
Vec3 across(const Vec3& u) {
  const double almost = u.cwiseAbs().minCoeff() + 1e-6;
  int axis = 0;
  while (std::abs(u[axis]) > almost) ++axis;
  return u.cross(Vec3::Unit(axis)).normalized();
}

/// Across a star that is flat or a chain. Of a chain every direction is, and the eigenvector is any of them.
Vec3 across(const Spectrum3& axes) {
  const bool has_side = axes.values[1] - axes.values[0] > 1e-6 * axes.values[2];
  return has_side ? with_sign(axes.vectors.col(0)) : across(with_sign(axes.vectors.col(2)));
}

/// Points on triangles that are large against the lattice, so that a thin plate of a few triangles is covered
/// all over.
void sample_triangle(const std::array<Vec3, 3>& corners, double spacing,
                     std::vector<std::pair<Vec3, Vec3>>& out) {
  int longest = 0;
  const auto side = [&](int k) -> Vec3 { return corners[(k + 1) % 3] - corners[k]; };
  for (int k = 1; k < 3; ++k)
    if (side(k).squaredNorm() > side(longest).squaredNorm()) longest = k;
  const Vec3 base = side(longest), from = corners[longest], apex = corners[(longest + 2) % 3];
  const Vec3 area = base.cross(apex - from);
  const double length = base.norm();
  if (length < 2 * spacing || !(area.norm() > 0)) return;
  const Vec3 normal = area.normalized();
  const int rows = int(std::ceil(area.norm() / length / spacing));
  for (int r = 0; r < rows; ++r) {
    const double height = (r + 0.5) / rows;
    const Vec3 begin = from + height * (apex - from), along = (1 - height) * base;
    const int count = int(std::ceil(along.norm() / spacing));
    for (int c = 0; c < count; ++c) out.push_back({begin + (c + 0.5) / count * along, normal});
  }
}

class GraphBuilder {
 public:
  GraphBuilder(const SolidSurface& surface, int budget, Pool& pool)
      : surface_(surface), budget_(budget), pool_(pool), interior_{surface.tree, {}, {}, surface.closed} {
    std::vector<char> used(surface.vertices.size(), 0);
    interior_.low = interior_.high = surface.vertices[surface.triangles.front()[0]];
    for (const Triangle& t : surface.triangles)
      for (const Index v : t) {
        used[v] = surface.carried < 0 || v < surface.carried;
        interior_.low = interior_.low.cwiseMin(surface.vertices[v]);
        interior_.high = interior_.high.cwiseMax(surface.vertices[v]);
      }
    for (Index v = 0; v < Index(used.size()); ++v)
      if (used[v]) used_.push_back(v);
  }

  BodyGraph build(Laps& laps) {
    choose_spacing();
    const double most = std::max(most_nodes * budget_, few_nodes);
    for (double wanted = 2 * most; wanted > most;) {
      nodes_.clear();
      cover_grid_.reset();
      add_lattice();
      laps.end("lattice");
      wanted = wanted_nodes(most);
      if (wanted <= most) {
        make_probes();
        add_cover();
        wanted = double(nodes_.size());
      }
      if (wanted > most) a_ *= std::clamp(std::sqrt(wanted / most), 1.1, 2.0);
    }
    laps.end("cover");
    make_edges();
    stagger_flat_parts();
    add_frames();
    laps.end("edges");
    lean();
    laps.end("lean");
    connect();
    bridge();
    enrich_small_parts();
    drop_unseen_parts();
    laps.end("connect");
    BodyGraph body = finish();
    laps.end("volumes");
    return body;
  }

 private:
  void choose_spacing() {
    double area = 0;
    for (const Triangle& t : surface_.triangles) {
      const Vec3 &p = surface_.vertices[t[0]], &q = surface_.vertices[t[1]], &r = surface_.vertices[t[2]];
      area += 0.5 * (q - p).cross(r - p).norm();
    }
    // What is thinner asks for a coarser lattice; but it weighs what it encloses, when that is known.
    const double least = thinnest * area;
    volume_ =
        surface_.volume > 0 ? surface_.volume : std::max(counted_volume(interior_, finest, pool_), least);
    a_ = std::max(finest, std::cbrt(2 * std::max(volume_, least) / budget_));
  }

  Place place(const Vec3& x) const {
    const double winding = surface_.tree.winding(x);
    const auto nearest = surface_.tree.nearest(x, 2 * a_);
    const double clearance = nearest.triangle < 0 ? 2 * a_ : nearest.distance;
    return {x, winding, winding > 0.5 ? clearance : 0};
  }

  void add_places(const Points& points) {
    const std::size_t first = nodes_.size();
    nodes_.resize(first + points.size());
    for_blocks(pool_, int(points.size()), block, [&](int begin, int end) {
      for (int i = begin; i < end; ++i) nodes_[first + std::size_t(i)] = place(points[std::size_t(i)]);
    });
  }

  void add_lattice() {
    sight_.emplace(surface_.tree, a_, surface_.odd_crossings);
    const Points points = inside_points(interior_, a_, pool_);
    add_places(points);
    out_.lattice_nodes = Index(points.size());
    const Vec3 margin = Vec3::Constant(0.1 * a_);
    grid_.emplace(interior_.low - margin, interior_.high + margin, a_);
    for (const Vec3& p : points) grid_->insert(p);
  }

  /// Nodes of the lattice and, estimated by samples of the surface, those that will cover what it does not reach. Where
  /// nearly all of the surface is that thin (leaves, crumpled sheets, heaps of triangles), they are many more than asked for.
  double wanted_nodes(double most) const {
    constexpr int samples = 600;
    constexpr double area_of_node = 2 * 0.8 * 0.8;  // a^2, on both sides of a wall
    std::vector<double> upto;
    double area = 0;
    for (const Triangle& t : surface_.triangles) upto.push_back(area += 0.5 * area_vector(t).norm());
    if (!(area > 0) || double(nodes_.size()) + area / (area_of_node * a_ * a_) <= most)
      return double(nodes_.size());
    std::vector<char> bare(samples, 0);
    for_blocks(pool_, samples, samples / 20, [&](int begin, int end) {
      std::vector<NodeGrid::Found> found;
      Sight::Scratch scratch;
      for (int k = begin; k < end; ++k) {
        const auto at = std::upper_bound(upto.begin(), upto.end(), area * (k + 0.5) / samples);
        const Triangle& t = surface_.triangles[std::size_t(std::min(at, upto.end() - 1) - upto.begin())];
        const Vec3 centre = (surface_.vertices[t[0]] + surface_.vertices[t[1]] + surface_.vertices[t[2]]) / 3;
        const Vec3 normal = area_vector(t).normalized();
        bare[std::size_t(k)] = !covered(probe(centre, normal), *grid_, 0, 6, a_, found, scratch);
      }
    });
    const double share = double(std::count(bare.begin(), bare.end(), char(1))) / samples;
    return double(nodes_.size()) + share * area / (area_of_node * a_ * a_);
  }

  Vec3 area_vector(const Triangle& t) const {
    const Vec3& p = surface_.vertices[t[0]];
    return (surface_.vertices[t[1]] - p).cross(surface_.vertices[t[2]] - p);
  }

  Probe probe(const Vec3& x, const Vec3& normal) const {
    Probe p{x, normal, 2 * a_, {}};
    const double skip = 1e-6;
    if (normal.squaredNorm() > 0) {
      const auto hit = surface_.tree.first_crossing(x - skip * normal, x - 2 * a_ * normal);
      if (hit.triangle >= 0) p.depth = skip + hit.t * (2 * a_ - skip);
    }
    p.under.x = x - std::min(0.02 * a_, p.depth / 4) * normal;
    p.under.winding = std::numeric_limits<double>::quiet_NaN();  // few lines of sight need it
    return p;
  }

  void make_probes() {
    const Points normals = angle_normals(surface_.vertices, surface_.triangles);
    probes_.resize(used_.size());
    for_blocks(pool_, int(used_.size()), block, [&](int begin, int end) {
      for (int k = begin; k < end; ++k) {
        const Index v = used_[std::size_t(k)];
        probes_[std::size_t(k)] = probe(surface_.vertices[v], normals[v]);
      }
    });
    std::vector<std::pair<Vec3, Vec3>> samples;
    for (const Triangle& t : surface_.triangles)
      sample_triangle({surface_.vertices[t[0]], surface_.vertices[t[1]], surface_.vertices[t[2]]}, 0.7 * a_,
                      samples);
    face_probes_.resize(samples.size());
    for_blocks(pool_, int(samples.size()), block, [&](int begin, int end) {
      for (int k = begin; k < end; ++k)
        face_probes_[std::size_t(k)] = probe(samples[std::size_t(k)].first, samples[std::size_t(k)].second);
    });
  }

  bool covered(const Probe& p, const NodeGrid& grid, Index first, int asked, double within,
               std::vector<NodeGrid::Found>& found, Sight::Scratch& scratch) const {
    const auto seen = [&](const NodeGrid::Found& f) {
      return sight_->clear(p.under, nodes_[first + f.id], scratch);
    };
    // Mostly the nearest is enough.
    grid.nearest(p.under.x, 1, within, found);
    if (found.empty()) return false;
    if (seen(found.front())) return true;
    grid.nearest(p.under.x, asked, within, found);
    return std::any_of(found.begin() + 1, found.end(), seen);
  }

  /// Nodes for parts that no lattice node reaches: half way through, at most a / 2 deep.
  void add_cover() {
    cover_for(probes_);
    cover_for(face_probes_);
    for (Index i = out_.lattice_nodes; i < Index(nodes_.size()); ++i) grid_->insert(nodes_[i].x);
    out_.cover_nodes = Index(nodes_.size()) - out_.lattice_nodes;
    face_probes_ = {};
  }

  void cover_for(const std::vector<Probe>& probes) {
    std::vector<char> bare(probes.size(), 0);
    for_blocks(pool_, int(probes.size()), block, [&](int begin, int end) {
      std::vector<NodeGrid::Found> found;
      Sight::Scratch scratch;
      for (int k = begin; k < end; ++k)
        bare[std::size_t(k)] = !covered(probes[std::size_t(k)], *grid_, 0, 6, a_, found, scratch);
    });
    // One after the other by place: every new node may cover the probes after it.
    if (!cover_grid_) cover_grid_.emplace(interior_.low, interior_.high, a_);
    std::vector<NodeGrid::Found> found;
    Sight::Scratch scratch;
    for (const std::size_t k : in_place_order(bare, probes)) {
      if (covered(probes[k], *cover_grid_, out_.lattice_nodes, 16, 0.8 * a_, found, scratch)) continue;
      const Probe& p = probes[k];
      Place node = place(p.x - std::min(p.depth / 2, a_ / 2) * p.normal);
      if (!(node.winding > 0.5)) {
        const double winding = sight_->winding(p.under, scratch);
        node = {winding > 0.5 ? p.under.x : p.x, winding, 0};
      }
      if (too_near(node.x, *grid_, found) || too_near(node.x, *cover_grid_, found)) continue;
      nodes_.push_back(node);
      cover_grid_->insert(node.x);
    }
  }

  /// The probes that are bare.
  static std::vector<std::size_t> in_place_order(const std::vector<char>& bare,
                                                 const std::vector<Probe>& probes) {
    std::vector<std::size_t> which, out;
    Points places;
    for (std::size_t k = 0; k < probes.size(); ++k)
      if (bare[k]) which.push_back(k), places.push_back(probes[k].x);
    for (const Index k : place_order(places)) out.push_back(which[std::size_t(k)]);
    return out;
  }

  bool too_near(const Vec3& x, const NodeGrid& grid, std::vector<NodeGrid::Found>& found) const {
    grid.nearest(x, 1, shortest_edge * a_, found);
    return !found.empty();
  }

  /// The nearest visible nodes in directions at least `cone` apart.
  void choose_neighbours(Index i, double reach, double cone, std::vector<NodeGrid::Found>& found,
                         Sight::Scratch& scratch, std::vector<Index>& out) const {
    out.clear();
    grid_->nearest(nodes_[i].x, neighbours_asked + 1, reach, found);
    const double cosine = std::cos(cone * std::numbers::pi / 180);
    std::array<Vec3, 32> taken;
    for (const auto& f : found) {
      if (f.id == i) continue;
      const Vec3 direction = (nodes_[f.id].x - nodes_[i].x) / std::sqrt(f.squared);
      bool crowded = false;
      for (std::size_t k = 0; k < out.size() && !crowded; ++k) crowded = taken[k].dot(direction) > cosine;
      if (crowded || !sight_->clear(nodes_[i], nodes_[f.id], scratch)) continue;
      taken[out.size()] = direction;
      out.push_back(f.id);
      if (out.size() >= most_degree) return;
    }
  }

  void make_edges() {
    std::vector<std::vector<Index>> chosen(nodes_.size());
    for_blocks(pool_, int(nodes_.size()), block, [&](int begin, int end) {
      std::vector<NodeGrid::Found> found;
      Sight::Scratch scratch;
      for (Index i = begin; i < end; ++i) {
        auto& mine = chosen[std::size_t(i)];
        choose_neighbours(i, edge_reach * a_, 35, found, scratch, mine);
        if (mine.size() < 6) choose_neighbours(i, 1.3 * edge_reach * a_, 20, found, scratch, mine);
        if (mine.size() < 6) choose_neighbours(i, 1.69 * edge_reach * a_, 8, found, scratch, mine);
      }
    });
    for (Index i = 0; i < Index(nodes_.size()); ++i)
      for (const Index j : chosen[std::size_t(i)]) pairs_.push_back({std::min(i, j), std::max(i, j)});
  }

  /// Nodes of a wall one layer thick all lie in its middle and cannot carry its two faces. They go
  /// alternately half way to the one and to the other.
  void stagger_flat_parts() {
    const Adjacency adj = adjacency(Index(nodes_.size()), edges_of(pairs_));
    std::vector<Place> moved = nodes_;
    Sight::Scratch scratch;
    for (Index i = 0; i < Index(nodes_.size()); ++i) {
      Star star;
      for (Index k = adj.begin[i]; k < adj.begin[i + 1]; ++k) star.add(nodes_[adj.target[k]].x - nodes_[i].x);
      if (star.surely_not_flat()) continue;
      const Spectrum3 axes = spectrum(star.tensor);
      if (adj.begin[i] == adj.begin[i + 1] || axes.values[0] > flat * axes.values[2]) continue;
      // Away from where the neighbours before it went.
      Vec3 side = across(axes);
      double lean = 0;
      for (Index k = adj.begin[i]; k < adj.begin[i + 1] && adj.target[k] < i; ++k)
        lean += side.dot(moved[adj.target[k]].x - nodes_[adj.target[k]].x);
      if (lean > 1e-6 * a_) side = -side;
      const auto hit = surface_.tree.first_crossing(nodes_[i].x, nodes_[i].x + a_ * side);
      if (hit.triangle < 0) continue;
      const Place there = place(nodes_[i].x + 0.5 * hit.t * a_ * side);
      bool clear = there.winding > 0.5;
      for (Index k = adj.begin[i]; k < adj.begin[i + 1] && clear; ++k)
        clear = sight_->clear(there, moved[adj.target[k]], scratch);
      if (clear) moved[i] = there;
    }
    nodes_ = std::move(moved);
    grid_.emplace(interior_.low, interior_.high, a_);
    for (const Place& node : nodes_) grid_->insert(node.x);
  }

  /// Where a node cannot tell how it turns (a chain in a finger or a tail), three nodes around it can.
  void add_frames() {
    const Index before = Index(nodes_.size());
    const auto edges = edges_of(pairs_);
    const Adjacency adj = adjacency(before, edges);
    Sight::Scratch scratch;
    for (Index i = 0; i < before; ++i) {
      const Index degree = adj.begin[i + 1] - adj.begin[i];
      Star star;
      for (Index k = adj.begin[i]; k < adj.begin[i + 1]; ++k) star.add(nodes_[adj.target[k]].x - nodes_[i].x);
      if (degree >= 4 && star.surely_no_chain()) continue;
      const Spectrum3 axes = spectrum(star.tensor);
      if (degree >= 4 && axes.values[1] >= chain * axes.values[2]) continue;
      if (4 * (Index(nodes_.size()) - before) >= budget_) {
        out_.frames_capped = true;
        break;
      }
      add_frame(i, with_sign(axes.vectors.col(2)), across(axes), degree < 2 ? 4 : 3,
                std::span(adj.target).subspan(std::size_t(adj.begin[i]), std::size_t(degree)), scratch);
    }
    out_.frame_nodes = Index(nodes_.size()) - before;
  }

  void add_frame(Index i, const Vec3& along, const Vec3& side, int count, std::span<const Index> neighbours,
                 Sight::Scratch& scratch) {
    const Vec3 other = along.cross(side);
    std::vector<Index> frame;
    for (int k = 0; k < count; ++k) {
      const double angle = 2 * std::numbers::pi * k / 3;
      Vec3 direction = std::cos(angle) * side + std::sin(angle) * other;
      if (count == 4)  // nothing says where the chain goes: a tetrahedron
        direction = k == 3 ? along : Vec3((std::sqrt(8.0) * direction - along) / 3);
      const double reach = 0.5 * a_;
      const auto hit = surface_.tree.first_crossing(nodes_[i].x, nodes_[i].x + reach / 0.7 * direction);
      const double radius = hit.triangle < 0 ? reach : std::clamp(hit.t * reach, nearest_frame * a_, reach);
      const bool in_air = hit.triangle >= 0 && hit.t * reach < 0.7 * radius;
      const Index node = node_near(nodes_[i].x + radius * direction, i, in_air, scratch);
      for (const Index j : frame) join(j, node);
      frame.push_back(node);
      join(i, node);
      for (const Index j : neighbours)
        if (sight_->clear(nodes_[node], nodes_[j], scratch, 2)) join(j, node);
    }
  }

  void join(Index i, Index j) {
    if (i != j) pairs_.push_back({std::min(i, j), std::max(i, j)});
  }

  /// A node that is there by chance and that x and node i see, or a new one.
  Index node_near(const Vec3& x, Index i, bool in_air, Sight::Scratch& scratch) {
    const Place there = place(x);
    std::vector<NodeGrid::Found> found;
    grid_->nearest(x, 4, 0.8 * nearest_frame * a_, found);
    for (const NodeGrid::Found& f : found)
      if (sight_->clear(there, nodes_[f.id], scratch) && sees(nodes_[i], f.id, scratch)) return f.id;
    nodes_.push_back(there);
    grid_->insert(x);
    hangs_on_.resize(nodes_.size(), -1);
    if (in_air) hangs_on_.back() = i;
    return Index(nodes_.size()) - 1;
  }

  /// The node within the material that a node in the air is a frame of; else the node itself.
  Index anchor(Index node) const {
    return std::size_t(node) < hangs_on_.size() && hangs_on_[node] >= 0 ? hangs_on_[node] : node;
  }

  /// Whether the material leads to a node. In the air, it may be nearer to another wall than to its own.
  bool sees(const Place& from, Index node, Sight::Scratch& scratch) const {
    return sight_->clear(from, nodes_[node], scratch) &&
           (anchor(node) == node || sight_->clear(from, nodes_[anchor(node)], scratch));
  }

  /// The first nine visible of the sixteen nearest nodes, for the probe of every vertex.
  std::vector<Index> leaning_of(const Probe& p, std::vector<NodeGrid::Found>& found,
                                Sight::Scratch& scratch) const {
    std::vector<Index> out;
    out.reserve(most_leaning);
    // Mostly the nearest nine are visible.
    for (const int asked : {most_leaning, 16}) {
      const std::size_t known = asked == most_leaning ? 0 : found.size();
      grid_->nearest(p.under.x, asked, 2 * a_, found);
      for (std::size_t k = known; k < found.size() && out.size() < most_leaning; ++k)
        if (sees(p.under, found[k].id, scratch)) out.push_back(found[k].id);
      if (out.size() == most_leaning || found.size() < std::size_t(asked)) break;
    }
    if (!out.empty()) return out;
    grid_->nearest(p.under.x, 96, 8 * a_, found);
    for (const auto& f : found)
      if (sees(p.under, f.id, scratch)) return {f.id};
    return {};
  }

  void lean() {
    leaning_.resize(probes_.size());
    for_blocks(pool_, int(probes_.size()), block, [&](int begin, int end) {
      std::vector<NodeGrid::Found> found;
      Sight::Scratch scratch;
      for (int k = begin; k < end; ++k)
        leaning_[std::size_t(k)] = leaning_of(probes_[std::size_t(k)], found, scratch);
    });
    lean_strays();
  }

  /// Vertices that see no node lean on what a neighbour leans on; else on the nearest node.
  void lean_strays() {
    std::vector<std::size_t> stray;
    for (std::size_t k = 0; k < leaning_.size(); ++k)
      if (leaning_[k].empty()) stray.push_back(k);
    out_.strays = Index(stray.size());
    if (stray.empty()) return;
    std::vector<Index> rank(surface_.vertices.size(), -1);
    for (std::size_t k = 0; k < used_.size(); ++k) rank[used_[k]] = Index(k);
    for (bool changed = true; changed;) {
      changed = false;
      for (const Triangle& t : surface_.triangles)
        for (int c = 0; c < 3; ++c) {
          if (rank[t[c]] < 0 || rank[t[(c + 1) % 3]] < 0) continue;
          auto& mine = leaning_[rank[t[c]]];
          const auto& theirs = leaning_[rank[t[(c + 1) % 3]]];
          if (mine.empty() && !theirs.empty()) mine = theirs, changed = true;
        }
    }
    std::vector<NodeGrid::Found> found;
    for (const std::size_t k : stray)
      if (leaning_[k].empty()) {
        grid_->nearest(probes_[k].x, 1, std::numeric_limits<double>::infinity(), found);
        leaning_[k] = {found.front().id};
      }
  }

  std::vector<Index> labels() const { return components(Index(nodes_.size()), edges_of(pairs_)); }

  struct Candidate {
    double squared;
    Pair pair;
    bool operator<(const Candidate& o) const {
      return squared != o.squared ? squared < o.squared : pair < o.pair;
    }
  };

  /// Every part but the largest gets its four shortest visible links, until that changes nothing.
  void connect() {
    for (;;) {
      const std::vector<Index> label = labels();
      const Index parts = *std::max_element(label.begin(), label.end()) + 1;
      if (parts == 1) return;
      std::vector<Index> size(parts, 0);
      for (const Index l : label) ++size[l];
      const Index largest = Index(std::max_element(size.begin(), size.end()) - size.begin());
      std::vector<std::vector<Candidate>> candidates(parts);
      std::vector<NodeGrid::Found> found;
      for (Index i = 0; i < Index(nodes_.size()); ++i) {
        if (label[i] == largest) continue;
        grid_->nearest(nodes_[i].x, 96, 4 * a_, found);
        for (const auto& f : found)
          if (label[f.id] != label[i])
            candidates[label[i]].push_back({f.squared, {std::min(i, f.id), std::max(i, f.id)}});
      }
      Sight::Scratch scratch;
      bool changed = false;
      for (auto& list : candidates) {
        std::sort(list.begin(), list.end());
        int links = 0;
        for (const Candidate& c : list) {
          if (links == 4) break;
          if (!sees(nodes_[c.pair[0]], c.pair[1], scratch)) continue;
          if (!sees(nodes_[anchor(c.pair[0])], c.pair[1], scratch)) continue;
          pairs_.push_back(c.pair);
          ++links;
          changed = true;
        }
      }
      if (!changed) return;
    }
  }

  /// Parts that only the surface joins: one edge between the nodes that the ends of a mesh edge lean on.
  void bridge() {
    std::vector<Index> label = labels();
    if (*std::max_element(label.begin(), label.end()) == 0) return;
    std::vector<Index> rank(surface_.vertices.size(), -1);
    for (std::size_t k = 0; k < used_.size(); ++k) rank[used_[k]] = Index(k);
    std::vector<Candidate> candidates;
    for (const Triangle& t : surface_.triangles)
      for (int c = 0; c < 3; ++c) {
        if (rank[t[c]] < 0 || rank[t[(c + 1) % 3]] < 0) continue;
        const Index i = leaning_[rank[t[c]]].front(), j = leaning_[rank[t[(c + 1) % 3]]].front();
        if (label[i] != label[j])
          candidates.push_back({(nodes_[i].x - nodes_[j].x).squaredNorm(), {std::min(i, j), std::max(i, j)}});
      }
    std::sort(candidates.begin(), candidates.end());
    for (const Candidate& c : candidates) {
      const Index from = label[c.pair[1]], to = label[c.pair[0]];
      if (from == to) continue;
      pairs_.push_back(c.pair);
      ++out_.bridges;
      std::replace(label.begin(), label.end(), from, to);
    }
  }

  /// A part of one to three nodes cannot hold its shape: up to eight of its own vertices become nodes.
  void enrich_small_parts() {
    const std::vector<Index> label = labels();
    std::vector<Index> size(std::size_t(*std::max_element(label.begin(), label.end())) + 1, 0);
    for (const Index l : label) ++size[l];
    std::vector<std::vector<std::size_t>> carried(size.size());
    for (std::size_t k = 0; k < leaning_.size(); ++k)
      if (const Index part = label[leaning_[k].front()]; size[part] < 4) carried[part].push_back(k);
    for (std::size_t part = 0; part < carried.size(); ++part) {
      if (carried[part].empty()) continue;
      std::vector<Index> members;
      for (Index i = 0; i < Index(label.size()); ++i)
        if (label[i] == Index(part)) members.push_back(i);
      add_farthest_vertices(carried[part], members);
      for (std::size_t i = 0; i < members.size(); ++i)
        for (std::size_t j = 0; j < i; ++j) pairs_.push_back({members[j], members[i]});
      for (const std::size_t k : carried[part]) leaning_[k] = nearest_of(members, probes_[k].x);
    }
  }

  void add_farthest_vertices(const std::vector<std::size_t>& vertices, std::vector<Index>& members) {
    for (int added = 0; added < 8; ++added) {
      double best = shortest_edge * a_;
      std::size_t farthest = vertices.size();
      for (std::size_t k = 0; k < vertices.size(); ++k) {
        double distance = std::numeric_limits<double>::infinity();
        for (const Index i : members)
          distance = std::min(distance, (nodes_[i].x - probes_[vertices[k]].x).norm());
        if (distance > best) best = distance, farthest = k;
      }
      if (farthest == vertices.size()) return;
      members.push_back(Index(nodes_.size()));
      nodes_.push_back({probes_[vertices[farthest]].x, 1, 0});
      grid_->insert(nodes_.back().x);
      ++out_.cover_nodes;
    }
  }

  std::vector<Index> nearest_of(const std::vector<Index>& members, const Vec3& x) const {
    std::vector<Index> out = members;
    std::sort(out.begin(), out.end(), [&](Index i, Index j) {
      const double di = (nodes_[i].x - x).squaredNorm(), dj = (nodes_[j].x - x).squaredNorm();
      return di != dj ? di < dj : i < j;
    });
    if (out.size() > 9) out.resize(9);
    return out;
  }

  /// Pockets that belong to no part of the surface.
  void drop_unseen_parts() {
    const std::vector<Index> label = labels();
    std::vector<char> seen(std::size_t(*std::max_element(label.begin(), label.end())) + 1, 0);
    for (const auto& nodes : leaning_)
      for (const Index i : nodes) seen[label[i]] = 1;
    if (std::find(seen.begin(), seen.end(), 0) == seen.end()) return;
    std::vector<Index> now(nodes_.size(), -1);
    std::vector<Place> kept;
    for (std::size_t i = 0; i < nodes_.size(); ++i)
      if (seen[label[i]]) now[i] = Index(kept.size()), kept.push_back(nodes_[i]);
    nodes_ = std::move(kept);
    std::erase_if(pairs_, [&](const Pair& p) { return now[p[0]] < 0; });
    for (Pair& p : pairs_) p = {now[p[0]], now[p[1]]};
    for (auto& nodes : leaning_)
      for (Index& i : nodes) i = now[i];
    grid_.emplace(interior_.low, interior_.high, a_);
    for (const Place& node : nodes_) grid_->insert(node.x);
  }

  BodyGraph finish() {
    NodeGraph& graph = out_.graph;
    for (const Place& node : nodes_) graph.positions.push_back(node.x);
    graph.edges = edges_of(pairs_);
    graph.volumes = node_volumes();
    floor_and_scale(graph.volumes, least_volume, volume_);
    calibrate_shares(graph, 3);
    out_.spacing = a_;
    Leaning& leaning = out_.leaning;
    std::size_t k = 0;
    for (Index v = 0; v < Index(surface_.vertices.size()); ++v) {
      if (k < used_.size() && used_[k] == v) {
        leaning.node.insert(leaning.node.end(), leaning_[k].begin(), leaning_[k].end());
        ++k;
      }
      leaning.begin.push_back(Index(leaning.node.size()));
    }
    return std::move(out_);
  }

  /// A lattice node whose whole cell is inside and that no other node crowds has the lattice's volume.
  std::vector<double> node_volumes() const {
    std::vector<char> deep(nodes_.size(), 0);
    std::vector<NodeGrid::Found> found;
    const double spacing = std::numbers::sqrt3 / 2 * a_;
    for (std::size_t i = 0; i < nodes_.size(); ++i) {
      if (nodes_[i].clearance < 0.56 * a_) continue;
      grid_->nearest(nodes_[i].x, 2, spacing, found);
      deep[i] = found.size() < 2 || found[1].squared > std::pow(0.99 * spacing, 2);
    }
    return nearest_volumes(interior_, {nodes_, *grid_, *sight_}, deep, a_, pool_);
  }

  const SolidSurface& surface_;
  int budget_;
  Pool& pool_;
  Interior interior_;
  double volume_ = 0, a_ = 0;
  std::optional<Sight> sight_;
  std::vector<Index> used_;  ///< vertices of the solid parts, ascending
  std::vector<Place> nodes_;
  std::optional<NodeGrid> grid_, cover_grid_;
  std::vector<Probe> probes_, face_probes_;  ///< of used_, and on large triangles
  std::vector<Pair> pairs_;
  std::vector<Index> hangs_on_;  ///< of nodes in the air, of which they are a frame; else -1, or short
  std::vector<std::vector<Index>> leaning_;  ///< of used_
  BodyGraph out_;
};

}  // namespace

BodyGraph volumetric_graph(const SolidSurface& surface, int nodes, Pool& pool, Laps& laps) {
  return GraphBuilder(surface, nodes, pool).build(laps);
}

std::vector<Pair> links_between_parts(const NodeGraph& graph) {
  struct Link {
    double squared;
    Pair pair;
    bool operator<(const Link& o) const { return squared != o.squared ? squared < o.squared : pair < o.pair; }
  };
  const Index n = Index(graph.positions.size());
  std::vector<Index> label = components(n, graph.edges);
  std::vector<Index> size(std::size_t(*std::max_element(label.begin(), label.end())) + 1, 0);
  for (const Index l : label) ++size[l];
  std::vector<Pair> links;
  for (std::size_t round = 1; round < size.size(); ++round) {
    // The smallest part joins the one that is nearest to it.
    Index part = -1;
    for (Index l = 0; l < Index(size.size()); ++l)
      if (size[l] > 0 && (part < 0 || size[l] < size[part])) part = l;
    std::vector<Link> best;
    for (Index i = 0; i < n; ++i) {
      if (label[i] != part) continue;
      for (Index j = 0; j < n; ++j) {
        if (label[j] == part) continue;
        const Link link{(graph.positions[i] - graph.positions[j]).squaredNorm(),
                        {std::min(i, j), std::max(i, j)}};
        if (best.size() == 4 && !(link < best.back())) continue;
        best.insert(std::upper_bound(best.begin(), best.end(), link), link);
        if (best.size() > 4) best.pop_back();
      }
    }
    for (const Link& link : best) links.push_back(link.pair);
    const Pair& nearest = best.front().pair;
    const Index to = label[label[nearest[0]] == part ? nearest[1] : nearest[0]];
    size[to] += size[part];
    size[part] = 0;
    std::replace(label.begin(), label.end(), part, to);
  }
  return links;
}

}  // namespace pliant
