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
  EXPECT_EQ(run_pliant("view geometric/bar --port 70000", "timeout 60").exit, 2);
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
