// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/read_file.hpp"

#include <fcntl.h>

#include <cerrno>

#include "pliant/io/atomic_file.hpp"
#include "pliant/io/file_handle.hpp"

namespace pliant {

Result<std::string> read_file(const std::filesystem::path& path) {
  // Not to wait for the other end of a pipe, which size() refuses.
  const FileHandle file = FileHandle::open(path, O_RDONLY | O_NONBLOCK);
  if (!file) return file_error(path, "a file that can be read", errno);
  std::size_t size = 0;
  int cause = file.size(size);
  std::string bytes;
  if (cause == 0) {
    bytes.resize(size);
    cause = file.read_at(0, bytes.data(), size);
  }
  if (cause == ESPIPE) return Error{path.string(), {{"", "a pipe or a device", "a file", ""}}};
  if (cause != 0) return file_error(path, "a file that can be read", cause);
  return bytes;
}

}  // namespace pliant
