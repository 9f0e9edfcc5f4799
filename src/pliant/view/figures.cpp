// SPDX-License-Identifier: Apache-2.0
#include "pliant/view/figures.hpp"

#include <fmt/format.h>

#include "pliant/physics/metrics.hpp"

namespace pliant::view {
namespace {

constexpr double stats_interval = 0.1;    // s
constexpr int stats_steps = 6;            // manual clock
constexpr std::size_t most_samples = 64;  // of a message
constexpr std::size_t most_rows = 36000;  // of the metrics, the oldest go

}  // namespace

double Figures::rate_now() {
  const auto old = Ticks::now() - std::chrono::seconds(1);
  while (!step_times_.empty() && step_times_.front() < old) step_times_.pop_front();
  rate_ = double(step_times_.size());
  return rate_;
}

void Figures::note_step(const World& world, Ticks::time_point begin, double ms) {
  step_ms_ = ms;
  step_times_.push_back(begin);
  samples_.push_back({world.step(), ms, {}});
  for (const Body& body : world.simulation().bodies()) samples_.back().stages.push_back(body.report().ms);
  if (samples_.size() > most_samples) samples_.erase(samples_.begin());
  steps_ = world.step();
}

std::optional<Json> Figures::stats(const World& world, bool manual) {
  const auto now = Ticks::now();
  const bool due = manual ? int(samples_.size()) >= stats_steps
                          : std::chrono::duration<double>(now - told_).count() >= stats_interval;
  if (!due || samples_.empty()) return std::nullopt;
  told_ = now;
  Json message{{"type", "stats"},        {"step", Json::array()}, {"step_ms", Json::array()},
               {"rate", rate_now()},     {"dropped", 0},          {"h", world.simulation().options().h},
               {"bodies", Json::array()}};
  if (world.posing()) message["pose"] = world.pose_text();
  for (const Sample& sample : samples_) {
    message["step"].push_back(sample.step);
    message["step_ms"].push_back(sample.ms);
  }
  for (int i = 0; i < world.bodies(); ++i) message["bodies"].push_back(body_stats(world, i));
  samples_.clear();
  return message;
}

Json Figures::body_stats(const World& world, int index) {
  const Body& body = world.body(index);
  Json stages{{"rotation", Json::array()},
              {"rhs", Json::array()},
              {"solve", Json::array()},
              {"contact", Json::array()}};
  Json gaps = Json::array();
  for (const Sample& sample : samples_) {
    gaps.push_back(nullptr);
    if (std::size_t(index) >= sample.stages.size()) continue;
    const StageTimes& ms = sample.stages[std::size_t(index)];
    stages["rotation"].push_back(ms.rotation);
    stages["rhs"].push_back(ms.rhs);
    stages["solve"].push_back(ms.solve);
    stages["contact"].push_back(ms.contact);
  }
  const double kinetic = kinetic_energy(body.method().nodes()), elastic = body.method().elastic_energy();
  const std::optional<double> volume = body.volume_ratio();
  if (rows_.size() == most_rows) rows_.pop_front();
  rows_.push_back(fmt::format("{},{},{},{:.4f},{},{},{}\n", world.step(), world.simulation().time(),
                              body.name(), step_ms_, kinetic, elastic,
                              volume ? fmt::format("{}", *volume) : ""));
  Json out{
      {"id", index}, {"stages", std::move(stages)}, {"kinetic", gaps}, {"elastic", gaps}, {"volume", gaps}};
  out["kinetic"].back() = kinetic;
  out["elastic"].back() = elastic;
  out["volume"].back() = volume ? Json(*volume) : Json();
  out["contacts"] = body.report().contacts;
  out["active_rotations"] = body.report().active_rotations;
  return out;
}

std::string Figures::metrics() const {
  std::string text = "step,time,body,step_ms,kinetic,elastic,volume_ratio\n";
  for (const std::string& row : rows_) text += row;
  return text;
}

}  // namespace pliant::view
