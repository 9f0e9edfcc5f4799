// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/reduced/state.hpp"

#include <algorithm>

#include "pliant/methods/geometric/plastic_flow.hpp"
#include "pliant/methods/geometric/reduced/kernels.hpp"

namespace pliant::geometric {
namespace {

/// Where the quaternion of a swept node begins; its numbers are reduced_lanes apart.
std::size_t place_of(std::size_t swept) {
  return 4 * reduced_lanes * (swept / reduced_lanes) + swept % reduced_lanes;
}

std::vector<double> flat(const Coordinates& z) { return {z.data(), z.data() + z.size()}; }

void read(Reader& reader, Coordinates& z) {
  std::vector<double> numbers(std::size_t(z.size()));
  reader.array(numbers);
  std::copy(numbers.begin(), numbers.end(), z.data());
}

}  // namespace

ReducedState state_at_rest(const ReducedModel& model, bool plastic) {
  ReducedState state;
  for (Coordinates* c : {&state.z, &state.v, &state.z_before, &state.v_before})
    *c = Coordinates::Zero(model.columns(), 3);
  state.active.assign(model.basis.pieces.size(), 0);
  state.quaternions.resize(4 * std::size_t(model.batches) * reduced_lanes);
  state.clear_rotations();
  if (plastic) state.rest_vectors = rest_vectors(model.full);
  return state;
}

Eigen::Quaterniond ReducedState::rotation(std::size_t swept) const {
  const float* q = quaternions.data() + place_of(swept);
  return Eigen::Quaterniond(q[0], q[reduced_lanes], q[2 * reduced_lanes], q[3 * reduced_lanes]).normalized();
}

void ReducedState::set_rotations(const Rotations& rotations) {
  for (std::size_t s = 0; s < rotations.size(); ++s) {
    float* q = quaternions.data() + place_of(s);
    const double parts[4] = {rotations[s].w(), rotations[s].x(), rotations[s].y(), rotations[s].z()};
    for (int k = 0; k < 4; ++k) q[reduced_lanes * k] = float(parts[k]);
  }
}

void ReducedState::clear_rotations() {
  for (std::size_t k = 0; k < quaternions.size(); ++k)
    quaternions[k] = k / reduced_lanes % 4 == 0 ? 1.0f : 0.0f;
}

void ReducedState::save(Writer& writer) const {
  for (const Coordinates* c : {&z, &v, &z_before, &v_before}) writer.array(flat(*c));
  writer.array(std::vector<float>(quaternions.begin(), quaternions.end()));
  writer.array(active);
  writer.value(h);
  writer.value(past);
  writer.array(contact.memories), writer.array(contact.sides);
  if (!rest_vectors.empty()) writer.array(rest_vectors);
}

bool ReducedState::load(Reader& reader) {
  ReducedState next = *this;
  std::vector<float> numbers(quaternions.size());
  for (Coordinates* c : {&next.z, &next.v, &next.z_before, &next.v_before}) read(reader, *c);
  reader.array(numbers);
  reader.array(next.active);
  reader.value(next.h);
  reader.value(next.past);
  reader.list(next.contact.memories), reader.list(next.contact.sides);
  if (!rest_vectors.empty()) reader.array(next.rest_vectors);
  if (!reader.ok()) return false;
  std::copy(numbers.begin(), numbers.end(), next.quaternions.begin());
  *this = std::move(next);
  return true;
}

}  // namespace pliant::geometric
