// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/file_handle.hpp"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>

namespace pliant {

FileHandle FileHandle::open(const std::filesystem::path& path, int flags) {
  int descriptor = -1;
  if (path.native().find('\0') != std::string::npos) {  // the system would take what stands before it
    errno = EINVAL;
    return FileHandle(-1);
  }
  do {
    descriptor = ::open(path.c_str(), flags | O_CLOEXEC, 0666);
  } while (descriptor < 0 && errno == EINTR);
  return FileHandle(descriptor);
}

FileHandle& FileHandle::operator=(FileHandle&& other) noexcept {
  std::swap(descriptor_, other.descriptor_);
  return *this;
}

int FileHandle::write_at(std::size_t offset, const void* data, std::size_t bytes) const {
  const char* from = static_cast<const char*>(data);
  while (bytes > 0) {
    const ssize_t done = ::pwrite(descriptor_, from, bytes, off_t(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return errno;
    if (done == 0) return ENOSPC;
    from += done;
    offset += std::size_t(done);
    bytes -= std::size_t(done);
  }
  return 0;
}

int FileHandle::read_at(std::size_t offset, void* data, std::size_t bytes) const {
  char* to = static_cast<char*>(data);
  while (bytes > 0) {
    const ssize_t done = ::pread(descriptor_, to, bytes, off_t(offset));
    if (done < 0 && errno == EINTR) continue;
    if (done < 0) return errno;
    if (done == 0) return EIO;
    to += done;
    offset += std::size_t(done);
    bytes -= std::size_t(done);
  }
  return 0;
}

int FileHandle::truncate(std::size_t bytes) const {
  return ::ftruncate(descriptor_, off_t(bytes)) == 0 ? 0 : errno;
}

int FileHandle::size(std::size_t& bytes) const {
  struct stat status {};
  if (::fstat(descriptor_, &status) != 0) return errno;
  if (S_ISDIR(status.st_mode)) return EISDIR;
  if (!S_ISREG(status.st_mode)) return ESPIPE;
  bytes = std::size_t(status.st_size);
  return 0;
}

int FileHandle::close() {
  const int descriptor = std::exchange(descriptor_, -1);
  if (descriptor < 0 || ::close(descriptor) == 0 || errno == EINTR) return 0;
  return errno;
}

}  // namespace pliant
