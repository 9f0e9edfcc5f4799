// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/read_file.hpp"

#include <array>
#include <cerrno>
#include <cstdio>
#include <memory>

#include "pliant/io/atomic_file.hpp"

namespace pliant {

Result<std::string> read_file(const std::filesystem::path& path) {
  constexpr auto close = [](std::FILE* f) { std::fclose(f); };
  const std::unique_ptr<std::FILE, decltype(close)> file(std::fopen(path.c_str(), "rb"), close);
  if (!file) return file_error(path, "a file that can be read", errno);
  std::string bytes;
  std::array<char, 1 << 16> block;
  for (std::size_t got = 0; (got = std::fread(block.data(), 1, block.size(), file.get())) > 0;)
    bytes.append(block.data(), got);
  if (std::ferror(file.get())) return file_error(path, "a file that can be read", errno);
  return bytes;
}

}  // namespace pliant
