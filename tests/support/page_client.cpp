// SPDX-License-Identifier: Apache-2.0
#include "tests/support/page_client.hpp"

#include <arpa/inet.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <netinet/tcp.h>
#include <poll.h>
#include <sys/socket.h>
#include <unistd.h>

#include <algorithm>
#include <chrono>
#include <cstdio>
#include <cstdlib>

namespace pliant {
namespace {

using Clock = std::chrono::steady_clock;

int left_ms(Clock::time_point deadline) {
  const auto left = std::chrono::ceil<std::chrono::milliseconds>(deadline - Clock::now()).count();
  return int(std::max<long>(0, left));
}

Clock::time_point in_ms(int ms) { return Clock::now() + std::chrono::milliseconds(ms); }

/// Takes the head off `bytes` when it is complete.
bool read_head(std::string& bytes, HttpReply& reply) {
  const std::size_t end = bytes.find("\r\n\r\n");
  if (end == bytes.npos) return false;
  const std::string head = bytes.substr(0, end + 2);
  bytes.erase(0, end + 4);
  std::sscanf(head.c_str(), "HTTP/1.%*d %d", &reply.status);
  for (std::size_t at = head.find("\r\n") + 2; at < head.size();) {
    const std::size_t stop = head.find("\r\n", at);
    const std::string line = head.substr(at, stop - at);
    at = stop + 2;
    const std::size_t colon = line.find(':');
    if (colon == line.npos) continue;
    std::string name = line.substr(0, colon);
    std::transform(name.begin(), name.end(), name.begin(), [](unsigned char c) { return std::tolower(c); });
    reply.headers[name] = line.substr(std::min(line.size(), colon + 2));
  }
  return true;
}

}  // namespace

PageAddress PageAddress::parse(const std::string& text) {
  PageAddress address;
  const std::string head = "http://127.0.0.1:";
  if (text.rfind(head, 0) != 0) return address;
  char* end = nullptr;
  address.port = int(std::strtol(text.c_str() + head.size(), &end, 10));
  address.token = end;
  address.token.erase(std::remove_if(address.token.begin(), address.token.end(),
                                     [](char c) { return c == '/' || c == '\n' || c == '\r'; }),
                      address.token.end());
  return address;
}

TcpClient::TcpClient(int port, int receive_buffer) {
  socket_ = ::socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
  if (receive_buffer > 0) setsockopt(socket_, SOL_SOCKET, SO_RCVBUF, &receive_buffer, sizeof receive_buffer);
  sockaddr_in place{};
  place.sin_family = AF_INET;
  place.sin_port = htons(std::uint16_t(port));
  place.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
  if (::connect(socket_, reinterpret_cast<sockaddr*>(&place), sizeof place) != 0) {
    ::close(socket_);
    socket_ = -1;
    return;
  }
  const int on = 1;
  setsockopt(socket_, IPPROTO_TCP, TCP_NODELAY, &on, sizeof on);
  // Reset instead of the long goodbye: thousands of connections must not use up the ports.
  const linger now{1, 0};
  setsockopt(socket_, SOL_SOCKET, SO_LINGER, &now, sizeof now);
  fcntl(socket_, F_SETFL, fcntl(socket_, F_GETFL) | O_NONBLOCK);
}

TcpClient::~TcpClient() {
  if (socket_ >= 0) ::close(socket_);
}

bool TcpClient::send(std::string_view bytes, int timeout_ms) {
  const auto deadline = in_ms(timeout_ms);
  while (!bytes.empty() && socket_ >= 0) {
    const ssize_t sent = ::send(socket_, bytes.data(), bytes.size(), MSG_NOSIGNAL);
    if (sent > 0) {
      bytes.remove_prefix(std::size_t(sent));
      continue;
    }
    if (errno != EAGAIN && errno != EWOULDBLOCK) {
      ended_ = true;
      return false;
    }
    pollfd wait{socket_, POLLOUT, 0};
    if (left_ms(deadline) == 0 || poll(&wait, 1, left_ms(deadline)) <= 0) return false;
  }
  return socket_ >= 0;
}

std::string TcpClient::receive(int timeout_ms) {
  if (socket_ < 0 || ended_) return {};
  pollfd wait{socket_, POLLIN, 0};
  if (poll(&wait, 1, timeout_ms) <= 0) return {};
  std::string buffer(1 << 16, '\0');
  const ssize_t got = ::recv(socket_, buffer.data(), buffer.size(), 0);
  if (got <= 0) {
    ended_ = got == 0 || (errno != EAGAIN && errno != EWOULDBLOCK);
    return {};
  }
  buffer.resize(std::size_t(got));
  return buffer;
}

HttpReply http_request(int port, const std::string& method, const std::string& target,
                       const std::string& head, const std::string& body) {
  TcpClient tcp(port);
  HttpReply reply;
  tcp.send(method + " " + target + " HTTP/1.1\r\n" + head + "\r\n" + body);
  const auto deadline = in_ms(20000);
  std::string bytes;
  bool head_done = false;
  while (!tcp.ended() && left_ms(deadline) > 0) {
    bytes += tcp.receive(left_ms(deadline));
    if (!head_done) head_done = read_head(bytes, reply);
    if (!head_done) continue;
    const auto length = reply.headers.find("content-length");
    if (method == "HEAD" || (length != reply.headers.end() && bytes.size() >= std::stoul(length->second)))
      break;
  }
  reply.body = bytes;
  return reply;
}

HttpReply http_get(const PageAddress& address, const std::string& rest) {
  return http_request(address.port, "GET", address.path(rest), "Host: " + address.host() + "\r\n");
}

HttpReply http_post(const PageAddress& address, const std::string& rest, const std::string& body) {
  return http_request(address.port, "POST", address.path(rest),
                      "Host: " + address.host() + "\r\nOrigin: " + address.origin() +
                          "\r\nContent-Length: " + std::to_string(body.size()) + "\r\n",
                      body);
}

PageClient::PageClient(const PageAddress& address, const std::string& origin, const std::string& protocol,
                       int receive_buffer)
    : tcp_(address.port, receive_buffer) {
  std::string head = "GET " + address.path("ws") + " HTTP/1.1\r\nHost: " + address.host() +
                     "\r\nUpgrade: websocket\r\nConnection: Upgrade\r\nSec-WebSocket-Version: 13\r\n"
                     "Sec-WebSocket-Key: dGhlIHNhbXBsZSBub25jZQ==\r\n";
  if (!origin.empty()) head += "Origin: " + (origin == "own" ? address.origin() : origin) + "\r\n";
  if (!protocol.empty()) head += "Sec-WebSocket-Protocol: " + protocol + "\r\n";
  tcp_.send(head + "\r\n");
  const auto deadline = in_ms(20000);
  while (!read_head(in_, handshake_) && !tcp_.ended() && left_ms(deadline) > 0)
    in_ += tcp_.receive(left_ms(deadline));
}

bool PageClient::frame(int opcode, std::string_view payload, bool final, bool masked) {
  std::string bytes;
  bytes += char((final ? 0x80 : 0) | opcode);
  const int mask_bit = masked ? 0x80 : 0;
  if (payload.size() < 126) {
    bytes += char(mask_bit | int(payload.size()));
  } else if (payload.size() < 65536) {
    bytes += char(mask_bit | 126);
    bytes += char(payload.size() >> 8);
    bytes += char(payload.size() & 255);
  } else {
    bytes += char(mask_bit | 127);
    for (int shift = 56; shift >= 0; shift -= 8) bytes += char(payload.size() >> shift & 255);
  }
  static const char mask[4] = {0x12, 0x34, 0x56, 0x78};
  if (masked) bytes.append(mask, 4);
  const std::size_t at = bytes.size();
  bytes.append(payload);
  if (masked)
    for (std::size_t i = 0; i < payload.size(); ++i) bytes[at + i] = char(bytes[at + i] ^ mask[i % 4]);
  return tcp_.send(bytes);
}

/// One frame off `in_` when it is complete; `out` is filled when it ends a message.
bool PageClient::take_frame(SocketMessage& out) {
  const auto byte = [&](std::size_t i) { return static_cast<unsigned char>(in_[i]); };
  if (in_.size() < 2) return false;
  std::size_t size = byte(1) & 127, at = 2;
  const int wide = size == 126 ? 2 : size == 127 ? 8 : 0;
  if (in_.size() < at + std::size_t(wide)) return false;
  if (wide) size = 0;
  for (int i = 0; i < wide; ++i) size = size << 8 | byte(at++);
  if (in_.size() < at + size) return false;
  const int opcode = byte(0) & 15;
  const bool final = byte(0) & 128;
  const std::string payload = in_.substr(at, size);
  in_.erase(0, at + size);
  if (opcode == 9) {
    ++pings;
    if (!mute) frame(10, payload);
  } else if (opcode == 8) {
    closed_ = true;
    const auto code = [&](std::size_t i) { return int(static_cast<unsigned char>(payload[i])); };
    out = {SocketMessage::closed, payload.size() > 2 ? payload.substr(2) : "",
           payload.size() >= 2 ? code(0) << 8 | code(1) : 1005};
    if (!mute) frame(8, payload.substr(0, std::min<std::size_t>(2, payload.size())));
  } else if (opcode < 8) {
    if (opcode) partial_opcode_ = opcode;
    partial_ += payload;
    if (final) {
      out = {partial_opcode_ == 1 ? SocketMessage::text : SocketMessage::binary, std::move(partial_), 0};
      partial_.clear();
    }
  }
  return true;
}

SocketMessage PageClient::receive(int timeout_ms) {
  const auto deadline = in_ms(timeout_ms);
  SocketMessage out;
  for (;;) {
    while (out.kind == SocketMessage::nothing && take_frame(out)) {
    }
    if (out.kind != SocketMessage::nothing) return out;
    if (closed_ || tcp_.ended()) {
      closed_ = true;
      return {SocketMessage::closed, "", 1006};
    }
    const std::string more = tcp_.receive(left_ms(deadline));
    in_ += more;
    if (more.empty() && left_ms(deadline) == 0) return out;
  }
}

}  // namespace pliant
