// SPDX-License-Identifier: Apache-2.0
#include "pliant/contact/detection.hpp"

#include <gtest/gtest.h>

namespace pliant {
namespace detection_test {

TEST(Detection, vertices_of_held_nodes_alone_meet_nothing) {
  const Points nodes{{0, -0.01, 0}, {1, -0.01, 0}, {2, -0.01, 0}};
  Gather embedding = pick({0, 1, 2});  // and one vertex between a held node and a free one
  embedding.column.insert(embedding.column.end(), {1, 2});
  embedding.weight.insert(embedding.weight.end(), {0.5, 0.5});
  embedding.begin.push_back(5);
  Detection detection;
  detection.build(embedding, nodes, 1);
  const std::vector<Collider> ground{{PlaneCollider{{0, 0, 0}, {0, 1, 0}}, Motion{}, 0.3, 0}};
  Detection::Step step{.colliders = ground, .options = {}, .h = 0.01, .begin = nodes, .end = nodes};
  std::vector<SideMemory> sides;
  const auto found = [&] {
    detection.find(step, sides);
    std::vector<Index> out;
    for (const Contact& contact : detection.contacts()) out.push_back(contact.key.vertex);
    return out;
  };
  EXPECT_EQ(found(), (std::vector<Index>{0, 1, 2, 3}));
  const std::vector<unsigned char> held{1, 1, 0};
  step.held = held;
  EXPECT_EQ(found(), (std::vector<Index>{2, 3}));
}

}  // namespace detection_test
}  // namespace pliant
