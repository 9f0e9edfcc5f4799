// SPDX-License-Identifier: Apache-2.0
// A file that appears whole or not at all: written as PATH.part, renamed to PATH by commit().
#pragma once

#include <cstddef>
#include <filesystem>
#include <optional>
#include <string_view>
#include <vector>

#include "pliant/base/result.hpp"
#include "pliant/io/file_handle.hpp"

namespace pliant {

class AtomicFile {
 public:
  /// Creates missing folders on the way to the file.
  static Result<AtomicFile> create(const std::filesystem::path& path);

  AtomicFile(AtomicFile&&) = default;
  AtomicFile& operator=(AtomicFile&&) = delete;
  ~AtomicFile();  ///< without commit() the part is removed; an older file of that name stays as it was

  /// The first failure (disk full, quota) is kept and reported by commit(); later writes do nothing.
  void write(const void* data, std::size_t bytes);
  void write(std::string_view text) { write(text.data(), text.size()); }
  bool failed() const { return cause_ != 0; }

  [[nodiscard]] std::optional<Error> commit();

 private:
  AtomicFile(std::filesystem::path path, FileHandle file) : path_(std::move(path)), file_(std::move(file)) {}
  void flush();

  std::filesystem::path path_;
  FileHandle file_;
  std::vector<char> waiting_;  ///< small writes gather here
  std::size_t written_ = 0;    ///< bytes on their way to the disk
  int cause_ = 0;              ///< errno of the first failure
};

/// A whole file at once.
[[nodiscard]] std::optional<Error> write_file(const std::filesystem::path& path, std::string_view contents);

/// "scene/out: could not be written (No space left on device)" as an Error.
Error file_error(const std::filesystem::path& path, std::string_view what, int cause);

}  // namespace pliant
