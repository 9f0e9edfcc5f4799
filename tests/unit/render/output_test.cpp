// SPDX-License-Identifier: Apache-2.0
// Pictures and videos, read back with decoders that are not ours.
#include <gtest/gtest.h>

#include <cstdio>
#include <cstdlib>
#include <string>

#include "pliant/render/image.hpp"
#include "pliant/render/video.hpp"
#include "scenes.hpp"

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_PNG
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb/stb_image.h>
#pragma GCC diagnostic pop

namespace pliant {
namespace output_test {

Image gradient(int width, int height, int shift = 0) {
  Image image(width, height);
  for (int y = 0; y < height; ++y)
    for (int x = 0; x < width; ++x) {
      image.at(x, y)[0] = std::uint8_t(x * 3 + shift);
      image.at(x, y)[1] = std::uint8_t(y * 5);
      image.at(x, y)[2] = 77;
    }
  return image;
}

TEST(Png, decodes_to_the_same_pixels) {
  const TemporaryFolder folder("png");
  const Image image = gradient(37, 21);
  const auto file = folder.path / "new" / "picture.png";
  const auto failure = write_png(image, file);
  ASSERT_FALSE(failure) << failure->text();
  int width = 0, height = 0, channels = 0;
  unsigned char* pixels = stbi_load(file.c_str(), &width, &height, &channels, 3);
  ASSERT_NE(pixels, nullptr);
  EXPECT_EQ(width, 37);
  EXPECT_EQ(height, 21);
  EXPECT_EQ(std::vector<std::uint8_t>(pixels, pixels + image.rgb.size()), image.rgb);
  stbi_image_free(pixels);
}

TEST(Png, names_the_file_that_cannot_be_written) {
  const auto failure = write_png(gradient(4, 4), "/proc/no/picture.png");
  ASSERT_TRUE(failure);
  EXPECT_NE(failure->text().find("/proc/no"), std::string::npos) << failure->text();
}

std::string output_of(const std::string& command) {
  std::string text;
  FILE* pipe = ::popen(command.c_str(), "r");
  if (pipe == nullptr) return text;
  for (int c = std::fgetc(pipe); c != EOF; c = std::fgetc(pipe)) text += char(c);
  ::pclose(pipe);
  return text;
}

bool have_ffmpeg() { return std::system("ffmpeg -version >/dev/null 2>&1") == 0; }

TEST(Video, holds_every_frame_at_its_rate_and_size) {
  if (!have_ffmpeg()) GTEST_SKIP() << "ffmpeg is not on the PATH";
  const TemporaryFolder folder("mp4");
  const auto file = folder.path / "video.mp4";
  auto video = VideoWriter::open(file, 64, 48, 25);
  ASSERT_TRUE(video) << video.error().text();
  for (int k = 0; k < 7; ++k) ASSERT_FALSE(video->add(gradient(64, 48, 9 * k)));
  EXPECT_FALSE(std::filesystem::exists(file)) << "the file must appear whole";
  ASSERT_FALSE(video->finish());
  const std::string facts = output_of(
      "ffprobe -v error -count_frames -select_streams v:0 -show_entries "
      "stream=codec_name,width,height,pix_fmt,r_frame_rate,nb_read_frames -of default=noprint_wrappers=1 " +
      file.string());
  for (const char* fact : {"codec_name=h264", "width=64", "height=48", "pix_fmt=yuv420p", "r_frame_rate=25/1",
                           "nb_read_frames=7"})
    EXPECT_NE(facts.find(fact), std::string::npos) << fact << " in\n" << facts;
}

TEST(Video, leaves_nothing_when_it_is_dropped) {
  if (!have_ffmpeg()) GTEST_SKIP() << "ffmpeg is not on the PATH";
  const TemporaryFolder folder("dropped");
  {
    auto video = VideoWriter::open(folder.path / "video.mp4", 64, 48, 25);
    ASSERT_TRUE(video);
    ASSERT_FALSE(video->add(gradient(64, 48)));
  }
  EXPECT_TRUE(std::filesystem::is_empty(folder.path));
}

TEST(Video, refuses_an_odd_size) {
  const auto video = VideoWriter::open("/nowhere/video.mp4", 65, 48, 25);
  ASSERT_FALSE(video);
  EXPECT_NE(video.error().text().find("65 x 48"), std::string::npos);
}

}  // namespace output_test
}  // namespace pliant
