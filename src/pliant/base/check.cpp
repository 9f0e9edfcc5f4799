// SPDX-License-Identifier: Apache-2.0
#include "pliant/base/check.hpp"

#include <atomic>
#include <cstdio>
#include <cstdlib>

#include "pliant/base/check_handler.hpp"

namespace pliant {
namespace {

void print(const CheckFailure& failure) {
  std::fprintf(stderr, "pliant: internal error: %s does not hold (%s:%d)\n", failure.condition, failure.file,
               failure.line);
}

std::atomic<CheckHandler> current{&print};

}  // namespace

CheckHandler set_check_handler(CheckHandler handler) { return current.exchange(handler ? handler : &print); }

void check_failed(const char* what, const char* file, int line) {
  current.load()({what, file, line});
  std::abort();
}

}  // namespace pliant
