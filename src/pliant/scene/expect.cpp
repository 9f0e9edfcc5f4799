// SPDX-License-Identifier: Apache-2.0
#include "pliant/scene/expect.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

#include "pliant/scene/validate.hpp"

namespace pliant {
namespace {

constexpr double nothing = std::numeric_limits<double>::quiet_NaN();

struct Sample {
  double time, value;
};

/// The values of the metric within the window; empty cells are left out.
std::vector<Sample> samples_of(const ExpectSpec& expect, const SceneSpec& scene, const Recorder& recorder) {
  const auto& columns = recorder.columns();
  const auto column = std::find(columns.begin(), columns.end(), expect.metric) - columns.begin();
  if (column == std::ptrdiff_t(columns.size())) return {};
  const int body = find_body(scene, expect.body);
  const double slack = 1e-6 * scene.timestep;
  std::vector<Sample> samples;
  for (const MetricsRow& row : recorder.rows())
    if (row.body == body && row.time >= expect.from - slack && row.time <= expect.to + slack &&
        std::size_t(column) < row.cells.size() && !std::isnan(row.cells[std::size_t(column)]))
      samples.push_back({row.time, row.cells[std::size_t(column)]});
  return samples;
}

bool by_value(const Sample& a, const Sample& b) { return a.value < b.value; }

double smallest(const std::vector<Sample>& s) {
  return std::min_element(s.begin(), s.end(), by_value)->value;
}
double largest(const std::vector<Sample>& s) { return std::max_element(s.begin(), s.end(), by_value)->value; }

double at_time(const std::vector<Sample>& samples, double time, double timestep) {
  const auto nearest = std::min_element(
      samples.begin(), samples.end(),
      [&](const Sample& a, const Sample& b) { return std::abs(a.time - time) < std::abs(b.time - time); });
  return std::abs(nearest->time - time) <= 0.5001 * timestep ? nearest->value : nothing;
}

double farthest_out(const std::vector<Sample>& samples, const ExpectSpec& expect) {
  const double low = smallest(samples), high = largest(samples);
  return expect.min - low > high - expect.max ? low : high;
}

/// Time between the first two crossings, in the same direction, of the middle between the extremes; crossings
/// are interpolated between frames.
double period(const std::vector<Sample>& samples) {
  const double middle = (smallest(samples) + largest(samples)) / 2;
  double first[2] = {nothing, nothing};
  for (std::size_t i = 1; i < samples.size(); ++i) {
    const double a = samples[i - 1].value - middle, b = samples[i].value - middle;
    if ((a < 0) == (b < 0)) continue;
    const double crossing = samples[i - 1].time + a / (a - b) * (samples[i].time - samples[i - 1].time);
    double& earlier = first[a < 0];
    if (!std::isnan(earlier)) return crossing - earlier;
    earlier = crossing;
  }
  return nothing;
}

double measure(const ExpectSpec& expect, const SceneSpec& scene, const Recorder& recorder) {
  const std::vector<Sample> samples = samples_of(expect, scene, recorder);
  if (samples.empty()) return nothing;
  const std::string& at = expect.at.word;
  if (at.empty()) return at_time(samples, expect.at.number, scene.timestep);
  if (at == "end") return samples.back().value;
  if (at == "min") return smallest(samples);
  if (at == "max") return largest(samples);
  if (at == "period") return period(samples);
  return farthest_out(samples, expect);  // always
}

std::string what_text(const ExpectSpec& expect, const SceneSpec& scene) {
  const int body = find_body(scene, expect.body);
  std::string text =
      fmt::format("{} of {}, ", expect.metric, body < 0 ? expect.body : scene.bodies[std::size_t(body)].name);
  text += expect.at.word.empty() ? fmt::format("at {:g} s", expect.at.number) : expect.at.word;
  if (expect.from > 0) text += fmt::format(", from {:g} s", expect.from);
  if (expect.to < not_given) text += fmt::format(", to {:g} s", expect.to);
  return text;
}

std::string limits_text(const ExpectSpec& expect) {
  const bool low = expect.min > -not_given, high = expect.max < not_given;
  return (low ? fmt::format(">= {}", expect.min) : "") + (low && high ? " and " : "") +
         (high ? fmt::format("<= {}", expect.max) : "");
}

auto contains(const std::string& text) {
  return [&text](const std::string& warning) { return warning.find(text) != std::string::npos; };
}

}  // namespace

std::string ExpectationResult::text() const {
  const std::string value = std::isnan(measured) ? "no value" : fmt::format("{:.9g}", measured);
  return fmt::format("{}  {}: {} (expected {})", met ? "met    " : "NOT met", what, value, expected);
}

std::vector<ExpectationResult> evaluate(const SceneSpec& scene, const Recorder& recorder) {
  std::vector<ExpectationResult> results;
  for (const ExpectSpec& expect : scene.expect) {
    const double measured = measure(expect, scene, recorder);
    const bool met = measured >= expect.min && measured <= expect.max;
    results.push_back({what_text(expect, scene), limits_text(expect), measured, met});
  }
  return results;
}

std::vector<ExpectationResult> evaluate_warnings(const SceneSpec& scene,
                                                 const std::vector<std::string>& warnings) {
  std::vector<ExpectationResult> results;
  for (const std::string& text : scene.expect_warnings) {
    const auto count = std::count_if(warnings.begin(), warnings.end(), contains(text));
    results.push_back({fmt::format("warnings with \"{}\"", text), ">= 1", double(count), count > 0});
  }
  return results;
}

std::vector<std::string> unexpected_warnings(const SceneSpec& scene,
                                             const std::vector<std::string>& warnings) {
  std::vector<std::string> out;
  for (const std::string& warning : warnings)
    if (std::none_of(scene.expect_warnings.begin(), scene.expect_warnings.end(),
                     [&](const std::string& text) { return contains(text)(warning); }))
      out.push_back(warning);
  return out;
}

}  // namespace pliant
