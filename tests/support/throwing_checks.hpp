// SPDX-License-Identifier: Apache-2.0
// Programmer errors as exceptions, while an object of it lives.
#pragma once

#include <stdexcept>
#include <string>

#include "pliant/base/check_handler.hpp"

namespace pliant {

struct CheckThrown : std::logic_error {
  using std::logic_error::logic_error;
};

class ThrowingChecks {
 public:
  ThrowingChecks()
      : before_(
            set_check_handler([](const CheckFailure& failure) { throw CheckThrown(failure.condition); })) {}
  ~ThrowingChecks() { set_check_handler(before_); }
  ThrowingChecks(const ThrowingChecks&) = delete;
  ThrowingChecks& operator=(const ThrowingChecks&) = delete;

 private:
  CheckHandler before_;
};

}  // namespace pliant
