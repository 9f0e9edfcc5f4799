// SPDX-License-Identifier: Apache-2.0
#include "pliant/view/refusal.hpp"

namespace pliant::view {

nlohmann::json Refusal::json() const {
  nlohmann::json out{{"code", code}, {"message", message}};
  if (!where.empty()) out["where"] = where;
  if (!nearest.empty()) out["nearest"] = nearest;
  if (!advice.empty()) out["advice"] = advice;
  return out;
}

Refusal refusal_of(const Error& error, std::string code) {
  Refusal refusal{.code = std::move(code), .message = error.text()};
  if (!error.problems.empty()) {
    refusal.where = error.problems.front().place;
    refusal.advice = error.problems.front().hint;
  }
  return refusal;
}

void refuse(std::string code, std::string message, std::string advice, std::string where,
            std::string nearest) {
  throw Refused{
      {std::move(code), std::move(message), std::move(where), std::move(nearest), std::move(advice)}};
}

}  // namespace pliant::view
