// SPDX-License-Identifier: Apache-2.0
// Malformed and random messages and requests against a running `pliant view`, from a second process.
//
//   view_flood PLIANT COUNT [SEED]
//
// Starts the command, floods it while one page of good manners watches, and prints what it sent and what the
// server did. Exit 1 when the server died, the simulation stood still, its memory grew over the second half,
// or it did not end cleanly. A long flood must leave steps in every tenth; the tenths of a short one (less
// than 100000) may be over before a step is due, so that it must leave steps in all of them together.
#include <fmt/format.h>
#include <fmt/ranges.h>

#include <algorithm>
#include <chrono>
#include <cmath>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <memory>
#include <nlohmann/json.hpp>
#include <random>
#include <thread>
#include <vector>

#include "tests/support/child_process.hpp"
#include "tests/support/page_client.hpp"

namespace {

using namespace pliant;
using nlohmann::json;
using Random = std::mt19937_64;

/// Of resident memory at the end over that in the middle of the flood. A flood that got through makes bodies
/// and edits that are kept for undo, of many sizes: every tenth is measured with the first scene loaded
/// again, which forgets them. As the flood left it, memory holds them too, and may differ by more. A short
/// flood still meets much for the first time.
constexpr long long_flood = 100000, most_growth_kb = 2048, most_flooded_growth_kb = 4096,
               short_growth_kb = 16 * 1024;
constexpr long look_after_every = 50;  ///< messages, for the page that watches
constexpr int patience_ms = 30000;     ///< for a step, or a scene to be loaded

template <class T, std::size_t n>
const T& one_of(Random& random, const T (&choices)[n]) {
  return choices[random() % n];
}

std::string noise(Random& random, std::size_t most) {
  std::string out(random() % (most + 1), '\0');
  for (char& c : out) c = char(random());
  return out;
}

std::string printable(Random& random, std::size_t most) {
  std::string out(random() % (most + 1), '\0');
  for (char& c : out) c = char(32 + random() % 95);
  return out;
}

json any_value(Random& random, int depth) {
  switch (random() % (depth > 0 ? 12 : 9)) {
    case 0:
      return nullptr;
    case 1:
      return random() % 2 == 0;
    case 2:
      return int(random() % 10);
    case 3:
      return std::int64_t(random());
    case 4:
      return std::ldexp(double(random() % 1000) - 500, int(random() % 200) - 100);
    case 5:
      return printable(random, 12);
    case 6:
      return -1;
    case 7:
      return 1e308;
    case 8:
      return 0.25;
    case 9: {
      json list = json::array();
      for (std::size_t i = random() % 5; i > 0; --i) list.push_back(any_value(random, depth - 1));
      return list;
    }
    case 10:
      return json::array({0.1, 0.2, 0.7});
    default: {
      json object = json::object();
      for (std::size_t i = random() % 4; i > 0; --i)
        object[printable(random, 6)] = any_value(random, depth - 1);
      return object;
    }
  }
}

/// A command of the protocol with arguments by their names, most of them wrong.
json any_command(Random& random, std::uint32_t id) {
  static const char* const commands[] = {
      "play",         "pause",       "step",       "reset",       "speed",         "grab.begin",
      "grab.move",    "grab.end",    "dent.begin", "dent.move",   "dent.end",      "pin.set",
      "pin.brush",    "pin.clear",   "handle.add", "handle.move", "handle.remove", "cage.move",
      "joint.rotate", "joint.move",  "pose",       "option.set",  "option.reset",  "method",
      "body.add",     "body.remove", "scene.load", "undo",        "redo",          "record",
      "shutdown",     "nonsense",    "",           "grab"};
  static const char* const names[] = {"epoch",    "grab",      "body",  "face",     "bary",    "target",
                                      "softness", "radius",    "keep",  "vertices", "on",      "handle",
                                      "select",   "translate", "path",  "value",    "final",   "name",
                                      "upload",   "method",    "x",     "n",        "targets", "joint",
                                      "rotation", "format",    "units", "scale"};
  json args = json::object();
  for (std::size_t i = random() % 7; i > 0; --i) args[one_of(random, names)] = any_value(random, 3);
  // What is right often enough to get further inside.
  if (random() % 2) args["body"] = 0;
  if (random() % 2) args["epoch"] = 1;
  if (random() % 4 == 0) args["grab"] = 1 + random() % 4;
  json message = {{"id", id}, {"cmd", one_of(random, commands)}, {"args", args}};
  if (message["cmd"] == "step") message["args"] = {{"n", random() % 3}};
  return message;
}

std::string damaged(Random& random, std::string text) {
  for (std::size_t i = 1 + random() % 3; i > 0 && !text.empty(); --i) {
    const std::size_t at = random() % text.size();
    switch (random() % 3) {
      case 0:
        text[at] = char(32 + random() % 95);
        break;
      case 1:
        text.erase(at, 1 + random() % 8);
        break;
      default:
        text.insert(at, printable(random, 6));
    }
  }
  return text;
}

class Flood {
 public:
  Flood(PageAddress address, std::uint64_t seed) : address_(std::move(address)), random_(seed) {}

  void once() {
    if (random_() % 8 == 0)
      request();
    else
      message();
    ++sent_;
  }

  void tell() const {
    for (const auto& [what, count] : counts_) fmt::print("  {:<34} {:>8}\n", what, count);
  }

 private:
  void count(const std::string& what) { ++counts_[what]; }

  // ---- WebSocket

  void message() {
    if (!page_ || !page_->open()) connect();
    if (!page_->open()) return;
    switch (random_() % 10) {
      case 0:
        say("random bytes as text", 1, noise(random_, 300));
        break;
      case 1:
        say("random printable text", 1, printable(random_, 300));
        break;
      case 2:
        say("bytes", 2, noise(random_, 300));
        break;
      case 3:
      case 4:
        say("damaged command", 1, damaged(random_, any_command(random_, ++id_).dump()));
        break;
      case 5:
      case 6:
        say("command with random arguments", 1, any_command(random_, ++id_).dump());
        break;
      case 7:
        say("random JSON", 1, any_value(random_, 20).dump(-1, ' ', false, json::error_handler_t::replace));
        break;
      case 8:
        odd_frame();
        break;
      default:
        typed();
    }
    listen();
  }

  void connect() {
    page_ = std::make_unique<PageClient>(address_);
    count("WebSocket connections");
    id_ = 0;
    if (random_() % 10) page_->text(R"({"type":"hello","max_rate":60})");
  }

  void say(const std::string& what, int opcode, const std::string& payload) {
    count(what);
    page_->frame(opcode, payload);
  }

  void typed() {
    static const char* const types[] = {"hello", "ack", "view", "welcome", "frame", ""};
    json object = {{"type", one_of(random_, types)},
                   {"seq", any_value(random_, 1)},
                   {"channels", any_value(random_, 2)},
                   {"max_rate", any_value(random_, 1)}};
    if (random_() % 2) object.erase("channels");
    if (random_() % 2) object.erase("max_rate");
    say("hello, ack and view with nonsense", 1, object.dump(-1, ' ', false, json::error_handler_t::replace));
  }

  void odd_frame() {
    count("odd frames");
    switch (random_() % 6) {
      case 0:
        page_->frame(int(random_() % 16), noise(random_, 200));
        break;
      case 1:
        page_->frame(1, "not masked", true, false);
        break;
      case 2:
        page_->raw(noise(random_, 60));
        break;
      case 3:
        page_->raw(std::string("\x81\xff\x7f\xff\xff\xff\xff\xff\xff\xff", 10));
        break;  // 2^63 bytes follow
      case 4:
        page_->frame(1, std::string(70000 + random_() % 200000, '['));
        break;
      default:
        page_->frame(1, "{\"id\":", false);
    }
  }

  /// What the server says, as a page would take it; half of the time it is left unread.
  void listen() {
    if (random_() % 2) return;
    for (;;) {
      const SocketMessage got = page_->receive(0);
      if (got.kind == SocketMessage::nothing) return;
      if (got.kind == SocketMessage::closed) return count(fmt::format("closed by the server, {}", got.code));
      if (got.kind != SocketMessage::binary) continue;
      count("frames received");
      std::uint32_t seq = 0;
      if (got.payload.size() >= 12) std::memcpy(&seq, got.payload.data() + 8, 4);
      page_->text(fmt::format(R"({{"type":"ack","seq":{}}})", seq));
    }
  }

  // ---- HTTP

  void request() {
    switch (random_() % 8) {
      case 0:
        return raw("random bytes as request", noise(random_, 400) + "\r\n\r\n");
      case 1:
        return raw("damaged request", damaged(random_, head("GET", "health", "") + "\r\n"));
      case 2:
        return raw("endless header", "GET " + address_.path() + " HTTP/1.1\r\nX: " + std::string(20000, 'x'));
      case 3:
        return answered("wrong token", "GET", "/" + printable(random_, 22) + "/health", hosts());
      case 4:
        return answered("random path", "GET", address_.path(any_path()), hosts());
      case 5:
        return answered("random method", printable(random_, 6), address_.path("health"), hosts());
      case 6:
        return answered("mesh of random bytes", "POST", address_.path("mesh?name=a" + any_ending()),
                        hosts() + "Origin: " + address_.origin() + "\r\n", noise(random_, 500));
      default:
        return raw("body that never comes", head("POST", "mesh?name=a.obj",
                                                 "Origin: " + address_.origin() + "\r\nContent-Length: " +
                                                     std::to_string(random_() % 100000000) + "\r\n") +
                                                "\r\nv 0 0");
    }
  }

  std::string any_ending() {
    static const char* const endings[] = {".obj", ".ply", ".stl", ".off", ".glb", ".exe", ""};
    return one_of(random_, endings);
  }

  std::string any_path() {
    static const char* const heads[] = {"save/", "thumb/",           "assets/", "",
                                        "ws?",   "save/scene?body=", "..%2f",   "%00"};
    std::string path = one_of(random_, heads);
    for (const char c : printable(random_, 20)) path += c == ' ' ? '+' : c;
    return path;
  }

  std::string hosts() {
    return random_() % 10 ? "Host: " + address_.host() + "\r\n" : "Host: " + printable(random_, 20) + "\r\n";
  }

  std::string head(const std::string& method, const std::string& rest, const std::string& more) {
    return method + " " + address_.path(rest) + " HTTP/1.1\r\nHost: " + address_.host() + "\r\n" + more;
  }

  void raw(const std::string& what, const std::string& bytes) {
    count(what);
    TcpClient tcp(address_.port);
    tcp.send(bytes, 1000);
    if (random_() % 4 == 0) tcp.receive(20);
  }

  void answered(const std::string& what, const std::string& method, const std::string& target,
                std::string lines, const std::string& body = "") {
    count(what);
    if (!body.empty()) lines += "Content-Length: " + std::to_string(body.size()) + "\r\n";
    const HttpReply reply = http_request(address_.port, method, target, lines, body);
    count(fmt::format("HTTP {}", reply.status));
  }

  PageAddress address_;
  Random random_;
  std::unique_ptr<PageClient> page_;
  std::uint32_t id_ = 0;
  std::uint64_t sent_ = 0;
  std::map<std::string, std::uint64_t> counts_;
};

/// A page as it should be: it acknowledges what it gets and wants the motion. The flood beside it pauses,
/// removes the body and sets hours as time step; it plays again, and loads the scene again where there is
/// nothing left to play.
class Watcher {
 public:
  explicit Watcher(const PageAddress& address) : page_(address) {
    page_.text(R"({"type":"hello","max_rate":60})");
  }

  void look() {
    for (;;) {
      const SocketMessage got = page_.receive(0);
      if (got.kind == SocketMessage::nothing || got.kind == SocketMessage::closed) return;
      if (got.kind == SocketMessage::binary)
        acknowledge(got.payload);
      else
        hear(json::parse(got.payload, nullptr, false));
    }
  }

  void play() {
    command("pose", R"({"on":false})");
    command("speed", R"({"x":1})");
    command("option.reset", R"({"path":"timestep"})");
    command("play");
  }

  /// True when it is there.
  bool load() {
    command("scene.load", R"({"name":"geometric/bar"})");
    const std::uint32_t id = id_;
    for (int waited = 0; waited < patience_ms && open() && answered_ < id; waited += 10) {
      look();
      std::this_thread::sleep_for(std::chrono::milliseconds(10));
    }
    play();
    return answered_ >= id;
  }

  bool open() const { return page_.open(); }
  long frames() const { return frames_; }

 private:
  void hear(const json& message) {
    if (message.is_object() && message.value("type", "") == "reply" && message.value("ok", false))
      answered_ = std::max(answered_, message.value("id", std::uint32_t(0)));
  }
  void acknowledge(const std::string& message) {
    std::uint32_t seq = 0;
    if (message.size() < 12) return;
    std::memcpy(&seq, message.data() + 8, 4);
    ++frames_;
    page_.text(fmt::format(R"({{"type":"ack","seq":{}}})", seq));
  }
  void command(const char* name, const std::string& args = "{}") {
    page_.text(fmt::format(R"({{"id":{},"cmd":"{}","args":{}}})", ++id_, name, args));
  }

  PageClient page_;
  std::uint32_t id_ = 0, answered_ = 0;
  long frames_ = 0;
};

struct Health {
  bool ok = false;
  std::uint64_t step = 0;
};

Health health_of(const PageAddress& address) {
  const HttpReply reply = http_get(address, "health");
  const json content = json::parse(reply.body, nullptr, false);
  if (reply.status != 200 || !content.is_object()) return {};
  return {true, content.value("step", std::uint64_t(0))};
}

/// The flood pauses, removes bodies and sets time steps of hours as it likes: the scene that is loaded again
/// must go on. What the flood still had on its way may pause it once more.
bool goes_on(const PageAddress& address, Watcher& watcher) {
  std::uint64_t before = 0;
  for (int waited = 0; waited < patience_ms; waited += 20) {
    if (waited % 5000 == 0) {
      if (!watcher.load()) return false;
      before = health_of(address).step;
    }
    watcher.look();
    const Health now = health_of(address);
    if (!now.ok) return false;
    if (now.step > before + 5) return true;
    std::this_thread::sleep_for(std::chrono::milliseconds(20));
  }
  return false;
}

bool stood_still(const std::vector<std::uint64_t>& during, bool is_long) {
  const auto none = [](std::uint64_t steps) { return steps == 0; };
  return is_long ? std::any_of(during.begin(), during.end(), none)
                 : std::all_of(during.begin(), during.end(), none);
}

long over_second_half(const std::vector<long>& kb) { return kb.back() - kb[kb.size() / 2]; }

int fail(const std::string& why) {
  fmt::print("FAILED: {}\n", why);
  return 1;
}

}  // namespace

int main(int argc, char** argv) {
  if (argc < 3) {
    std::fputs("usage: view_flood PLIANT COUNT [SEED]\n", stderr);
    return 2;
  }
  const long count = std::atol(argv[2]);
  const std::uint64_t seed = argc > 3 ? std::strtoull(argv[3], nullptr, 10) : 1;
  ChildProcess server({argv[1], "view", "geometric/bar", "--threads", "1"});
  const PageAddress address = PageAddress::parse(server.line(120000));
  if (address.port == 0) return fail("the server does not start");
  Flood flood(address, seed);
  Watcher watcher(address);
  if (!goes_on(address, watcher)) return fail("the simulation does not begin");
  // At the start and after every tenth: memory as the flood left it, and with the first scene loaded again.
  std::vector<long> flooded = {server.resident_kb()}, resident = flooded;
  std::vector<std::uint64_t> during;  // steps made while it was flooded
  std::uint64_t begun = health_of(address).step;
  const long tenth = std::max(1L, count / 10);
  bool stands = false;
  for (long i = 0; i < count && !stands; ++i) {
    flood.once();
    if ((i + 1) % look_after_every == 0) watcher.look();
    if ((i + 1) % (2 * look_after_every) == 0) watcher.play();
    if ((i + 1) % tenth != 0) continue;
    during.push_back(health_of(address).step - begun);
    flooded.push_back(server.resident_kb());
    stands = !goes_on(address, watcher);
    resident.push_back(server.resident_kb());
    begun = health_of(address).step;
  }
  const Health after = health_of(address);
  fmt::print("{} messages and requests, seed {}\n", count, seed);
  flood.tell();
  fmt::print("steps made during every tenth: {}; a page beside it drew {} frames\n", fmt::join(during, " "),
             watcher.frames());
  const bool is_long = count >= long_flood;
  const long flooded_growth = over_second_half(flooded), growth = over_second_half(resident);
  const long most_flooded = is_long ? most_flooded_growth_kb : short_growth_kb;
  const long most = is_long ? most_growth_kb : short_growth_kb;
  fmt::print(
      "resident memory at the start and after every tenth, kB: {}; over the second half {:+} (at most "
      "{:+})\n",
      fmt::join(flooded, " "), flooded_growth, most_flooded);
  fmt::print(
      "the same with the first scene loaded again: {}; over the second half {:+} (flat: at most {:+})\n",
      fmt::join(resident, " "), growth, most);
  if (!after.ok) return fail("the server does not answer");
  if (stands) return fail("the simulation stands");
  if (!watcher.open()) return fail("the page of good manners was closed");
  if (stood_still(during, is_long))
    return fail(is_long ? "no step was made in a tenth of the flood"
                        : "no step was made while it was flooded");
  if (flooded_growth > most_flooded) return fail("its memory grows under the flood");
  if (growth > most) return fail("its memory grows");
  server.signal(SIGINT);
  const int exit = server.wait(20000);
  if (exit != 0) return fail(fmt::format("exit {} at Ctrl-C", exit));
  fmt::print("the server answers, its memory is flat, the simulation went on, Ctrl-C ends it\n");
  return 0;
}
