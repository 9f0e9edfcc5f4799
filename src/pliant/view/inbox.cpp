// SPDX-License-Identifier: Apache-2.0
#include "pliant/view/inbox.hpp"

#include <fmt/format.h>

namespace pliant::view {
namespace {

constexpr double patience = 0.02;  // s, that a command may wait for the next step

}  // namespace

int Inbox::join(bool read_only) {
  int id = 0;
  {
    const std::lock_guard lock(mutex_);
    id = next_page_++;
    pages_[id] = {.read_only = read_only, .wants = only(Channel::surface)};
    pages_changed_ = true;
  }
  called_.notify_all();
  return id;
}

void Inbox::leave(int client) {
  {
    const std::lock_guard lock(mutex_);
    if (pages_.erase(client) == 0) return;
    commands_.push_back({{client, "leave", Json::object()}, 0, true});
    pages_changed_ = true;
  }
  called_.notify_all();
}

int Inbox::clients() const {
  const std::lock_guard lock(mutex_);
  return int(pages_.size());
}

void Inbox::begin() {
  if (!waiting_.exchange(false)) return;
  {
    const std::lock_guard lock(mutex_);
    publish_ = true;
  }
  called_.notify_all();
}

std::optional<Refusal> Inbox::put(Incoming command) {
  {
    const std::lock_guard lock(mutex_);
    const auto at = pages_.find(command.call.client);
    if (at == pages_.end() || stopping_) return std::nullopt;
    if (at->second.read_only) return Refusal{"read_only", "this page only watches"};
    if (at->second.waiting >= most_waiting)
      return Refusal{"too_many", fmt::format("{} commands wait already", most_waiting)};
    ++at->second.waiting;
    commands_.push_back(std::move(command));
  }
  called_.notify_all();
  return std::nullopt;
}

void Inbox::want(int client, Channels channels) {
  {
    const std::lock_guard lock(mutex_);
    const auto at = pages_.find(client);
    if (at == pages_.end()) return;
    Channels before = 0;
    for (const auto& [id, page] : pages_) before |= page.wants;
    if (channels & ~before) publish_ = true;
    at->second.wants = channels;
  }
  called_.notify_all();
}

Inbox::Batch Inbox::take() {
  Batch batch;
  const std::lock_guard lock(mutex_);
  batch.commands.swap(commands_);
  batch.pages_changed = std::exchange(pages_changed_, false);
  batch.publish = std::exchange(publish_, false);
  batch.pages = pages_.size();
  for (auto& [id, page] : pages_) {
    page.waiting = 0;
    batch.wanted |= page.wants;
  }
  return batch;
}

bool Inbox::sleep(const std::optional<Ticks::time_point>& step_due, const std::function<bool()>& news) {
  std::unique_lock lock(mutex_);
  const auto called = [&] { return stopping_ || publish_ || pages_changed_ || !commands_.empty() || news(); };
  called_.wait(lock, [&] { return visitors_.load() == 0 || stopping_; });
  if (stopping_) return false;
  if (!step_due) {
    called_.wait(lock, [&] { return called() || visitors_.load() > 0; });
  } else if (const auto now = Ticks::now(); now < *step_due) {
    if (Seconds(*step_due - now).count() <= patience)
      called_.wait_until(lock, *step_due, [&] { return stopping_; });
    else
      called_.wait_until(lock, *step_due, called);
  }
  return !stopping_;
}

/// The lock makes sure that the loop either sees what changed or is asleep already.
void Inbox::wake() {
  { const std::lock_guard lock(mutex_); }
  called_.notify_all();
}

void Inbox::visitor_goes() {
  visitors_.fetch_sub(1);
  wake();
}

void Inbox::stop() {
  {
    const std::lock_guard lock(mutex_);
    stopping_ = true;
  }
  called_.notify_all();
}

bool Inbox::stopped() const {
  const std::lock_guard lock(mutex_);
  return stopping_;
}

}  // namespace pliant::view
