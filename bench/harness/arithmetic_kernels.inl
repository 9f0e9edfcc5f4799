// SPDX-License-Identifier: Apache-2.0
// Multiply-adds on registers alone: twelve independent chains of the widest vectors hide the latency of each.
// PLIANT_VECTOR_BYTES is set by the including file.

namespace pliant::bench {
namespace {

typedef float Vector __attribute__((vector_size(PLIANT_VECTOR_BYTES)));
constexpr int chains = 12, lanes = PLIANT_VECTOR_BYTES / 4;

float multiply_add(int rounds, float factor, float summand) {
  Vector chain[chains];
  const Vector f = factor - Vector{}, s = summand - Vector{};
  for (int k = 0; k < chains; ++k) chain[k] = s * float(k);
  for (int n = 0; n < rounds; ++n)
#pragma GCC unroll 12
    for (int k = 0; k < chains; ++k) chain[k] = chain[k] * f + s;
  Vector sum = {};
  for (int k = 0; k < chains; ++k) sum += chain[k];
  float out = 0;
  for (int k = 0; k < lanes; ++k) out += sum[k];
  return out;
}

constexpr Arithmetic kernel{multiply_add, chains* lanes};

}  // namespace
}  // namespace pliant::bench
