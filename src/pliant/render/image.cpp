// SPDX-License-Identifier: Apache-2.0
#include "pliant/render/image.hpp"

#include <cmath>

#include "pliant/base/check.hpp"
#include "pliant/io/atomic_file.hpp"

#define STB_IMAGE_WRITE_IMPLEMENTATION
#define STB_IMAGE_WRITE_STATIC
#define STBI_WRITE_NO_STDIO
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#pragma GCC diagnostic ignored "-Wmissing-field-initializers"
#include <stb/stb_image_write.h>
#pragma GCC diagnostic pop

namespace pliant {

void mix(const Image& image, float share, Image& to) {
  PLIANT_CHECK(image.width == to.width && image.height == to.height);
  for (std::size_t i = 0; i < to.rgb.size(); ++i)
    to.rgb[i] = std::uint8_t(std::lround((1 - share) * float(to.rgb[i]) + share * float(image.rgb[i])));
}

std::optional<Error> write_png(const Image& image, const std::filesystem::path& file) {
  Result<AtomicFile> out = AtomicFile::create(file);
  if (!out) return out.error();
  const auto write = [](void* to, void* data, int size) {
    static_cast<AtomicFile*>(to)->write(data, std::size_t(size));
  };
  stbi_write_png_to_func(write, &*out, image.width, image.height, 3, image.rgb.data(), image.width * 3);
  return out->commit();
}

}  // namespace pliant
