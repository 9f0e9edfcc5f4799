// SPDX-License-Identifier: Apache-2.0
// What happens when the library finds a programmer error: an index that does not exist, a span of the wrong
// length, the value of a Result that has none, a bug of its own. Wrong data is no such error: it comes back as
// a Problem (base/result.hpp).
#pragma once

namespace pliant {

/// A condition that does not hold, and where it stands.
struct CheckFailure {
  const char* condition;
  const char* file;
  int line;
};

/// Ends the program, or throws an exception, which arrives at the call that went wrong, whichever thread found
/// it. Objects that took part in that call may then be destroyed and nothing else. A handler that returns ends
/// the program by std::abort.
using CheckHandler = void (*)(const CheckFailure& failure);

/// Sets the handler of the whole program and returns the one before. Null: the one at the start of the program, which
/// prints the condition to standard error and ends the program by std::abort. Any thread may call it.
CheckHandler set_check_handler(CheckHandler handler);

}  // namespace pliant
