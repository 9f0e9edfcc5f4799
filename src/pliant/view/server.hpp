// SPDX-License-Identifier: Apache-2.0
// The network side of `pliant view`: HTTP and WebSocket on the loopback address, for one session.
//
//   auto server = view::Server::open(options);                          // the port is taken, nothing runs
//   auto session = view::Session::open(scene, {}, (*server)->output());
//   (*server)->serve(**session);                                        // one thread for all pages
//
// The simulation thread never waits for a socket: it leaves messages and the news of a snapshot here and goes
// on. Everything a stranger could send is bounded: see ServerLimits.
#pragma once

#include <chrono>
#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <string>
#include <string_view>

#include "pliant/base/result.hpp"
#include "pliant/view/session.hpp"

namespace pliant::view {

struct ServerLimits {
  int connections = 64;
  int pages = 8;     ///< WebSockets
  int uploads = 2;   ///< at a time
  int errors = 100;  ///< malformed messages of a page within `error_window`
  std::size_t upload_bytes = std::size_t(64) << 20;
  std::size_t header_bytes = std::size_t(16) << 10;
  std::size_t queued_bytes = std::size_t(1) << 20;  ///< texts a page leaves unread
  std::chrono::milliseconds error_window{10000};
  std::chrono::milliseconds header{30000};  ///< to send a request's header, and between requests
  std::chrono::milliseconds body{120000};   ///< to send a file, or to take an answer
  std::chrono::milliseconds hello{5000};    ///< from the upgrade to the first message
  std::chrono::milliseconds ping{10000};    ///< between pings
  std::chrono::milliseconds pong{30000};    ///< without an answer to them
  std::chrono::milliseconds begin{1000};    ///< after hello: time begins, also without an ack
  std::chrono::milliseconds stuck{1000};    ///< without an ack: no snapshots are made for this page
};

struct ServerOptions {
  std::uint16_t port = 0;  ///< 0: one that is free
  std::string token;       ///< empty: 128 random bits
  ServerLimits limits;
  /// The PNG of a shipped scene's card, by the scene's name.
  std::function<std::optional<std::string>(std::string_view)> picture = {};
};

struct ServerCounters {
  std::uint64_t connections = 0;  ///< open now
  std::uint64_t pages = 0;        ///< open now
  std::uint64_t requests = 0;     ///< HTTP, answered
  std::uint64_t messages = 0;     ///< from pages
  std::uint64_t errors = 0;       ///< of them malformed
  std::uint64_t frames = 0;       ///< binary messages sent
  std::uint64_t frame_bytes = 0;
};

class Server {
 public:
  /// Takes the port. The Error names what is wrong with port or token.
  static Result<std::unique_ptr<Server>> open(const ServerOptions& options);
  ~Server();  ///< stops
  Server(const Server&) = delete;
  Server& operator=(const Server&) = delete;

  /// What the session calls. Outlives nothing: the session must stop before the server goes.
  SessionOutput output();
  /// Starts to answer. `session` lives until stop().
  void serve(Session& session);

  std::uint16_t port() const;
  std::string address() const;  ///< "http://127.0.0.1:PORT/TOKEN/"
  ServerCounters counters() const;

  /// Says goodbye to the pages (close 1001) and ends the thread. Idempotent.
  void stop();

 private:
  struct Parts;
  explicit Server(std::unique_ptr<Parts> parts);
  std::unique_ptr<Parts> parts_;
};

}  // namespace pliant::view
