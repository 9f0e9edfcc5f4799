// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/read_file.hpp"

#include <fcntl.h>

#include <cerrno>

#include "pliant/io/atomic_file.hpp"
#include "pliant/io/file_handle.hpp"

namespace pliant {

Result<std::string> read_file(const std::filesystem::path& path) {
  const FileHandle file = FileHandle::open(path, O_RDONLY);
  if (!file) return file_error(path, "a file that can be read", errno);
  std::size_t size = 0;
  int cause = file.size(size);
  std::string bytes;
  if (cause == 0) {
    bytes.resize(size);
    cause = file.read_at(0, bytes.data(), size);
  }
  if (cause != 0) return file_error(path, "a file that can be read", cause);
  return bytes;
}

}  // namespace pliant
