// SPDX-License-Identifier: Apache-2.0
#include "pliant/contact/contact_memory.hpp"

#include <gtest/gtest.h>

namespace pliant {
namespace contact_memory_test {

std::vector<ContactMemory> some_memory() {
  std::vector<ContactMemory> memory;
  for (const ContactKey& key : {ContactKey{1, 0, -5}, ContactKey{1, 0, 3}, ContactKey{1, 2, 3},
                                ContactKey{4, 0, 0}, ContactKey{4, 0, 7}})
    memory.push_back({.key = key, .force = Vec3(key.vertex, key.collider, key.feature)});
  return memory;
}

TEST(ContactMemory, a_contact_recalls_its_own_force_before_that_of_another_feature) {
  const std::vector<ContactMemory> memory = some_memory();
  for (const ContactMemory& m : memory) {
    const ContactMemory* known = recall(memory, m.key);
    ASSERT_NE(known, nullptr);
    EXPECT_EQ(known->key, m.key);
  }
}

TEST(ContactMemory, a_new_feature_recalls_another_one_of_the_same_vertex_and_collider) {
  const std::vector<ContactMemory> memory = some_memory();
  const ContactMemory* known = recall(memory, {1, 0, 99});
  ASSERT_NE(known, nullptr);
  EXPECT_EQ(known->key, (ContactKey{1, 0, -5}));
  EXPECT_EQ(recall(memory, {1, 1, 3}), nullptr);  // another collider
  EXPECT_EQ(recall(memory, {2, 0, 3}), nullptr);  // another vertex
  EXPECT_EQ(recall(memory, {5, 0, 0}), nullptr);
  EXPECT_EQ(recall({}, {1, 0, 3}), nullptr);
}

TEST(ContactMemory, forces_are_remembered_in_order_and_those_that_are_zero_are_not) {
  std::vector<Contact> contacts(3);
  contacts[0].key = {1, 0, 0}, contacts[1].key = {2, 0, 0}, contacts[2].key = {3, 0, 0};
  const std::vector<Vec3> impulses{{0, 1, 0}, {0, 0, 0}, {2, 0, 4}};
  std::vector<ContactMemory> memory = some_memory();
  remember(contacts, impulses, 0.5, memory);
  ASSERT_EQ(memory.size(), 2u);
  EXPECT_EQ(memory[0].key, contacts[0].key);
  EXPECT_EQ(memory[0].force, Vec3(0, 2, 0));
  EXPECT_EQ(memory[1].key, contacts[2].key);
  EXPECT_EQ(memory[1].force, Vec3(4, 0, 8));
}

}  // namespace contact_memory_test
}  // namespace pliant
