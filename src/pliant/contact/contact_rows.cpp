// SPDX-License-Identifier: Apache-2.0
#include "pliant/contact/contact_rows.hpp"

#include <algorithm>

namespace pliant {

Vec3 ContactRows::observe(const Contact& contact, std::span<const Vec3> v) const {
  Vec3 sum = Vec3::Zero();
  each_node(contact, [&](Index node, double weight) { sum += weight * v[node]; });
  return sum;
}

void ContactRows::add(const Contact& contact, const Vec3& r, std::span<Vec3> out) const {
  each_node(contact, [&](Index node, double weight) { out[node] += weight * r; });
}

void ContactRows::collect(std::span<const Contact> contacts, std::span<const Vec3> r, double scale,
                          std::span<Vec3> out) const {
  std::fill(out.begin(), out.end(), Vec3::Zero());
  for (std::size_t c = 0; c < contacts.size(); ++c)
    each_node(contacts[c], [&](Index node, double weight) { out[node] += scale * weight * r[c]; });
}

}  // namespace pliant
