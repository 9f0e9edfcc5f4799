// SPDX-License-Identifier: Apache-2.0
// When a surface needs no search within itself: it has hardly changed its shape since the last one. Stiff bodies
// nearly always; the test costs a fit of a rotation and two passes over the vertices.
#pragma once

#include <Eigen/Geometry>
#include <span>

#include "pliant/proximity/pair_search.hpp"

namespace pliant {

/// Least distance of the pairs of a search within a surface, at the places x; `reach` when none is nearer. The
/// search saw every pair nearer than `reach`, twice what the boxes were grown by.
double least_self_distance(const MovingSurface& surface, std::span<const Vec3> x,
                           const PairCandidates& within, double reach);

class SelfClearance {
 public:
  /// Vertices and edges without a vertex in common are `distance` apart or more at the places x.
  void remember(std::span<const Vec3> x, double distance);
  void forget() { places_.clear(), last_.clear(); }

  /// A bound of that distance on all of the straight ways from begin to end; 0 when nothing is remembered.
  /// kept: each pair was `distance` farther apart than what it keeps, which is this or less, and the answer is a bound
  /// of what is left beyond that.
  /// With rotations and shifts that carry the remembered places X to the begin and the end as well as a fit can,
  /// w the angle from one to the other, and r how far a vertex is from where they carry it,
  ///   distance(t) >= cos(w / 2) (distance + kept) - kept - 2 r
  /// because the mean of two rotations shortens nothing by more than cos(w / 2), and points of edges and
  /// triangles are off by no more than vertices.
  double bound(std::span<const Vec3> begin, std::span<const Vec3> end, double kept = 0);

 private:
  /// The rotation about the mean that carries the places nearest to x, and how far off it leaves a vertex.
  struct Fit {
    Eigen::Quaterniond turn;
    double miss = 0;
  };
  Fit fit(std::span<const Vec3> x) const;

  Points places_;  ///< remembered, about their mean
  double distance_ = 0;
  Points last_;  ///< where the last way ended: where the next begins, mostly
  Fit last_fit_;
};

}  // namespace pliant
