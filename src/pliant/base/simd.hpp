// SPDX-License-Identifier: Apache-2.0
// One binary for every x86-64: kernels are compiled once per instruction set and chosen here at run time.
//
// How a kernel family is written (see math/rotation_kernels.inl): one source, `NAME_kernels.inl`, in plain
// C++ with GCC vector types, raw pointers and internal linkage only (no Eigen, no std inline functions: the
// linker would merge an AVX-512 copy of them into the portable path). `NAME_portable.cpp`, `NAME_avx2.cpp`
// and `NAME_avx512.cpp` include it; CMake gives each its flags; a table of function pointers is picked by
// level. Tables are constinit: code that fills them in at start-up would be of their instruction set, and a
// processor without it could not even start the program.
#pragma once

#include <optional>
#include <string_view>

namespace pliant {

enum class SimdLevel { portable = 0, avx2 = 1, avx512 = 2 };

/// The best level of this processor, lowered by the environment variable PLIANT_SIMD=portable|avx2|avx512.
SimdLevel simd_level();

/// Lowers the level for tests; returns the level in force (never above what the processor has).
SimdLevel set_simd_level(SimdLevel wanted);

/// The table of the level in force.
template <class Kernels>
const Kernels& choose_kernels(const Kernels& portable, const Kernels& avx2, const Kernels& avx512) {
  switch (simd_level()) {
    case SimdLevel::avx512:
      return avx512;
    case SimdLevel::avx2:
      return avx2;
    case SimdLevel::portable:
      break;
  }
  return portable;
}

const char* name(SimdLevel level);

/// The level of that name, or none.
std::optional<SimdLevel> simd_level_of(std::string_view name);

}  // namespace pliant
