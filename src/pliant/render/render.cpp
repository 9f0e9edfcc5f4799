// SPDX-License-Identifier: Apache-2.0
#include "pliant/render/render.hpp"

#include <Eigen/Geometry>
#include <algorithm>
#include <cmath>
#include <limits>
#include <numbers>

#include "pliant/base/check.hpp"
#include "pliant/render/legend.hpp"
#include "pliant/render/light_filter.hpp"
#include "pliant/render/rest_grid.hpp"
#include "pliant/render/shading_normals.hpp"
#include "pliant/render/studio.hpp"
#include "pliant/render/traced_scene.hpp"

namespace pliant {
namespace {

constexpr int sky_rays = 5, key_rays = LightRays::lanes - sky_rays;
constexpr int tile = 32;  // pixels; a part of the parallel loop
constexpr int floor_surface = 0;
constexpr int most_samples = 16;   // of a pixel
constexpr float sky_reach = 1.2f;  // how far a body shades the sky, in body sizes

float fraction(float x) { return x - std::floor(x); }

/// Bits mirrored at the binary point: with i / n an even cover of the square (Hammersley).
float radical_inverse(std::uint32_t i) {
  i = i << 16 | i >> 16;
  i = (i & 0x00ff00ffu) << 8 | (i & 0xff00ff00u) >> 8;
  i = (i & 0x0f0f0f0fu) << 4 | (i & 0xf0f0f0f0u) >> 4;
  i = (i & 0x33333333u) << 2 | (i & 0xccccccccu) >> 2;
  i = (i & 0x55555555u) << 1 | (i & 0xaaaaaaaau) >> 1;
  return float(i >> 8) * 0x1p-24f;
}

/// x in the even bits.
std::uint32_t spread_bits(std::uint32_t x) {
  x = (x | x << 8) & 0x00ff00ffu;
  x = (x | x << 4) & 0x0f0f0f0fu;
  x = (x | x << 2) & 0x33333333u;
  return (x | x << 1) & 0x55555555u;
}

/// The samples of one pixel: the same set everywhere, shifted by an amount of the pixel's own. Along the
/// Z-order curve the shifts follow the R2 sequence [Roberts18]: pixels near each other complete one another,
/// which is what the light filter averages over.
struct PixelSamples {
  float shift_u, shift_v;
  PixelSamples(int x, int y) {
    const std::uint32_t i = spread_bits(std::uint32_t(x)) | spread_bits(std::uint32_t(y)) << 1;
    shift_u = float((i * 3242174889u) >> 8) * 0x1p-24f;
    shift_v = float((i * 2447445414u) >> 8) * 0x1p-24f;
  }
  Eigen::Vector2f get(int i, int n) const {
    return {fraction((float(i) + 0.5f) / float(n) + shift_u),
            fraction(radical_inverse(std::uint32_t(i)) + shift_v)};
  }
};

Vec3f around(const Vec3f& n, float u, float v) {
  const Vec3f a = (std::abs(n.x()) > 0.7f ? Vec3f::UnitY() : Vec3f::UnitX()).cross(n).normalized(),
              b = n.cross(a);
  const float r = std::sqrt(u), angle = 2 * std::numbers::pi_v<float> * v;
  return r * std::cos(angle) * a + r * std::sin(angle) * b + std::sqrt(std::max(1 - u, 0.0f)) * n;
}

/// A ray through the picture and how it changes to the next pixel across and down.
struct EyeRay {
  Vec3f origin, direction, step_x, step_y;  // direction is not of unit length: depth 1
  float x, y;                               // -1 .. 1
};

struct Eye {
  Vec3f origin, forward, across, down;  // across, down: one pixel at depth 1
  float width, height;
  Eye(const Camera& c, int w, int h) : width(float(w)), height(float(h)) {
    const double pixel = 2 * c.half_height / h;
    origin = c.eye.cast<float>();
    forward = c.forward.cast<float>();
    across = (c.right * pixel).cast<float>();
    down = (c.up * -pixel).cast<float>();
  }
  EyeRay ray(float px, float py) const {
    const Vec3f direction = forward + (px - width / 2) * across + (py - height / 2) * down;
    return {origin, direction, across, down, 2 * px / width - 1, 1 - 2 * py / height};
  }
};

/// Change of the point where a plane is hit, to a neighbouring pixel.
Vec3f step_on_plane(const EyeRay& ray, const Vec3f& step, const Vec3f& normal, float depth) {
  const float facing = ray.direction.dot(normal);
  const float limit = 0.02f * ray.direction.norm();  // grazing: the footprint stays finite
  const float safe = std::abs(facing) > limit ? facing : std::copysign(limit, facing);
  return depth * (step - ray.direction * (step.dot(normal) / safe));
}

/// What an eye ray met.
struct Sample {
  int surface = -1;  // floor_surface, 1 + body, or -1 for nothing
  Vec3f point, normal, flat;
  Vec3f lifted;  // the point on the smooth surface that the flat triangle stands for
  Color albedo;
  Reflected light;
  float footprint = 0;
};

struct BodyData {
  std::vector<Triangle> triangles;
  std::vector<Vec3f> rest, rest_normals, x;
  ShadingNormals normals;
  RestGrid grid;
  Color color;
  std::vector<float> scalar;
  bool soft, visible;
};

std::vector<Vec3f> to_float(const Points& points) {
  std::vector<Vec3f> out(points.size());
  std::transform(points.begin(), points.end(), out.begin(),
                 [](const Vec3& p) { return Vec3f(p.cast<float>()); });
  return out;
}

BodyData make_body(const RenderBody& body) {
  PLIANT_CHECK(body.rest.size() == body.positions.size());
  BodyData out{body.triangles,
               to_float(body.rest),
               {},
               to_float(body.positions),
               ShadingNormals(body.rest, body.triangles),
               RestGrid(body.rest),
               body.color,
               body.scalar,
               body.soft,
               body.visible};
  for (int g = 0; g < out.normals.groups(); ++g) out.rest_normals.push_back(out.normals.normal(g));
  out.normals.update(body.positions, body.triangles);
  return out;
}

}  // namespace

RenderSettings settings_of(Quality quality) {
  RenderSettings s;
  if (quality == Quality::normal) s.samples_across = 3, s.packets = 4;
  if (quality == Quality::fine) s.samples_across = 4, s.packets = 16;
  return s;
}

struct Renderer::Impl {
  std::vector<BodyData> bodies;
  TracedScene traced;
  bool moved = true;
  float ground = 0;
  std::optional<Legend> legend;
  Vec3f center = Vec3f::Zero();
  Vec3f ball_center = Vec3f::Zero();
  float ball_radius = 0;
  float size = 1;  // half the diagonal of the bodies at rest and in the first frame, m

  /// Once, by the soft bodies, so that floor and shading lengths do not change while they move.
  void measure() {
    Vec3f low = Vec3f::Constant(std::numeric_limits<float>::infinity()), high = -low;
    for (const BodyData& b : bodies) {
      if (!b.soft) continue;
      for (const std::vector<Vec3f>* points : {&b.rest, &b.x})
        for (const Vec3f& p : *points) low = low.cwiseMin(p), high = high.cwiseMax(p);
    }
    if (!(low.x() <= high.x())) low = Vec3f::Constant(-1), high = Vec3f::Constant(1);
    center = (low + high) / 2;
    size = std::max((high - low).norm() / 2, 1e-6f);
  }

  /// The ball around the bodies as they are now.
  void enclose() {
    Vec3f low = Vec3f::Constant(std::numeric_limits<float>::infinity()), high = -low;
    for (const BodyData& b : bodies)
      if (b.visible)
        for (const Vec3f& p : b.x) low = low.cwiseMin(p), high = high.cwiseMax(p);
    const bool any = low.x() <= high.x();
    ball_center = any ? Vec3f((low + high) / 2) : center;
    ball_radius = any ? (high - low).norm() / 2 : 0.0f;
  }

  Color paint(const BodyData& body, const Triangle& t, const Vec3f& weights) const {
    if (!legend || body.scalar.empty()) return body.color;
    float value = 0;
    for (int k = 0; k < 3; ++k) value += weights[k] * body.scalar[std::size_t(t[std::size_t(k)])];
    const double span = std::max(legend->max - legend->min, 1e-30);
    return ramp(float((value - legend->min) / span)) * 0.92f;
  }

  Sample body_sample(const Studio& studio, const EyeRay& ray, const TracedHit& hit, Pattern pattern) const {
    const BodyData& body = bodies[std::size_t(hit.body)];
    const Triangle& t = body.triangles[std::size_t(hit.triangle)];
    const std::array<Index, 3>& groups = body.normals.corners(hit.triangle);
    const Vec3f weights(1 - hit.u - hit.v, hit.u, hit.v);
    const std::array<Vec3f, 3> x = {body.x[std::size_t(t[0])], body.x[std::size_t(t[1])],
                                    body.x[std::size_t(t[2])]};
    const Vec3f e1 = x[1] - x[0], e2 = x[2] - x[0], area = e1.cross(e2);
    const Vec3f view = -ray.direction.normalized();
    const float side = area.dot(view) < 0 ? -1.0f : 1.0f;  // both sides of a sheet are surface

    Sample s;
    s.surface = 1 + hit.body;
    s.point = weights[0] * x[0] + weights[1] * x[1] + weights[2] * x[2];
    s.flat = side * area.normalized();
    s.normal = Vec3f::Zero();
    s.lifted = s.point;
    // Shadow rays start on the curved surface that the vertex normals tell of, else a coarse mesh shows its
    // triangles along the terminator [Hanika21].
    for (int k = 0; k < 3; ++k) {
      const Vec3f n = side * body.normals.normal(groups[std::size_t(k)]);
      s.normal += weights[k] * n;
      s.lifted -= weights[k] * std::min((s.point - x[std::size_t(k)]).dot(n), 0.0f) * n;
    }
    s.normal = s.normal.squaredNorm() > 1e-8f ? Vec3f(s.normal.normalized()) : s.flat;
    const float facing = s.normal.dot(view);
    if (facing < 0.02f) s.normal = (s.normal + (0.02f - facing) * view).normalized();

    const Vec3f dx = step_on_plane(ray, ray.step_x, s.flat, hit.distance);
    const Vec3f dy = step_on_plane(ray, ray.step_y, s.flat, hit.distance);
    s.footprint = hit.distance * ray.step_x.norm();
    s.albedo = paint(body, t, weights);
    if (pattern == Pattern::grid && body.soft) {
      const Vec3f &r0 = body.rest[std::size_t(t[0])], r1 = body.rest[std::size_t(t[1])] - r0,
                  r2 = body.rest[std::size_t(t[2])] - r0;
      const float scale = 1 / std::max(area.squaredNorm(), std::numeric_limits<float>::min());
      const auto in_rest = [&](const Vec3f& d) -> Vec3f {
        return d.cross(e2).dot(area) * scale * r1 + e1.cross(d).dot(area) * scale * r2;
      };
      Vec3f rest_normal = Vec3f::Zero();
      for (int k = 0; k < 3; ++k)
        rest_normal += weights[k] * body.rest_normals[std::size_t(groups[std::size_t(k)])];
      const Vec3f rest = r0 + hit.u * r1 + hit.v * r2;
      const float line = body.grid.coverage(rest, rest_normal.normalized(), in_rest(dx), in_rest(dy));
      s.albedo *= 1 - 0.62f * line;
    }
    s.light = reflect(studio, s.albedo, s.normal, view);
    return s;
  }

  Sample floor_sample(const Studio& studio, const EyeRay& ray, float depth) const {
    Sample s;
    s.surface = floor_surface;
    s.point = s.lifted = ray.origin + depth * ray.direction;
    s.normal = s.flat = Vec3f::UnitY();
    s.footprint = depth * ray.step_x.norm();
    const Vec3f dx = step_on_plane(ray, ray.step_x, s.flat, depth),
                dy = step_on_plane(ray, ray.step_y, s.flat, depth);
    const float away = std::hypot(s.point.x() - center.x(), s.point.z() - center.z()) / size;
    const float fade = std::clamp((4.5f - away) / 3.5f, 0.0f, 1.0f);
    // Squares of 1, 2 or 5 times a power of ten metres, a few across the bodies.
    const float raw = size * 0.45f, power = std::pow(10.0f, std::floor(std::log10(raw))), lead = raw / power;
    const float square = (lead < 1.5f ? 1 : lead < 3.5f ? 2 : lead < 7.5f ? 5 : 10) * power;
    float line = 0;
    for (int c = 0; c < 3; c += 2) {
      const float at = s.point[c] / square;
      line = std::max(line, line_coverage(std::abs(at - std::round(at)) * square, 0.006f * square,
                                          std::hypot(dx[c], dy[c])));
    }
    s.albedo = Color::Constant(0.75f);
    const Color base = studio.backdrop(ray.x, ray.y) * (1 - 0.085f * fade * line);
    s.light = {base * 0.56f, base * 0.44f};
    return s;
  }

  Sample first_met(const Studio& studio, const EyeRay& ray, Pattern pattern) const {
    const std::optional<TracedHit> hit = traced.nearest(ray.origin, ray.direction);
    const bool above = ray.origin.y() > ground && ray.direction.y() < 0;
    const float to_floor = above ? (ground - ray.origin.y()) / ray.direction.y() : -1;
    const bool floor = above && (!hit || to_floor < hit->distance);
    if (floor) return floor_sample(studio, ray, to_floor);
    if (hit) return body_sample(studio, ray, *hit, pattern);
    return {};
  }

  /// Light rays of a floor point far from the bodies meet nothing: no need to trace them.
  bool sees_all_light(const Studio& studio, const Sample& s) const {
    if (s.surface != floor_surface) return false;
    const Vec3f to = ball_center - s.point;
    const float away = to.norm();
    return away > ball_radius + sky_reach * size &&
           to.cross(studio.key_direction).norm() > ball_radius + 1.2f * studio.key_radius * away;
  }

  /// Shares of key light and sky that arrive: packet p of all that the pixel sends.
  Eigen::Vector2f arriving(const Studio& studio, const Sample& s, const PixelSamples& pixel, int p,
                           int packets) const {
    const bool floor = s.surface == floor_surface;
    const Vec3f origin = s.lifted + 2e-4f * size * s.flat;
    // Light scatters a little inside a soft body: its own shadow rays start somewhat away.
    const float scatter = floor ? 0 : 0.05f * size;
    LightRays rays;
    std::array<float, LightRays::lanes> weight;
    for (int k = 0; k < sky_rays; ++k) {
      const Eigen::Vector2f uv = pixel.get(k * packets + p, packets * sky_rays);
      Vec3f d = around(s.normal, uv.x(), uv.y());
      const float below = d.dot(s.flat);
      if (below < 0) d -= 2 * below * s.flat;
      // The floor close by lies in the body's own shade.
      const float drop = origin.y() - ground;
      weight[std::size_t(k)] =
          !floor && d.y() < 0 && drop > 0 ? 1 - 0.75f * std::exp(drop / (d.y() * 0.25f * size)) : 1.0f;
      rays.set(k, origin, d, 0, sky_reach * size);
    }
    for (int k = 0; k < key_rays; ++k) {
      const Eigen::Vector2f uv = pixel.get(k * packets + p, packets * key_rays);
      rays.set(sky_rays + k, origin, studio.towards_key(uv.x(), uv.y()),
               scatter * fraction(7 * uv.y() + 3 * uv.x()), std::numeric_limits<float>::infinity());
    }
    traced.occlude(rays);
    float key = 0, sky = 0;
    for (int k = 0; k < sky_rays; ++k)
      if (!rays.blocked[std::size_t(k)]) sky += weight[std::size_t(k)];
    for (int k = sky_rays; k < LightRays::lanes; ++k)
      if (!rays.blocked[std::size_t(k)]) key += 1;
    return {key / float(key_rays), sky / float(sky_rays)};
  }

  /// The samples of a pixel that lie on one smooth piece of one surface, summed, then averaged: what they
  /// would send with all light open, and how much light arrives.
  struct Layer {
    int count = 0;
    Color key = Color::Zero(), sky = Color::Zero(), albedo = Color::Zero();
    LightPixel light;
    std::array<std::uint8_t, most_samples> members;  // which samples of the pixel

    bool takes(const Sample& s) const {
      return light.surface == s.surface && light.normal.dot(s.normal) > 0.85f * float(count);
    }
    void add(const Sample& s, int member) {
      members[std::size_t(count++)] = std::uint8_t(member);
      key += s.light.key, sky += s.light.sky, albedo += s.albedo;
      light.surface = s.surface;
      light.normal += s.normal, light.point += s.point, light.footprint += s.footprint;
    }
    void average() {
      const float share = 1 / float(count);
      key *= share, sky *= share, albedo *= share;
      light.point *= share, light.footprint *= share;
      light.normal.normalize();
    }
    Color with(float key_open, float sky_open) const {
      return key * key_open + sky.cwiseProduct(open_sky(sky_open, albedo));
    }
  };

  using Samples = std::array<Sample, most_samples>;

  /// All the light rays of a layer, spread over its samples.
  void gather_light(const Studio& studio, const PixelSamples& random, int packets, const Samples& samples,
                    Layer& layer) const {
    const auto member = [&](int k) -> const Sample& { return samples[layer.members[std::size_t(k)]]; };
    layer.average();
    layer.light.settled = true;
    for (int k = 0; k < layer.count; ++k) layer.light.settled &= sees_all_light(studio, member(k));
    if (layer.light.settled) return;
    Eigen::Vector2f open = Eigen::Vector2f::Zero();
    for (int p = 0; p < packets; ++p)
      open += arriving(studio, member((2 * p + 1) * layer.count / (2 * packets)), random, p, packets);
    layer.light.key = open.x() / float(packets);
    layer.light.sky = open.y() / float(packets);
  }

  /// A pixel on a silhouette or a crease keeps its layers apart.
  struct EdgePixel {
    int x = 0, y = 0, samples = 0;
    Color backdrop = Color::Zero();  // sum
    std::vector<Layer> layers;
  };

  /// What a pixel of one layer needs after the light filter.
  struct Pixel {
    Color key = Color::Zero(), sky = Color::Zero(), albedo = Color::Zero();
  };

  struct Frame {
    int width, height;
    std::vector<Pixel> pixels;
    std::vector<LightPixel> light;              // surface -1: an edge pixel
    std::vector<std::vector<EdgePixel>> edges;  // by tile
    std::size_t index(int x, int y) const { return std::size_t(y) * std::size_t(width) + std::size_t(x); }
  };

  void trace_pixel(const Studio& studio, const Eye& eye, const RenderSettings& settings, int x, int y,
                   Samples& samples, EdgePixel& out) const {
    const int across = settings.samples_across;
    out.x = x, out.y = y, out.samples = across * across;
    out.backdrop = Color::Zero();
    out.layers.clear();
    for (int k = 0; k < out.samples; ++k) {
      // One sample in every column and row of a finer grid: near upright and level edges get all the shades.
      const int i = k % across, j = k / across;
      const float px = float(x) + (float(i) + (float(j) + 0.5f) / float(across)) / float(across);
      const float py = float(y) + (float(j) + (float(across - 1 - i) + 0.5f) / float(across)) / float(across);
      const EyeRay ray = eye.ray(px, py);
      Sample& s = samples[std::size_t(k)] = first_met(studio, ray, settings.pattern);
      if (s.surface < 0) {
        out.backdrop += studio.backdrop(ray.x, ray.y);
        continue;
      }
      auto layer =
          std::find_if(out.layers.begin(), out.layers.end(), [&](const Layer& l) { return l.takes(s); });
      if (layer == out.layers.end()) layer = out.layers.insert(layer, Layer{});
      layer->add(s, k);
    }
    const PixelSamples random(x, y);
    for (Layer& layer : out.layers) gather_light(studio, random, settings.packets, samples, layer);
  }

  void trace_tile(const Studio& studio, const Eye& eye, const RenderSettings& settings, int part, int columns,
                  Frame& frame) const {
    Samples samples;
    EdgePixel pixel;
    const int x0 = part % columns * tile, y0 = part / columns * tile;
    for (int y = y0; y < std::min(y0 + tile, frame.height); ++y)
      for (int x = x0; x < std::min(x0 + tile, frame.width); ++x) {
        trace_pixel(studio, eye, settings, x, y, samples, pixel);
        if (pixel.layers.size() == 1 && pixel.layers[0].count == pixel.samples) {
          const Layer& only = pixel.layers[0];
          frame.pixels[frame.index(x, y)] = {only.key, only.sky, only.albedo};
          frame.light[frame.index(x, y)] = only.light;
        } else {
          frame.edges[std::size_t(part)].push_back(pixel);
        }
      }
  }

  /// A layer has too few samples for smooth light: it borrows that of the filtered pixels around on its
  /// surface.
  static Color edge_light(const Frame& frame, const EdgePixel& pixel, const Layer& layer) {
    float key = 0, sky = 0, weight = 0;
    for (int y = std::max(pixel.y - 2, 0); y <= std::min(pixel.y + 2, frame.height - 1); ++y)
      for (int x = std::max(pixel.x - 2, 0); x <= std::min(pixel.x + 2, frame.width - 1); ++x) {
        const LightPixel& l = frame.light[frame.index(x, y)];
        if (l.surface != layer.light.surface || l.normal.dot(layer.light.normal) < 0.7f) continue;
        const int apart = (x - pixel.x) * (x - pixel.x) + (y - pixel.y) * (y - pixel.y);
        const float w = 1 / float(apart * apart);  // an edge pixel itself is never among them: apart > 0
        key += w * l.key, sky += w * l.sky, weight += w;
      }
    return weight > 0 ? layer.with(key / weight, sky / weight) : layer.with(layer.light.key, layer.light.sky);
  }

  Image render(const Camera& camera, const RenderSettings& settings, Pool& pool) {
    PLIANT_CHECK(settings.samples_across > 0 &&
                 settings.samples_across * settings.samples_across <= most_samples);
    if (moved) traced.commit(), enclose(), moved = false;
    const int width = settings.width, height = settings.height;
    const int columns = (width + tile - 1) / tile, tiles = columns * ((height + tile - 1) / tile);
    const Studio studio(camera);
    const Eye eye(camera, width, height);
    const auto count = std::size_t(width) * std::size_t(height);
    Frame frame{width, height, std::vector<Pixel>(count), std::vector<LightPixel>(count), {}};
    frame.edges.resize(std::size_t(tiles));
    pool.run(tiles, [&](int part) { trace_tile(studio, eye, settings, part, columns, frame); });
    filter_light(frame.light, width, height, pool);

    Image image(width, height);
    for_blocks(pool, height, tile, [&](int begin, int end) {
      for (int y = begin; y < end; ++y)
        for (int x = 0; x < width; ++x) {
          const Pixel& p = frame.pixels[frame.index(x, y)];
          const LightPixel& l = frame.light[frame.index(x, y)];
          if (l.surface < 0) continue;
          encode_srgb(tone_map(p.key * l.key + p.sky.cwiseProduct(open_sky(l.sky, p.albedo))),
                      image.at(x, y));
        }
    });
    pool.run(tiles, [&](int part) {
      for (const EdgePixel& pixel : frame.edges[std::size_t(part)]) {
        // Averaged after the tone curve: a bright layer must not eat the antialiasing.
        Color sum = Color::Zero();
        float backdrops = float(pixel.samples);
        for (const Layer& layer : pixel.layers) {
          sum += float(layer.count) * tone_map(edge_light(frame, pixel, layer));
          backdrops -= float(layer.count);
        }
        if (backdrops > 0) sum += backdrops * tone_map(pixel.backdrop / backdrops);
        encode_srgb(sum / float(pixel.samples), image.at(pixel.x, pixel.y));
      }
    });
    if (legend && settings.legend) draw_legend(image, *legend);
    return image;
  }
};

Renderer::Renderer(RenderScene scene) : impl_(std::make_unique<Impl>()) {
  impl_->ground = float(scene.ground);
  impl_->legend = scene.legend;
  for (const RenderBody& body : scene.bodies) {
    impl_->bodies.push_back(make_body(body));
    const int index = impl_->traced.add(body.positions, body.triangles);
    if (!body.visible) impl_->traced.hide(index);
  }
  impl_->measure();
}
Renderer::Renderer(Renderer&&) noexcept = default;
Renderer::~Renderer() = default;

void Renderer::move(int body, const Points& positions, std::vector<float> scalar) {
  BodyData& b = impl_->bodies[std::size_t(body)];
  PLIANT_CHECK(positions.size() == b.x.size());
  PLIANT_CHECK(scalar.empty() || scalar.size() == b.x.size());
  b.x = to_float(positions);
  b.scalar = std::move(scalar);
  b.normals.update(positions, b.triangles);
  impl_->traced.move(body, positions);
  impl_->moved = true;
}

Image Renderer::render(const Camera& camera, const RenderSettings& settings, Pool& pool) {
  return impl_->render(camera, settings, pool);
}

Image render(const RenderScene& scene, const Camera& camera, const RenderSettings& settings, Pool& pool) {
  return Renderer(scene).render(camera, settings, pool);
}

}  // namespace pliant
