// SPDX-License-Identifier: Apache-2.0
// A file that appears whole or not at all: written as PATH.part, renamed to PATH by commit().
#pragma once

#include <cstddef>
#include <cstdio>
#include <filesystem>
#include <memory>
#include <optional>
#include <string_view>

#include "pliant/base/result.hpp"

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
  struct Close {
    void operator()(std::FILE* f) const { std::fclose(f); }
  };
  AtomicFile(std::filesystem::path path, std::FILE* file) : path_(std::move(path)), file_(file) {}

  std::filesystem::path path_;
  std::unique_ptr<std::FILE, Close> file_;
  int cause_ = 0;  ///< errno of the first failure
};

/// A whole file at once.
[[nodiscard]] std::optional<Error> write_file(const std::filesystem::path& path, std::string_view contents);

/// "scene/out: could not be written (No space left on device)" as an Error.
Error file_error(const std::filesystem::path& path, std::string_view what, int cause);

}  // namespace pliant
