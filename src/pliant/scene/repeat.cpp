// SPDX-License-Identifier: Apache-2.0
#include "pliant/scene/repeat.hpp"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <string>

namespace pliant {
namespace {

/// 1: the body stands for itself.
int count_of(const Json& body) {
  if (!body.is_object() || !body.contains("repeat")) return 1;
  const Json& repeat = body["repeat"];
  if (!repeat.is_object() || !repeat.contains("count") || !repeat["count"].is_number_integer()) return 1;
  const auto count = repeat["count"].get<long long>();
  return count >= 1 && count <= most_repeated ? int(count) : 1;
}

int first_of(const Json& repeat) {
  const auto first = repeat.find("first");
  return first != repeat.end() && first->is_number_integer() ? first->get<int>() : 0;
}

std::string name_of(const Json& body) {
  const auto name = body.find("name");
  return name != body.end() && name->is_string() ? name->get<std::string>() : BodySpec{}.name;
}

constexpr std::string_view bodies_place = "bodies.";

/// The index of the body a problem is about, and where what comes after it begins; npos: it is about none.
std::size_t body_index(const std::string& place, std::size_t& end) {
  if (place.compare(0, bodies_place.size(), bodies_place) != 0) return std::string::npos;
  end = place.find_first_not_of("0123456789", bodies_place.size());
  end = std::min(end, place.size());
  const std::size_t digits = end - bodies_place.size();
  return digits == 0 || digits > 9 ? std::string::npos
                                   : std::stoul(place.substr(bodies_place.size(), digits));
}

}  // namespace

std::vector<RowMember> write_out_rows(Json& scene) {
  std::vector<RowMember> members;
  if (!scene.is_object() || !scene.contains("bodies") || !scene["bodies"].is_array()) return members;
  Json all = Json::array();
  const Json& listed = scene["bodies"];
  for (std::size_t i = 0; i < listed.size(); ++i) {
    const int count = count_of(listed[i]);
    for (int k = 0; k < count; ++k) {
      members.push_back({i, k > 0});
      all.push_back(listed[i]);
      if (count == 1) continue;
      Json& body = all.back();
      body["name"] = name_of(body) + "-" + std::to_string(k + 1);
      body["repeat"]["count"] = 1;
      body["repeat"]["first"] = first_of(body["repeat"]) + k;
    }
  }
  scene["bodies"] = std::move(all);
  return members;
}

Problems of_listed_bodies(Problems problems, const std::vector<RowMember>& members) {
  Problems out;
  for (Problem& problem : problems) {
    std::size_t end = 0;
    const std::size_t body = body_index(problem.place, end);
    if (body < members.size()) {
      if (members[body].copy) continue;
      problem.place =
          std::string(bodies_place) + std::to_string(members[body].listed) + problem.place.substr(end);
    }
    out.push_back(std::move(problem));
  }
  return out;
}

RowPlace place_in_row(const RepeatSpec& repeat) {
  const Mat3 turn = repeat.rotate.degrees == 0 ? Mat3(Mat3::Identity()) : rotation_matrix(repeat.rotate);
  RowPlace place;
  for (int k = 0; k < repeat.first; ++k) {
    place.turn = turn * place.turn;
    place.shift = turn * place.shift + repeat.translate;
  }
  return place;
}

}  // namespace pliant
