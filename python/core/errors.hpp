// SPDX-License-Identifier: Apache-2.0
// How failures reach Python: wrong input, failed steps, programmer errors and broken files each have a class there
// (pliant/errors.py).
#pragma once

#include <pybind11/pybind11.h>

#include <exception>
#include <string>
#include <vector>

#include "pliant/base/result.hpp"
#include "pliant/sim/simulation.hpp"

namespace pliant::python {

/// pliant.InputError with all problems.
class WrongInput final : public std::exception {
 public:
  explicit WrongInput(Error error);
  /// One problem.
  WrongInput(std::string place, std::string found, std::string expected, std::string hint = {});

  const Error& error() const { return error_; }
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  Error error_;
  std::string text_;
};

/// pliant.StepError.
class FailedStep final : public std::exception {
 public:
  explicit FailedStep(StepFailure failure);
  /// Words of its own; the cause alone is in the failure.
  FailedStep(StepFailure failure, std::string text);

  const StepFailure& failure() const { return failure_; }
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  StepFailure failure_;
  std::string text_;
};

/// The value, or WrongInput.
template <class T>
T value_of(Result<T> result) {
  if (!result) throw WrongInput(result.error());
  return std::move(*result);
}
void refuse_on(const std::optional<Error>& error);
void refuse_on(std::vector<Problem> problems, const std::string& file = {});

/// Programmer errors found so far, in any thread.
int failed_checks();

/// Exceptions of C++ become those of Python, and programmer errors exceptions: for the start of the module.
void translate_errors();

}  // namespace pliant::python
