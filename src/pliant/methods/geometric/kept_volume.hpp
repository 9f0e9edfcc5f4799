// SPDX-License-Identifier: Apache-2.0
// The volume that a closed surface encloses, kept by one multiplier a part: future work of [Huang06, Sec. 6].
// The nodes are the vertices of the surface. With c(x) = V(x) - V_0, V the enclosed volume of a part, m^3,
//   c = grad V at X0, z_c = A^-1 c,
// the step's equation becomes G(D) = mu c with V(X0 + D) = V_0; mu/h'^2 is the pressure inside, Pa. It is
// solved by projected conjugate gradients (Gould, Hribar, Nocedal 2001): D starts at t z_c where the volume
// is V_0, and every preconditioned residual z = A^-1 g loses what changes the volume,
//   l = (c . z)/(c . z_c),  z -= l z_c,  g -= l c
// so that H and not A decides where the pressure moves the body. That takes three solves more than a
// step without: z_c twice, and a descent between them. What the linear constraint leaves is set at the end:
// V(x + t z_c) is a cubic in t, solved exactly. grad V of a closed surface has neither resultant nor torque:
// momentum is that of the other forces.
// The object holds both model (triangles, V_0) and scratch (c, z_c, t), because a body without kept volume
// needs neither. Every step writes the scratch before it reads it.
#pragma once

#include "pliant/base/aligned.hpp"
#include "pliant/base/result.hpp"
#include "pliant/methods/geometric/arrangement.hpp"
#include "pliant/methods/geometric/model.hpp"

namespace pliant::geometric {

/// V(t) = c0 + c1 t + c2 t^2 + c3 t^3 - V_0
struct VolumeCubic {
  double c[4] = {0, 0, 0, 0};
  double at(double t) const { return c[0] + t * (c[1] + t * (c[2] + t * c[3])); }
  /// The real root nearest to 0; 0 when none is near.
  double root() const;
};

class KeptVolume {
 public:
  /// Refused: surfaces with a boundary or neighbours of opposite orientation, and those that enclose nothing.
  static Result<KeptVolume> make(const Model& model, std::vector<Triangle> triangles);

  bool empty() const { return triangles_.empty(); }
  /// To the model, which outlives this object, and arrays of so many places.
  void attach(const Model& model, std::size_t padded);
  /// The layout is another one: unknowns of held nodes are zero.
  void clear();

  double volume(Index part, const Points& x) const;
  double rest_volume(Index part) const { return parts_[part].rest_volume; }
  Index parts() const { return Index(parts_.size()); }

  // Order of calls: aim(x), fill direction() = A^-1 gradient(), aimed(), find_steps(), add_steps().

  /// gradient() = c at x.
  void aim(const Points& x, const Arrangement& arrangement);
  const float* gradient() const { return gradient_.data(); }
  float* direction() { return direction_.data(); }
  /// c . z_c of every part.
  void aimed(const Arrangement& arrangement);

  /// step[part]: the t that brings x + t z_c to V_0, and the largest |V - V_0|/V_0 before it.
  double find_steps(const Points& x, const Arrangement& arrangement);
  /// y += t z_c, unknowns in places.
  void add_steps(float* y, const Arrangement& arrangement) const;
  /// t z_c of one node.
  Vec3 step(Index node, const Arrangement& arrangement) const;
  /// What changes the volume is taken out of g and z = A^-1 g; null: of z alone.
  void project(float* g, float* z, const Arrangement& arrangement) const;
  /// 1/(c . z_c) of a part, 0 where it keeps no volume.
  double inverse_response(Index part) const {
    return parts_[part].response > 0 ? 1 / parts_[part].response : 0;
  }

 private:
  struct Part {
    std::vector<Triangle> triangles;
    double rest_volume = 0;  ///< V_0
    double response = 0;     ///< c . z_c; 0 when no node is free
    double step = 0;         ///< t
  };
  VolumeCubic cubic(const Part& part, const Points& x, const Arrangement& arrangement) const;

  std::vector<Triangle> triangles_;
  std::vector<Part> parts_;
  const Model* model_ = nullptr;
  Points forces_;                              // c of every node, scratch
  AlignedVector<float> gradient_, direction_;  // c, z_c: 4 a place, held ones zero
};

}  // namespace pliant::geometric
