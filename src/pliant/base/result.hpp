// SPDX-License-Identifier: Apache-2.0
// How user input fails: every problem with its place, what was found, what was expected, what to do.
// Programmer errors go to the check handler (base/check_handler.hpp); numerical trouble is reported by the step
// (physics/step.hpp).
#pragma once

#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "pliant/base/check.hpp"

namespace pliant {

struct Problem {
  std::string place;     ///< JSON path ("bodies.0.density"), line and column, or empty for the whole file
  std::string found;     ///< what is there
  std::string expected;  ///< what would be right, with unit and range
  std::string hint;      ///< nearest valid name or the fix; may be empty
};

struct Error {
  std::string file;  ///< the file, or the command-line argument, that is wrong
  std::vector<Problem> problems;

  /// One line a problem: "scene.json: bodies.0.density: found -5, expected a number > 0 kg/m^3 (hint)".
  std::string text() const;
};

/// A value or an Error. The value may be asked for when there is one: `if (result)`.
template <class T>
class Result {
 public:
  Result(T value) : value_(std::move(value)) {}
  Result(Error error) : error_(std::move(error)) {}

  explicit operator bool() const { return value_.has_value(); }
  T& operator*() & { return checked(), *value_; }
  const T& operator*() const& { return checked(), *value_; }
  T&& operator*() && { return checked(), std::move(*value_); }
  T* operator->() { return checked(), &*value_; }
  const T* operator->() const { return checked(), &*value_; }
  const Error& error() const { return error_; }

 private:
  void checked() const { PLIANT_CHECK(value_.has_value()); }

  std::optional<T> value_;
  Error error_;
};

}  // namespace pliant
