// SPDX-License-Identifier: Apache-2.0
// Changes that take time: one is built, others wait behind it.
#include "pliant/view/free_memory.hpp"
#include "pliant/view/loop.hpp"
#include "pliant/view/messages.hpp"

namespace pliant::view {

bool Loop::wait_in_line(Incoming& in) {
  if (line_.empty() && !build_) return false;
  const Command* command = find_command(in.call.cmd);
  if (!command || !command->waits_for_build) return false;
  // a slider that is still dragged: the newest value is enough
  for (Incoming& other : line_)
    if (replaces_waiting(other.call, in.call)) {
      answer(other, {.done = Json{{"replaced", true}}});
      other = std::move(in);
      return true;
    }
  line_.push_back(std::move(in));
  return true;
}

void Loop::begin_build(Incoming in, Rebuild rebuild) {
  build_ = Build{std::move(in), std::make_shared<const Rebuild>(std::move(rebuild)), Ticks::now()};
  builder_.prepare();
  tell_progress("starting", 0);
  // by a manual clock it is built in the next turn: one step goes on with the old bodies
  if (options_.clock == Clock::realtime) builder_.begin(build_->rebuild, world_.cache(), world_.threads());
}

void Loop::tell_progress(const std::string& stage, double fraction) {
  const double spent = Seconds(Ticks::now() - build_->began).count();
  Json eta;
  if (fraction > 0.05 && fraction < 1) eta = spent * (1 - fraction) / fraction;
  send(everyone, build_message(build_->rebuild->change.body, stage, fraction, eta, true));
}

void Loop::look_after_build() {
  if (!build_) return next_in_line();
  if (options_.clock == Clock::manual)
    builder_.build_here(*build_->rebuild, world_.cache(), world_.threads());
  if (const auto progress = builder_.take_progress()) tell_progress(progress->stage, progress->fraction);
  if (std::optional<Parts> parts = builder_.take_parts()) finish_build(std::move(*parts));
}

void Loop::finish_build(Parts parts) {
  const Build done = std::move(*build_);
  build_.reset();
  const std::vector<std::string> notes = parts.notes;
  const Outcome<Json> result = world_.finish(*done.rebuild, std::move(parts));
  give_back_free_memory();  // of bodies that were replaced
  send(everyone, build_message(done.rebuild->change.body, result ? "done" : "failed", 1, 0, false));
  if (result) {
    for (const std::string& note : notes)
      send(everyone, event_message("info", "note", world_.step(), note, ""));
    if (done.rebuild->change.whole) transport_changed_ = true;
    answer(done.in, {.done = *result.value});
  } else {
    answer(done.in, {.refused = result.refusal});
  }
  next_in_line();
}

void Loop::next_in_line() {
  while (!build_ && !line_.empty()) {
    Incoming in = std::move(line_.front());
    line_.pop_front();
    std::deque<Incoming> rest = std::exchange(line_, {});  // so that it does not queue behind itself
    execute(std::move(in));
    line_.insert(line_.end(), std::make_move_iterator(rest.begin()), std::make_move_iterator(rest.end()));
  }
}

void Loop::nobody_waits(int client) {
  for (Incoming& other : line_) other.gone |= other.call.client == client;
  if (build_) build_->in.gone |= build_->in.call.client == client;
}

}  // namespace pliant::view
