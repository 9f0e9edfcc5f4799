// SPDX-License-Identifier: Apache-2.0
#include "tests/soak/run.hpp"

#include <fmt/format.h>
#include <malloc.h>
#include <time.h>

#include <algorithm>
#include <cmath>
#include <fstream>

#include "pliant/methods/catalogue.hpp"
#include "pliant/physics/metrics.hpp"
#include "pliant/scene/build.hpp"
#include "pliant/sim/checkpoint.hpp"
#include "pliant/sim/throw_watch.hpp"
#include "tests/soak/watch.hpp"

namespace pliant::soak {
namespace {

constexpr int twin_steps = 20;
constexpr std::uint64_t key = 7;  // of checkpoints

double processor_ms() {
  timespec now{};
  clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
  return 1e3 * double(now.tv_sec) + 1e-6 * double(now.tv_nsec);
}

double heap_mb() {
  const struct mallinfo2 heap = mallinfo2();
  return double(heap.uordblks + heap.hblkhd) / (1 << 20);
}

Vec3 vector_of(const Json& list) {
  return {list.at(0).get<double>(), list.at(1).get<double>(), list.at(2).get<double>()};
}

std::uint64_t state_hash(const Simulation& simulation) {
  std::uint64_t out = hash_seed;
  for (const Body& body : simulation.bodies()) {
    const NodeState& nodes = body.method().nodes();
    out = hash_bytes(nodes.x.data(), nodes.x.size() * sizeof(Vec3), out);
    out = hash_bytes(nodes.v.data(), nodes.v.size() * sizeof(Vec3), out);
  }
  return out;
}

class Run {
 public:
  Run(const Json& soak_case, const std::filesystem::path& folder, const Limits& limits)
      : case_(soak_case),
        file_((folder / "scene.json").string()),
        limits_(limits),
        steps_(soak_case.value("steps", 300)),
        twin_at_(soak_case.value("twin", -1)) {
    const Json meshes = case_.value("meshes", Json::object());
    for (const auto& [name, text] : meshes.items()) std::ofstream(folder / name) << text.get<std::string>();
  }

  Outcome go(const std::function<void(int)>& told) {
    try {
      if (told) told(0);
      if (!build()) return out_;
      const double memory = heap_mb();
      const int last = steps_ + twin_steps;
      const double begin = processor_ms();
      for (int step = 1; step <= last && !out_.found && processor_ms() - begin < limits_.case_ms; ++step) {
        if (told) told(step);
        step_ = step;
        if (!advance()) return out_;
      }
      if (!out_.found && heap_mb() > memory + most_growth_mb)
        find("memory", fmt::format("the heap grew by {:.1f} MB in {} steps", heap_mb() - memory, step_));
    } catch (const std::exception& error) {
      find("threw", error.what());
    }
    return out_;
  }

 private:
  static constexpr double most_growth_mb = 64;

  void find(const std::string& kind, const std::string& text) {
    if (!out_.found) out_.found = Finding{kind, text, step_};
  }

  ParsedScene parsed() const { return parse_scene(case_.at("scene").dump(), file_, sets_); }

  bool build() {
    const double begin = processor_ms();
    auto built = build_scene(parsed());
    out_.setup_ms = processor_ms() - begin;
    if (!built) {
      out_.refused = built.error().text();
      if (built.error().problems.empty() || out_.refused.empty()) find("silent", "a scene is refused");
      return false;
    }
    if (out_.setup_ms > limits_.setup_ms) find("slow", fmt::format("set-up took {:.0f} ms", out_.setup_ms));
    scene_.emplace(std::move(*built));
    crossings_.emplace(*scene_);
    energies_.emplace(*scene_);
    if (!finite(scene_->simulation)) find("nan", "the start is not finite");
    return true;
  }

  /// False: the case is over.
  bool advance() {
    Simulation& simulation = scene_->simulation;
    edit();
    const double begin = processor_ms();
    if (const auto failure = simulation.step()) return fail(failure->text());
    const double taken = processor_ms() - begin;
    out_.slowest_ms = std::max(out_.slowest_ms, taken);
    if (taken > limits_.step_ms) find("slow", fmt::format("a step took {:.0f} ms", taken));
    note();
    if (limits_.trace) trace(taken);
    if (!finite(simulation)) find("nan", "after a step that said nothing");
    if (const auto thrown = throws_.look(simulation)) return fail(*thrown);
    if (step_ % limits_.look_every == 0) look();
    twin();
    return !out_.found;
  }

  /// A step that says why it is none: the state must be good.
  bool fail(const std::string& why) {
    out_.failed = why;
    if (why.empty()) find("silent", "a step failed");
    if (!finite(scene_->simulation)) find("nan", "after a step that failed: " + why);
    return false;
  }

  void note() {
    for (const Body& body : scene_->simulation.bodies()) {
      const StepReport& report = body.report();
      ++out_.body_steps;
      out_.shortened += report.shortened > 0;
      out_.in_contact += report.contacts > 0;
      out_.met += report.rounds > 0;
      Json& count = out_.methods[body.method().describe().name];
      count = count.is_null() ? std::int64_t(1) : count.get<std::int64_t>() + 1;
    }
  }

  void trace(double taken_ms) const {
    for (const Body& body : scene_->simulation.bodies()) {
      const NodeState& nodes = body.method().nodes();
      const Vec3 c = centre_of_mass(nodes);
      const StepReport& report = body.report();
      fmt::print(
          "step {} t {:.4f} {}: kinetic {:.5g} elastic {:.5g} potential {:.5g} J, centre {:.4g} {:.4g} "
          "{:.4g} m, "
          "contacts {} rounds {} deep {:.2g} shortened {:.2g} violent {} breakdowns {} iterations {}, {:.1f} "
          "ms\n",
          step_, scene_->simulation.time(), body.name(), kinetic_energy(nodes),
          body.method().elastic_energy(), -total_mass(nodes) * scene_->simulation.options().gravity.dot(c),
          c.x(), c.y(), c.z(), report.contacts, report.rounds, report.penetration, report.shortened,
          report.violent, report.breakdowns, report.iterations, taken_ms);
    }
  }

  void look() {
    const Simulation& simulation = scene_->simulation;
    if (const auto crossing = crossings_->look(simulation)) find("crossed", *crossing);
    if (const auto body = fallen(simulation)) find("fell", *body);
    if (pushed_ || energies_->driven(simulation)) return energies_->forget();
    resolved_ = resolved_ && energies_->resolved(simulation);
    const double gain = energies_->gain(simulation), most = resolved_ ? limits_.gain : limits_.explosion;
    if (resolved_) out_.gain = std::max(out_.gain, gain);
    if (!(gain < most))
      find(resolved_ ? "energy" : "exploded", fmt::format("gained {:.3g} times the energy it had", gain));
  }

  // ---- a second scene that takes over

  void twin() {
    Simulation& simulation = scene_->simulation;
    if (step_ == twin_at_) {
      auto other = build_scene(parsed(), 3);
      if (!other) return find("resumed", "the scene cannot be built again: " + other.error().text());
      twin_.emplace(std::move(*other));
      const std::string why = load_checkpoint(save_checkpoint(simulation, key), key, twin_->simulation);
      if (!why.empty()) return find("resumed", why);
      return;
    }
    if (!twin_) return;
    if (const auto failure = twin_->simulation.step()) return find("resumed", failure->text());
    if (state_hash(twin_->simulation) != state_hash(simulation))
      return find("resumed", fmt::format("differs {} steps after the checkpoint", step_ - twin_at_));
    if (step_ == twin_at_ + twin_steps) twin_.reset();
  }

  // ---- live edits

  void edit() {
    for (const Json& edit : case_.value("edits", Json::array())) {
      if (edit.at("step") != step_) continue;
      energies_->forget();
      if (edit.contains("set")) change(edit["set"]);
      if (edit.contains("grab")) grab(edit["grab"]);
      if (edit.contains("let_go")) let_go(edit["let_go"]);
      if (edit.contains("hold")) hold(edit["hold"]);
      if (edit.contains("push")) push(edit["push"]);
    }
  }

  /// As the page does it: what is refused changes nothing.
  void change(const std::string& path_and_value) {
    sets_.push_back(path_and_value);
    const ParsedScene scene = parsed();
    if (!scene.problems.empty() || scene.spec.bodies.size() != scene_->spec.bodies.size())
      return sets_.pop_back();
    Simulation& simulation = scene_->simulation;
    simulation.set_gravity(scene.spec.gravity);
    if (scene.spec.step_length() != simulation.options().h)
      simulation.set_step_length(scene.spec.step_length());
    for (int i = 0; i < int(scene.spec.bodies.size()); ++i) {
      const BodySpec& body = scene.spec.bodies[std::size_t(i)];
      body.entry().set_live(body.options(), simulation.body(i).method(), body.damping);
      const ContactOptions contact = contact_of(body, *scene_->shapes[std::size_t(i)]);
      if (const auto refused = simulation.body(i).set_contact(contact); refused && refused->text().empty())
        find("silent", "contact options are refused");
    }
  }

  Body& body_of(const Json& edit) { return scene_->simulation.body(edit.at("body")); }

  void grab(const Json& edit) {
    Body& body = body_of(edit);
    const Points& x = body.method().nodes().x;
    const Index node = Index(edit.at("node").get<double>() * double(x.size() - 1));
    const Grab one{node, x[std::size_t(node)] + vector_of(edit.at("way")), edit.at("stiffness")};
    body.set_grabs(std::span(&one, 1));
  }

  void let_go(const Json& edit) {
    Body& body = body_of(edit);
    body.set_grabs({});
    body.set_holds({});
    body.set_forces({});
  }

  void hold(const Json& edit) {
    Body& body = body_of(edit);
    std::vector<Index> nodes;
    const auto count = std::size_t(edit.at("share").get<double>() * double(body.method().nodes().x.size()));
    for (std::size_t i = 0; i < count; ++i) nodes.push_back(Index(i));
    std::vector<PlacedHold> holds;
    if (!nodes.empty()) holds.push_back(body.hold_here(std::move(nodes)));
    if (const auto refused = body.set_holds(std::move(holds)); refused && refused->text().empty())
      find("silent", "a hold is refused");
  }

  void push(const Json& edit) {
    Body& body = body_of(edit);
    const NodeState& nodes = body.method().nodes();
    const double mass = total_mass(nodes) / double(nodes.x.size());
    const Points forces(nodes.x.size(), mass * vector_of(edit.at("acceleration")));
    pushed_ = true;
    if (const auto refused = body.set_forces(forces); refused && refused->text().empty())
      find("silent", "forces are refused");
  }

  const Json& case_;
  const std::string file_;
  const Limits limits_;
  const int steps_, twin_at_;
  std::vector<std::string> sets_;
  Outcome out_;
  std::optional<Scene> scene_, twin_;
  std::optional<Crossings> crossings_;
  std::optional<Energies> energies_;
  ThrowWatch throws_;
  int step_ = 0;
  bool resolved_ = true;  ///< every step so far
  bool pushed_ = false;   ///< a force of the user's drives from then on
};

}  // namespace

Outcome run_case(const Json& soak_case, const std::filesystem::path& folder, const Limits& limits,
                 const std::function<void(int)>& told) {
  return Run(soak_case, folder, limits).go(told);
}

}  // namespace pliant::soak
