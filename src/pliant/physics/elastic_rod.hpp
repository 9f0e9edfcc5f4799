// SPDX-License-Identifier: Apache-2.0
// A skeleton that bends by itself: beams between nodes that carry a position and a rotation, in equilibrium
// with what holds them and what pulls at them (static). Two-node corotational beams, exact for bending and
// twist of any size as long as one element turns by less than half a turn [ZJU06, "standard nonlinear finite
// element method"].
//
// Element of rest length l0 and rest axes D (the first along it), nodes 1 and 2 with rotations R1, R2 since
// rest:
//   e1 = (x2 - x1) / l,  Rm the rotation half way between R1 and R2,  e2 = Rm D e_y made orthogonal to e1,
//   e3 = e1 x e2,  E = (e1 e2 e3),   th_a = log(E^T R_a D)
//   energy = EA / (2 l0) (l - l0)^2 + GJ / (2 l0) (th2x - th1x)^2
//          + sum over y, z of EI / (2 l0) (4 th1^2 + 4 th1 th2 + 4 th2^2)
#pragma once

#include <optional>

#include "pliant/geometry/bone_samples.hpp"

namespace pliant {

struct RodStiffness {
  double stretch = 1;  ///< EA, N
  double bend = 1;     ///< EI, N m^2, the same in all directions
  double twist = 1;    ///< GJ, N m^2
};

struct RodElement {
  Index a = 0, b = 0;  ///< nodes
  RodStiffness stiffness;
};

struct RodState {
  Points x;                    ///< m
  std::vector<Quat> rotation;  ///< since rest, lifted
};

/// Holds a node at a place, at a rotation since rest, or both.
struct RodHold {
  Index node = 0;
  std::optional<Vec3> x;         ///< m
  std::optional<Quat> rotation;  ///< unit
};

struct RodReport {
  bool converged = false;
  int iterations = 0;   ///< Newton, over all steps towards the holds
  double energy = 0;    ///< J, elastic
  double residual = 0;  ///< largest force or torque left over its own scale
};

class ElasticRod {
 public:
  /// Any graph of elements; their ends must be apart.
  ElasticRod(Points rest, std::vector<RodElement> elements);

  const Points& rest() const { return rest_; }
  const std::vector<RodElement>& elements() const { return elements_; }
  RodState at_rest() const;

  double energy(const RodState& state) const;
  /// Derivatives by node: moves, then small turns from the left, 6 a node. Allocates only when `out` has another
  /// size.
  void gradient(const RodState& state, Eigen::VectorXd& out) const;
  /// Second derivatives likewise, dense: for those who couple the rod to something.
  void hessian(const RodState& state, Eigen::MatrixXd& out) const;

  /// Equilibrium from the state that is there: holds are approached in steps of at most 15 degrees and, in
  /// length, two of the shortest element; each step is Newton with backtracking. `forces`: N, one a
  /// node, or empty. What is not held and not stiff (a rod held nowhere) does not converge. State that did
  /// not converge is the last step's.
  RodReport settle(RodState& state, const std::vector<RodHold>& holds, const Points& forces = {}) const;

 private:
  struct Segment {
    double length;
    Mat3 axes;  ///< D
  };
  struct Assembly;
  /// add(element, its energy with derivatives by the 12 freedoms of its nodes).
  template <class Add>
  void each_element(const RodState& state, const Add& add) const;
  void follow(RodState& state, const std::vector<char>& held, const Eigen::VectorXd& given) const;
  bool newton(RodState& state, const std::vector<char>& held, const Points& forces, RodReport& report) const;

  Points rest_;
  std::vector<RodElement> elements_;
  std::vector<Segment> segments_;
};

/// Moves and turns every node by `step` times its part of the direction, 6 a node.
void advance(const RodState& from, const Eigen::VectorXd& direction, double step, RodState& to);

/// Nodes are the samples of a skeleton, elements the pieces of bone between them; those that touch a joint
/// where bones meet are softer in bending and twist by the factor `joint` (0.01 .. 0.001: the skeleton bends
/// there).
ElasticRod rod_along(const BoneSamples& samples, const RodStiffness& stiffness, double joint);

/// What the keys of the skeleton hold of that rod at time t: roots in place and rotation, joints with turns
/// in rotation, joints with moves that are not all zero in place. Everything else is free and finds its
/// equilibrium.
std::vector<RodHold> rod_holds(const BoneSamples& samples, double t);
/// The same, without allocations once the arrays have their size. pose: scratch.
void rod_holds(const BoneSamples& samples, double t, std::vector<JointPose>& pose, std::vector<RodHold>& out);

/// Records in the samples how they move when the skeleton is such a rod, from rest at time 0 to the last key,
/// `step` seconds apart: without loads its shape depends on the keys alone. False when it found no
/// equilibrium.
bool record_rod(BoneSamples& samples, const RodStiffness& stiffness, double joint, double step);

}  // namespace pliant
