// SPDX-License-Identifier: Apache-2.0
#include "pliant/view/messages.hpp"

namespace pliant::view {

Json refused_reply(std::uint32_t id, const Refusal& refusal) {
  return {{"type", "reply"}, {"id", id}, {"ok", false}, {"error", refusal.json()}};
}

Json done_reply(std::uint32_t id, std::uint32_t step, const Json& result) {
  Json message{{"type", "reply"}, {"id", id}, {"ok", true}, {"step", step}};
  if (!result.empty()) message["result"] = result;
  return message;
}

Json event_message(const char* level, const std::string& code, std::uint32_t step, const std::string& message,
                   const std::string& advice) {
  return {{"type", "event"}, {"level", level},     {"code", code},    {"body", nullptr},
          {"step", step},    {"message", message}, {"advice", advice}};
}

Json build_message(const std::string& body, const std::string& stage, double fraction, const Json& eta,
                   bool cancel) {
  return {{"type", "build"},      {"body", body}, {"stage", stage},
          {"fraction", fraction}, {"eta_s", eta}, {"cancel", cancel}};
}

}  // namespace pliant::view
