// SPDX-License-Identifier: Apache-2.0
// The messages of a session, as pages get them (docs/view-protocol.md). `scene` is in view/publish.hpp,
// `stats` in view/figures.hpp.
#pragma once

#include <nlohmann/json.hpp>

#include "pliant/view/refusal.hpp"

namespace pliant::view {

using Json = nlohmann::json;

Json refused_reply(std::uint32_t id, const Refusal& refusal);
/// step: that will contain the command.
Json done_reply(std::uint32_t id, std::uint32_t step, const Json& result);

Json event_message(const char* level, const std::string& code, std::uint32_t step, const std::string& message,
                   const std::string& advice);

/// eta: s; null: not known. cancel: whether it can be stopped.
Json build_message(const std::string& body, const std::string& stage, double fraction, const Json& eta,
                   bool cancel);

}  // namespace pliant::view
