// SPDX-License-Identifier: Apache-2.0
// The server with a session that only moves when the test turns it.
#include "pliant/view/server.hpp"

#include <gtest/gtest.h>

#include <functional>
#include <thread>

#include "pliant/view/wire.hpp"
#include "tests/support/page_client.hpp"
#include "tests/support/temp_folder.hpp"

namespace pliant::view {
namespace server_test {

using nlohmann::json;

const char* const small_scene = R"({
  "bodies": [{"name": "bar", "shape": {"box": {"size": [2, 0.5, 0.5], "nodes": [9, 3, 3]}},
              "method": "geometric", "density": 1000,
              "pins": [{"select": {"box": [[-0.01, -1, -1], [0.01, 1, 1]]}}]}]
})";

/// A frame with the memory its blocks point into.
struct Frame {
  std::vector<std::uint8_t> bytes;
  wire::Message message;
  const wire::Header& header() const { return message.header; }
};

Frame decoded(const std::string& payload) {
  Frame frame{{payload.begin(), payload.end()}, {}};
  std::string why;
  const auto message = wire::read(frame.bytes, why);
  EXPECT_TRUE(message) << why;
  if (message) frame.message = *message;
  return frame;
}

class ServerTest : public ::testing::Test {
 protected:
  void start(ServerOptions options = {}) {
    auto server = Server::open(options);
    if (!server) throw std::runtime_error(server.error().text());
    server_ = std::move(*server);
    SessionOptions how;
    how.clock = Clock::manual;
    how.playing = false;
    auto session = Session::open(folder_.with("small.json", small_scene).string(), how, server_->output());
    if (!session) throw std::runtime_error(session.error().text());
    session_ = std::move(*session);
    server_->serve(*session_);
    address_ = PageAddress::parse(server_->address());
  }

  void TearDown() override {
    if (server_) server_->stop();
    if (session_) session_->stop();
  }

  /// The next message of this kind; the session turns meanwhile. Others are left out.
  SocketMessage next(PageClient& page, SocketMessage::Kind kind) {
    for (int round = 0; round < 20000; ++round) {
      session_->turn();
      SocketMessage message = page.receive(1);
      if (message.kind == SocketMessage::closed && kind != SocketMessage::closed)
        ADD_FAILURE() << "closed: " << message.code << " " << message.payload;
      if (message.kind == kind || message.kind == SocketMessage::closed) return message;
    }
    return {};
  }

  json next_text(PageClient& page, const std::string& type) {
    for (int other = 0; other < 200; ++other) {  // figures may come without end
      const SocketMessage message = next(page, SocketMessage::text);
      if (message.kind != SocketMessage::text) break;
      json content = json::parse(message.payload);
      if (content["type"] == type) return content;
    }
    ADD_FAILURE() << "no " << type;
    return json::object();
  }

  static void acknowledge(PageClient& page, const Frame& frame) {
    page.text(json{{"type", "ack"}, {"seq", frame.header().seq}}.dump());
  }

  /// Said hello, has scene, model and first frame, all acknowledged.
  std::unique_ptr<PageClient> live_page(const json& hello = {{"type", "hello"}}, int receive_buffer = 0) {
    auto page = std::make_unique<PageClient>(address_, "own", "pliant.1", receive_buffer);
    page->text(hello.dump());
    EXPECT_EQ(next_text(*page, "welcome")["type"], "welcome");
    for (int i = 0; i < 2; ++i) {
      const SocketMessage message = next(*page, SocketMessage::binary);
      EXPECT_EQ(message.kind, SocketMessage::binary);
      if (message.kind == SocketMessage::binary) acknowledge(*page, decoded(message.payload));
    }
    return page;
  }

  /// Until it holds or ten seconds have passed.
  static bool until(const std::function<bool()>& holds) {
    for (int round = 0; round < 2000 && !holds(); ++round)
      std::this_thread::sleep_for(std::chrono::milliseconds(5));
    return holds();
  }

  TempFolder folder_;
  std::unique_ptr<Server> server_;
  std::unique_ptr<Session> session_;
  PageAddress address_;
};

ServerOptions quick(std::function<void(ServerLimits&)> change) {
  ServerOptions options;
  change(options.limits);
  return options;
}

// ---- What a page gets

TEST_F(ServerTest, greets_with_welcome_scene_model_and_frame_in_this_order) {
  start();
  PageClient page(address_);
  EXPECT_EQ(page.handshake().headers.at("sec-websocket-accept"), "s3pPLMBiTxaQ9kYGzzhZRbK+xOo=");
  EXPECT_EQ(page.handshake().headers.at("sec-websocket-protocol"), "pliant.1");
  session_->turn();
  EXPECT_EQ(page.receive(200).kind, SocketMessage::nothing) << "nothing before hello";
  page.text(R"({"type":"hello"})");

  const SocketMessage first = page.receive(), second = page.receive(), third = page.receive();
  const json welcome = json::parse(first.payload), scene = json::parse(second.payload);
  EXPECT_EQ(welcome["type"], "welcome");
  EXPECT_EQ(welcome["protocol"], 1);
  EXPECT_EQ(welcome["read_only"], false);
  EXPECT_EQ(scene["type"], "scene");
  ASSERT_EQ(third.kind, SocketMessage::binary);
  const Frame model = decoded(third.payload);
  EXPECT_EQ(model.header().kind, wire::Kind::model);
  EXPECT_EQ(model.header().seq, 1u);
  EXPECT_EQ(scene["epoch"], model.header().epoch);
  const auto id = std::uint16_t(scene["bodies"][0]["id"]);
  ASSERT_TRUE(model.message.find(id, Channel::triangles));
  EXPECT_EQ(model.message.find(id, Channel::surface)->count, scene["bodies"][0]["vertices"]);

  acknowledge(page, model);
  const SocketMessage fourth = next(page, SocketMessage::binary);
  const Frame frame = decoded(fourth.payload);
  EXPECT_EQ(frame.header().kind, wire::Kind::frame);
  EXPECT_EQ(frame.header().epoch, model.header().epoch);
  EXPECT_TRUE(frame.header().flags & wire::paused);
  EXPECT_EQ(frame.message.find(id, Channel::surface)->count, model.message.find(id, Channel::surface)->count);
}

TEST_F(ServerTest, sends_the_next_frame_only_after_the_ack_and_then_the_newest) {
  start();
  const auto page = live_page();
  page->text(R"({"id":1,"cmd":"step","args":{"n":1}})");
  const Frame one = decoded(next(*page, SocketMessage::binary).payload);
  const std::uint64_t frames = server_->counters().frames;
  page->text(R"({"id":2,"cmd":"step","args":{"n":40}})");
  EXPECT_TRUE(until([&] { return session_->turn() && session_->step() >= one.header().step + 30; }));
  EXPECT_EQ(server_->counters().frames, frames) << "one in flight";
  for (SocketMessage message = page->receive(100); message.kind != SocketMessage::nothing;
       message = page->receive(100))
    EXPECT_EQ(message.kind, SocketMessage::text);
  const std::uint32_t newest = session_->newest()->step;
  acknowledge(*page, one);
  const SocketMessage after = page->receive();
  ASSERT_EQ(after.kind, SocketMessage::binary);
  EXPECT_EQ(decoded(after.payload).header().step, newest);
  EXPECT_EQ(decoded(after.payload).header().seq, one.header().seq + 1);
}

TEST_F(ServerTest, answers_a_grab_with_a_frame_at_most_one_step_later) {
  start();
  const auto page = live_page();
  page->text(R"({"id":1,"cmd":"play"})");
  ASSERT_TRUE(next_text(*page, "reply")["ok"].get<bool>());
  const json grab = {{"id", 7},
                     {"cmd", "grab.begin"},
                     {"args",
                      {{"epoch", session_->newest()->epoch},
                       {"grab", 1},
                       {"body", session_->newest()->bodies[0].id},
                       {"face", 0},
                       {"bary", {0.3, 0.3, 0.4}},
                       {"target", {0.0, 2.0, 0.0}},
                       {"softness", 0.5},
                       {"radius", 0}}}};
  // Two turns after the message came, no more: what is seen then is what a page sees.
  const std::uint64_t messages = server_->counters().messages;
  page->text(grab.dump());
  ASSERT_TRUE(until([&] { return server_->counters().messages > messages; }));
  session_->turn();
  session_->turn();
  std::optional<std::uint32_t> promised, shown;
  while (!(promised && shown)) {
    const SocketMessage message = page->receive();
    ASSERT_TRUE(message.kind == SocketMessage::text || message.kind == SocketMessage::binary);
    if (message.kind == SocketMessage::text) {
      const json content = json::parse(message.payload);
      if (content["type"] != "reply" || content["id"] != 7) continue;
      ASSERT_TRUE(content["ok"].get<bool>()) << content;
      promised = content["step"];
    } else {
      const Frame frame = decoded(message.payload);
      acknowledge(*page, frame);
      if (frame.header().applied < 7 || shown) continue;
      shown = frame.header().step;
      ASSERT_TRUE(frame.message.find(wire::whole_scene, Channel::grabs));
      EXPECT_EQ(frame.message.find(wire::whole_scene, Channel::grabs)->count, 1u);
    }
  }
  ASSERT_TRUE(promised && shown);
  EXPECT_LE(*shown, *promised + 1);
}

TEST_F(ServerTest, is_not_slowed_by_a_page_that_stops_reading) {
  start();
  PageClient stuck(address_);
  stuck.text(R"({"type":"hello"})");  // and never reads or acknowledges again
  const auto page = live_page();
  const std::uint64_t frames = server_->counters().frames;
  const std::uint32_t before = session_->step();
  page->text(R"({"id":1,"cmd":"step","args":{"n":300}})");
  std::uint64_t seen = 0;
  EXPECT_TRUE(until([&] {
    for (int i = 0; i < 20; ++i) session_->turn();
    for (SocketMessage message = page->receive(1); message.kind != SocketMessage::nothing;
         message = page->receive(1))
      if (message.kind == SocketMessage::binary) {
        ++seen;
        acknowledge(*page, decoded(message.payload));
      }
    return session_->step() == before + 300;
  }));
  EXPECT_EQ(session_->step(), before + 300) << "every turn made its step";
  EXPECT_GT(seen, 0u);
  EXPECT_LE(server_->counters().frames, frames + seen + 1) << "nothing is queued for the page that is stuck";
}

TEST_F(ServerTest, makes_no_snapshots_for_a_page_that_is_stuck_and_some_again_when_it_is_not) {
  start(quick([](ServerLimits& limits) { limits.stuck = std::chrono::milliseconds(100); }));
  PageClient page(address_);
  page.text(R"({"type":"hello"})");
  const Frame model = decoded(next(page, SocketMessage::binary).payload);
  page.text(R"({"id":1,"cmd":"play"})");
  ASSERT_TRUE(next_text(page, "reply")["ok"].get<bool>());
  std::this_thread::sleep_for(std::chrono::milliseconds(500));
  session_->turn();
  const std::uint64_t serial = session_->newest()->serial;
  for (int i = 0; i < 30; ++i) {
    session_->turn();
    std::this_thread::sleep_for(std::chrono::milliseconds(10));
  }
  EXPECT_LE(session_->newest()->serial, serial + 1);
  acknowledge(page, model);
  EXPECT_EQ(next(page, SocketMessage::binary).kind, SocketMessage::binary);
  EXPECT_TRUE(until([&] { return session_->turn() && session_->newest()->serial > serial + 1; }));
}

TEST_F(ServerTest, lets_several_pages_see_the_same_simulation_and_watchers_only_watch) {
  start();
  const auto one = live_page();
  const auto two = live_page({{"type", "hello"}, {"watch", true}, {"format", "u16"}});
  one->text(R"({"id":1,"cmd":"step","args":{"n":1}})");
  const Frame first = decoded(next(*one, SocketMessage::binary).payload);
  const Frame second = decoded(next(*two, SocketMessage::binary).payload);
  EXPECT_EQ(first.header().step, second.header().step);
  EXPECT_EQ(first.header().applied, 1u);
  EXPECT_EQ(second.header().applied, 0u);
  EXPECT_EQ(second.message.blocks[0].format, wire::Format::u16x3);
  two->text(R"({"id":1,"cmd":"reset"})");
  const json reply = next_text(*two, "reply");
  EXPECT_EQ(reply["error"]["code"], "read_only");
  EXPECT_EQ(server_->counters().pages, 2u);
}

TEST_F(ServerTest, says_goodbye_when_it_stops_and_the_port_is_free_again) {
  start();
  const auto page = live_page();
  server_->stop();
  const SocketMessage message = next(*page, SocketMessage::closed);
  EXPECT_EQ(message.kind, SocketMessage::closed);
  EXPECT_EQ(message.code, 1001);
  ServerOptions options;
  options.port = server_->port();
  options.token = address_.token;
  auto again = Server::open(options);
  ASSERT_TRUE(again) << again.error().text();
  EXPECT_EQ((*again)->address(), server_->address());
}

// ---- What a page may not do

TEST_F(ServerTest, answers_malformed_messages_and_goes_on) {
  start();
  const auto page = live_page();
  const auto error_of = [&](const std::string& text) {
    page->text(text);
    return std::string(next_text(*page, "error").value("code", ""));
  };
  EXPECT_EQ(error_of("{"), "bad_json");
  EXPECT_EQ(error_of("[]"), "bad_message");
  EXPECT_EQ(error_of(R"({"type":"hello"})"), "bad_message") << "said twice";
  EXPECT_EQ(error_of(R"({"type":"ack","seq":4000})"), "bad_message");
  EXPECT_EQ(error_of(std::string(100000, 'x')), "too_large");
  EXPECT_EQ(error_of(std::string(2000000, '[')), "too_large");
  page->frame(2, "bytes");
  EXPECT_EQ(next_text(*page, "error")["code"], "bad_message");
  page->text(R"({"id":3,"cmd":7})");
  EXPECT_EQ(next_text(*page, "reply")["error"]["code"], "bad_message");
  EXPECT_EQ(error_of(R"({"id":3,"cmd":"play"})"), "bad_message") << "ids rise";
  page->text(R"({"id":4,"cmd":"fly"})");
  EXPECT_EQ(next_text(*page, "reply")["error"]["code"], "unknown_command");
  page->text(R"({"id":5,"cmd":"step","args":{"n":1}})");
  EXPECT_TRUE(next_text(*page, "reply")["ok"].get<bool>());
}

TEST_F(ServerTest, takes_no_command_before_hello) {
  start();
  PageClient early(address_);
  early.text(R"({"id":1,"cmd":"play"})");
  EXPECT_EQ(next_text(early, "error")["code"], "bad_message");
  early.text(R"({"type":"hello"})");
  EXPECT_EQ(next_text(early, "scene")["transport"]["playing"], false) << "it was not done";
}

TEST_F(ServerTest, reads_a_message_in_pieces) {
  start();
  const auto page = live_page();
  page->frame(1, R"({"id":5,"cmd":)", false);
  page->frame(9, "a ping between");
  page->frame(0, R"("pau)", false);
  page->frame(0, R"(se"})", true);
  EXPECT_TRUE(next_text(*page, "reply")["ok"].get<bool>());
}

TEST_F(ServerTest, closes_after_a_hundred_bad_messages) {
  start();
  const auto page = live_page();
  for (int i = 0; i < 99; ++i) page->text("?");
  for (int i = 0; i < 99; ++i) ASSERT_EQ(next_text(*page, "error")["code"], "bad_json");
  page->text("?");
  const SocketMessage last = next(*page, SocketMessage::closed);
  EXPECT_EQ(last.code, 4400);
  EXPECT_TRUE(until([&] { return server_->counters().pages == 0; }));
  EXPECT_EQ(session_->clients(), 0);
}

TEST_F(ServerTest, closes_on_text_that_is_not_utf8) {
  start();
  const auto page = live_page();
  page->text("\xff\xfe");
  EXPECT_EQ(next(*page, SocketMessage::closed).kind, SocketMessage::closed);
  EXPECT_EQ(live_page()->open(), true) << "others are not concerned";
}

TEST_F(ServerTest, closes_a_page_that_says_no_hello) {
  start(quick([](ServerLimits& limits) { limits.hello = std::chrono::milliseconds(200); }));
  PageClient page(address_);
  ASSERT_TRUE(page.open());
  EXPECT_EQ(page.receive().code, 4408);
}

TEST_F(ServerTest, closes_a_page_that_does_not_answer_pings) {
  start(quick([](ServerLimits& limits) {
    limits.ping = std::chrono::milliseconds(100);
    limits.pong = std::chrono::milliseconds(400);
  }));
  const auto page = live_page(), polite = live_page();
  page->mute = true;
  EXPECT_TRUE(until([&] {
    page->receive(1);
    polite->receive(1);
    return !page->open();
  }));
  EXPECT_GT(page->pings, 0);
  for (int i = 0; i < 20; ++i) polite->receive(50);
  EXPECT_TRUE(polite->open());
}

TEST_F(ServerTest, closes_a_page_that_leaves_its_answers_unread) {
  start(quick([](ServerLimits& limits) { limits.queued_bytes = 20000; }));
  // What the sockets themselves hold comes on top: a small buffer keeps that small.
  const auto page = live_page({{"type", "hello"}}, 4096);
  for (int id = 1; id < 400000 && server_->counters().pages == 1; ++id)
    if (!page->text(R"({"id":)" + std::to_string(id) + R"(,"cmd":0})")) break;
  EXPECT_TRUE(until([&] { return server_->counters().pages == 0; }));
}

TEST_F(ServerTest, refuses_another_protocol_and_tells_both) {
  start();
  PageClient other(address_, "own", "pliant.9"), none(address_, "own", "");
  const SocketMessage answer = other.receive();
  EXPECT_EQ(answer.code, 4400);
  EXPECT_NE(answer.payload.find("pliant.1"), answer.payload.npos);
  EXPECT_NE(answer.payload.find("pliant.9"), answer.payload.npos);
  EXPECT_EQ(none.receive().code, 4400);
}

TEST_F(ServerTest, takes_eight_pages_and_tells_the_ninth) {
  start();
  std::vector<std::unique_ptr<PageClient>> pages;
  for (int i = 0; i < 8; ++i) pages.push_back(live_page());
  PageClient ninth(address_);
  EXPECT_EQ(ninth.receive().code, 4429);
  EXPECT_EQ(server_->counters().pages, 8u);
  pages.pop_back();
  ASSERT_TRUE(until([&] { return server_->counters().pages == 7; }));
  live_page();
}

TEST_F(ServerTest, takes_sixty_four_connections) {
  start();
  std::vector<std::unique_ptr<TcpClient>> crowd;
  for (int i = 0; i < 64; ++i) crowd.push_back(std::make_unique<TcpClient>(address_.port));
  ASSERT_TRUE(until([&] { return server_->counters().connections == 64; }));
  EXPECT_EQ(http_get(address_, "health").status, 0);
  EXPECT_LE(server_->counters().connections, 64u);
  crowd.clear();
  ASSERT_TRUE(until([&] { return server_->counters().connections == 0; }));
  EXPECT_EQ(http_get(address_, "health").status, 200);
}

// ---- Who may ask

TEST_F(ServerTest, refuses_pages_of_other_origins) {
  start();
  const std::string others[] = {"",
                                "null",
                                "http://evil.example",
                                "https://" + address_.host(),
                                "http://localhost:" + std::to_string(address_.port),
                                address_.origin() + "/",
                                "http://127.0.0.1",
                                "http://127.0.0.1:1"};
  for (const std::string& origin : others) {
    PageClient page(address_, origin);
    EXPECT_EQ(page.handshake().status, 403) << origin;
    EXPECT_TRUE(page.handshake().headers.count("sec-websocket-accept") == 0) << origin;
  }
  const std::string host = "Host: " + address_.host() + "\r\nContent-Length: 2\r\n";
  EXPECT_EQ(http_request(address_.port, "POST", address_.path("mesh?name=a.obj"), host, "v ").status, 403);
  EXPECT_EQ(http_request(address_.port, "POST", address_.path("mesh?name=a.obj"),
                         host + "Origin: http://evil.example\r\n", "v ")
                .status,
            403);
}

TEST_F(ServerTest, serves_nothing_without_the_token) {
  start();
  PageAddress wrong = address_;
  wrong.token[3] = wrong.token[3] == 'a' ? 'b' : 'a';
  for (const char* rest : {"", "index.html", "health", "save/scene", "thumb/creature.png", "ws", "mesh"}) {
    const HttpReply reply = http_get(wrong, rest);
    EXPECT_EQ(reply.status, 404) << rest;
    EXPECT_EQ(reply.body, "") << rest;
    EXPECT_EQ(reply.headers.count("set-cookie"), 0u);
  }
  const std::string token = address_.token;
  for (const std::string& other : {token.substr(0, token.size() - 1), token + "x", std::string()}) {
    wrong.token = other;
    EXPECT_EQ(http_get(wrong, "health").status, 404) << "a token of another length";
  }
  wrong.token = token;
  wrong.token.back() = wrong.token.back() == 'a' ? 'b' : 'a';
  EXPECT_EQ(http_post(wrong, "mesh?name=a.obj", "v 0 0 0").status, 404);
  EXPECT_EQ(PageClient(wrong).handshake().status, 404);
  const std::string host = "Host: " + address_.host() + "\r\n";
  for (const char* target : {"/", "/index.html", "/health", "/../", "*"})
    EXPECT_EQ(http_request(address_.port, "GET", target, host).status, 404) << target;
}

TEST_F(ServerTest, answers_only_to_its_own_name) {
  start();
  const auto status = [&](const std::string& head) {
    return http_request(address_.port, "GET", address_.path("health"), head).status;
  };
  const std::string port = std::to_string(address_.port);
  EXPECT_EQ(status("Host: 127.0.0.1:" + port + "\r\n"), 200);
  EXPECT_EQ(status("Host: localhost:" + port + "\r\n"), 200);
  EXPECT_EQ(status("Host: evil.example:" + port + "\r\n"), 421);
  EXPECT_EQ(status("Host: 127.0.0.1\r\n"), 421);
  EXPECT_EQ(status(""), 421);
  EXPECT_EQ(status("Host: localhost:" + port + "\r\nHost: evil.example\r\n"), 421);
}

// ---- HTTP

TEST_F(ServerTest, serves_the_page_with_its_headers) {
  start();
  for (const char* rest : {"", "index.html", "nothing-here"}) {
    const HttpReply reply = http_get(address_, rest);
    EXPECT_EQ(reply.status, std::string(rest) == "nothing-here" ? 404 : 200);
    EXPECT_EQ(reply.headers.at("cross-origin-opener-policy"), "same-origin");
    EXPECT_EQ(reply.headers.at("cross-origin-embedder-policy"), "require-corp");
    EXPECT_EQ(reply.headers.at("cross-origin-resource-policy"), "same-origin");
    EXPECT_EQ(reply.headers.at("x-content-type-options"), "nosniff");
    EXPECT_EQ(reply.headers.at("referrer-policy"), "no-referrer");
    EXPECT_EQ(reply.headers.at("cache-control"), "no-store");
    EXPECT_EQ(
        reply.headers.at("content-security-policy"),
        "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self' data: blob:; connect-src "
        "'self' ws://" +
            address_.host() + "; worker-src 'self'; frame-ancestors 'none'; base-uri 'none'");
  }
  const HttpReply index = http_get(address_, "");
  EXPECT_EQ(index.headers.at("content-type"), "text/html; charset=utf-8");
  EXPECT_NE(index.body.find("<html"), index.body.npos);
  const HttpReply head =
      http_request(address_.port, "HEAD", address_.path(), "Host: " + address_.host() + "\r\n");
  EXPECT_EQ(head.status, 200);
  EXPECT_EQ(head.headers.at("content-length"), std::to_string(index.body.size()));
  EXPECT_EQ(head.body, "");
}

TEST_F(ServerTest, tells_its_health) {
  start();
  const auto page = live_page();
  const HttpReply reply = http_get(address_, "health");
  const json health = json::parse(reply.body);
  EXPECT_EQ(health["ok"], true);
  EXPECT_EQ(health["step"], session_->step());
  EXPECT_EQ(health["clients"], 1);
}

TEST_F(ServerTest, refuses_odd_requests) {
  start();
  const std::string host = "Host: " + address_.host() + "\r\n",
                    origin = "Origin: " + address_.origin() + "\r\n";
  const auto status = [&](const std::string& method, const std::string& rest, const std::string& head) {
    return http_request(address_.port, method, address_.path(rest), host + head).status;
  };
  EXPECT_EQ(status("DELETE", "", ""), 405);
  EXPECT_EQ(status("GET", "ws", ""), 426);
  EXPECT_EQ(status("GET", "", "Content-Length: 5\r\n"), 400);
  EXPECT_EQ(status("GET", "", "X: " + std::string(20000, 'x') + "\r\n"), 431);
  EXPECT_EQ(status("POST", "mesh", origin), 411);
  EXPECT_EQ(status("POST", "mesh", origin + "Transfer-Encoding: chunked\r\n"), 411);
  EXPECT_EQ(status("POST", "other", origin + "Content-Length: 0\r\n"), 404);
  EXPECT_EQ(status("GET", "../../etc/passwd", ""), 404);
  EXPECT_EQ(status("GET", "thumb/../../../etc/passwd.png", ""), 404);
  TcpClient garbage(address_.port);
  garbage.send("\x16\x03\x01 no http at all\r\n\r\n");
  EXPECT_EQ(garbage.receive(5000).rfind("HTTP/1.1 400", 0), 0u);
}

TEST_F(ServerTest, takes_a_mesh_up_to_its_limit) {
  start(quick([](ServerLimits& limits) { limits.upload_bytes = 1000; }));
  const std::string tetrahedron = "v 0 0 0\nv 1 0 0\nv 0 1 0\nv 0 0 1\nf 1 3 2\nf 1 2 4\nf 1 4 3\nf 2 3 4\n";
  const HttpReply good = http_post(address_, "mesh?name=tetra.obj", tetrahedron);
  EXPECT_EQ(good.status, 200) << good.body;
  EXPECT_TRUE(json::parse(good.body).contains("upload")) << good.body;
  const HttpReply large = http_post(address_, "mesh?name=tetra.obj", tetrahedron + std::string(1000, ' '));
  EXPECT_EQ(large.status, 413);
  EXPECT_EQ(json::parse(large.body)["code"], "too_large");
  EXPECT_EQ(http_post(address_, "mesh?name=tetra.exe", tetrahedron).status, 415);
  const HttpReply bad = http_post(address_, "mesh?name=tetra.obj", "v 0 0\nnonsense");
  EXPECT_EQ(bad.status, 422);
  EXPECT_TRUE(json::parse(bad.body).contains("message")) << bad.body;
}

TEST_F(ServerTest, reads_two_files_at_a_time_and_says_so_to_the_third) {
  start();
  const std::string head = "POST " + address_.path("mesh?name=a.obj") +
                           " HTTP/1.1\r\nHost: " + address_.host() + "\r\nOrigin: " + address_.origin() +
                           "\r\nContent-Length: 100\r\n\r\nv 0 0";
  std::vector<std::unique_ptr<TcpClient>> slow;
  for (int k = 0; k < 2; ++k) {
    slow.push_back(std::make_unique<TcpClient>(address_.port));
    slow.back()->send(head);
  }
  HttpReply third;
  EXPECT_TRUE(until([&] {
    third = http_post(address_, "mesh?name=a.obj", "v 0 0");
    return third.status == 503;
  })) << third.status;
  EXPECT_EQ(json::parse(third.body, nullptr, false).value("code", ""), "busy");
  slow.clear();
  EXPECT_TRUE(until([&] { return http_post(address_, "mesh?name=a.obj", "v 0 0").status == 422; }));
}

TEST_F(ServerTest, gives_the_scene_as_a_file) {
  start();
  const HttpReply scene = http_get(address_, "save/scene");
  EXPECT_EQ(scene.status, 200) << scene.body;
  EXPECT_EQ(scene.headers.at("content-disposition").rfind("attachment; filename=\"", 0), 0u);
  EXPECT_TRUE(json::parse(scene.body).contains("bodies"));
  EXPECT_GE(http_get(address_, "save/nonsense").status, 400);
}

TEST_F(ServerTest, gives_pictures_of_scenes_it_is_given) {
  ServerOptions options;
  options.picture = [](std::string_view name) {
    return name == "geometric/bar" ? std::optional<std::string>("png") : std::nullopt;
  };
  start(options);
  const HttpReply picture = http_get(address_, "thumb/geometric/bar.png");
  EXPECT_EQ(picture.status, 200);
  EXPECT_EQ(picture.body, "png");
  EXPECT_EQ(picture.headers.at("content-type"), "image/png");
  EXPECT_EQ(http_get(address_, "thumb/other.png").status, 404);
}

TEST(Server, names_a_port_that_is_taken_and_a_token_that_is_weak) {
  auto first = Server::open({});
  ASSERT_TRUE(first);
  ServerOptions options;
  options.port = (*first)->port();
  const auto second = Server::open(options);
  ASSERT_FALSE(second);
  EXPECT_NE(second.error().text().find("--port"), std::string::npos);
  ServerOptions weak;
  weak.token = "1234";
  const auto third = Server::open(weak);
  ASSERT_FALSE(third);
  EXPECT_NE(third.error().text().find("--token"), std::string::npos);
}

}  // namespace server_test
}  // namespace pliant::view
