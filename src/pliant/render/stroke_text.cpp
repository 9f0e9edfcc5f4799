// SPDX-License-Identifier: Apache-2.0
#include "pliant/render/stroke_text.hpp"

#include <algorithm>
#include <cmath>
#include <limits>
#include <vector>

namespace pliant {
namespace {

using Point = Eigen::Vector2f;
using Stroke = std::vector<Point>;

// Points are pairs of hexadecimal digits x, y: baseline y = 3, small letters to 8, tall ones to b, descenders
// to 0. A stroke is a polyline; with ~ its points control a curve from the first to the last, with @ a closed
// curve (quadratic B-splines).
struct Glyph {
  char character;
  const char* strokes;
};
constexpr Glyph alphabet[] = {{'0', "@030b5b53"},
                              {'1', "192b23"},
                              {'2', "~0a0b5b5803 0353"},
                              {'3', "~0a1b5b5727 ~2757531304"},
                              {'4', "4b0555 4b43"},
                              {'5', "4b0b07 ~071858531304"},
                              {'6', "~4b0a05 @03085853"},
                              {'7', "0b5b13"},
                              {'8', "@070b5b57 @03075753"},
                              {'9', "@060b5b56 ~595413"},
                              {'a', "@03085853 5853"},
                              {'b', "0b03 @03085853"},
                              {'c', "~574808034354"},
                              {'d', "5b53 @03085853"},
                              {'e', "~565808034354 0656"},
                              {'f', "~4b2b28 2823 0848"},
                              {'g', "@03085853 5852 ~52501001"},
                              {'h', "0b03 ~06085856 5653"},
                              {'i', "0803 0a0a"},
                              {'j', "1811 ~111000 1a1a"},
                              {'k', "0b03 4805 1643"},
                              {'l', "0b03"},
                              {'m', "0803 ~06083836 3633 ~36386866 6663"},
                              {'n', "0803 ~06085856 5653"},
                              {'o', "@03085853"},
                              {'p', "0800 @03085853"},
                              {'q', "5850 @03085853"},
                              {'r', "0803 ~060838"},
                              {'s', "~4748080645430304"},
                              {'t', "2b25 ~252343 0848"},
                              {'u', "0805 ~05035355 5853"},
                              {'v', "082348"},
                              {'w', "0813375368"},
                              {'x', "0843 0348"},
                              {'y', "0823 4810"},
                              {'z', "08480343"},
                              {'.', "0303"},
                              {',', "1302"},
                              {'-', "0646"},
                              {'+', "0646 2428"},
                              {'/', "004b"},
                              {'%', "036b @090b2b29 @43456563"},
                              {'(', "~2b090321"},
                              {')', "~0b292301"},
                              {'[', "2b0b0121"},
                              {']', "0b2b2101"},
                              {':', "0303 0707"},
                              {';', "1707 1302"},
                              {'=', "0545 0747"},
                              {'<', "490643"},
                              {'>', "094603"},
                              {'^', "092b49"},
                              {'_', "0141"},
                              {'!', "0b06 0303"},
                              {'?', "~0a0b4b4826 2625 2323"},
                              {'\'', "0b09"},
                              {'"', "0b09 2b29"},
                              {'A', "033b63 1656"},
                              {'B', "0b03 0b2b ~2b5b5727 0727 ~27676323 0323"},
                              {'C', "~696b0b036365"},
                              {'D', "0b03 0b1b ~1b6b6313 0313"},
                              {'E', "5b0b0353 0747"},
                              {'F', "5b0b03 0747"},
                              {'G', "~696b0b036367 6737"},
                              {'H', "0b03 6b63 0767"},
                              {'I', "0b03"},
                              {'J', "4b45 ~45430305"},
                              {'K', "0b03 5b06 2853"},
                              {'L', "0b0353"},
                              {'M', "030b356b63"},
                              {'N', "030b636b"},
                              {'O', "@030b6b63"},
                              {'P', "0b03 0b2b ~2b5b5626 0626"},
                              {'Q', "@030b6b63 4562"},
                              {'R', "0b03 0b2b ~2b5b5626 0626 2653"},
                              {'S', "~5a5b0b0757530304"},
                              {'T', "0b6b 3b33"},
                              {'U', "0b06 ~06036366 666b"},
                              {'V', "0b336b"},
                              {'W', "0b2349638b"},
                              {'X', "0b63 036b"},
                              {'Y', "0b376b 3733"},
                              {'Z', "0b6b0363"}};
constexpr float capital = 8, baseline = 3, gap = 2.2f, space = 3.2f, pen = 0.95f;

int digit(char c) { return c <= '9' ? c - '0' : c - 'a' + 10; }

void add_curve(Stroke& out, const Point& a, const Point& b, const Point& c) {
  constexpr int pieces = 6;
  for (int i = 0; i <= pieces; ++i) {
    const float t = float(i) / pieces;
    out.push_back((1 - t) * (1 - t) * a + 2 * t * (1 - t) * b + t * t * c);
  }
}

Stroke smoothed(const Stroke& control, bool closed) {
  Stroke out;
  const std::size_t n = control.size();
  for (std::size_t i = closed ? 0 : 1; i < (closed ? n : n - 1); ++i) {
    const Point &before = control[(i + n - 1) % n], &here = control[i], &after = control[(i + 1) % n];
    const Point from = !closed && i == 1 ? before : Point((before + here) / 2);
    const Point to = !closed && i == n - 2 ? after : Point((here + after) / 2);
    add_curve(out, from, here, to);
  }
  return out;
}

std::vector<Stroke> strokes_of(char character) {
  std::vector<Stroke> all;
  for (const Glyph& glyph : alphabet) {
    if (glyph.character != character) continue;
    std::string_view rest = glyph.strokes;
    while (!rest.empty()) {
      const std::size_t end = std::min(rest.find(' '), rest.size());
      std::string_view word = rest.substr(0, end);
      rest.remove_prefix(std::min(end + 1, rest.size()));
      const char kind = word[0];
      if (kind == '~' || kind == '@') word.remove_prefix(1);
      Stroke stroke;
      for (std::size_t i = 0; i + 1 < word.size(); i += 2)
        stroke.push_back(Point(float(digit(word[i])), float(digit(word[i + 1])) - baseline));
      all.push_back(kind == '~' || kind == '@' ? smoothed(stroke, kind == '@') : stroke);
    }
  }
  return all;
}

float advance(const std::vector<Stroke>& strokes) {
  if (strokes.empty()) return space + gap;
  float right = 0;
  for (const Stroke& s : strokes)
    for (const Point& p : s) right = std::max(right, p.x());
  return right + gap;
}

float distance_to(const Stroke& s, const Point& p) {
  float best = std::numeric_limits<float>::infinity();
  for (std::size_t i = 0; i + 1 < s.size(); ++i) {
    const Point along = s[i + 1] - s[i];
    const float length = along.squaredNorm();
    const float t = length > 0 ? std::clamp((p - s[i]).dot(along) / length, 0.0f, 1.0f) : 0.0f;
    best = std::min(best, (p - s[i] - t * along).norm());
  }
  return best;
}

}  // namespace

void blend(Image& image, int x, int y, const Color& color, float amount) {
  if (x < 0 || y < 0 || x >= image.width || y >= image.height || amount <= 0) return;
  std::uint8_t* rgb = image.at(x, y);
  const Color below = color_of(std::uint32_t(rgb[0]) << 16 | std::uint32_t(rgb[1]) << 8 | rgb[2]);
  encode_srgb((1 - amount) * below + amount * color, rgb);
}

std::string without_glyphs(std::string_view text) {
  std::string out;
  for (const char c : text)
    if (c != ' ' && strokes_of(c).empty()) out += c;
  return out;
}

float text_width(std::string_view text, float height) {
  float width = 0;
  for (char c : text) width += advance(strokes_of(c));
  return std::max(width - gap, 0.0f) * height / capital;
}

void draw_text(Image& image, std::string_view text, float x, float y, float height, const Color& color,
               float weight) {
  const float unit = height / capital, half_pen = weight * std::max(pen * unit, 1.1f) / 2;
  for (char c : text) {
    const std::vector<Stroke> strokes = strokes_of(c);
    const float width = advance(strokes) * unit;
    for (int py = int(y - height - 2); py <= int(y + height / 2 + 2); ++py)
      for (int px = int(x - half_pen - 2); px <= int(x + width + 2); ++px) {
        const Point at((float(px) + 0.5f - x) / unit, (y - float(py) - 0.5f) / unit);
        float nearest = std::numeric_limits<float>::infinity();
        for (const Stroke& s : strokes) nearest = std::min(nearest, distance_to(s, at) * unit);
        blend(image, px, py, color, std::clamp(half_pen - nearest + 0.5f, 0.0f, 1.0f));
      }
    x += width;
  }
}

}  // namespace pliant
