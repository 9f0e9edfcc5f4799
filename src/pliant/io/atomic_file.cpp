// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/atomic_file.hpp"

#include <fcntl.h>

#include <cerrno>
#include <string>
#include <system_error>

namespace pliant {
namespace {

std::filesystem::path part_of(const std::filesystem::path& path) {
  std::filesystem::path part = path;
  part += ".part";
  return part;
}

}  // namespace

Error file_error(const std::filesystem::path& path, std::string_view what, int cause) {
  const std::string reason = std::generic_category().message(cause);
  return Error{path.string(), {{"", reason, std::string(what), ""}}};
}

Result<AtomicFile> AtomicFile::create(const std::filesystem::path& path) {
  if (path.native().find('\0') != std::string::npos)
    return file_error(path, "a file that can be written", EINVAL);
  if (path.has_parent_path()) {
    std::error_code code;
    std::filesystem::create_directories(path.parent_path(), code);
    if (code) return file_error(path.parent_path(), "a folder that can be created", code.value());
  }
  FileHandle file = FileHandle::open(part_of(path), O_WRONLY | O_CREAT | O_TRUNC);
  if (!file) return file_error(path, "a file that can be written", errno);
  return AtomicFile(path, std::move(file));
}

AtomicFile::~AtomicFile() {
  if (!file_) return;
  file_.close();
  std::error_code ignored;  // nobody is left to tell, and an old part is overwritten the next time
  std::filesystem::remove(part_of(path_), ignored);
}

void AtomicFile::write(const void* data, std::size_t bytes) {
  constexpr std::size_t block = 1 << 16;
  const char* from = static_cast<const char*>(data);
  waiting_.insert(waiting_.end(), from, from + bytes);
  if (waiting_.size() >= block) flush();
}

void AtomicFile::flush() {
  if (cause_ == 0) cause_ = file_.write_at(written_, waiting_.data(), waiting_.size());
  written_ += waiting_.size();
  waiting_.clear();
}

std::optional<Error> AtomicFile::commit() {
  flush();
  const int closed = file_.close();  // some file systems tell of a full disk only here
  if (cause_ == 0) cause_ = closed;
  std::error_code code(cause_, std::generic_category());
  if (!code) std::filesystem::rename(part_of(path_), path_, code);
  if (!code) return std::nullopt;
  std::error_code ignored;
  std::filesystem::remove(part_of(path_), ignored);
  return file_error(path_, "a file that can be written", code.value());
}

std::optional<Error> write_file(const std::filesystem::path& path, std::string_view contents) {
  Result<AtomicFile> file = AtomicFile::create(path);
  if (!file) return file.error();
  file->write(contents);
  return file->commit();
}

}  // namespace pliant
