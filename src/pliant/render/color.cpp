// SPDX-License-Identifier: Apache-2.0
#include "pliant/render/color.hpp"

#include <algorithm>
#include <array>
#include <cmath>

namespace pliant {
namespace {

float to_linear(float s) { return s <= 0.04045f ? s / 12.92f : std::pow((s + 0.055f) / 1.055f, 2.4f); }
float to_srgb(float l) { return l <= 0.0031308f ? 12.92f * l : 1.055f * std::pow(l, 1 / 2.4f) - 0.055f; }

// Identity up to the shoulder, then a hyperbola that meets it with equal slope and tends to 1.
constexpr float shoulder = 0.72f;
float compress(float x) {
  if (x <= shoulder) return x;
  const float rest = 1 - shoulder;
  return 1 - rest * rest / (x - shoulder + rest);
}

}  // namespace

Color color_of(std::uint32_t srgb) {
  return {to_linear(float(srgb >> 16 & 255) / 255), to_linear(float(srgb >> 8 & 255) / 255),
          to_linear(float(srgb & 255) / 255)};
}

void encode_srgb(const Color& color, std::uint8_t* rgb) {
  for (int c = 0; c < 3; ++c)
    rgb[c] = std::uint8_t(std::lround(255 * to_srgb(std::clamp(color[c], 0.0f, 1.0f))));
}

// The brightest channel goes through the curve and takes the others along (hue stays); what was compressed
// strongly moves towards white, as film does.
Color tone_map(const Color& light) {
  const Color toe = light.array().max(0.0f).square() / (light.array().max(0.0f) + 0.012f);
  const float peak = toe.maxCoeff();
  if (peak <= shoulder) return toe;
  const float mapped = compress(peak);
  const float whiten = 1 - 1 / (1 + 0.22f * (peak - mapped));
  return (1 - whiten) * toe * (mapped / peak) + whiten * Color::Constant(mapped);
}

Color palette(int index) {
  static constexpr std::array<std::uint32_t, 8> colors = {0xe4572e, 0x2e86ab, 0xf2b134, 0x4f9d69,
                                                          0x8e5aa8, 0xd9748f, 0x3fb0ac, 0x8c6a4f};
  const int n = int(colors.size());
  return color_of(colors[std::size_t((index % n + n) % n)]);
}

// Samples of matplotlib's "viridis" (CC0), nine even steps.
Color ramp(float value) {
  static constexpr std::array<std::uint32_t, 9> steps = {0x440154, 0x472d7b, 0x3b528b, 0x2c728e, 0x21918c,
                                                         0x28ae80, 0x5ec962, 0xaddc30, 0xfde725};
  const float at = std::clamp(value, 0.0f, 1.0f) * float(steps.size() - 1);
  const int below = std::min(int(at), int(steps.size()) - 2);
  const float t = at - float(below);
  return (1 - t) * color_of(steps[std::size_t(below)]) + t * color_of(steps[std::size_t(below) + 1]);
}

}  // namespace pliant
