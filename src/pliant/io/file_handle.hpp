// SPDX-License-Identifier: Apache-2.0
// An open file of the system, closed with its owner. Reads and writes are whole or failed: short ones and
// interrupts (Ctrl-C is caught elsewhere) are taken up again here. No buffer, so no state that outlives a
// failure.
#pragma once

#include <cstddef>
#include <filesystem>
#include <utility>

namespace pliant {

class FileHandle {
 public:
  FileHandle() = default;
  /// open(2) with these flags; errno tells why when the result is not open.
  static FileHandle open(const std::filesystem::path& path, int flags);
  FileHandle(FileHandle&& other) noexcept : descriptor_(std::exchange(other.descriptor_, -1)) {}
  FileHandle& operator=(FileHandle&& other) noexcept;
  ~FileHandle() { close(); }

  explicit operator bool() const { return descriptor_ >= 0; }

  /// All return 0 or the errno of what went wrong; reading beyond the end is EIO. Only a regular file has a
  /// size: of a folder it is EISDIR, of a pipe or a device ESPIPE.
  int write_at(std::size_t offset, const void* data, std::size_t bytes) const;
  int read_at(std::size_t offset, void* data, std::size_t bytes) const;
  int truncate(std::size_t bytes) const;
  int size(std::size_t& bytes) const;
  int close();

 private:
  explicit FileHandle(int descriptor) : descriptor_(descriptor) {}
  int descriptor_ = -1;
};

}  // namespace pliant
