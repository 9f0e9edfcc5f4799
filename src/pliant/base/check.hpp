// SPDX-License-Identifier: Apache-2.0
// Asserts for programmer errors, on two levels. PLIANT_CHECK stays in every build (cheap, at interfaces);
// PLIANT_DCHECK only in builds without NDEBUG (inside loops).
#pragma once

namespace pliant {
[[noreturn]] void check_failed(const char* what, const char* file, int line);
}

#define PLIANT_CHECK(condition) \
  ((condition) ? void(0) : ::pliant::check_failed(#condition, __FILE__, __LINE__))

#ifdef NDEBUG
#define PLIANT_DCHECK(condition) void(0)
#else
#define PLIANT_DCHECK(condition) PLIANT_CHECK(condition)
#endif
