// SPDX-License-Identifier: Apache-2.0
#include "errors.hpp"

#include <fmt/format.h>

#include <atomic>

#include "commands.hpp"
#include "pliant/base/check_handler.hpp"

namespace pliant::python {
namespace {

namespace py = pybind11;

/// What the check handler throws.
class FailedCheck final : public std::exception {
 public:
  explicit FailedCheck(const CheckFailure& failure)
      : text_(fmt::format("{} does not hold ({}:{}); this world must not be used any more", failure.condition,
                          failure.file, failure.line)) {}
  const char* what() const noexcept override { return text_.c_str(); }

 private:
  std::string text_;
};

std::atomic<int> checks_failed = 0;

[[noreturn]] void throw_check(const CheckFailure& failure) {
  ++checks_failed;
  throw FailedCheck(failure);
}

std::string without_last_newline(std::string text) {
  if (!text.empty() && text.back() == '\n') text.pop_back();
  return text;
}

/// Raises an exception of pliant/errors.py.
template <class... Arguments>
void raise(const char* name, Arguments&&... arguments) {
  const py::object type = py::module_::import("pliant.errors").attr(name);
  const py::object error = type(std::forward<Arguments>(arguments)...);
  PyErr_SetObject(type.ptr(), error.ptr());
}

/// Names come from files and may be no UTF-8.
py::object text_object(const std::string& text) {
  return py::reinterpret_steal<py::object>(
      PyUnicode_DecodeUTF8(text.data(), py::ssize_t(text.size()), "replace"));
}

void raise_input(const Error& error, const std::string& text) {
  py::list problems;
  for (const Problem& p : error.problems)
    problems.append(py::make_tuple(text_object(p.place), text_object(p.found), text_object(p.expected),
                                   text_object(p.hint)));
  raise("InputError", text_object(text), text_object(error.file), problems);
}

void translate(std::exception_ptr thrown) {
  if (!thrown) return;
  try {
    std::rethrow_exception(thrown);
  } catch (const WrongInput& wrong) {
    raise_input(wrong.error(), wrong.what());
  } catch (const cli::InputError& wrong) {
    raise_input({{}, {{{}, wrong.what(), {}, {}}}}, without_last_newline(wrong.what()));
  } catch (const FailedStep& failed) {
    const StepFailure& failure = failed.failure();
    raise("StepError", text_object(failed.what()), text_object(failure.name), failure.step, failure.time,
          text_object(failure.cause));
  } catch (const cli::RunError& failed) {
    PyErr_SetString(PyExc_OSError, without_last_newline(failed.what()).c_str());
  } catch (const FailedCheck& failed) {
    raise("CheckError", text_object(failed.what()));
  }
}

}  // namespace

WrongInput::WrongInput(Error error) : error_(std::move(error)), text_(without_last_newline(error_.text())) {}

WrongInput::WrongInput(std::string place, std::string found, std::string expected, std::string hint)
    : WrongInput(Error{{}, {{std::move(place), std::move(found), std::move(expected), std::move(hint)}}}) {}

FailedStep::FailedStep(StepFailure failure) : failure_(std::move(failure)), text_(failure_.text()) {}

FailedStep::FailedStep(StepFailure failure, std::string text)
    : failure_(std::move(failure)), text_(std::move(text)) {}

void refuse_on(const std::optional<Error>& error) {
  if (error) throw WrongInput(*error);
}

void refuse_on(std::vector<Problem> problems, const std::string& file) {
  if (!problems.empty()) throw WrongInput(Error{file, std::move(problems)});
}

int failed_checks() { return checks_failed; }

void translate_errors() {
  py::register_exception_translator(translate);
  set_check_handler(throw_check);
}

}  // namespace pliant::python
