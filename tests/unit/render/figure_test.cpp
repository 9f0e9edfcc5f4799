// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include <algorithm>
#include <filesystem>

#include "pliant/render/figure_layout.hpp"
#include "pliant/render/marks.hpp"
#include "pliant/render/stroke_text.hpp"
#include "pliant/render/video.hpp"
#include "tests/support/temp_folder.hpp"

namespace pliant {
namespace figure_test {

FigureSpec figure_of(int panels, int columns) {
  FigureSpec spec;
  spec.columns = columns;
  spec.panels.resize(std::size_t(panels));
  return spec;
}

bool has_problem(const ParsedFigure& figure, const std::string& place, const std::string& words) {
  return std::any_of(figure.problems.begin(), figure.problems.end(), [&](const Problem& p) {
    return p.place == place && (p.found + p.expected + p.hint).find(words) != std::string::npos;
  });
}

TEST(FigureLayout, panels_fill_the_rows_without_touching) {
  const FigureLayout layout = lay_out(figure_of(5, 3), std::vector<std::string>(5));
  ASSERT_EQ(layout.panels.size(), 5u);
  EXPECT_EQ(layout.panels[0].y, layout.panels[2].y);
  EXPECT_GT(layout.panels[3].y, layout.panels[0].y + layout.panel_height);
  for (int i : {0, 1}) {
    EXPECT_GT(layout.panels[std::size_t(i) + 1].x, layout.panels[std::size_t(i)].x + layout.panel_width);
  }
  EXPECT_EQ(layout.panels[3].x, layout.panels[0].x);
  EXPECT_LT(layout.panels[2].x + layout.panel_width, layout.width);
  EXPECT_LT(layout.panels[4].y + layout.panel_height, layout.height);
  EXPECT_EQ(layout.width % 2 + layout.height % 2, 0);
  EXPECT_NEAR(layout.panel_width / double(layout.panel_height), 4.0 / 3, 0.01);
}

TEST(FigureLayout, a_label_stands_below_its_panel_and_above_the_next_row) {
  std::vector<std::string> labels(4);
  labels[0] =
      "a label that is much too long for one line below a panel of a figure with two columns in a row";
  labels[1] = "short";
  FigureSpec spec = figure_of(4, 2);
  spec.width = 400;
  const FigureLayout layout = lay_out(spec, labels);
  ASSERT_GE(layout.lines.size(), 3u);
  for (const FigureLayout::Line& line : layout.lines) {
    const int panel = line.text == "short" ? 1 : 0;
    const float left = float(layout.panels[std::size_t(panel)].x), top = line.y - layout.text;
    EXPECT_GE(line.x, left);
    EXPECT_LE(line.x + text_width(line.text, layout.text), left + float(layout.panel_width));
    EXPECT_GT(top, float(layout.panels[0].y + layout.panel_height));
    EXPECT_LT(line.y, float(layout.panels[2].y));
  }
}

TEST(FigureLayout, the_caption_stands_below_everything) {
  FigureSpec spec = figure_of(2, 0);
  spec.caption = "what it shows";
  const FigureLayout layout = lay_out(spec, {"a", "b"});
  const FigureLayout::Line& caption = layout.lines.back();
  EXPECT_EQ(caption.text, "what it shows");
  EXPECT_GT(caption.y - layout.text, layout.lines[0].y);
  EXPECT_LT(caption.y, float(layout.height));
}

TEST(FigureLayout, words_are_never_cut) {
  EXPECT_EQ(wrapped("one two", 10, 1000), std::vector<std::string>{"one two"});
  EXPECT_EQ(wrapped("one two", 10, 1), (std::vector<std::string>{"one", "two"}));
  EXPECT_EQ(wrapped("one\ntwo", 10, 1000), (std::vector<std::string>{"one", "two"}));
  EXPECT_TRUE(wrapped("", 10, 100).empty());
}

TEST(FigureLayout, pictures_land_in_their_places) {
  const FigureLayout layout = lay_out(figure_of(2, 0), {"left", "right"});
  std::vector<Image> panels(2, Image(layout.panel_width, layout.panel_height));
  panels[1].at(0, 0)[0] = 200;
  const Image image = compose(layout, panels);
  EXPECT_EQ(image.at(layout.panels[1].x, layout.panels[1].y)[0], 200);
  EXPECT_EQ(image.at(layout.panels[1].x - 1, layout.panels[1].y)[0], 255);
  // Ink below the panels: the labels.
  int dark = 0;
  for (int y = layout.panels[0].y + layout.panel_height; y < image.height; ++y)
    for (int x = 0; x < image.width; ++x) dark += image.at(x, y)[1] < 128;
  EXPECT_GT(dark, 50);
}

TEST(StrokeText, has_every_letter_digit_and_mark_that_labels_use) {
  EXPECT_EQ(without_glyphs("ABCDEFGHIJKLMNOPQRSTUVWXYZ abcdefghijklmnopqrstuvwxyz 0123456789"), "");
  EXPECT_EQ(without_glyphs(".,:;-+/%=<>()[]^_!?'\""), "");
  EXPECT_EQ(without_glyphs("a@b"), "@");
  EXPECT_GT(text_width("W", 10), text_width("I", 10));
}

TEST(StrokeText, capitals_are_not_small_letters) {
  const auto drawn = [](const char* text) {
    Image image(40, 30);
    draw_text(image, text, 5, 24, 16, color_of(0xffffff));
    return image.rgb;
  };
  EXPECT_NE(drawn("O"), drawn("o"));
}

TEST(FigureFile, keys_are_read_with_comments) {
  const ParsedFigure figure = parse_figure(R"({
    // two views
    "columns": 2, "fit": "row", "camera": {"azimuth": 10},
    "panels": [{"scene": "a", "time": 2, "show": ["pins", "cage"], "ghosts": [{}, {"time": 1}]}, {"mesh": "b.obj"}]
  })");
  EXPECT_TRUE(figure.problems.empty());
  EXPECT_EQ(figure.spec.fit, CameraFit::row);
  EXPECT_EQ(figure.spec.camera.azimuth, 10);
  ASSERT_EQ(figure.spec.panels.size(), 2u);
  EXPECT_TRUE(figure.spec.panels[0].shows("cage"));
  EXPECT_FALSE(figure.spec.panels[0].shows("skeleton"));
  EXPECT_EQ(figure.spec.panels[0].ghosts[0].time, not_said);
  EXPECT_EQ(figure.spec.panels[0].ghosts[1].time, 1);
  EXPECT_EQ(figure.spec.panels[0].shown_opacity(), 1);
}

TEST(FigureFile, every_problem_is_told_at_once_with_its_place) {
  const ParsedFigure figure = parse_figure(R"({
    "colums": 2,
    "panels": [{"scene": "a", "run": "b"}, {"mesh": "a.obj", "time": 1}, {"scene": "a", "show": ["pin"]},
      {"run": "r", "show": ["inverted"]}, {"scene": "a", "mode": 2}]
  })");
  EXPECT_TRUE(has_problem(figure, "colums", "columns"));
  EXPECT_TRUE(has_problem(figure, "panels.0", "exactly one"));
  EXPECT_TRUE(has_problem(figure, "panels.1.time", "does not move"));
  EXPECT_TRUE(has_problem(figure, "panels.2.show", "did you mean \"pins\"?"));
  EXPECT_TRUE(has_problem(figure, "panels.3.show", "scene"));
  EXPECT_TRUE(has_problem(figure, "panels.4.amplitude", "mode"));
  EXPECT_EQ(figure.problems.size(), 6u);
}

TEST(FigureFile, must_have_a_panel_and_be_json) {
  EXPECT_TRUE(has_problem(parse_figure("{}"), "panels", "at least one"));
  EXPECT_TRUE(has_problem(parse_figure("{\n \"panels\": [}"), "line 2, column 13", "broken JSON"));
}

TEST(Marks, of_a_box_leave_out_the_diagonals_of_its_sides) {
  CellCorners corners;
  for (int c = 0; c < 8; ++c) corners[std::size_t(c)] = Vec3(c & 1, (c & 2) / 2, (c & 4) / 4);
  TriMesh box = cell_surfaces({corners});
  EXPECT_NEAR(enclosed_volume(box.vertices, box.triangles), 1, 1e-12);
  // The sides have corners of their own: join them.
  TriMesh joined;
  for (const Vec3& p : corners) joined.vertices.push_back(p);
  for (Triangle t : box.triangles) {
    for (Index& v : t) {
      const auto at = std::find(corners.begin(), corners.end(), box.vertices[std::size_t(v)]);
      v = Index(at - corners.begin());
    }
    joined.triangles.push_back(t);
  }
  EXPECT_EQ(drawn_edges(joined).size(), 12u);
}

TEST(Marks, a_plate_lies_outside_of_the_held_side) {
  Points side;
  for (int i = 0; i < 4; ++i)
    for (int j = 0; j < 4; ++j) side.emplace_back(0, i, j);
  const TriMesh clamp = plate(side, Vec3(5, 1.5, 1.5), 0.1);
  ASSERT_FALSE(clamp.triangles.empty());
  for (const Vec3& p : clamp.vertices) {
    EXPECT_LT(p.x(), 0);
    EXPECT_GE(p.x(), -0.1 - 1e-12);
  }
  EXPECT_GT(enclosed_volume(clamp.vertices, clamp.triangles), 0);
  side.emplace_back(3, 0, 0);  // no longer a plane
  EXPECT_TRUE(plate(side, Vec3(5, 1.5, 1.5), 0.1).triangles.empty());
}

TEST(Marks, an_arrow_ends_at_the_end_of_its_path) {
  const TriMesh mesh = arrow({{0, 0, 0}, {1, 0, 0}, {1, 1, 0}}, 0.02);
  double highest = 0;
  for (const Vec3& p : mesh.vertices) highest = std::max(highest, p.y());
  EXPECT_DOUBLE_EQ(highest, 1);
  EXPECT_TRUE(arrow({{0, 0, 0}, {0, 0, 0}}, 0.02).triangles.empty());
}

TEST(Marks, a_crowd_of_points_gives_one_ball_a_place) {
  const TriMesh one = balls({{0, 0, 0}}, 0.1), crowd = balls(Points(50, Vec3(0.01, 0, 0)), 0.1);
  EXPECT_EQ(one.triangles.size(), crowd.triangles.size());
  EXPECT_EQ(balls({{0, 0, 0}, {1, 0, 0}}, 0.1).triangles.size(), 2 * one.triangles.size());
}

bool have_ffmpeg() { return std::system("ffmpeg -version > /dev/null 2>&1") == 0; }

/// Frames that hardly compress.
std::vector<Image> noise(int frames) {
  std::vector<Image> out;
  std::uint32_t state = 1;
  for (int k = 0; k < frames; ++k) {
    Image& image = out.emplace_back(64, 48);
    for (std::uint8_t& byte : image.rgb) byte = std::uint8_t((state = state * 1664525u + 1013904223u) >> 24);
  }
  return out;
}

TEST(Animation, stays_below_its_size_by_a_lower_quality) {
  if (!have_ffmpeg()) GTEST_SKIP() << "ffmpeg is not on the PATH";
  const TempFolder folder;
  const auto file = folder.path() / "a.webp";
  const auto free = write_animation(noise(4), file, 10, 1000000);
  ASSERT_TRUE(free) << free.error().text();
  EXPECT_EQ(*free, std::filesystem::file_size(file));
  const auto bound = write_animation(noise(4), file, 10, *free * 3 / 4);
  ASSERT_TRUE(bound) << bound.error().text();
  EXPECT_LT(std::filesystem::file_size(file), *free * 3 / 4);
}

TEST(Animation, that_cannot_be_small_enough_is_told_and_not_written) {
  if (!have_ffmpeg()) GTEST_SKIP() << "ffmpeg is not on the PATH";
  const TempFolder folder;
  const auto result = write_animation(noise(4), folder.path() / "a.gif", 10, 1000);
  ASSERT_FALSE(result);
  EXPECT_NE(result.error().text().find("less than 1 kB"), std::string::npos) << result.error().text();
  EXPECT_TRUE(std::filesystem::is_empty(folder.path()));
}

}  // namespace figure_test
}  // namespace pliant
