// SPDX-License-Identifier: Apache-2.0
// Which vertices of the surface meet colliders. A fine surface has tens of thousands, and a place costs N + T
// products: some hundreds that are spread evenly are asked in every step. Where a vertex between them ends
// deep inside a collider, the next steps ask it too (State::more), until it has left: a body rests on its own
// surface, not on samples of it. How deep it is, is measured over all vertices.
#pragma once

#include <span>
#include <vector>

#include "pliant/math/gather.hpp"
#include "pliant/methods/cage/cache.hpp"
#include "pliant/methods/cage/state.hpp"

namespace pliant::cage {

/// The b of the points of a contact.
class ContactBasis {
 public:
  virtual ~ContactBasis() = default;
  /// b = weight times that of the term's point.
  virtual void weigh(const ContactTerm& term, Eigen::VectorXd& b) const = 0;
};

class ContactPoints final : public ContactBasis {
 public:
  explicit ContactPoints(const Model& model);

  void weigh(const ContactTerm& term, Eigen::VectorXd& b) const override {
    b = term.weight * value_.col(term.vertex);
  }

  Index spread() const { return Index(spread_.size()); }  ///< points that are always asked; the others follow
  Index most() const { return Index(value_.cols()); }     ///< points, used or not
  Index places() const { return most() - spread(); }      ///< for State::more
  double spacing() const { return spacing_; }             ///< how far a point is from the next, mean, m
  const Points& rest() const { return rest_; }            ///< of the points; of unused ones any
  const Gather& gather() const { return gather_; }        ///< every point is its own node, for Detection
  const Eigen::MatrixXd& value() const { return value_; }            ///< b of the points, (N + T) x points
  std::span<const unsigned char> unused() const { return unused_; }  ///< points without a vertex
  std::size_t bytes() const { return sizeof(double) * blocks_.size(); }

  /// The points of a step: those that are spread, and those that the state asks for.
  void use(const Model& model, const std::vector<Index>& more);

  /// Calls put(point, sum over the first `used` rows of z b) for all points up to the last that is used; z:
  /// three numbers a row.
  template <class Put>
  void each(Index used, const double* z, Put&& put) const {
    const CageKernels<double>& kernel = kernels<double>();
    const Index rows = Index(value_.rows());
    alignas(64) double out[3 * lanes];
    for (Index b = 0; b * lanes < count_; ++b) {
      kernel.gather(blocks_.data() + std::size_t(b) * std::size_t(rows) * lanes, int(used), z, out);
      for (Index lane = 0; lane < lanes && b * lanes + lane < count_; ++lane)
        put(b * lanes + lane, Vec3(out[lane], out[lanes + lane], out[2 * lanes + lane]));
    }
  }

  /// The row of a contact times Z, or times a motion of Z.
  Vec3 observe(const Contact& contact, const Columns& z) const;
  /// on_z += the force f on a contact.
  void add(const Contact& contact, const Vec3& f, Columns& on_z) const;

  /// How deep the surface of a new state is, m, and which of its vertices the next step asks besides.
  double measure(const Model& model, const StepInput& input, State& state, Cache& cache);

 private:
  /// The b of a vertex of the surface becomes that of a point.
  void set_value(const Model& model, Index point, Index vertex);
  /// gap_ of all vertices over the colliders at the end of the step; infinite where it is farther than
  /// `band`.
  void measure_gaps(const Model& model, const StepInput& input, const State& state, Cache& cache,
                    double band);
  /// Gives places free whose vertices have left: what was known of their contacts is another vertex's.
  void leave(State& state) const;
  bool is_asked(const State& state, Index vertex) const;
  /// Vertices deeper than `deep` take free places, the deepest first.
  void ask_deepest(const Model& model, State& state, double deep);

  double spacing_ = 0;  // m
  Points rest_;
  Gather gather_;
  std::vector<Index> spread_;     // vertices, by place (geometry/place_order.hpp)
  std::vector<char> is_spread_;   // by vertex
  std::vector<Index> asked_;      // whose b the other points have
  Eigen::MatrixXd value_;         // b
  AlignedVector<double> blocks_;  // the same as the kernels read it: [batch][row][16]
  std::vector<unsigned char> unused_;
  Index count_ = 0;  // points up to the last that is used

  // Scratch of measure().
  Points surface_;
  std::vector<double> gap_;  // of surface_, m
  std::vector<Index> deepest_, taken_;
};

}  // namespace pliant::cage
