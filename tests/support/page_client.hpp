// SPDX-License-Identifier: Apache-2.0
// A page without a browser: HTTP and WebSocket by hand on a plain socket, so that it can also say what no
// library would. Every wait has an end.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <string_view>

namespace pliant {

/// http://127.0.0.1:PORT/TOKEN/
struct PageAddress {
  int port = 0;
  std::string token;
  static PageAddress parse(const std::string& text);  ///< port 0 when it is none
  std::string host() const { return "127.0.0.1:" + std::to_string(port); }
  std::string origin() const { return "http://" + host(); }
  std::string path(const std::string& rest = "") const { return "/" + token + "/" + rest; }
};

/// A connection to the loopback address. Closing it leaves no port waiting.
class TcpClient {
 public:
  /// receive_buffer: bytes the system may hold for us; 0 = as it likes.
  explicit TcpClient(int port, int receive_buffer = 0);
  ~TcpClient();
  TcpClient(const TcpClient&) = delete;
  TcpClient& operator=(const TcpClient&) = delete;

  bool connected() const { return socket_ >= 0; }
  /// False when the other side does not take everything within the time.
  bool send(std::string_view bytes, int timeout_ms = 10000);
  /// What is there, waiting at most so long; empty when nothing came or the other side is gone.
  std::string receive(int timeout_ms);
  bool ended() const { return ended_; }  ///< the other side has closed

 private:
  int socket_ = -1;
  bool ended_ = false;
};

struct HttpReply {
  int status = 0;                              ///< 0: no answer
  std::map<std::string, std::string> headers;  ///< names in lower case
  std::string body;
};

/// One request on a connection of its own. `head` holds the lines after the first, each with "\r\n".
HttpReply http_request(int port, const std::string& method, const std::string& target,
                       const std::string& head, const std::string& body = "");
/// With Host and Origin as a page of this address has them.
HttpReply http_get(const PageAddress& address, const std::string& rest);
HttpReply http_post(const PageAddress& address, const std::string& rest, const std::string& body);

struct SocketMessage {
  enum Kind { nothing, text, binary, closed } kind = nothing;
  std::string payload;  ///< of closed: the reason
  int code = 0;         ///< of closed: 1006 when the connection just ended
};

class PageClient {
 public:
  /// `origin` and `protocol` as a page of the address has them unless given.
  explicit PageClient(const PageAddress& address, const std::string& origin = "own",
                      const std::string& protocol = "pliant.1", int receive_buffer = 0);

  const HttpReply& handshake() const { return handshake_; }
  bool open() const { return handshake_.status == 101 && !closed_; }

  bool text(std::string_view message) { return frame(1, message); }
  /// Any frame: masked as the standard wants unless told otherwise.
  bool frame(int opcode, std::string_view payload, bool final = true, bool masked = true);
  bool raw(std::string_view bytes) { return tcp_.send(bytes); }

  /// The next message; pings are answered on the way unless `mute`.
  SocketMessage receive(int timeout_ms = 20000);
  bool mute = false;
  int pings = 0;

 private:
  bool take_frame(SocketMessage& out);

  TcpClient tcp_;
  HttpReply handshake_;
  std::string in_, partial_;
  int partial_opcode_ = 0;
  bool closed_ = false;
};

}  // namespace pliant
