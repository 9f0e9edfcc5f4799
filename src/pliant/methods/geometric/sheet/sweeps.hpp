// SPDX-License-Identifier: Apache-2.0
// What a step runs over the elements of a sheet: rotations, gradient, products with the model Hessian
// (sheet/energy.hpp has the equations). K is one sparse matrix, the same for x, y and z, so that
//   g(x) = K x - sum_T R_T c_v,   H p = K p - sum_T (w_T x q_v),   q_v = R_T c_v,  w_T = W_T sum_v q_v x p_v
// with W = R G^-1 R^T. Elements read the members that their rotation depends on: three at flat rest. The first
// sweep makes q, or w x q, of every member; the second adds them up for every node: no sum depends on threads.
// Forces are in double precision: bending forces are small differences of large ones (D/h^4 beside E t/h^2).
#pragma once

#include "pliant/methods/geometric/sweeps.hpp"

namespace pliant::geometric {

class SheetSweeps {
 public:
  using Collect = Sweeps::Collect;

  /// Lays the sheet of the model out; nothing for other models.
  void arrange(const Model& model, const Arrangement& arrangement);
  bool on() const { return elements() > 0; }

  /// Starts a step at its last state: rotations fitted there from those that are known (w, x, y, z an element,
  /// in the model's order), and G of its tension. The straight prediction of a step stretches a sheet that
  /// turns fast, and that false tension would stiffen the step; S = R^T A turns with the body, so that of the
  /// last state holds. x: 4 doubles a node, in places.
  void start(const double* x, std::span<const float> quaternions, Pool& pool);
  /// The rotations, in the model's order.
  void store(std::span<float> quaternions, Pool& pool) const;

  /// R(x).
  void rotate(const double* x, Pool& pool);
  /// scale * g(x), with R(x) (renew) or with the last rotations. Returns u . out.
  double gradient(const double* x, double scale, bool renew, const Collect& collect, Pool& pool);
  /// pull K p - turn (the rotations' share). Returns u . out.
  double product(const float* p, float pull, float turn, const Collect& collect, Pool& pool);
  /// out += the same of p in double precision.
  void add_exact_product(const double* p, double pull, double turn, float* out, Pool& pool);

  /// As of Sweeps: angles of elements along the steps taken.
  void clear_turns();
  void add_turn(double s);
  double largest_turn() const;

  Index elements() const { return Index(element_.size()); }
  /// The element of the model at a slot, the places of the members its rotation depends on, their q, and W, at
  /// the last rotations.
  struct Now {
    Index element;
    std::span<const Index> place;
    const Vec3* q;
    Mat3 slew;
  };
  Now now(Index slot) const;
  /// The same at rest, without rotations.
  void set_rest();

  std::size_t gradient_bytes() const;
  std::size_t product_bytes() const;
  std::size_t memory_bytes() const;

 private:
  /// A triangle at flat rest, in the axes of its own plane.
  struct Triangle {
    double weight;    ///< lambda
    double slope[4];  ///< gradient of corner 1, then of corner 2
    Mat3 frame;       ///< axes of the plane and its normal, columns
  };
  /// [r1 r2 r3]: the frame as it is turned.
  Mat3 fit(const Triangle& triangle, const double* x, const Index* place, const Mat3& warm) const;
  void fill_matrix(const Model& model, const Arrangement& arrangement);
  void fill_elements(const Model& model, const Arrangement& arrangement);
  /// q of a slot's members from its rotation.
  void push(Index slot);
  /// Rotation, q and W of a slot at x.
  void turn(Index slot, const double* x);
  /// A of a slot at x.
  Mat3 covariance(Index slot, const double* x) const;
  template <class Number>
  void follow(const Number* p, Pool& pool);
  double summed(int parts) const;

  Index nodes_ = 0, free_ = 0, flat_ = 0;  ///< the first flat_ slots are triangles at flat rest
  // K: rows of free nodes without their diagonal, columns in places.
  std::vector<Index> row_, column_;
  std::vector<double> value_;
  Floats value_float_;

  std::vector<Index> element_;                    ///< of every slot
  std::vector<Index> begin_, place_;              ///< members of every slot
  std::vector<Triangle> triangle_;                ///< of the flat slots
  Points arm_;                                    ///< c of every member
  std::vector<Mat3> inertia_;                     ///< G0 of every slot
  std::vector<Mat3> rotation_;                    ///< of every slot: R
  std::vector<Mat3> slew_, slew_now_;             ///< G^-1 and W
  Points q_;                                      ///< of every member
  Points pushed_;                                 ///< of every member: w x q
  Points turn_, turn_sum_;                        ///< of every slot
  std::vector<Index> incident_begin_, incident_;  ///< members at every free node
  std::vector<double> partial_;
};

}  // namespace pliant::geometric
