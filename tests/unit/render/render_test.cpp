// SPDX-License-Identifier: Apache-2.0
#include "pliant/render/render.hpp"

#include <gtest/gtest.h>

#include "pliant/base/hash.hpp"
#include "scenes.hpp"

namespace pliant {
namespace render_test {

std::uint64_t hash(const Image& image) { return hash_bytes(image.rgb.data(), image.rgb.size()); }

TEST(Render, gives_the_same_picture_for_every_thread_count) {
  const RenderScene scene = one_box();
  const Camera camera = framed(scene);
  Pool one(1), two(2), five(5);
  const std::uint64_t expected = hash(render(scene, camera, small_picture(), one));
  EXPECT_EQ(hash(render(scene, camera, small_picture(), two)), expected);
  EXPECT_EQ(hash(render(scene, camera, small_picture(), five)), expected);
}

TEST(Render, shows_the_body_in_the_middle_and_the_backdrop_around) {
  RenderScene scene = one_box();
  scene.bodies[0].color = color_of(0xd02010);
  const RenderSettings settings = small_picture();
  Pool pool;
  const Image image = render(scene, framed(scene), settings, pool);
  const std::uint8_t* middle = image.at(settings.width / 2, settings.height / 2);
  EXPECT_GT(middle[0], middle[1] + 60);
  EXPECT_GT(middle[0], middle[2] + 60);
  for (const auto& [x, y] : {std::pair(1, 1), {settings.width - 2, 1}}) {
    const std::uint8_t* corner = image.at(x, y);
    EXPECT_LT(std::abs(int(corner[0]) - int(corner[2])), 25);
    EXPECT_GT(corner[1], 190);
  }
}

/// The darkest grey of the picture: the floor, since the body is coloured and without lines.
int darkest_floor(double ground) {
  RenderScene scene = one_box();
  scene.bodies[0].color = color_of(0xd02010);
  const Camera camera = framed(scene, View{.elevation = 40});
  scene.ground = ground;
  RenderSettings settings = small_picture();
  settings.pattern = Pattern::none;
  Pool pool;
  const Image image = render(scene, camera, settings, pool);
  int darkest = 255;
  for (int x = 0; x < settings.width; ++x)
    for (int y = 0; y < settings.height; ++y) {
      const std::uint8_t* p = image.at(x, y);
      if (std::abs(int(p[0]) - int(p[2])) < 20) darkest = std::min(darkest, int(p[1]));
    }
  return darkest;
}

TEST(Render, darkens_the_floor_under_a_body) {
  EXPECT_LT(darkest_floor(-0.1), 145);
  EXPECT_GT(darkest_floor(-100), 155) << "no shadow where no body is near";
}

TEST(Render, colours_by_the_scalar_when_there_is_a_legend) {
  RenderScene scene = one_box();
  scene.bodies[0].scalar.assign(scene.bodies[0].rest.size(), 1.0f);
  scene.legend = Legend{"speed (m/s)", 0, 1};
  RenderSettings settings = small_picture();
  settings.pattern = Pattern::none;
  Pool pool;
  const Image image = render(scene, framed(scene), settings, pool);
  const std::uint8_t* p = image.at(settings.width / 2, settings.height / 2);
  EXPECT_GT(p[0], p[2] + 60) << "the top of the ramp is yellow";
  EXPECT_GT(p[1], p[2] + 60);
}

TEST(Renderer, moves_a_body_as_if_it_had_been_made_there) {
  RenderScene scene = one_box();
  const Camera camera = framed(scene);
  Pool pool;
  Renderer renderer(scene);
  const std::uint64_t before = hash(renderer.render(camera, small_picture(), pool));
  Points moved = scene.bodies[0].positions;
  for (Vec3& p : moved) p.x() += 0.05 * p.y();
  renderer.move(0, moved);
  const std::uint64_t after = hash(renderer.render(camera, small_picture(), pool));
  EXPECT_NE(after, before);
  renderer.move(0, scene.bodies[0].positions);
  EXPECT_EQ(hash(renderer.render(camera, small_picture(), pool)), before);
}

TEST(Renderer, shows_the_floor_when_there_is_no_body) {
  Pool pool;
  const Image image = render(RenderScene{}, Camera{}, small_picture(), pool);
  EXPECT_GT(image.at(10, 10)[1], 150);
}

}  // namespace render_test
}  // namespace pliant
