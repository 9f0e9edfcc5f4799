// SPDX-License-Identifier: Apache-2.0
#include "pliant/view/loop.hpp"

#include "pliant/view/messages.hpp"
#include "pliant/view/publish.hpp"

namespace pliant::view {
namespace {

constexpr double snapshot_interval = 1.0 / 120;  // s
constexpr double idle_interval = 1;              // s, while nobody looks
constexpr double pose_interval = 1.0 / 60;       // s

}  // namespace

Loop::Loop(const SessionOptions& options, SessionOutput output, Uploads& uploads, Inbox& inbox,
           const std::filesystem::path& folder)
    : options_(options),
      output_(std::move(output)),
      inbox_(inbox),
      world_({options.threads, options.libraries,
              [&uploads](const std::string& id) { return uploads.file(id); }}),
      recordings_(folder, [this](const Json& message) { send(everyone, message); }),
      playing_(options.playing),
      builder_([&inbox] { inbox.wake(); }) {}

Outcome<Json> Loop::load(Target scene) { return world_.load_now(std::move(scene)); }

void Loop::show_first() {
  world_.take_happenings();
  renew_scene(false);
  publish();
}

// ---- a turn ----------------------------------------------------------------------------------------------

bool Loop::step_wanted() const {
  if (inbox_.waiting() || world_.empty() || world_.stopped() || !world_.needs_advance()) return false;
  return world_.posing() || playing_ || steps_asked_ > 0;
}

double Loop::interval() const {
  return world_.posing() ? pose_interval : world_.simulation().options().h / speed_;
}

void Loop::turn(bool step_due) {
  const std::lock_guard lock(mutex_);
  Inbox::Batch batch = inbox_.take();
  must_publish_ |= batch.publish;
  wanted_ = batch.wanted;
  look_after_build();
  for (std::size_t i = 0; i < batch.commands.size(); ++i) {
    if (is_replaced(batch.commands, i))
      answer(batch.commands[i], {.done = Json::object()});
    else
      execute(std::move(batch.commands[i]));
  }
  const std::uint32_t before = world_.step();
  if (step_due && step_wanted()) make_step();
  tell_happenings();
  if (std::exchange(transport_changed_, false)) tell_transport();
  if (batch.pages_changed) send(everyone, {{"type", "presence"}, {"clients", batch.pages}});
  // somebody looks, or at least the figures stay fresh
  const bool manual = options_.clock == Clock::manual;
  const double interval = wanted_ != 0 ? snapshot_interval : idle_interval;
  const bool due = manual ? wanted_ != 0 : Seconds(Ticks::now() - published_).count() >= interval;
  if (must_publish_ || (due && world_.step() != before)) publish();
  if (const std::optional<Json> stats = figures_.stats(world_, manual)) send(everyone, *stats);
}

void Loop::make_step() {
  const auto begin = Ticks::now();
  if (world_.advance()) figures_.note_step(world_, begin, Seconds(Ticks::now() - begin).count() * 1000);
  if (steps_asked_ > 0 && !world_.posing()) --steps_asked_;
  if (world_.stopped() || (!playing_ && steps_asked_ == 0)) must_publish_ = true;
  const bool recording = recordings_.running();
  recordings_.note_step(world_);
  transport_changed_ |= recording != recordings_.running();
}

// ---- commands --------------------------------------------------------------------------------------------

void Loop::execute(Incoming in) {
  if (in.gone) nobody_waits(in.call.client);
  if (wait_in_line(in)) return;
  Action action = act(in.call);
  if (action.rebuild) return begin_build(std::move(in), std::move(*action.rebuild));
  answer(in, action);
}

Action Loop::act(const Call& call) {
  const Command* command = find_command(call.cmd);
  Action action{.done = Json::object()};
  try {
    const Arguments args(call.args);
    if (!command) return {.refused = unknown_command(call.cmd)};
    if (command->loop)
      command->loop(*this, args);
    else
      action = interpret(world_, call);
  } catch (const Refused& refused) {
    return {.refused = refused.refusal};
  }
  if (action.done && command->tells_transport) transport_changed_ = true;
  return action;
}

void Loop::play(bool on) {
  playing_ = on;
  world_.go_on();
  steps_asked_ = 0;
}

void Loop::make_steps(int count) {
  playing_ = false;
  world_.go_on();
  steps_asked_ = count;
}

void Loop::cancel_build() {
  if (!build_) refuse("not_supported", "nothing is being built");
  builder_.cancel();
}

void Loop::shut_down() {
  if (!options_.allow_shutdown || !options_.on_shutdown)
    refuse("not_supported", "this server does not take shutdown", "start it with --allow-shutdown");
  options_.on_shutdown();
}

// ---- telling ---------------------------------------------------------------------------------------------

void Loop::send(int client, const Json& message) const {
  if (output_.message) output_.message(client, message);
}

void Loop::answer(const Incoming& in, const Action& action) {
  must_publish_ = true;
  const int client = in.call.client;
  if (in.gone) {
    applied_.erase(client);
    return;
  }
  send(client, action.refused ? refused_reply(in.id, *action.refused)
                              : done_reply(in.id, world_.step() + 1, action.done.value_or(Json::object())));
  std::uint32_t& highest = applied_[client];
  highest = std::max(highest, in.id);
}

Json Loop::transport() const {
  return {{"playing", playing_},
          {"speed", speed_},
          {"posing", world_.posing()},
          {"recording", recordings_.format()}};
}

void Loop::tell_transport() {
  Json message = transport();
  message["type"] = "transport";
  send(everyone, message);
  renew_scene(false);
  must_publish_ = true;
}

void Loop::renew_scene(bool tell) {
  Json message = scene_json(world_);
  message["transport"] = transport();
  const auto made = std::make_shared<const Json>(std::move(message));
  shown_.show(made);
  if (tell) send(everyone, *made);
}

void Loop::tell_happenings() {
  const std::vector<Happening> happenings = world_.take_happenings();
  if (happenings.empty()) return;
  bool structure = false;
  for (const Happening& happening : happenings) {
    if (happening.kind == Happening::Kind::scene)
      structure = true;
    else
      send(everyone, happening.message);
  }
  renew_scene(structure);
  must_publish_ = true;
}

void Loop::publish() {
  const auto snapshot = std::make_shared<Snapshot>();
  if (!model_ || model_->epoch != world_.epoch()) model_ = make_model(world_);
  snapshot->model = model_;
  fill_snapshot(world_, wanted_, *snapshot);
  snapshot->step_ms = float(figures_.step_ms());
  snapshot->steps_per_second = float(figures_.rate_now());
  snapshot->paused = !playing_;
  snapshot->recording = recordings_.running();
  snapshot->applied = applied_;
  snapshot->serial = ++serial_;
  published_ = Ticks::now();
  must_publish_ = false;
  shown_.show(std::shared_ptr<const Snapshot>(snapshot));
  if (output_.snapshot) output_.snapshot();
}

}  // namespace pliant::view
