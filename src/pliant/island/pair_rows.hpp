// SPDX-License-Identifier: Apache-2.0
// Which closest features of two surfaces need a row of the contact problem. A row holds two features apart:
// vertex and triangle, vertex and edge, two vertices, or two edges. Its gap is the distance, its normal the
// direction of the closest points, so surfaces that have not crossed need neither inside nor outside. Both surfaces
// may be one: a body with itself. What lies near at rest by the make of the mesh then keeps less (SelfSearch::kept).
//
// Thinning. Face on face, thousands of pairs are near. What follows is left out, unless the pair carried force in the
// last step or was about to be hit in this one, or (b and c) is nearer than 0.9 of the distance to be kept: pairs
// left out beyond that sink until they stop the whole island.
//   a) what is no local minimum of the distance, judged by the edges beside the features: what is nearer beside them has
//      a row. Its normal leans to the side, and would hold a face that slides over the inner edges of another. Within
//      one surface what is nearer may be next to each other by the mesh, and has none: there (a) is as (b) and (c).
//   b) all but the nearest of the rows of one vertex whose normals lie within 15 degrees
//   c) two edges of which one lies in a flat piece across the normal: its vertices have rows
#pragma once

#include <cmath>
#include <compare>
#include <span>
#include <vector>

#include "pliant/island/meeting_surface.hpp"
#include "pliant/proximity/pair_search.hpp"
#include "pliant/proximity/self_search.hpp"
#include "pliant/proximity/time_of_impact.hpp"

namespace pliant {

/// The closest features of a pair of bodies, as they are recognised in the next step.
struct PairKey {
  enum Kind : Index { vertex_vertex, vertex_edge, edge_vertex, vertex_triangle, triangle_vertex, edge_edge };
  Index kind = 0;
  Index first = 0, second = 0;  ///< vertex, edge or triangle of the first and of the second body
  auto operator<=>(const PairKey&) const = default;
  /// Both hold the same vertex of the first body, or both the same of the second.
  bool has_vertex_of(const PairKey& o) const {
    const auto of_first = [](Index k) {
      return k == vertex_vertex || k == vertex_edge || k == vertex_triangle;
    };
    const auto of_second = [](Index k) { return k == edge_vertex || k == triangle_vertex; };
    return (of_first(kind) && of_first(o.kind) && first == o.first) ||
           (of_second(kind) && of_second(o.kind) && second == o.second);
  }
};

/// Two primitives and their closest points.
struct PairRow {
  PairKey key;
  PairKind primitive = PairKind::vertex_triangle;
  Index a = 0, b = 0;              ///< vertex or edge; triangle or edge
  bool swapped = false;            ///< the vertex of vertex_triangle belongs to the second body
  std::array<Index, 4> vertex{};   ///< of the primitives, in the order of PairPoints
  std::array<double, 4> weight{};  ///< u = sum weight v; of the first body they sum to 1, of the second to -1
  Vec3 normal{0, 1, 0};            ///< from the second body to the first
  double distance = 0;             ///< m
  double delta = 0;                ///< the distance to be kept, m
  bool must = false;               ///< not to be thinned

  /// Points 0 .. sides() - 1 are of side A.
  int side_a() const { return primitive == PairKind::edge_edge ? 2 : 1; }
  /// Whether point k is of the second body.
  bool of_second(int k) const { return (k >= side_a()) != swapped; }
  /// The vertex of the first body next to the closest points.
  Index nearest_of_first() const {
    int best = -1;
    for (int k = 0; k < 4; ++k)
      if (!of_second(k) &&
          (best < 0 || std::abs(weight[std::size_t(k)]) > std::abs(weight[std::size_t(best)])))
        best = k;
    return vertex[std::size_t(best)];
  }
};

/// Two bodies on a straight way through a step.
struct PairMotion {
  const MeetingSurface& first;
  const MeetingSurface& second;
  std::span<const Vec3> first_at, second_at;    ///< where the way begins
  std::span<const Vec3> first_end, second_end;  ///< where it ends
  double delta = 0;                             ///< the distance to be kept, m
  double floor = 0;                             ///< nearer is as good as touching, m
  const SelfSearch* self = nullptr;             ///< both are this surface
};

class PairRows {
 public:
  /// Candidates whose features are near now or would be hit on the way become rows; thinned, sorted by key.
  /// `known(key)`: the pair carried force. Replaces what `out` held.
  template <class Known>
  void find(const PairMotion& motion, const PairCandidates& candidates, Known&& known,
            std::vector<PairRow>& out) {
    collect(motion, candidates, out);
    for (PairRow& row : out) row.must = known(row.key);
    thin(motion, out);
  }
  /// Rows of pairs that were about to be hit, measured anew. Stays sorted.
  void add(const PairMotion& motion, std::span<const PairRow> hits, std::vector<PairRow>& out) const;
  /// How far the way is free, 0 .. 1. All pairs that stop it become rows that are not thinned, behind those
  /// that `out` has. Pairs that begin nearer than the floor are not asked, but counted.
  double free_way(const PairMotion& motion, const PairCandidates& candidates, std::vector<PairRow>& out,
                  int& touching) const;

  /// Some pair is nearer than it keeps, or would be hit on the way.
  bool any_near(const PairMotion& motion, const PairCandidates& candidates) const;

  /// Vertices and triangles no farther apart than `reach`; inside: of those vertices over the inside of the
  /// triangle alone. Normals are those of the triangles; distances are along `along`, from the second body to the
  /// first, or along the normals where that is zero: negative behind the triangle.
  void touches(const PairMotion& motion, const PairCandidates& candidates, double reach, bool inside,
               const Vec3& along, std::vector<PairRow>& out) const;
  /// The closest points of a row anew.
  static void measure(const PairMotion& motion, PairRow& row);

 private:
  void collect(const PairMotion& motion, const PairCandidates& candidates, std::vector<PairRow>& out) const;
  void thin(const PairMotion& motion, std::vector<PairRow>& rows);

  std::vector<char> dropped_;
  std::vector<Index> order_;
};

}  // namespace pliant
