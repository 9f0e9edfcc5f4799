// SPDX-License-Identifier: Apache-2.0
// Rigs as animation programs export them, made from scratch: a .glb with joints, skin and animation, and what
// glTF says it looks like at a time, by matrices.
#pragma once

#include <string>

#include "pliant/base/types.hpp"

namespace pliant {

struct RigNode {
  std::string name;
  int parent = -1;
  Vec3 translation{0, 0, 0};
  Eigen::Quaterniond rotation = Eigen::Quaterniond::Identity();
  double scale = 1;
};

struct RigChannel {
  int node = 0;
  std::string path = "rotation";         ///< rotation (x y z w) or translation (x y z 0)
  std::string interpolation = "LINEAR";  ///< CUBICSPLINE has three values a key
  std::vector<double> times;
  std::vector<Eigen::Vector4d> values;
};

struct RigData {
  std::vector<RigNode> nodes;  ///< parents before children; the mesh's node comes after them
  std::vector<int> joints;     ///< nodes
  std::vector<Eigen::Matrix4d> inverse_bind;
  Points vertices;
  std::vector<Triangle> triangles;
  std::vector<std::array<int, 4>> joint;  ///< of `joints`, for every vertex
  std::vector<std::array<double, 4>> weight;
  std::vector<RigChannel> channels;

  /// World matrices of the nodes; `animated`: at time t, else as the nodes stand.
  std::vector<Eigen::Matrix4d> world(double t, bool animated = true) const;
  /// Inverse bind matrices from the nodes as they stand: vertices are where the scene shows them.
  void bind_here();
  /// What a viewer shows.
  Points posed(double t) const;
};

std::string rig_glb(const RigData& rig);

/// Two bones, a square tube of 16 vertices, rotations of every interpolation, a moving root.
RigData tube_rig();

/// The character of scenes/assets/rig.glb: a chubby biped that crouches, jumps and waves.
RigData character_rig();

}  // namespace pliant
