// SPDX-License-Identifier: Apache-2.0
// What can be undone: edits of the scene, one stack for all pages. The motion in between is not an edit.
#pragma once

#include <deque>
#include <map>
#include <nlohmann/json.hpp>
#include <string>
#include <vector>

#include "pliant/view/holds.hpp"

namespace pliant::view {

/// An edit as two scenes without pins and handles, and what it changed besides, by the name of the body:
/// states (empty where motion goes on through the edit), pins and handles. The state named "" is that of the
/// whole simulation, clock included.
struct Edit {
  std::uint64_t serial = 0;  ///< set by the history; 0 = no entry
  std::string label;         ///< "Stiffness 1e5 -> 2e5"
  std::string gesture;       ///< further edits of this gesture belong to the entry; empty: it is closed
  nlohmann::json before, after;
  std::map<std::string, std::vector<std::byte>> states_before, states_after;
  Holds holds_before, holds_after;

  std::size_t bytes() const;
};

class History {
 public:
  static constexpr std::size_t most_entries = 64;
  static constexpr std::size_t most_bytes = std::size_t(256) << 20;

  /// A new edit; what was undone is forgotten. An edit of the same open gesture grows the last entry.
  void add(Edit edit);
  void close_gesture();
  void clear();

  bool can_undo() const { return done_ > 0; }
  bool can_redo() const { return done_ < entries_.size(); }
  const Edit& undone() const { return entries_[done_ - 1]; }  ///< what an undo takes back
  const Edit& redone() const { return entries_[done_]; }      ///< what a redo does again
  Edit& undone() { return entries_[done_ - 1]; }
  std::uint64_t undone_serial() const { return can_undo() ? undone().serial : 0; }
  std::uint64_t redone_serial() const { return can_redo() ? redone().serial : 0; }
  void step_back() { --done_; }
  void step_forward() { ++done_; }

  /// {undo: label or null, redo: label or null}
  nlohmann::json json() const;

 private:
  std::deque<Edit> entries_;
  std::size_t done_ = 0;
  std::uint64_t last_serial_ = 0;
};

}  // namespace pliant::view
