// SPDX-License-Identifier: Apache-2.0
// Edge-avoiding a-trous filter [Dammertz10]: a 5x5 kernel at growing steps, each tap weighted by normal,
// distance from the tangent plane and difference of the value itself.
#include "pliant/render/light_filter.hpp"

#include <array>
#include <cmath>

namespace pliant {
namespace {

constexpr std::array<float, 3> spread = {0.375f, 0.25f, 0.0625f};  // B3 spline by distance from the centre
// 1 / the difference of values that tells an edge from noise, by pass. The first pass takes all: comparing
// raw samples would keep their noise where a shadow fades.
constexpr std::array<float, 3> value_scales = {0, 4, 8};

struct Light {
  float key, sky;
};

/// exp(-x) near enough and cheap: (1 + x/4)^-4.
float falloff(float x) {
  const float a = 1 + 0.25f * x, b = a * a;
  return 1 / (b * b);
}

Light filtered(const std::vector<LightPixel>& pixels, const std::vector<Light>& light, int width, int height,
               int x, int y, int step, float value_scale) {
  const auto here = std::size_t(y) * std::size_t(width) + std::size_t(x);
  const LightPixel& p = pixels[here];
  const Light own = light[here];
  const float plane_scale = 1 / (p.footprint * float(step) + 1e-12f);
  float key = 0, key_weight = 0, sky = 0, sky_weight = 0;
  for (int j = -2; j <= 2; ++j)
    for (int i = -2; i <= 2; ++i) {
      const int xx = x + i * step, yy = y + j * step;
      if (xx < 0 || yy < 0 || xx >= width || yy >= height) continue;
      const auto there = std::size_t(yy) * std::size_t(width) + std::size_t(xx);
      const LightPixel& q = pixels[there];
      if (q.surface != p.surface) continue;
      const float along = p.normal.dot(q.normal);
      if (along <= 0.5f) continue;
      const float off_plane = std::abs((q.point - p.point).dot(p.normal)) * plane_scale;
      const float w = spread[std::size_t(std::abs(i))] * spread[std::size_t(std::abs(j))] *
                      falloff(40 * (1 - along) + off_plane);
      const Light other = light[there];
      const float dk = (other.key - own.key) * value_scale, ds = (other.sky - own.sky) * value_scale;
      const float wk = w * falloff(dk * dk), ws = w * falloff(ds * ds);
      key += wk * other.key, key_weight += wk;
      sky += ws * other.sky, sky_weight += ws;
    }
  return {key / key_weight, sky / sky_weight};  // the centre always counts: no division by zero
}

}  // namespace

void filter_light(std::vector<LightPixel>& pixels, int width, int height, Pool& pool) {
  std::vector<Light> from(pixels.size()), to(pixels.size());
  for (std::size_t i = 0; i < pixels.size(); ++i) from[i] = {pixels[i].key, pixels[i].sky};
  for (int pass = 0; pass < int(value_scales.size()); ++pass) {
    const int step = 1 << pass;
    const float value_scale = value_scales[std::size_t(pass)];
    for_blocks(pool, height, 8, [&](int begin, int end) {
      for (int y = begin; y < end; ++y)
        for (int x = 0; x < width; ++x) {
          const auto here = std::size_t(y) * std::size_t(width) + std::size_t(x);
          to[here] = pixels[here].surface < 0 || pixels[here].settled
                         ? from[here]
                         : filtered(pixels, from, width, height, x, y, step, value_scale);
        }
    });
    from.swap(to);
  }
  for (std::size_t i = 0; i < pixels.size(); ++i) pixels[i].key = from[i].key, pixels[i].sky = from[i].sky;
}

}  // namespace pliant
