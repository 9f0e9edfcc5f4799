// SPDX-License-Identifier: Apache-2.0
// A session by hand: commands in, turns, what came out.
#pragma once

#include <gtest/gtest.h>
#include <unistd.h>

#include <filesystem>
#include <fstream>
#include <map>

#include "pliant/view/session.hpp"

namespace pliant::view::test {

using Json = nlohmann::json;

/// A bar of geometric nodes, held at one end; small, so that tests are quick.
inline Json bar_scene(const std::string& method = "geometric") {
  Json body{
      {"name", "bar"},
      {"shape", {{"box", {{"size", {1, 0.2, 0.2}}, {"nodes", {11, 3, 3}}}}}},
      {"method", method},
      {"damping", {{"mass", 1}}},
      {"pins", Json::array({{{"select", {{"halfspace", {{"point", {0, 0, 0}}, {"normal", {-1, 0, 0}}}}}}}})}};
  if (method == "cage") body["cage"] = {{"cells", {4, 1, 1}}};
  return {{"gravity", {0, 0, 0}}, {"bodies", Json::array({body})}};
}

class Driver {
 public:
  explicit Driver(const Json& scene, SessionOptions options = {}) {
    static int count = 0;
    folder_ = std::filesystem::temp_directory_path() /
              ("pliant-session-test-" + std::to_string(::getpid()) + "-" + std::to_string(++count));
    std::filesystem::create_directories(folder_);
    const auto file = folder_ / "scene.json";
    std::ofstream(file) << scene.dump();
    options.clock = Clock::manual;
    options.libraries.push_back(folder_);
    open(file.string(), options);
  }
  ~Driver() {
    session_.reset();
    std::filesystem::remove_all(folder_);
  }

  Session& session() { return *session_; }
  const std::filesystem::path& folder() const { return folder_; }
  int client() const { return client_; }

  /// Gives a command without a turn.
  std::uint32_t give(const std::string& cmd, Json args = Json::object(), int client = 0) {
    session_->submit(client ? client : client_, ++id_, cmd, std::move(args));
    return id_;
  }
  /// Gives a command and turns until its reply is there.
  Json tell(const std::string& cmd, Json args = Json::object(), int client = 0) {
    const std::uint32_t id = give(cmd, std::move(args), client);
    for (int turns = 0; turns < 100 && !replies_.contains(id); ++turns) session_->turn();
    EXPECT_TRUE(replies_.contains(id)) << cmd;
    return replies_[id];
  }
  /// The same; the command must be done.
  Json done(const std::string& cmd, Json args = Json::object()) {
    const Json reply = tell(cmd, std::move(args));
    EXPECT_TRUE(reply.value("ok", false)) << cmd << ": " << reply.dump();
    return reply;
  }
  std::string code(const std::string& cmd, Json args = Json::object()) {
    const Json reply = tell(cmd, std::move(args));
    return reply.value("ok", true) ? "" : reply["error"]["code"].get<std::string>();
  }
  void turns(int count) {
    for (int k = 0; k < count; ++k) session_->turn();
  }
  const Json* reply(std::uint32_t id) const {
    const auto at = replies_.find(id);
    return at == replies_.end() ? nullptr : &at->second;
  }
  std::size_t replies() const { return replies_.size(); }
  const std::vector<Json>& messages() const { return messages_; }
  int count(const std::string& type) const {
    int sum = 0;
    for (const Json& message : messages_) sum += message["type"] == type;
    return sum;
  }
  Json last(const std::string& type) const {
    for (auto at = messages_.rbegin(); at != messages_.rend(); ++at)
      if ((*at)["type"] == type) return *at;
    return nullptr;
  }
  std::shared_ptr<const Snapshot> shown() const { return session_->newest(); }
  Float3 vertex(std::size_t index, std::size_t body = 0) const {
    return shown()->bodies.at(body).surface.at(index);
  }

  /// The vertex of the first body that is furthest along x at rest, and a face at it with its weights.
  struct Tip {
    std::uint32_t vertex = 0;
    int face = 0;
    Json bary;
  };
  Tip tip() const {
    const ModelBody& body = shown()->model->bodies.front();
    Tip tip;
    for (std::uint32_t v = 0; v < body.surface.size(); ++v)
      if (body.surface[v][0] + 0.1f * body.surface[v][1] >
          body.surface[tip.vertex][0] + 0.1f * body.surface[tip.vertex][1])
        tip.vertex = v;
    for (std::size_t f = 0; f < body.triangles.size(); ++f)
      for (std::size_t c = 0; c < 3; ++c)
        if (body.triangles[f][c] == tip.vertex) {
          tip.face = int(f);
          tip.bary = {c == 0 ? 1 : 0, c == 1 ? 1 : 0, c == 2 ? 1 : 0};
        }
    return tip;
  }
  Json grab_args(int grab, const Json& target) const {
    const Tip at = tip();
    return {{"epoch", shown()->epoch}, {"grab", grab},    {"body", 0},
            {"face", at.face},         {"bary", at.bary}, {"target", target}};
  }
  std::string option_text(const std::string& path) const {
    for (const Json& option : (*session_->scene_message())["options"])
      if (option["path"] == path) return option["value"].dump();
    return "none";
  }
  std::string saved(const std::string& kind, const std::string& format = "") {
    const Outcome<Download> got = session_->save(kind, "", format);
    EXPECT_TRUE(got) << got.refusal.message;
    if (!got) return {};
    return {reinterpret_cast<const char*>(got.value->bytes.data()), got.value->bytes.size()};
  }

 private:
  void open(const std::string& scene, const SessionOptions& options) {
    SessionOutput output;
    output.message = [this](int, const Json& message) {
      messages_.push_back(message);
      if (message["type"] == "reply") {
        const auto id = message["id"].get<std::uint32_t>();
        EXPECT_FALSE(replies_.contains(id)) << "two replies to " << id;
        replies_[id] = message;
      }
    };
    auto opened = Session::open(scene, options, output);
    ASSERT_TRUE(opened) << opened.error().text();
    session_ = std::move(*opened);
    client_ = session_->join();
    session_->turn();
  }

  std::filesystem::path folder_;
  std::unique_ptr<Session> session_;
  int client_ = 0;
  std::uint32_t id_ = 0;
  std::map<std::uint32_t, Json> replies_;
  std::vector<Json> messages_;
};

}  // namespace pliant::view::test
