// SPDX-License-Identifier: Apache-2.0
#include "pliant/render/image.hpp"

#include <system_error>

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#include <stb/stb_image_write.h>
#pragma GCC diagnostic pop

namespace pliant {

Result<std::uintmax_t> write_png(const Image& image, const std::filesystem::path& file) {
  std::filesystem::path beside = file;
  beside += ".part";
  std::error_code failure;
  if (stbi_write_png(beside.c_str(), image.width, image.height, 3, image.rgb.data(), image.width * 3) == 0) {
    std::filesystem::remove(beside, failure);
    return Error{file.string(), {{"", "a place that cannot be written", "a writable folder", ""}}};
  }
  std::filesystem::rename(beside, file, failure);
  if (failure) {
    const std::string reason = failure.message();
    std::filesystem::remove(beside, failure);
    return Error{file.string(), {{"", reason, "a file that can be replaced", ""}}};
  }
  return std::filesystem::file_size(file);
}

}  // namespace pliant
