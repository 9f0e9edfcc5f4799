// SPDX-License-Identifier: Apache-2.0
#include "pliant/render/studio.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <numbers>

namespace pliant {
namespace {

constexpr float pi = std::numbers::pi_v<float>;

float smooth(float low, float high, float x) {
  const float t = std::clamp((x - low) / (high - low), 0.0f, 1.0f);
  return t * t * (3 - 2 * t);
}

const Color key_light(1.30f, 1.25f, 1.17f);
const Color room_above(0.56f, 0.60f, 0.66f);
const Color room_below(0.36f, 0.345f, 0.33f);
const Color paper_low = color_of(0xf3f4f5), paper_high = color_of(0xdce2e9);

/// Microfacet highlight (GGX, Smith, Schlick), times the cosine. [Walter07], [Schlick94]
float highlight(const Vec3f& n, const Vec3f& v, const Vec3f& l, float roughness, float reflectance) {
  const float nl = n.dot(l), nv = std::max(n.dot(v), 1e-3f);
  if (nl <= 0) return 0;
  const Vec3f h = (l + v).normalized();
  const float a2 = roughness * roughness * roughness * roughness;
  const float nh = std::max(n.dot(h), 0.0f), vh = std::max(v.dot(h), 0.0f);
  const float d = nh * nh * (a2 - 1) + 1;
  const float distribution = a2 / (pi * d * d);
  const float smith =
      0.5f / (nl * std::sqrt(nv * nv * (1 - a2) + a2) + nv * std::sqrt(nl * nl * (1 - a2) + a2));
  const float fresnel = reflectance + (1 - reflectance) * std::pow(1 - vh, 5.0f);
  return distribution * smith * fresnel * nl;
}

}  // namespace

Studio::Studio(const Camera& camera) {
  // Over the viewer's left shoulder; the heading ignores how steeply the camera looks down.
  const Vec3f ahead = Vec3(camera.right.cross(Vec3::UnitY())).cast<float>();  // away from the viewer: -ahead
  const Vec3f right = camera.right.cast<float>();
  key_direction = (ahead * 0.30f - right * 0.72f + Vec3f::UnitY() * 0.95f).normalized();
  key_across = key_direction.cross(Vec3f::UnitY()).normalized();
  key_up = key_across.cross(key_direction);
}

Vec3f Studio::towards_key(float u, float v) const {
  const float r = key_radius * std::sqrt(u), angle = 2 * pi * v;
  return (key_direction + r * std::cos(angle) * key_across + r * std::sin(angle) * key_up).normalized();
}

Color Studio::sky(const Vec3f& normal) const {
  const float t = 0.5f + 0.5f * normal.y();
  return (1 - t) * room_below + t * room_above;
}

Color Studio::mirrored(const Vec3f& direction) const {
  // A long window high behind the viewer gives the gloss its shape.
  const float window =
      smooth(0.55f, 0.95f, direction.dot((key_across * -0.55f + Vec3f::UnitY()).normalized()));
  const float dim = 0.6f + 0.6f * smooth(-0.4f, 0.3f, direction.y());
  return sky(direction) * dim + Color::Constant(1.3f * window);
}

Color Studio::backdrop(float x, float y) const {
  const float t = smooth(-0.9f, 1.1f, y);
  const float falloff = 1 - 0.10f * (x * x + 0.6f * y * y) / 1.6f;
  return ((1 - t) * paper_low + t * paper_high) * falloff;
}

// Diffuse light wraps around the terminator by a little, more where the albedo is high: light that entered
// the surface comes out beside, tinted. (nl + w) / (1 + w), squared below the horizon so that it fades
// softly.
Reflected reflect(const Studio& studio, const Color& albedo, const Vec3f& normal, const Vec3f& view) {
  constexpr float roughness = 0.42f, reflectance = 0.045f;
  const float nl = normal.dot(studio.key_direction), nv = std::clamp(normal.dot(view), 0.0f, 1.0f);
  Reflected out;
  for (int c = 0; c < 3; ++c) {
    const float wrap = 0.12f + 0.26f * albedo[c];
    const float lit = std::max((nl + wrap) / (1 + wrap), 0.0f);
    out.key[c] = key_light[c] * albedo[c] * lit * (0.6f + 0.4f * lit) / (1 + 0.3f * wrap);
  }
  out.key += key_light * (2.4f * highlight(normal, view, studio.key_direction, roughness, reflectance));
  const float rim = reflectance + (1 - reflectance) * 0.55f * std::pow(1 - nv, 4.5f);
  const Vec3f bounced = 2 * normal.dot(view) * normal - view;
  out.sky = studio.sky(normal).cwiseProduct(albedo) * (1 - rim) + studio.mirrored(bounced) * rim;
  return out;
}

Color open_sky(float share, const Color& albedo) { return share / (1 - 0.7f * albedo.array() * (1 - share)); }

}  // namespace pliant
