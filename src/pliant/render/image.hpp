// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <vector>

#include "pliant/base/result.hpp"

namespace pliant {

/// 8-bit sRGB pixels, rows from the top.
struct Image {
  int width = 0, height = 0;
  std::vector<std::uint8_t> rgb;

  Image() = default;
  Image(int w, int h) : width(w), height(h), rgb(std::size_t(w) * std::size_t(h) * 3) {}
  std::uint8_t* at(int x, int y) { return rgb.data() + 3 * (std::size_t(y) * std::size_t(width) + x); }
  const std::uint8_t* at(int x, int y) const {
    return rgb.data() + 3 * (std::size_t(y) * std::size_t(width) + x);
  }
};

/// to = (1 - share) to + share image, pixel by pixel; both have the same size.
void mix(const Image& image, float share, Image& to);

/// Writes a PNG; the file appears whole or not at all. Nothing on success.
[[nodiscard]] std::optional<Error> write_png(const Image& image, const std::filesystem::path& file);

}  // namespace pliant
