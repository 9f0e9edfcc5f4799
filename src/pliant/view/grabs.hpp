// SPDX-License-Identifier: Apache-2.0
// What users pull at: soft springs at a few nodes of a body, which a step takes as grabs (physics/step.hpp).
//
// A grab of the surface point p pulls at the nodes that carry p, weights w_j >= 0 scaled to sum 1:
//   f_j = k w_j (t + (x_j - p)_begin - x_j),   so that   sum f_j = k (t - p)   while they move alike.
// k: a free body of mass m follows with the frequency of sqrt(k/m), a held one as far as its own stiffness
// E L lets it. So k = E L / 4 + m (2 pi 2 Hz)^2 for softness 1/2; softness 0 .. 1 is a factor 10 .. 1/10.
#pragma once

#include <vector>

#include "pliant/sim/body.hpp"

namespace pliant::view {

/// A point of a surface by the triangle it lies in.
struct SurfacePoint {
  Triangle corners{};
  Vec3 weights{0, 0, 0};  ///< barycentric
  Vec3 on(const Points& surface) const;
};

/// A grab, a dent, or a pull at controls (vertices of a cage, a joint of a loaded rod), as a page does it.
struct UserGrab {
  enum class Kind { point, dent, control };
  int client = 0, id = 0;  ///< id: chosen by the page; unused for controls
  Kind kind = Kind::point;
  int body = 0;
  SurfacePoint at;
  Vec3 begin{0, 0, 0};        ///< where the point was, m
  Vec3 target{0, 0, 0};       ///< m
  std::vector<Index> nodes;   ///< that it pulls at; vertices of a cage are numbered after the nodes
  std::vector<double> share;  ///< of the stiffness, sums to 1
  Points offset;              ///< point: from it to the node; dent: where the node was; control: target, m
  double stiffness = 0;       ///< of all springs together, N/m
  Vec3 inward{0, 0, 0};       ///< dent: direction
  double depth = 0;           ///< dent, m
  std::vector<double> depth_share;  ///< dent: 1 at the centre, 0 at the radius
  int handle = -1;                  ///< while posing a grab moves this handle and has no springs

  Vec3 spring_target(std::size_t k) const;
  Vec3 force(const Points& nodes_now) const;  ///< of all springs, N; none for controls
};

/// The grabs of all pages.
class Grabs {
 public:
  const std::vector<UserGrab>& all() const { return all_; }
  UserGrab* find(int client, int id, UserGrab::Kind kind);
  /// False: there are as many as there can be.
  bool add(UserGrab grab);
  void end(int client, int id, UserGrab::Kind kind);
  /// The page lets go of the controls of a body.
  void end_controls(int client, int body);
  /// The page goes. How many it held.
  std::size_t leave(int client);
  /// Handles are numbered anew: grabs that move one end.
  void end_posed();
  void clear() { all_.clear(); }

  /// Springs that the body can take besides those it has.
  std::size_t free_springs(int body) const;
  std::vector<Grab> springs(int body) const;

  /// After a rebuild. before: the bodies as they were numbered. A grab goes on where its body has the same
  /// nodes as before, else it ends.
  struct Held {
    std::string name;
    std::shared_ptr<const Shape> shape;
  };
  void follow(const std::vector<Held>& before, const std::vector<Held>& now);

 private:
  std::vector<UserGrab> all_;
};

/// modulus: Pa; size: of the body, m; softness: 0 to 1. In N/m.
double grab_stiffness(const Body& body, double modulus, double size, double softness);

/// Whether two shapes have the same nodes.
bool same_nodes(const Shape& a, const Shape& b);

}  // namespace pliant::view
