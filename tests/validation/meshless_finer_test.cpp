// SPDX-License-Identifier: Apache-2.0
// More nodes at a joint against as many spread evenly: an elbow on a long limb.
#include <gtest/gtest.h>

#include <cstdio>

#include "pliant/methods/meshless/build.hpp"
#include "tests/support/relax_once.hpp"

namespace pliant::meshless {
namespace meshless_finer_test {

constexpr double width = 1, length = 6, joint = 3;  // m

Skeleton elbow() {
  Skeleton out;
  for (const double height : {0.0, joint, length}) {
    Joint at;
    at.name = std::to_string(out.joints.size());
    at.parent = Index(out.joints.size()) - 1;
    at.position = {0, height, 0};
    at.turns.times = {0}, at.turns.turns = {Vec3(0, 0, height == joint ? -std::acos(-1.0) / 2 : 0)};
    out.joints.push_back(at);
  }
  return out;
}

struct Posed {
  std::size_t nodes = 0;
  std::vector<std::pair<Vec3, Vec3>> places;  ///< on the edges of the bar near the joint: at rest, bent
};

/// radius: of the ball with nodes twice as near; 0: none.
Posed bent(int across, double radius) {
  Options options;
  options.stiffness = 1e5, options.support = 1.5;
  options.bones.emplace();
  options.bones->skeleton = elbow();
  options.bones->radius = 0.26;
  options.bones->spacing = 0.125;
  if (radius > 0)
    options.finer = {{.near = Near::joints, .joint = "", .point = {}, .radius = radius, .ratio = 2}};
  const Flesh flesh = make_flesh(make_shape(BoxShape{.size = {width, length, width},
                                                     .nodes = {across, 6 * (across - 1) + 1, across},
                                                     .corner = {-width / 2, 0, -width / 2}}),
                                 options);
  auto body = build(flesh.shape, 1000, {}, flesh.options);
  EXPECT_TRUE(body) << body.error().text();
  Pool pool(2);
  const Relaxation settled = relax_once(**body, {.time = 1, .contact = {}, .pool = &pool}, 1e-4);
  EXPECT_TRUE(settled.trouble.empty()) << settled.trouble;
  Points surface(flesh.shape.surface.vertices.size());
  (*body)->surface(surface);
  Posed out{flesh.shape.graph.positions.size(), {}};
  for (std::size_t v = 0; v < surface.size(); ++v) {
    const Vec3& X = flesh.shape.surface.vertices[v];
    if (std::abs(X.y() - joint) < 1 + 1e-9 && std::abs(2 * X.y() - std::round(2 * X.y())) < 1e-6 &&
        std::abs(std::abs(X.x()) - width / 2) < 1e-9 && std::abs(std::abs(X.z()) - width / 2) < 1e-9)
      out.places.push_back({X, surface[v]});
  }
  return out;
}

/// Root mean square distance of the places that both have, m.
double apart(const Posed& a, const Posed& b) {
  double sum = 0;
  int count = 0;
  for (const auto& [X, x] : a.places)
    for (const auto& [Y, y] : b.places)
      if ((X - Y).norm() < 1e-6) sum += (x - y).squaredNorm(), ++count;
  EXPECT_EQ(count, 20);
  return std::sqrt(sum / count);
}

TEST(MeshlessFiner,
     an_elbow_with_more_nodes_at_its_joint_is_nearer_to_fine_nodes_than_as_many_spread_evenly) {
  const Posed fine = bent(9, 0);
  const Posed finer = bent(5, 1.2), even = bent(7, 0), coarse = bent(5, 0);
  for (const auto& [name, posed] :
       {std::pair("coarse", &coarse), {"even", &even}, {"finer at the joint", &finer}})
    std::printf("elbow, %s: %zu nodes, %.4f of the width from %zu nodes\n", name, posed->nodes,
                apart(*posed, fine) / width, fine.nodes);
  EXPECT_LT(finer.nodes, 1.05 * even.nodes);
  EXPECT_LT(apart(finer, fine), 0.5 * apart(even, fine));
  EXPECT_LT(apart(finer, fine), 0.25 * apart(coarse, fine));
}

}  // namespace meshless_finer_test
}  // namespace pliant::meshless
