// SPDX-License-Identifier: Apache-2.0
#pragma once

namespace pliant::bench {

/// `rounds` rounds of multiply_adds_per_round multiply-adds of single precision that nothing waits for;
/// returns a number that depends on all of them.
using ArithmeticKernel = float (*)(int rounds, float factor, float summand);
struct Arithmetic {
  ArithmeticKernel run;
  int multiply_adds_per_round;
};

Arithmetic arithmetic_portable();
Arithmetic arithmetic_avx2();
Arithmetic arithmetic_avx512();

}  // namespace pliant::bench
