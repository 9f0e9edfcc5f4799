// SPDX-License-Identifier: Apache-2.0
// The loop around a world (view/world.hpp). One turn:
//
//   1. commands that came, in order; moves of the same thing that follow one another count as their last
//   2. a build that is finished is swapped in; the next one that waits begins
//   3. a step, when it is due
//   4. what happened is told, the newest state is shown
//
// A build runs in a thread of its own while the old bodies go on; changes that come meanwhile wait in a line,
// so that they are planned against the scene that they will meet.
#include "pliant/view/session.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <chrono>
#include <condition_variable>
#include <deque>
#include <fstream>
#include <mutex>
#include <thread>

#include "pliant/io/write_mesh.hpp"
#include "pliant/physics/metrics.hpp"
#include "pliant/scene/library.hpp"
#include "pliant/view/arguments.hpp"
#include "pliant/view/free_memory.hpp"
#include "pliant/view/publish.hpp"
#include "pliant/view/recording.hpp"
#include "pliant/view/uploads.hpp"
#include "pliant/view/world.hpp"

namespace pliant::view {
namespace {

using Ticks = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr std::size_t most_waiting = 256;
constexpr double snapshot_interval = 1.0 / 120;  // s
constexpr double idle_interval = 1;              // s, while nobody looks
constexpr double stats_interval = 0.1;           // s
constexpr int stats_steps = 6;                   // manual clock
constexpr std::size_t most_samples = 64;         // of a stats message
constexpr std::size_t most_rows = 36000;         // of the metrics, the oldest go
constexpr double patience = 0.02;                // s, that a command may wait for the next step

struct Incoming {
  int client = 0;
  std::uint32_t id = 0;
  std::string cmd;
  Json args;
  bool gone = false;  ///< the page left: nobody waits for a reply
};

struct Client {
  bool read_only = false;
  Channels wants = 0;
  std::size_t waiting = 0;  ///< commands in the inbox
};

/// Commands of which only the last of a run counts, and what tells two apart.
std::string mover_of(const Incoming& in) {
  const auto key = [&](const char* name) {
    return in.args.is_object() && in.args.contains(name) ? in.args[name].dump() : std::string();
  };
  if (in.cmd.rfind("grab.", 0) == 0) return fmt::format("grab {} {}", in.client, key("grab"));
  if (in.cmd.rfind("dent.", 0) == 0) return fmt::format("dent {} {}", in.client, key("dent"));
  if (in.cmd == "cage.move") return fmt::format("cage {} {}", in.client, key("body"));
  if (in.cmd.rfind("joint.", 0) == 0)
    return fmt::format("joint {} {} {}", in.client, key("body"), key("joint"));
  if (in.cmd == "handle.move") return fmt::format("handle {} {}", in.client, key("handle"));
  if (in.cmd == "option.set") return fmt::format("option {} {}", in.client, key("path"));
  return {};
}
bool only_last_counts(const Incoming& in) {
  if (in.cmd == "grab.move" || in.cmd == "dent.move" || in.cmd == "handle.move") return true;
  return in.cmd == "option.set" && in.args.is_object() && in.args.value("final", Json(true)) == false;
}

}  // namespace

struct Session::Parts {
  Parts(const SessionOptions& opts, SessionOutput out)
      : options(opts),
        output(std::move(out)),
        uploads(folder.path()),
        world({opts.threads, opts.libraries, [this](const std::string& id) { return uploads.file(id); }}),
        playing(opts.playing),
        waiting(opts.wait_for_page) {}
  ~Parts() { stop(); }

  // ---- any thread ------------------------------------------------------------------------------------

  int join(bool read_only) {
    int id = 0;
    {
      const std::lock_guard lock(inbox_mutex);
      id = next_client++;
      clients[id] = {.read_only = read_only, .wants = only(Channel::surface)};
      presence_changed = true;
    }
    wake.notify_all();
    return id;
  }
  void leave(int client) {
    {
      const std::lock_guard lock(inbox_mutex);
      if (clients.erase(client) == 0) return;
      inbox.push_back({client, 0, "leave", Json::object(), true});
      presence_changed = true;
    }
    wake.notify_all();
  }
  void begin() {
    if (!waiting.exchange(false)) return;
    {
      const std::lock_guard lock(inbox_mutex);
      publish_asked = true;
    }
    wake.notify_all();
  }
  void submit(int client, std::uint32_t id, std::string cmd, Json args) {
    begin();
    std::optional<Refusal> refused;
    {
      const std::lock_guard lock(inbox_mutex);
      const auto at = clients.find(client);
      if (at == clients.end() || stopping) return;
      if (at->second.read_only)
        refused = Refusal{"read_only", "this page only watches"};
      else if (at->second.waiting >= most_waiting)
        refused = Refusal{"too_many", fmt::format("{} commands wait already", most_waiting)};
      else {
        ++at->second.waiting;
        inbox.push_back({client, id, std::move(cmd), std::move(args), false});
      }
    }
    if (refused)
      reply(client, id, *refused);
    else
      wake.notify_all();
  }
  void want(int client, Channels channels) {
    {
      const std::lock_guard lock(inbox_mutex);
      const auto at = clients.find(client);
      if (at == clients.end()) return;
      Channels before = 0;
      for (const auto& [id, other] : clients) before |= other.wants;
      if (channels & ~before) publish_asked = true;
      at->second.wants = channels;
    }
    wake.notify_all();
  }

  /// Lets the caller look at the world between two turns, before the next one begins.
  template <class Look>
  auto visit(Look&& look) {
    visitors.fetch_add(1);
    const std::lock_guard lock(world_mutex);
    struct Leave {
      Parts& parts;
      ~Leave() {
        parts.visitors.fetch_sub(1);
        parts.call();
      }
    } leave{*this};
    return look();
  }

  /// Wakes the loop. The lock makes sure that it either sees what changed or is asleep already.
  void call() {
    { const std::lock_guard lock(inbox_mutex); }
    wake.notify_all();
  }

  void stop() {
    {
      const std::lock_guard lock(inbox_mutex);
      stopping = true;
    }
    stop_build = true;
    wake.notify_all();
    if (thread.joinable()) thread.join();
    if (builder.joinable()) builder.join();
  }

  // ---- messages --------------------------------------------------------------------------------------

  void send(int client, const Json& message) const {
    if (output.message) output.message(client, message);
  }
  void reply(int client, std::uint32_t id, const Refusal& refusal) const {
    send(client, {{"type", "reply"}, {"id", id}, {"ok", false}, {"error", refusal.json()}});
  }
  void reply(int client, std::uint32_t id, const Json& result) const {
    Json message{{"type", "reply"}, {"id", id}, {"ok", true}, {"step", world.step() + 1}};
    if (!result.empty()) message["result"] = result;
    send(client, message);
  }
  void answer(const Incoming& in, const Action& action) {
    if (in.gone) {
      applied.erase(in.client);
      must_publish = true;
      return;
    }
    if (action.refused)
      reply(in.client, in.id, *action.refused);
    else
      reply(in.client, in.id, action.done.value_or(Json::object()));
    count_applied(in);
  }
  /// What a page asked for is done all the same when it left, but not told to it.
  void nobody_waits(int client) {
    for (Incoming& other : build_line) other.gone |= other.client == client;
    if (build) build->in.gone |= build->in.client == client;
  }
  void count_applied(const Incoming& in) {
    std::uint32_t& highest = applied[in.client];
    highest = std::max(highest, in.id);
    must_publish = true;
  }
  Json transport() const {
    return {{"type", "transport"},
            {"playing", playing},
            {"speed", speed},
            {"posing", world.posing()},
            {"recording", recording ? Json(recording->format()) : Json(false)}};
  }
  void tell_transport() {
    send(everyone, transport());
    renew_scene(false);
    must_publish = true;
  }
  void renew_scene(bool tell) {
    Json message = scene_json(world);
    message["transport"] = transport();
    message["transport"].erase("type");
    auto made = std::make_shared<const Json>(std::move(message));
    {
      const std::lock_guard lock(published_mutex);
      scene = made;
    }
    if (tell) send(everyone, *made);
  }

  // ---- commands --------------------------------------------------------------------------------------

  /// Those that are about the loop, not about the world.
  std::optional<Action> own_command(const Incoming& in) {
    const Arguments args(in.args);
    if (in.cmd == "play" || in.cmd == "pause") {
      playing = in.cmd == "play";
      world.go_on();
      steps_asked = 0;
    } else if (in.cmd == "step") {
      playing = false;
      world.go_on();
      steps_asked = args.whole_or("n", 1, 1, 1000);
    } else if (in.cmd == "speed") {
      speed = args.number("x", 1.0 / 256, 16);
    } else if (in.cmd == "record") {
      record(args);
    } else if (in.cmd == "build.cancel") {
      if (!build) refuse("not_supported", "nothing is being built");
      stop_build = true;
    } else if (in.cmd == "shutdown") {
      if (!options.allow_shutdown || !options.on_shutdown)
        refuse("not_supported", "this server does not take shutdown", "start it with --allow-shutdown");
      options.on_shutdown();
    } else {
      return std::nullopt;
    }
    transport_changed = true;
    return Action{.done = Json::object()};
  }

  void execute(Incoming in) {
    if (in.gone) nobody_waits(in.client);
    if (!build_line.empty() || build) {
      // changes wait for the build before them; what is done at once may pass
      if (needs_order(in)) {
        // a slider that is still dragged: the newest value is enough
        for (Incoming& other : build_line)
          if (only_last_counts(other) && mover_of(other) == mover_of(in)) {
            answer(other, {.done = Json{{"replaced", true}}});
            other = std::move(in);
            return;
          }
        build_line.push_back(std::move(in));
        return;
      }
    }
    try {
      if (const auto action = own_command(in)) return answer(in, *action);
    } catch (const Refused& refused) {
      return answer(in, {.refused = refused.refusal});
    }
    Action action = world.interpret({in.client, in.cmd, in.args});
    if (!action.change) {
      if (in.cmd == "pose" && action.done) transport_changed = true;
      return answer(in, action);
    }
    begin_build(std::move(in), std::move(*action.change));
  }
  /// Whether a command changes the document beyond live settings, or depends on what does.
  static bool needs_order(const Incoming& in) {
    static const char* const ordered[] = {"option.set",  "option.reset",  "method",      "body.add",
                                          "body.remove", "scene.load",    "undo",        "redo",
                                          "pin.set",     "pin.brush",     "pin.clear",   "handle.add",
                                          "handle.move", "handle.remove", "skeleton.set"};
    return std::any_of(std::begin(ordered), std::end(ordered),
                       [&](const char* name) { return in.cmd == name; });
  }

  // ---- builds ----------------------------------------------------------------------------------------

  struct Build {
    Incoming in;
    Rework change;
    BuildJob job;
    std::optional<view::Parts> made;  ///< under build_mutex while the builder runs
  };

  void begin_build(Incoming in, Rework change) {
    const Outcome<BuildJob> job = world.plan(change);
    if (!job) return answer(in, {.refused = job.refusal});
    build = std::make_unique<Build>(Build{std::move(in), std::move(change), *job.value, {}});
    stop_build = false;
    tell_build("starting", 0);
    if (options.clock == Clock::manual) return;  // built in the next turn: one goes on with the old bodies
    if (builder.joinable()) builder.join();
    builder = std::thread([this, job = build->job] {
      view::Parts made =
          build_parts(job, world.cache(), world.threads(), [this](const std::string& stage, double fraction) {
            {
              const std::lock_guard lock(build_mutex);
              progress = {stage, fraction};
              progress_new = true;
            }
            call();
            return !stop_build.load();
          });
      {
        const std::lock_guard lock(build_mutex);
        finished = std::move(made);
      }
      call();
    });
  }
  void tell_build(const std::string& stage, double fraction) {
    const Seconds spent = Ticks::now() - build_began;
    Json message{
        {"type", "build"}, {"stage", stage}, {"fraction", fraction}, {"eta_s", nullptr}, {"cancel", true}};
    message["body"] = build ? Json(build->change.body) : Json();
    if (fraction == 0) build_began = Ticks::now();
    if (fraction > 0.05 && fraction < 1) message["eta_s"] = spent.count() * (1 - fraction) / fraction;
    send(everyone, message);
  }
  void look_after_build() {
    if (!build) return next_in_line();
    if (options.clock == Clock::manual)
      finished = build_parts(build->job, world.cache(), world.threads(),
                             [this](const std::string&, double) { return !stop_build.load(); });
    std::optional<view::Parts> made;
    {
      const std::lock_guard lock(build_mutex);
      if (std::exchange(progress_new, false)) tell_build(progress.first, progress.second);
      made = std::exchange(finished, std::nullopt);
    }
    if (!made) return;
    if (builder.joinable()) builder.join();
    const std::unique_ptr<Build> done = std::move(build);
    if (stop_build) {
      made->trouble = Refusal{"build_failed", "the build was stopped"};
      made->stopped = true;
    }
    const std::vector<std::string> notes = made->notes;
    const Outcome<Json> result = world.finish(done->change, done->job, std::move(*made));
    give_back_free_memory();  // of bodies that were replaced
    send(everyone, {{"type", "build"},
                    {"body", done->change.body},
                    {"stage", result ? "done" : "failed"},
                    {"fraction", 1},
                    {"eta_s", 0},
                    {"cancel", false}});
    if (result) {
      for (const std::string& note : notes)
        send(everyone, {{"type", "event"},
                        {"level", "info"},
                        {"code", "note"},
                        {"body", nullptr},
                        {"step", world.step()},
                        {"message", note},
                        {"advice", ""}});
      answer(done->in, {.done = *result.value});
      if (done->change.whole) transport_changed = true;
    } else {
      answer(done->in, {.refused = result.refusal});
    }
    next_in_line();
  }
  void next_in_line() {
    while (!build && !build_line.empty()) {
      Incoming in = std::move(build_line.front());
      build_line.pop_front();
      std::deque<Incoming> rest = std::exchange(build_line, {});  // so that it does not queue behind itself
      execute(std::move(in));
      build_line.insert(build_line.end(), std::make_move_iterator(rest.begin()),
                        std::make_move_iterator(rest.end()));
    }
  }

  // ---- recording -------------------------------------------------------------------------------------

  void record(const Arguments& args) {
    if (!args.yes("on")) return stop_recording();
    if (recording) refuse("busy", "a recording runs already", "end it first");
    if (world.empty()) refuse("not_supported", "the scene has no body");
    const auto path = folder.path() / fmt::format("recording-{}", ++recordings);
    Outcome<std::unique_ptr<Recording>> made = Recording::begin(world, args.text_or("format", "glb"), path);
    if (!made) throw Refused{made.refusal};
    recorded.reset();
    recording = std::move(*made.value);
    recording->frame(world);
  }
  void stop_recording() {
    if (!recording) return;
    const std::optional<Refusal> trouble = recording->end();
    if (trouble)
      send(everyone, {{"type", "event"},
                      {"level", "error"},
                      {"code", trouble->code},
                      {"body", nullptr},
                      {"step", world.step()},
                      {"message", trouble->message},
                      {"advice", trouble->advice}});
    recorded = std::move(recording);
    transport_changed = true;
  }
  void record_step() {
    if (!recording) return;
    if (recording->epoch() != world.epoch()) {
      send(everyone, {{"type", "event"},
                      {"level", "warning"},
                      {"code", "recording_ended"},
                      {"body", nullptr},
                      {"step", world.step()},
                      {"message", "the recording ended because the model changed"},
                      {"advice", "record again"}});
      return stop_recording();
    }
    if (!recording->frame(world)) stop_recording();
  }

  // ---- a turn ----------------------------------------------------------------------------------------

  bool step_wanted() const {
    if (waiting || world.empty() || world.stopped() || !world.needs_advance()) return false;
    return world.posing() || playing || steps_asked > 0;
  }

  void turn(bool step_due) {
    const std::lock_guard lock(world_mutex);
    std::deque<Incoming> batch;
    bool presence = false;
    std::size_t pages = 0;
    {
      const std::lock_guard inbox_lock(inbox_mutex);
      batch.swap(inbox);
      for (auto& [id, client] : clients) client.waiting = 0;
      presence = std::exchange(presence_changed, false);
      must_publish |= std::exchange(publish_asked, false);
      wanted = 0;
      for (const auto& [id, client] : clients) wanted |= client.wants;
      pages = clients.size();
    }
    look_after_build();
    for (std::size_t i = 0; i < batch.size(); ++i) {
      if (i + 1 < batch.size() && skipped(batch, i)) {
        answer(batch[i], {.done = Json::object()});
        continue;
      }
      execute(std::move(batch[i]));
    }
    bool stepped = false;
    if (step_due && step_wanted()) {
      const auto begin = Ticks::now();
      stepped = world.advance();
      step_ms = Seconds(Ticks::now() - begin).count() * 1000;
      if (steps_asked > 0 && !world.posing()) --steps_asked;
      if (stepped) note_step(begin);
      if (world.stopped()) must_publish = true;
      if (!playing && steps_asked == 0) must_publish = true;
      record_step();
    }
    tell_happenings();
    if (std::exchange(transport_changed, false)) tell_transport();
    if (presence) send(everyone, {{"type", "presence"}, {"clients", pages}});
    const auto now = Ticks::now();
    // somebody looks, or at least the figures stay fresh
    const double interval = wanted != 0 ? snapshot_interval : idle_interval;
    const bool due =
        stepped &&
        (options.clock == Clock::manual ? wanted != 0 : Seconds(now - published_at).count() >= interval);
    if (must_publish || due) publish();
    tell_stats();
  }

  /// A later move of the same thing in the batch makes this one needless.
  static bool skipped(const std::deque<Incoming>& batch, std::size_t i) {
    if (!only_last_counts(batch[i])) return false;
    const std::string mover = mover_of(batch[i]);
    for (std::size_t k = i + 1; k < batch.size(); ++k) {
      if (batch[k].cmd == "undo" || batch[k].cmd == "redo" || batch[k].cmd == "pose") return false;
      if (mover_of(batch[k]) == mover) return batch[k].cmd == batch[i].cmd;
    }
    return false;
  }

  void tell_happenings() {
    bool structure = false, values = false;
    for (const Happening& happening : world.take_happenings()) {
      structure |= happening.kind == Happening::Kind::scene;
      values = true;
      if (happening.kind != Happening::Kind::scene) send(everyone, happening.message);
    }
    if (structure || values) renew_scene(structure);
    if (structure || values) must_publish = true;
  }

  void publish() {
    auto snapshot = std::make_shared<Snapshot>();
    if (!model || model->epoch != world.epoch()) model = make_model(world);
    snapshot->model = model;
    fill_snapshot(world, wanted, *snapshot);
    snapshot->step_ms = float(step_ms);
    snapshot->steps_per_second = float(rate_now());
    snapshot->paused = !playing;
    snapshot->recording = recording != nullptr;
    snapshot->applied = applied;
    snapshot->serial = ++serial;
    published_at = Ticks::now();
    must_publish = false;
    {
      const std::lock_guard lock(published_mutex);
      newest = std::move(snapshot);
    }
    if (output.snapshot) output.snapshot();
  }

  // ---- figures ---------------------------------------------------------------------------------------

  double rate_now() {
    const auto old = Ticks::now() - std::chrono::seconds(1);
    while (!step_times.empty() && step_times.front() < old) step_times.pop_front();
    rate = double(step_times.size());
    steps_done = world.step();
    return rate;
  }
  void note_step(Ticks::time_point begin) {
    step_times.push_back(begin);
    samples.push_back({world.step(), step_ms, {}});
    for (const Body& body : world.simulation().bodies()) samples.back().stages.push_back(body.report().ms);
    if (samples.size() > most_samples) samples.erase(samples.begin());
    steps_done = world.step();
  }
  void tell_stats() {
    const auto now = Ticks::now();
    const bool due = options.clock == Clock::manual ? int(samples.size()) >= stats_steps
                                                    : Seconds(now - told_stats).count() >= stats_interval;
    if (!due || samples.empty()) return;
    told_stats = now;
    Json message{{"type", "stats"},        {"step", Json::array()}, {"step_ms", Json::array()},
                 {"rate", rate_now()},     {"dropped", 0},          {"h", world.simulation().options().h},
                 {"bodies", Json::array()}};
    if (world.posing()) message["pose"] = world.pose_text();
    for (const Sample& sample : samples) {
      message["step"].push_back(sample.step);
      message["step_ms"].push_back(sample.ms);
    }
    for (std::size_t i = 0; i < world.pieces().size(); ++i) message["bodies"].push_back(body_stats(i));
    samples.clear();
    send(everyone, message);
  }
  /// Energies and volume are measured once a message: the last entry of their lists.
  Json body_stats(std::size_t i) {
    const Body& body = world.simulation().bodies()[i];
    Json stages{{"rotation", Json::array()},
                {"rhs", Json::array()},
                {"solve", Json::array()},
                {"contact", Json::array()}};
    Json gaps = Json::array();
    for (const Sample& sample : samples) {
      gaps.push_back(nullptr);
      if (i >= sample.stages.size()) continue;
      const StageTimes& ms = sample.stages[i];
      stages["rotation"].push_back(ms.rotation);
      stages["rhs"].push_back(ms.rhs);
      stages["solve"].push_back(ms.solve);
      stages["contact"].push_back(ms.contact);
    }
    const double kinetic = kinetic_energy(body.method().nodes()), elastic = body.method().elastic_energy();
    const std::optional<double> volume = body.volume_ratio();
    if (rows.size() == most_rows) rows.pop_front();
    rows.push_back(fmt::format("{},{},{},{:.4f},{},{},{}\n", world.step(), world.simulation().time(),
                               body.name(), step_ms, kinetic, elastic,
                               volume ? fmt::format("{}", *volume) : ""));
    Json out{
        {"id", i}, {"stages", std::move(stages)}, {"kinetic", gaps}, {"elastic", gaps}, {"volume", gaps}};
    out["kinetic"].back() = kinetic;
    out["elastic"].back() = elastic;
    out["volume"].back() = volume ? Json(*volume) : Json();
    out["contacts"] = body.report().contacts;
    out["active_rotations"] = body.report().active_rotations;
    return out;
  }

  // ---- the thread ------------------------------------------------------------------------------------

  void run() {
    auto due = Ticks::now();
    while (true) {
      bool step_due = false;
      {
        std::unique_lock lock(inbox_mutex);
        const auto called = [&] {
          return stopping || publish_asked || presence_changed || !inbox.empty() || build_news();
        };
        wake.wait(lock, [&] { return visitors.load() == 0 || stopping; });
        if (stopping) return;
        if (!wants_step.load()) {
          wake.wait(lock, [&] { return called() || visitors.load() > 0; });
          due = Ticks::now();
        } else {
          const auto now = Ticks::now();
          if (now < due && Seconds(due - now).count() <= patience)
            wake.wait_until(lock, due, [&] { return stopping; });
          else if (now < due)
            wake.wait_until(lock, due, called);
        }
        if (stopping) return;
        step_due = Ticks::now() >= due;
      }
      if (step_due) {
        const auto interval = std::chrono::duration_cast<Ticks::duration>(Seconds(interval_s.load()));
        due += interval;
        if (Ticks::now() > due) due = Ticks::now();  // slower than the clock: no debts
      }
      turn(step_due);
      interval_s = world.posing() ? 1.0 / 60 : world.simulation().options().h / speed;
      wants_step = step_wanted();
    }
  }
  bool build_news() {
    const std::lock_guard lock(build_mutex);
    return progress_new || finished.has_value();
  }

  const SessionOptions options;
  SessionOutput output;
  TemporaryFolder folder;
  Uploads uploads;
  Json shipped = Json::array();

  std::mutex world_mutex;  ///< held during a turn and a visit
  World world;
  bool playing = true;
  std::atomic<bool> waiting;  ///< for the first page
  double speed = 1;
  int steps_asked = 0;
  std::map<int, std::uint32_t> applied;
  bool must_publish = true, transport_changed = false;
  Channels wanted = 0;
  double step_ms = 0;
  std::uint64_t serial = 0;
  std::shared_ptr<const Model> model;
  Ticks::time_point published_at{}, told_stats{}, build_began{};
  std::deque<Ticks::time_point> step_times;
  struct Sample {
    std::uint32_t step = 0;
    double ms = 0;
    std::vector<StageTimes> stages;
  };
  std::vector<Sample> samples;
  std::deque<std::string> rows;

  std::unique_ptr<Build> build;
  std::deque<Incoming> build_line;
  std::unique_ptr<Recording> recording, recorded;
  int recordings = 0;

  mutable std::mutex inbox_mutex;
  std::condition_variable wake;
  std::map<int, Client> clients;
  int next_client = 1;
  std::deque<Incoming> inbox;
  bool presence_changed = false, publish_asked = false, stopping = false;

  std::mutex build_mutex;
  std::pair<std::string, double> progress;
  bool progress_new = false;
  std::optional<view::Parts> finished;
  std::atomic<bool> stop_build{false};

  mutable std::mutex published_mutex;
  std::shared_ptr<const Snapshot> newest;
  std::shared_ptr<const Json> scene;

  std::atomic<int> visitors{0};
  std::atomic<std::uint32_t> steps_done{0};
  std::atomic<double> rate{0}, interval_s{1.0 / 60};
  std::atomic<bool> wants_step{true};
  std::thread builder, thread;
};

Session::Session(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Session::~Session() = default;

namespace {

Json list_scenes(const std::vector<std::filesystem::path>& libraries) {
  Json out = Json::array();
  for (const ShippedScene& scene : shipped_scenes(libraries)) {
    Json methods = Json::array();
    if (const Result<ParsedScene> parsed = read_scene(scene.file.string(), {}))
      for (const BodySpec& body : parsed->spec.bodies)
        if (std::find(methods.begin(), methods.end(), body.method) == methods.end())
          methods.push_back(body.method);
    out.push_back(
        {{"name", scene.name}, {"description", scene.description}, {"methods", std::move(methods)}});
  }
  return out;
}

}  // namespace

Result<std::unique_ptr<Session>> Session::open(const std::string& scene, const SessionOptions& options,
                                               SessionOutput output) {
  auto parts = std::make_unique<Parts>(options, std::move(output));
  parts->shipped = list_scenes(options.libraries);
  if (!scene.empty()) {
    const Result<ParsedScene> parsed = read_scene(scene, options.libraries, options.sets);
    if (!parsed) return parsed.error();
    // what --set did wrong is told with the argument's name
    if (!parsed->readable || !parsed->problems.empty()) return parsed->error();
    Rework load;
    load.whole = Target{Json::parse(parsed->text), parsed->file, scene};
    const Outcome<Json> loaded = parts->world.change_now(load);
    if (!loaded)
      return Error{scene,
                   {{loaded.refusal.where, loaded.refusal.message, "a scene that can be built",
                     loaded.refusal.advice}}};
  }
  parts->world.take_happenings();
  parts->renew_scene(false);
  parts->publish();
  Parts& of = *parts;
  std::unique_ptr<Session> session(new Session(std::move(parts)));
  of.interval_s = of.world.simulation().options().h;
  of.wants_step = of.step_wanted();
  if (options.clock == Clock::realtime) of.thread = std::thread([&of] { of.run(); });
  return session;
}

int Session::join(bool read_only) { return parts_->join(read_only); }
void Session::leave(int client) { parts_->leave(client); }
int Session::clients() const {
  const std::lock_guard lock(parts_->inbox_mutex);
  return int(parts_->clients.size());
}
void Session::begin() { parts_->begin(); }
bool Session::waiting() const { return parts_->waiting; }
void Session::submit(int client, std::uint32_t id, std::string cmd, Json args) {
  parts_->submit(client, id, std::move(cmd), std::move(args));
}
void Session::want(int client, Channels channels) { parts_->want(client, channels); }

std::shared_ptr<const Snapshot> Session::newest() const {
  const std::lock_guard lock(parts_->published_mutex);
  return parts_->newest;
}
std::shared_ptr<const Json> Session::scene_message() const {
  const std::lock_guard lock(parts_->published_mutex);
  return parts_->scene;
}
const Json& Session::scene_list() const { return parts_->shipped; }

Outcome<Json> Session::upload(const std::string& name, const std::vector<std::byte>& bytes) {
  return parts_->uploads.add(name, bytes);
}

std::uint32_t Session::step() const { return parts_->steps_done; }
double Session::rate() const { return parts_->rate; }

bool Session::turn() {
  {
    const std::lock_guard lock(parts_->inbox_mutex);
    if (parts_->stopping) return false;
  }
  parts_->turn(true);
  return true;
}

void Session::stop() { parts_->stop(); }

// ---- downloads -------------------------------------------------------------------------------------------

namespace {

std::vector<std::byte> bytes_of(const std::string& text) {
  const auto* begin = reinterpret_cast<const std::byte*>(text.data());
  return {begin, begin + text.size()};
}

std::string file_name(const std::string& name, const std::string& otherwise) {
  const std::string last = name.substr(name.find_last_of('/') + 1);
  return std::filesystem::path(last.empty() ? otherwise : last).stem().string();
}

Outcome<Download> refused(std::string code, std::string message, std::string where = {},
                          std::string advice = {}) {
  return {{}, {std::move(code), std::move(message), std::move(where), {}, std::move(advice)}};
}

Outcome<Download> posed_mesh(const World& world, const std::string& body, const std::string& format,
                             const std::filesystem::path& folder) {
  std::size_t index = 0;
  const std::size_t count = world.pieces().size();
  if (!body.empty()) {
    if (body.size() > 6 || !std::all_of(body.begin(), body.end(), ::isdigit))
      return refused("bad_argument", "body must be a number", "body");
    index = std::stoul(body);
  }
  if (index >= count) return refused("bad_argument", "there is no such body", "body");
  const std::string ending = format.empty() ? "obj" : format;
  const Body& of = world.simulation().bodies()[index];
  const auto file = folder / ("posed." + ending);
  if (!can_write_mesh(file))
    return refused("not_supported", "a mesh is not saved as " + ending, "format", mesh_formats());
  if (const auto error =
          write_mesh(file, {of.name(), of.triangles(), of.rest_surface(), of.faces()}, of.surface()))
    return {{}, refusal_of(*error, "internal")};
  std::ifstream in(file, std::ios::binary);
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  std::error_code ignored;
  std::filesystem::remove(file, ignored);
  return {Download{of.name() + "." + ending, "application/octet-stream", bytes_of(text)}, {}};
}

}  // namespace

Outcome<Download> Session::save(const std::string& kind, const std::string& body, const std::string& format) {
  Parts& parts = *parts_;
  return parts.visit([&]() -> Outcome<Download> {
    const World& world = parts.world;
    const std::string name = file_name(world.target().name, "scene");
    if (kind == "scene")
      return {Download{name + ".json", "application/json", bytes_of(world.saved_scene().dump(2) + "\n")}, {}};
    if (kind == "session") {
      const std::string session = world.saved_session();
      if (session.empty())
        return refused("too_large",
                       "the session cannot be saved: too many commands, or no room in the folder of "
                       "temporary files",
                       {}, "load the scene again");
      return {Download{name + ".session.json", "application/json", bytes_of(session + "\n")}, {}};
    }
    if (kind == "mesh") return posed_mesh(world, body, format, parts.folder.path());
    if (kind == "metrics") {
      std::string text = "step,time,body,step_ms,kinetic,elastic,volume_ratio\n";
      for (const std::string& row : parts.rows) text += row;
      return {Download{name + ".csv", "text/csv", bytes_of(text)}, {}};
    }
    if (kind == "recording") {
      if (parts.recording) return refused("busy", "the recording still runs", {}, "end it first");
      if (!parts.recorded) return refused("not_supported", "nothing was recorded", {}, "record first");
      return parts.recorded->download();
    }
    return refused("not_supported", "there is no " + kind + " to save", "kind",
                   "scene, session, mesh, metrics or recording");
  });
}

}  // namespace pliant::view
