// SPDX-License-Identifier: Apache-2.0
// From a snapshot to the bytes one page gets.
#pragma once

#include <cstdint>
#include <functional>
#include <map>
#include <string>
#include <utility>
#include <vector>

#include "pliant/view/snapshot.hpp"
#include "pliant/view/wire.hpp"

namespace pliant::view {

/// What a page asked for (`hello`, `view`).
struct PageWish {
  Channels channels = only(Channel::surface) | only(Channel::grabs);
  bool quantised = false;  ///< u16 positions
  double max_rate = 60;    ///< frames a second; 0 = the page is hidden
};

/// The messages of one page. Flags of nodes and vertices are sent when they change, so it remembers them.
class FrameMessages {
 public:
  /// The model of the snapshot, with all its channels. The frames after it begin anew.
  std::vector<std::uint8_t> model(const Snapshot& snapshot, int client, const PageWish& wish);
  /// Empty when the message would exceed wire::most_bytes even with 16-bit positions.
  std::vector<std::uint8_t> frame(const Snapshot& snapshot, int client, const PageWish& wish);

  std::uint32_t seq() const { return seq_; }  ///< of the last message
  /// The next frame holds every channel, also what did not change: after the page changed its wish.
  void renew() {
    sent_.clear();
    key_ = true;
  }

 private:
  wire::Header header(const Snapshot& snapshot, int client, wire::Kind kind);
  bool changed(std::uint16_t body, Channel channel, const std::vector<std::uint8_t>& bits);
  void body_blocks(wire::Writer& writer, const BodySnapshot& body, const PageWish& wish, bool quantised);

  std::uint32_t seq_ = 0;
  bool key_ = true;
  std::map<std::pair<std::uint16_t, Channel>, std::vector<std::uint8_t>> sent_;
};

/// The name of a channel in `hello` and `view`; nothing for a word that is none.
const std::map<std::string, Channel, std::less<>>& channel_names();

}  // namespace pliant::view
