// SPDX-License-Identifier: Apache-2.0
// What one page gets next. A page is shown states, not a log: at most one binary message is on its way, its
// `ack` lets the newest snapshot go, and what came between is never seen. So a page costs one message of
// memory however slow it is. Texts wait in a short queue and go first, because replies and descriptions
// precede the frames that show them.
//
// No socket here, and no clock: the server gives the time.
#pragma once

#include <chrono>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "pliant/view/frame_message.hpp"

namespace pliant::view {

using FlowTime = std::chrono::steady_clock::time_point;
using SharedText = std::shared_ptr<const std::string>;

/// One WebSocket message for the page: a text or bytes.
struct Outgoing {
  SharedText text;
  std::vector<std::uint8_t> bytes;
  bool binary() const { return text == nullptr; }
};

class PageFlow {
 public:
  explicit PageFlow(std::size_t most_queued_bytes) : most_queued_(most_queued_bytes) {}

  /// The page said hello and is this client: binary messages may go.
  void greet(int client, const PageWish& wish);
  bool greeted() const { return client_ >= 0; }
  int client() const { return client_; }

  const PageWish& wish() const { return wish_; }
  void change_wish(const PageWish& wish);

  /// The scene message of this epoch was queued. The simulation shows a snapshot when it has said its scene, but the
  /// two come by different ways: a model that would overtake its scene waits.
  void tell_scene(std::uint32_t epoch) { scene_ = epoch; }

  /// False when more waits than a page may leave unread. A droppable text (statistics, progress: the next one
  /// says more) is dropped when others wait.
  bool queue(SharedText text, bool droppable);
  std::size_t queued_bytes() const { return queued_bytes_; }
  std::uint64_t dropped() const { return dropped_; }

  /// False when no such message was ever sent.
  bool ack(std::uint32_t seq);
  bool in_flight() const { return in_flight_; }
  /// The page has left a message unacknowledged for so long.
  std::chrono::nanoseconds waiting(FlowTime now) const;

  /// The next message, or nothing now. Then `wake` says when to ask again although nothing happens.
  std::optional<Outgoing> next(const Snapshot& newest, FlowTime now);
  std::optional<FlowTime> wake() const { return wake_; }

  /// A snapshot does not fit into a message: said once for each epoch.
  bool take_too_large();

 private:
  Outgoing next_text();
  std::optional<Outgoing> next_binary(const Snapshot& newest, FlowTime now);

  const std::size_t most_queued_;
  int client_ = -1;
  PageWish wish_;
  std::deque<SharedText> texts_;
  std::size_t queued_bytes_ = 0;
  std::uint64_t dropped_ = 0;

  FrameMessages messages_;
  bool in_flight_ = false;
  FlowTime sent_at_{}, next_frame_{};
  std::optional<FlowTime> wake_;
  std::optional<std::uint32_t> epoch_;   ///< of the model the page has
  std::optional<std::uint32_t> scene_;   ///< epoch of the newest scene message; none: nobody told
  std::optional<std::uint64_t> serial_;  ///< of the snapshot last shown
  std::optional<std::uint32_t> unfit_;   ///< epoch whose frames do not fit
  bool tell_unfit_ = false;
};

/// Counts malformed messages in a sliding window.
class ErrorRate {
 public:
  ErrorRate(int most, std::chrono::milliseconds window) : most_(std::size_t(most)), window_(window) {}
  /// One more; true when that is the one too many.
  bool add(FlowTime now);

 private:
  std::size_t most_;
  std::chrono::milliseconds window_;
  std::deque<FlowTime> times_;
};

}  // namespace pliant::view
