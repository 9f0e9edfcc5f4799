// SPDX-License-Identifier: Apache-2.0
#include "pliant/view/history.hpp"

namespace pliant::view {

std::size_t Edit::bytes() const {
  std::size_t sum = 0;
  for (const auto* states : {&states_before, &states_after})
    for (const auto& [name, state] : *states) sum += state.size();
  for (const auto* holds : {&holds_before, &holds_after})
    for (const auto& [name, of] : *holds) sum += of.bytes();
  return sum;
}

void History::add(Edit edit) {
  entries_.resize(done_);
  if (!edit.gesture.empty() && !entries_.empty() && entries_.back().gesture == edit.gesture) {
    Edit& last = entries_.back();
    last.label = std::move(edit.label);
    last.after = std::move(edit.after);
    last.states_after = std::move(edit.states_after);
    last.holds_after = std::move(edit.holds_after);
    return;
  }
  edit.serial = ++last_serial_;
  entries_.push_back(std::move(edit));
  std::size_t sum = 0;
  for (const Edit& entry : entries_) sum += entry.bytes();
  while (entries_.size() > 1 && (entries_.size() > most_entries || sum > most_bytes)) {
    sum -= entries_.front().bytes();
    entries_.pop_front();
  }
  done_ = entries_.size();
}

void History::close_gesture() {
  if (done_ > 0) entries_[done_ - 1].gesture.clear();
}

void History::clear() {
  entries_.clear();
  done_ = 0;
}

nlohmann::json History::json() const {
  return {{"undo", can_undo() ? nlohmann::json(undone().label) : nlohmann::json()},
          {"redo", can_redo() ? nlohmann::json(redone().label) : nlohmann::json()}};
}

}  // namespace pliant::view
