// SPDX-License-Identifier: Apache-2.0
// `pliant view` as a process.
#include <gtest/gtest.h>

#include <nlohmann/json.hpp>

#include "tests/cli/command.hpp"
#include "tests/support/child_process.hpp"
#include "tests/support/page_client.hpp"
#include "tests/support/places.hpp"

namespace pliant {
namespace command_test {

const std::string command = build_folder() + "/pliant";

PageAddress address_of(ChildProcess& server) { return PageAddress::parse(server.line(120000)); }

int steps_of(const PageAddress& address) {
  const nlohmann::json health = nlohmann::json::parse(http_get(address, "health").body, nullptr, false);
  return health.is_object() ? health.value("step", 0) : 0;
}

TEST(ViewCommand, prints_its_address_first_and_serves_there) {
  ChildProcess server({command, "view", "geometric/bar", "--threads", "1"});
  const PageAddress address = address_of(server);
  ASSERT_GT(address.port, 0);
  EXPECT_EQ(address.token.size(), 22u);
  EXPECT_EQ(http_get(address, "").status, 200);
  PageClient page(address);
  page.text(R"({"type":"hello"})");
  EXPECT_EQ(nlohmann::json::parse(page.receive().payload)["type"], "welcome");
  EXPECT_EQ(nlohmann::json::parse(page.receive().payload)["type"], "scene");
  SocketMessage message = page.receive();
  if (message.kind == SocketMessage::text) {  // who else looks may be told between
    EXPECT_EQ(nlohmann::json::parse(message.payload)["type"], "presence");
    message = page.receive();
  }
  EXPECT_EQ(message.kind, SocketMessage::binary);
}

TEST(ViewCommand, ends_with_exit_0_on_either_signal_also_with_pages_open) {
  for (const int signal : {SIGINT, SIGTERM}) {
    ChildProcess server({command, "view", "geometric/bar", "--threads", "1"});
    const PageAddress address = address_of(server);
    ASSERT_GT(address.port, 0);
    PageClient page(address);
    page.text(R"({"type":"hello"})");
    // METIS has a handler of its own for SIGTERM while it orders a matrix, in the first step.
    for (int k = 0; k < 500 && steps_of(address) < 2; ++k) page.receive(20);
    server.signal(signal);
    EXPECT_EQ(server.wait(20000), 0);
  }
}

TEST(ViewCommand, comes_back_at_the_same_address) {
  const std::string token = "0123456789abcdefABCDEF";
  int port = 0;
  for (int round = 0; round < 2; ++round) {
    ChildProcess server({command, "view", "geometric/bar", "--threads", "1", "--quiet", "--token", token,
                         "--port", std::to_string(port)});
    const PageAddress address = address_of(server);
    ASSERT_GT(address.port, 0);
    EXPECT_EQ(address.token, token);
    if (round == 1) {
      EXPECT_EQ(address.port, port);
    }
    port = address.port;
    PageClient page(address);
    EXPECT_TRUE(page.open());
    server.signal(SIGINT);
    EXPECT_EQ(server.wait(20000), 0);
  }
}

TEST(ViewCommand, names_wrong_arguments) {
  const CommandResult scene = run_pliant("view geometric/baar", "timeout 60");
  EXPECT_EQ(scene.exit, 2);
  EXPECT_TRUE(scene.says("geometric/bar")) << scene.output;
  const CommandResult token = run_pliant("view geometric/bar --token 1234", "timeout 60");
  EXPECT_EQ(token.exit, 2);
  EXPECT_TRUE(token.says("--token")) << token.output;
  const CommandResult port = run_pliant("view geometric/bar --port 70000", "timeout 60");
  EXPECT_EQ(port.exit, 2);
  EXPECT_TRUE(port.says("--port")) << port.output;
}

/// What the server answers to a command of a page.
nlohmann::json reply_to(PageClient& page, const std::string& text) {
  page.text(text);
  for (int k = 0; k < 500 && page.open(); ++k) {
    const SocketMessage message = page.receive(1000);
    if (message.kind != SocketMessage::text) continue;
    const nlohmann::json said = nlohmann::json::parse(message.payload);
    if (said["type"] == "reply") return said;
  }
  return {};
}

TEST(ViewCommand, starts_paused_when_it_is_told_to_and_goes_on_by_play) {
  ChildProcess server({command, "view", "geometric/bar", "--threads", "1", "--paused"});
  const PageAddress address = address_of(server);
  PageClient page(address);
  page.text(R"({"type":"hello","max_rate":0})");
  EXPECT_TRUE(reply_to(page, R"({"id":1,"cmd":"step","args":{"n":1}})").value("ok", false));
  const int before = steps_of(address);
  EXPECT_LE(before, 1) << "one step was asked for, and time stands";
  EXPECT_TRUE(reply_to(page, R"({"id":2,"cmd":"play"})").value("ok", false));
  for (int k = 0; k < 500 && steps_of(address) < before + 3; ++k) page.receive(20);
  EXPECT_GE(steps_of(address), before + 3);
}

TEST(ViewCommand, takes_meshes_up_to_the_size_that_was_given) {
  ChildProcess server({command, "view", "geometric/bar", "--threads", "1", "--paused", "--max-upload", "1"});
  const PageAddress address = address_of(server);
  const std::string mesh = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 2 3 4\nf 1 4 3\n";
  EXPECT_EQ(http_post(address, "mesh?name=a.obj", mesh).status, 200);
  const std::string large = mesh + "#" + std::string(std::size_t(1) << 20, 'x') + "\n";
  EXPECT_EQ(http_post(address, "mesh?name=a.obj", large).status, 413);
}

TEST(ViewCommand, is_ended_by_a_page_only_where_that_is_allowed) {
  for (const bool allowed : {false, true}) {
    std::vector<std::string> words{command, "view", "geometric/bar", "--threads", "1", "--paused"};
    if (allowed) words.push_back("--allow-shutdown");
    ChildProcess server(words);
    const PageAddress address = address_of(server);
    PageClient page(address);
    page.text(R"({"type":"hello","max_rate":0})");
    const nlohmann::json said = reply_to(page, R"({"id":1,"cmd":"shutdown"})");
    if (allowed) {
      EXPECT_EQ(server.wait(20000), 0);
    } else {
      EXPECT_EQ(said["error"]["code"], "not_supported") << said;
      EXPECT_EQ(http_get(address, "health").status, 200);
    }
  }
}

TEST(ViewCommand, gives_pictures_of_its_scenes_and_of_no_other_file) {
  ChildProcess server({command, "view", "geometric/bar", "--threads", "1"});
  const PageAddress address = address_of(server);
  const HttpReply picture = http_get(address, "thumb/creature.png");
  EXPECT_EQ(picture.status, 200);
  EXPECT_EQ(picture.body.substr(1, 3), "PNG");
  for (const char* name : {"../thumbs/creature", "..%2fthumbs%2fcreature", "./creature",
                           "geometric/../creature", "%2fetc%2fhostname", "creature.png%00"})
    EXPECT_EQ(http_get(address, std::string("thumb/") + name + ".png").status, 404) << name;
}

TEST(ViewCommand, keeps_nothing_of_a_message_that_is_too_large) {
  ChildProcess server({command, "view", "geometric/bar", "--threads", "1"});
  const PageAddress address = address_of(server);
  PageClient page(address);
  page.text(R"({"type":"hello","max_rate":0})");
  for (int k = 0; k < 100 && steps_of(address) < 2; ++k) page.receive(20);
  const long before = server.resident_kb();
  const std::string piece(1 << 20, 'x');
  page.frame(1, piece, false);
  for (int k = 0; k < 12; ++k) ASSERT_TRUE(page.frame(0, piece, false));
  EXPECT_GT(steps_of(address), 0) << "it has read what came before";
  EXPECT_LT(server.resident_kb() - before, 6000) << "kB more, after 13 MB that have no end";
  page.frame(0, "", true);
  std::string said;
  for (int k = 0; k < 200 && said.find("too_large") == said.npos && page.open(); ++k)
    said = page.receive(1000).payload;
  EXPECT_NE(said.find("too_large"), said.npos) << said;
}

TEST(ViewCommand, survives_a_flood_of_nonsense) {
  ChildProcess flood({build_folder() + "/tests/view_flood", command, "10000", "7"});
  const int exit = flood.wait(300000);
  std::string said;
  for (std::string row = flood.line(1000); !row.empty(); row = flood.line(1000)) said += row + "\n";
  EXPECT_EQ(exit, 0) << said;
  EXPECT_NE(said.find("10000 messages and requests"), said.npos) << said;
}

}  // namespace command_test
}  // namespace pliant
