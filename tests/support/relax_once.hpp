// SPDX-License-Identifier: Apache-2.0
// One step of a static solve that remembers nothing.
#pragma once

#include "pliant/methods/method.hpp"

namespace pliant {

inline Relaxation relax_once(Method& method, const StepInput& input, double tolerance) {
  RelaxMemory memory;
  return method.relax(input, tolerance, memory);
}

}  // namespace pliant
