// SPDX-License-Identifier: Apache-2.0
// What the options of `pliant render` change in a picture or a video, seen by decoders that are not ours.
#include <gtest/gtest.h>

#include <cstdlib>
#include <map>

#include "tests/cli/command.hpp"
#include "tests/support/temp_folder.hpp"

#define STB_IMAGE_IMPLEMENTATION
#define STB_IMAGE_STATIC
#define STBI_ONLY_PNG
#pragma GCC diagnostic push
#pragma GCC diagnostic ignored "-Wunused-function"
#include <stb/stb_image.h>
#pragma GCC diagnostic pop

namespace pliant {
namespace render_test {

/// A bar that is twisted while it falls, for 0.2 s at 60 frames a second.
const char* const scene_text = R"({"frames": 12, "bodies": [{"name": "bar",
    "shape": {"box": {"size": [0.2, 0.2, 0.6], "nodes": [4, 4, 10]}}, "geometric": {"stiffness": 1e5, "adaptive": {}},
    "initial": {"velocity": [0, -3, 0]},
    "handles": [{"select": {"halfspace": {"point": [0, 0, 0.6], "normal": [0, 0, 1]}},
                 "motion": [{"time": 0}, {"time": 0.2, "translate": [0, -0.6, 0],
                                          "rotate": {"axis": [0, 0, 1], "degrees": 80}}]}]}]})";

struct Picture {
  int width = 0, height = 0;
  std::vector<std::array<int, 3>> pixels;
};

Picture read_picture(const std::filesystem::path& file) {
  Picture out;
  int channels = 0;
  unsigned char* data = stbi_load(file.c_str(), &out.width, &out.height, &channels, 3);
  EXPECT_NE(data, nullptr) << file;
  for (int k = 0; data && k < out.width * out.height; ++k)
    out.pixels.push_back({data[3 * k], data[3 * k + 1], data[3 * k + 2]});
  stbi_image_free(data);
  return out;
}

/// Share of the pixels whose three parts differ by more than `clearly` in sum, of 765.
double difference(const Picture& a, const Picture& b, int clearly = 30) {
  if (a.pixels.size() != b.pixels.size()) return 1;
  int different = 0;
  for (std::size_t k = 0; k < a.pixels.size(); ++k) {
    int off = 0;
    for (int c = 0; c < 3; ++c) off += std::abs(a.pixels[k][c] - b.pixels[k][c]);
    different += off > clearly;
  }
  return different / double(a.pixels.size());
}

/// Share of the pixels with a colour of its own: the body's, on grey ground under a grey sky.
double coloured(const Picture& picture) {
  int count = 0;
  for (const auto& p : picture.pixels)
    count += *std::ranges::max_element(p) - *std::ranges::min_element(p) > 50;
  return count / double(picture.pixels.size());
}

class RenderCommand : public testing::Test {
 protected:
  TempFolder folder;
  const std::string scene = write_text(folder / "bar.json", scene_text).string();

  std::string recorded() const {
    const std::string run = (folder / "run").string();
    const auto result = run_pliant("run '" + scene + "' --quiet -o '" + run + "'");
    EXPECT_EQ(result.exit, 0) << result.output;
    return run;
  }
  CommandResult render(const std::string& what, const std::string& file, const std::string& options) const {
    return run_pliant("render '" + what + "' --size 128x96 --quality draft --quiet --threads 1 -o '" +
                      (folder / file).string() + "' " + options);
  }
  Picture picture(const std::string& what, const std::string& options) const {
    const auto result = render(what, "picture.png", options);
    EXPECT_EQ(result.exit, 0) << options << "\n" << result.output;
    return read_picture(folder / "picture.png");
  }
};

TEST_F(RenderCommand, each_color_shows_something_else) {
  std::map<std::string, Picture> pictures;
  for (const std::string color : {"none", "speed", "stretch", "rotation", "active", "distortion"})
    pictures[color] = picture(scene, "--frame 8 --color " + color);
  for (const auto& [one, a] : pictures)
    for (const auto& [other, b] : pictures)
      if (one < other) {
        EXPECT_GT(difference(a, b), 0.02) << one << " and " << other;
      }
  const auto refused = render(recorded(), "active.png", "--color active");
  EXPECT_EQ(refused.exit, 2);
  EXPECT_TRUE(refused.says("give the scene instead of its run folder")) << refused.output;
}

TEST_F(RenderCommand, fit_frame_fills_the_picture_and_fit_sequence_leaves_room_for_the_way) {
  const std::string run = recorded();
  const double whole = coloured(picture(run, "--frame 0 --fit sequence --pattern none")),
               alone = coloured(picture(run, "--frame 0 --fit frame --pattern none"));
  EXPECT_GT(whole, 0.01);
  EXPECT_GT(alone, 1.5 * whole) << "it falls by its own size";
  EXPECT_EQ(difference(picture(run, "--frame 0"), picture(run, "--frame 0 --fit sequence")), 0)
      << "the default";
}

TEST_F(RenderCommand, the_pattern_is_a_grid_on_the_body_or_none) {
  const std::string run = recorded(), view = "--frame 3 --fit frame ";
  const Picture grid = picture(run, view);
  // Fine grey lines on a small picture: measured 0.11 of its pixels.
  EXPECT_GT(difference(grid, picture(run, view + "--pattern none"), 5), 0.05);
  EXPECT_EQ(difference(grid, picture(run, view + "--pattern grid"), 0), 0) << "the default";
}

TEST_F(RenderCommand, a_video_has_the_rate_that_was_asked_for_and_pictures_that_differ) {
  if (std::system("ffmpeg -version > /dev/null 2>&1") != 0) GTEST_SKIP() << "ffmpeg is not on the PATH";
  const std::string run = recorded();
  // 0.2 s: pictures at 0, 0.1 and 0.2 s; by default at each of the 13 recorded frames.
  for (const auto& [options, rate, frames] : {std::tuple{"--fps 10", "10/1", 3}, std::tuple{"", "60/1", 13},
                                              std::tuple{"--fps 120", "120/1", 25}}) {
    const auto result = render(run, "video.mp4", options);
    ASSERT_EQ(result.exit, 0) << result.output;
    const std::string file = "'" + (folder / "video.mp4").string() + "'";
    const std::string facts = output_of(
        "ffprobe -v error -count_frames -select_streams v:0 -show_entries "
        "stream=codec_name,width,height,pix_fmt,r_frame_rate,nb_read_frames -of default=noprint_wrappers=1 " +
        file);
    for (const std::string& fact : std::vector<std::string>{
             "codec_name=h264", "width=128", "height=96", "pix_fmt=yuv420p",
             std::string("r_frame_rate=") + rate, "nb_read_frames=" + std::to_string(frames)})
      EXPECT_NE(facts.find(fact), std::string::npos) << options << ": " << fact << " in\n" << facts;
  }
  // First and last picture, decoded.
  const auto last = folder / "last.png", first = folder / "first.png";
  const std::string decode = "ffmpeg -v error -y -i '" + (folder / "video.mp4").string() + "' -vf ";
  output_of(decode + "'select=eq(n\\,0)' -frames:v 1 '" + first.string() + "'");
  output_of(decode + "'select=eq(n\\,24)' -frames:v 1 '" + last.string() + "'");
  EXPECT_GT(difference(read_picture(first), read_picture(last)), 0.02);
  // What was encoded is the picture of that frame; the codec blurs edges.
  EXPECT_LT(difference(read_picture(last), picture(run, "--frame 12")), 0.1);
}

TEST_F(RenderCommand, refuses_a_rate_that_no_video_has) {
  const auto result = render(scene, "video.mp4", "--fps 0");
  EXPECT_EQ(result.exit, 2);
  EXPECT_TRUE(result.says("--fps")) << result.output;
}

}  // namespace render_test
}  // namespace pliant
