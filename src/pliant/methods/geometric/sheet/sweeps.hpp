// SPDX-License-Identifier: Apache-2.0
// What a step runs over the elements of a sheet: rotations, gradient, products with the model Hessian
// (sheet/energy.hpp has the equations). K is one sparse matrix, the same for x, y and z, so that
//   g(x) = K x - sum_T R_T c_v,   H p = K p - sum_T (w_T x q_v),   q_v = R_T c_v,  w_T = W_T sum_v q_v x p_v
// with W = R G^-1 R^T. Elements read the members that their rotation depends on: three at flat rest. The first
// sweep makes q, or w x q, of every member; the second adds them up for every node: no sum depends on threads.
// Forces are in double precision: bending forces are small differences of large ones (D/h^4 beside E t/h^2).
#pragma once

#include "pliant/methods/geometric/sheet/kernels.hpp"
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
  /// The element of the model at a slot.
  Index element(Index slot) const { return element_[slot]; }
  /// q of a slot's members that its rotation depends on (v counts them), and W, at the last rotations.
  Vec3 lever(Index slot, Index v) const;
  Mat3 slew(Index slot) const;
  /// Rotations and G of rest.
  void set_rest();

  std::size_t gradient_bytes() const;
  std::size_t product_bytes() const;
  std::size_t memory_bytes() const;

 private:
  void fill_matrix(const Model& model, const Arrangement& arrangement);
  void sort_elements(const SheetElements& sheet, const Arrangement& arrangement);
  void fill_triangles(const SheetElements& sheet);
  void fill_incident();
  void bind();
  /// Rotation, q and W of elements [begin, end) at x; with tension also G.
  void turn(const double* x, bool tension, int begin, int end);
  /// The same of one triangle that has become a line: it keeps its turn about that.
  void turn_line(Index slot, const double* x, bool tension);
  /// The same of one element that is no triangle at flat rest.
  void turn_bent(Index slot, const double* x, bool tension);
  /// q and W of such an element from its rotation.
  void push_bent(Index slot);
  template <class Number>
  void follow_bent(Index slot, const Number* p, Vec3& w) const;
  Mat3 frame(Index slot) const;
  double summed(int parts) const;

  Index nodes_ = 0, free_ = 0, flat_ = 0;  ///< the first flat_ slots are triangles at flat rest
  std::vector<Index> row_, column_;
  AlignedVector<double> value_;
  Floats value_float_;

  std::vector<Index> element_;        ///< of every slot
  std::vector<Index> begin_, place_;  ///< members of every slot, three of flat ones
  // Of flat slots: see SheetArrays.
  Doubles slope_, frame_, slew_;
  Floats lever_;
  std::vector<Mat3> rest_frame_;
  std::vector<unsigned char> flattened_;
  // Of the others, counted from flat_, and of their members, counted from 3 flat_.
  Points arm_;
  std::vector<Mat3> inertia_, rotation_, bent_slew_, bent_slew_now_;
  // Of all slots and of all members.
  Floats turn_, turn_sum_, followed_;
  Doubles force_, exact_followed_;
  std::vector<Index> incident_begin_, incident_;  ///< members at every free node
  std::vector<double> partial_;
  SheetArrays arrays_{};
};

}  // namespace pliant::geometric
