// SPDX-License-Identifier: Apache-2.0
#include "pliant/contact/contact_memory.hpp"

#include <algorithm>
#include <limits>

namespace pliant {

const ContactMemory* recall(std::span<const ContactMemory> memory, const ContactKey& key) {
  const ContactKey first{key.vertex, key.collider, std::numeric_limits<Index>::min()};
  auto known = std::lower_bound(memory.begin(), memory.end(), first,
                                [](const ContactMemory& m, const ContactKey& k) { return m.key < k; });
  const ContactMemory* best = nullptr;
  for (; known != memory.end() && known->key.vertex == key.vertex && known->key.collider == key.collider;
       ++known)
    if (!best || known->key.feature == key.feature) best = &*known;
  return best;
}

void remember(std::span<const Contact> contacts, std::span<const Vec3> impulses, double h,
              std::vector<ContactMemory>& memory, bool open) {
  memory.clear();
  for (std::size_t c = 0; c < contacts.size(); ++c)
    if (open || !impulses[c].isZero(0)) memory.push_back({.key = contacts[c].key, .force = impulses[c] / h});
}

}  // namespace pliant
