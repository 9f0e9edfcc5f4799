// SPDX-License-Identifier: Apache-2.0
#include "pliant/view/page_flow.hpp"

#include <algorithm>
#include <utility>

namespace pliant::view {

void PageFlow::greet(int client, const PageWish& wish) {
  client_ = client;
  wish_ = wish;
}

void PageFlow::change_wish(const PageWish& wish) {
  // A channel the page did not have, or another format, is shown at once, also while the simulation stands.
  if (wish.channels != wish_.channels || wish.quantised != wish_.quantised) {
    messages_.renew();
    serial_.reset();
  }
  wish_ = wish;
  next_frame_ = {};
}

bool PageFlow::queue(SharedText text, bool droppable) {
  if (droppable && !texts_.empty()) {
    ++dropped_;
    return true;
  }
  queued_bytes_ += text->size();
  texts_.push_back(std::move(text));
  return queued_bytes_ <= most_queued_;
}

bool PageFlow::ack(std::uint32_t seq) {
  if (seq == 0 || seq > messages_.seq()) return false;
  if (seq == messages_.seq()) in_flight_ = false;
  return true;
}

std::chrono::nanoseconds PageFlow::waiting(FlowTime now) const {
  return in_flight_ ? now - sent_at_ : std::chrono::nanoseconds::zero();
}

std::optional<Outgoing> PageFlow::next(const Snapshot& newest, FlowTime now) {
  wake_.reset();
  if (!texts_.empty()) return next_text();
  if (!greeted() || in_flight_ || wish_.max_rate <= 0) return std::nullopt;
  return next_binary(newest, now);
}

Outgoing PageFlow::next_text() {
  Outgoing out{std::move(texts_.front()), {}};
  texts_.pop_front();
  queued_bytes_ -= out.text->size();
  return out;
}

std::optional<Outgoing> PageFlow::next_binary(const Snapshot& newest, FlowTime now) {
  const bool model = epoch_ != newest.epoch;
  if (!model && serial_ == newest.serial) return std::nullopt;
  if (unfit_ == newest.epoch) return std::nullopt;
  if (model && scene_ && newest.epoch > *scene_) return std::nullopt;
  if (!model && now < next_frame_) {
    wake_ = next_frame_;
    return std::nullopt;
  }
  Outgoing out;
  out.bytes = model ? messages_.model(newest, client_, wish_) : messages_.frame(newest, client_, wish_);
  if (out.bytes.empty()) {
    unfit_ = newest.epoch;
    tell_unfit_ = true;
    return std::nullopt;
  }
  if (model) {
    epoch_ = newest.epoch;
    serial_.reset();
  } else {
    serial_ = newest.serial;
    const auto interval =
        std::chrono::duration_cast<FlowTime::duration>(std::chrono::duration<double>(1 / wish_.max_rate));
    // On a grid, so that the simulation's jitter does not lower the rate; after a rest the grid begins anew.
    next_frame_ = std::max(next_frame_, now - interval / 2) + interval;
  }
  in_flight_ = true;
  sent_at_ = now;
  return out;
}

bool PageFlow::take_too_large() { return std::exchange(tell_unfit_, false); }

bool ErrorRate::add(FlowTime now) {
  while (!times_.empty() && now - times_.front() > window_) times_.pop_front();
  times_.push_back(now);
  return times_.size() >= most_;
}

}  // namespace pliant::view
