// SPDX-License-Identifier: Apache-2.0
// Three kinds of objects, all of them on one thread: the hub accepts and knows the pages, a Connection
// answers HTTP requests one after another, a Page is a connection that became a WebSocket. Reading a mesh and
// writing a file take long: a second thread does that. What is decided without a socket is elsewhere:
// address.hpp, page_message.hpp, page_flow.hpp.
//
// The file is long because it is the only one that includes Boost: its headers take most of a minute to
// compile, and the three kinds of objects call one another.
#include "pliant/view/server.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <atomic>
#include <boost/asio/io_context.hpp>
#include <boost/asio/ip/tcp.hpp>
#include <boost/asio/post.hpp>
#include <boost/asio/steady_timer.hpp>
#include <boost/asio/thread_pool.hpp>
#include <boost/beast/core.hpp>
#include <boost/beast/http.hpp>
#include <boost/beast/websocket.hpp>
#include <limits>
#include <new>
#include <set>
#include <thread>
#include <utility>

#include "pliant/base/version.hpp"
#include "pliant/methods/catalogue.hpp"
#include "pliant/view/address.hpp"
#include "pliant/view/free_memory.hpp"
#include "pliant/view/page_files.hpp"
#include "pliant/view/page_flow.hpp"
#include "pliant/view/page_message.hpp"

namespace pliant::view {
namespace {

namespace asio = boost::asio;
namespace beast = boost::beast;
namespace http = beast::http;
namespace websocket = beast::websocket;
using asio::ip::tcp;
using boost::system::error_code;
using nlohmann::json;
using std::chrono::milliseconds;

constexpr const char* subprotocol = "pliant.1";
constexpr milliseconds tick{50};        ///< how finely deadlines of pages are kept
constexpr milliseconds farewell{1000};  ///< for a close to be answered
constexpr std::size_t read_piece = 16384;
/// After so many connections that ended and messages that were wrong, at most so often.
constexpr std::uint64_t wear_to_clean = 256;
constexpr milliseconds clean_interval{1000};

/// Close codes of the protocol.
enum Close : std::uint16_t {
  close_going_away = 1001,
  close_bad_message = 4400,
  close_silent = 4408,
  close_too_many = 4429,
};

std::string dump(const json& message) { return message.dump(-1, ' ', false, json::error_handler_t::replace); }

SharedText shared(const json& message) { return std::make_shared<const std::string>(dump(message)); }

/// Of the scene, when it is a scene message.
std::optional<std::uint32_t> epoch_of(const json& message) {
  const auto type = message.find("type");
  if (type == message.end() || *type != "scene") return std::nullopt;
  return message["epoch"].get<std::uint32_t>();
}

std::string_view view_of(beast::string_view text) { return {text.data(), text.size()}; }

/// A file name for a header: what could end the quotes or the line is left out.
std::string header_name(const std::string& name) {
  std::string out;
  for (const char c : name)
    if (c > 31 && c < 127 && c != '"' && c != '\\' && c != '/') out += c;
  return out.empty() ? "file" : out;
}

http::status status_of(const Refusal& refusal) {
  if (refusal.code == "too_large") return http::status::payload_too_large;
  if (refusal.code == "not_supported") return http::status::unsupported_media_type;
  if (refusal.code == "busy" || refusal.code == "too_many") return http::status::service_unavailable;
  if (refusal.code == "internal") return http::status::internal_server_error;
  return http::status::unprocessable_entity;
}

class Page;

/// What connections share. Everything but the counters and `poked` belongs to the one thread of `io`.
struct Hub {
  explicit Hub(ServerOptions given) : options(std::move(given)), acceptor(io), timer(io) {}

  ServerOptions options;
  Session* session = nullptr;
  std::string instance = make_token();
  std::uint16_t port = 0;
  std::set<Page*> pages;
  int uploads = 0;
  bool stopping = false, accept_failed = false;
  std::uint64_t ended = 0, cleaned_at_wear = 0;  ///< connections; what there had been at the last cleaning
  FlowTime cleaned{};

  std::atomic<bool> poked{false};  ///< a snapshot is announced and not yet looked at
  std::atomic<std::uint64_t> connections{0}, greeted{0}, requests{0}, messages{0}, errors{0}, frames{0},
      frame_bytes{0};

  // After the above: what still waits in `io` at the end refers to it.
  asio::io_context io{1};
  tcp::acceptor acceptor;
  asio::steady_timer timer;
  asio::thread_pool worker{1};

  const ServerLimits& limits() const { return options.limits; }
  void accept();
  void keep_time();
  void clean_up(FlowTime now);
  void deliver(int client, const SharedText& text, bool droppable, std::optional<std::uint32_t> epoch);
  void pump_pages();
  void say_goodbye();
};

/// One of the connections that may be open at a time.
class Slot {
 public:
  explicit Slot(Hub& hub) : hub_(&hub) { ++hub.connections; }
  Slot(Slot&& other) noexcept : hub_(std::exchange(other.hub_, nullptr)) {}
  Slot& operator=(Slot&&) = delete;
  ~Slot() {
    if (!hub_) return;
    --hub_->connections;
    ++hub_->ended;
  }

 private:
  Hub* hub_;
};

/// One of the files that may be read at a time.
class UploadTicket {
 public:
  explicit UploadTicket(Hub& hub) : hub_(hub) { ++hub_.uploads; }
  UploadTicket(const UploadTicket&) = delete;
  UploadTicket& operator=(const UploadTicket&) = delete;
  ~UploadTicket() { --hub_.uploads; }

 private:
  Hub& hub_;
};

// ---- A WebSocket ------------------------------------------------------------------------------------------

class Page : public std::enable_shared_from_this<Page> {
 public:
  Page(Hub& hub, Slot slot, beast::tcp_stream stream)
      : hub_(hub),
        slot_(std::move(slot)),
        socket_(std::move(stream)),
        flow_(hub.limits().queued_bytes),
        errors_(hub.limits().errors, hub.limits().error_window),
        rate_timer_(hub.io),
        born_(std::chrono::steady_clock::now()),
        pinged_(born_),
        ponged_(born_) {
    hub_.pages.insert(this);
  }
  ~Page() { hub_.pages.erase(this); }

  /// `offered`: what the page said of subprotocols.
  void accept(const http::request<http::empty_body>& request, const std::string& offered) {
    beast::get_lowest_layer(socket_).expires_never();
    websocket::stream_base::timeout timeout{hub_.limits().hello, websocket::stream_base::none(), false};
    socket_.set_option(timeout);
    socket_.auto_fragment(false);
    const std::string chosen = choose(offered);
    socket_.set_option(websocket::stream_base::decorator([chosen](websocket::response_type& response) {
      if (!chosen.empty()) response.set(http::field::sec_websocket_protocol, chosen);
    }));
    socket_.control_callback([this](websocket::frame_type kind, beast::string_view) {
      if (kind == websocket::frame_type::pong) ponged_ = std::chrono::steady_clock::now();
    });
    const auto self = shared_from_this();
    socket_.async_accept(request, [self, chosen](error_code error) { self->accepted(error, chosen); });
  }

  bool open() const { return accepted_ && !closing_ && !gone_; }
  bool is(int client) const { return flow_.greeted() && flow_.client() == client; }
  bool greeted() const { return flow_.greeted(); }

  /// epoch: of the scene, when the text is a scene message.
  void queue(const SharedText& text, bool droppable, std::optional<std::uint32_t> epoch = {}) {
    if (epoch) flow_.tell_scene(*epoch);
    if (!open()) return;
    if (!flow_.queue(text, droppable)) return close(close_too_many, "the page does not read its messages");
    pump();
  }

  void pump();
  void keep_time(FlowTime now);
  void close(std::uint16_t code, const std::string& reason);

 private:
  /// A browser only accepts one of the names it offered, also when we are about to refuse.
  static std::string choose(const std::string& offered) {
    std::string first;
    for (const auto& name : http::token_list{offered}) {
      if (name == subprotocol) return subprotocol;
      if (first.empty()) first = std::string(name);
    }
    return first;
  }

  void accepted(error_code error, const std::string& protocol);
  void read();
  void take(error_code error);
  void message();
  void act_on(PageMessage message) {
    std::visit([this](auto& known) { act(known); }, message);
  }
  void act(const Hello& hello);
  void act(const Ack& ack);
  void act(const ViewChange& change);
  void act(PageCommand& command);
  void act(const BadMessage& bad);
  void complain(const std::string& code, const std::string& message);
  bool rises(std::uint32_t id);
  json welcome(bool read_only) const;
  void want(Channels channels);
  void send(Outgoing next);
  void sent(error_code error);
  void wait_for_rate(FlowTime when);
  void gone();

  Hub& hub_;
  Slot slot_;
  websocket::stream<beast::tcp_stream> socket_;
  PageFlow flow_;
  ErrorRate errors_;
  asio::steady_timer rate_timer_;
  FlowTime born_, pinged_, ponged_, greeted_at_{}, closing_since_{};
  beast::flat_buffer in_;
  bool overlong_ = false;  ///< the message being read is too large and only skipped
  Outgoing out_;           ///< what is being written
  std::uint32_t last_id_ = 0, acks_ = 0;
  Channels wanted_ = 0;
  bool accepted_ = false, writing_ = false, pinging_ = false, closing_ = false, gone_ = false;
};

void Page::accepted(error_code error, const std::string& protocol) {
  if (error) return gone();
  accepted_ = true;
  read();
  if (protocol != subprotocol)
    return close(close_bad_message, fmt::format("this server speaks {}, the page {}", subprotocol,
                                                protocol.empty() ? "none" : protocol.substr(0, 40)));
  const auto open =
      std::count_if(hub_.pages.begin(), hub_.pages.end(), [](Page* page) { return page->open(); });
  if (open > hub_.limits().pages)
    close(close_too_many, fmt::format("{} pages are open already", hub_.limits().pages));
}

void Page::read() {
  const auto self = shared_from_this();
  socket_.async_read_some(in_, read_piece, [self](error_code error, std::size_t) { self->take(error); });
}

void Page::take(error_code error) {
  if (error) return gone();
  if (in_.size() > most_message_bytes) overlong_ = true;
  if (overlong_) in_.consume(in_.size());
  if (socket_.is_message_done() && !closing_) message();
  if (gone_) return;
  if (closing_) in_.consume(in_.size());
  read();
}

void Page::message() {
  ++hub_.messages;
  const std::string_view text(static_cast<const char*>(in_.data().data()), in_.size());
  if (std::exchange(overlong_, false))
    complain("too_large", fmt::format("a message has at most {} bytes", most_message_bytes));
  else if (socket_.got_binary())
    complain("bad_message", "pages send text, not bytes");
  else
    act_on(read_page_message(text));
  in_.consume(in_.size());
}

void Page::act(const Hello& hello) {
  if (flow_.greeted()) return complain("bad_message", "hello was said already");
  const int client = hub_.session->join(hello.watch);
  ++hub_.greeted;
  flow_.greet(client, hello.wish);
  greeted_at_ = std::chrono::steady_clock::now();
  queue(shared(welcome(hello.watch)), false);
  const auto scene = hub_.session->scene_message();
  queue(shared(*scene), false, epoch_of(*scene));
  want(hello.wish.max_rate > 0 ? hello.wish.channels : 0);
  pump();
}

json Page::welcome(bool read_only) const {
  return {{"type", "welcome"},
          {"protocol", 1},
          {"version", pliant::version()},
          {"instance", hub_.instance},
          {"client", flow_.client()},
          {"read_only", read_only},
          {"limits",
           {{"message", most_message_bytes},
            {"upload", hub_.limits().upload_bytes},
            {"commands", 256},
            {"pages", hub_.limits().pages}}},
          {"methods", method_names()},
          {"scenes", hub_.session->scene_list()}};
}

void Page::act(const Ack& ack) {
  if (!flow_.ack(ack.seq)) return complain("bad_message", "ack: no such message was sent");
  // The model, then the first frame: now something is seen.
  if (++acks_ >= 2) hub_.session->begin();
  if (flow_.greeted() && flow_.wish().max_rate > 0) want(flow_.wish().channels);
  pump();
}

void Page::act(const ViewChange& change) {
  if (!flow_.greeted()) return complain("bad_message", "hello comes first");
  PageWish wish = flow_.wish();
  change.apply(wish);
  flow_.change_wish(wish);
  want(wish.max_rate > 0 ? wish.channels : 0);
  pump();
}

void Page::want(Channels channels) {
  if (channels == wanted_) return;
  wanted_ = channels;
  hub_.session->want(flow_.client(), channels);
}

bool Page::rises(std::uint32_t id) {
  if (id <= last_id_) return false;
  last_id_ = id;
  return true;
}

void Page::act(PageCommand& command) {
  if (!flow_.greeted()) return complain("bad_message", "hello comes first");
  if (!rises(command.id)) return complain("bad_message", "id: must be higher than all before, from 1");
  hub_.session->submit(flow_.client(), command.id, std::move(command.cmd), std::move(command.args));
}

void Page::act(const BadMessage& bad) {
  if (!bad.id || !flow_.greeted() || !rises(*bad.id)) return complain(bad.code, bad.message);
  ++hub_.errors;
  queue(shared({{"type", "reply"},
                {"id", *bad.id},
                {"ok", false},
                {"error", {{"code", bad.code}, {"message", bad.message}}}}),
        false);
}

void Page::complain(const std::string& code, const std::string& message) {
  ++hub_.errors;
  if (errors_.add(std::chrono::steady_clock::now())) return close(close_bad_message, "too many bad messages");
  queue(shared({{"type", "error"}, {"code", code}, {"message", message}}), false);
}

void Page::pump() {
  if (writing_ || !open()) return;
  std::optional<Outgoing> next = flow_.next(*hub_.session->newest(), std::chrono::steady_clock::now());
  if (flow_.take_too_large())
    queue(shared({{"type", "event"},
                  {"level", "error"},
                  {"code", "too_large"},
                  {"message", "the bodies have more vertices than a message can hold"},
                  {"advice", "use a coarser mesh"}}),
          false);
  if (next)
    send(std::move(*next));
  else if (flow_.wake())
    wait_for_rate(*flow_.wake());
}

void Page::send(Outgoing next) {
  if (writing_) return;  // pump() was entered again through queue()
  out_ = std::move(next);
  writing_ = true;
  socket_.binary(out_.binary());
  const asio::const_buffer buffer = out_.binary() ? asio::const_buffer(out_.bytes.data(), out_.bytes.size())
                                                  : asio::const_buffer(out_.text->data(), out_.text->size());
  if (out_.binary()) {
    ++hub_.frames;
    hub_.frame_bytes += out_.bytes.size();
  }
  const auto self = shared_from_this();
  socket_.async_write(buffer, [self](error_code error, std::size_t) { self->sent(error); });
}

void Page::sent(error_code error) {
  writing_ = false;
  out_ = {};
  if (error) return;  // the read ends with it
  pump();
}

void Page::wait_for_rate(FlowTime when) {
  rate_timer_.expires_at(when);
  const std::weak_ptr<Page> weak = weak_from_this();
  rate_timer_.async_wait([weak](error_code error) {
    if (const auto self = weak.lock(); self && !error) self->pump();
  });
}

void Page::keep_time(FlowTime now) {
  const ServerLimits& limits = hub_.limits();
  if (gone_ || !accepted_) return;
  if (closing_) {
    if (now - closing_since_ > farewell) beast::get_lowest_layer(socket_).close();
    return;
  }
  if (!flow_.greeted() && now - born_ > limits.hello) return close(close_silent, "no hello");
  if (now - ponged_ > limits.pong) return close(close_silent, "no answer to a ping");
  // A page that shows nothing may still want the motion.
  if (flow_.greeted() && now - greeted_at_ > limits.begin) hub_.session->begin();
  // Nobody sees what a stuck page would get: no snapshots are made for it until it acks.
  if (flow_.waiting(now) > limits.stuck) want(0);
  if (now - pinged_ < limits.ping || pinging_) return;
  pinged_ = now;
  pinging_ = true;
  const auto self = shared_from_this();
  socket_.async_ping({}, [self](error_code) { self->pinging_ = false; });
}

void Page::close(std::uint16_t code, const std::string& reason) {
  if (closing_ || gone_) return;
  closing_ = true;
  closing_since_ = std::chrono::steady_clock::now();
  rate_timer_.cancel();
  const auto self = shared_from_this();
  if (!accepted_) return beast::get_lowest_layer(socket_).close();
  socket_.async_close({websocket::close_code(code), reason.substr(0, 120)},
                      [self](error_code) { self->gone(); });
}

void Page::gone() {
  if (std::exchange(gone_, true)) return;
  rate_timer_.cancel();
  beast::get_lowest_layer(socket_).close();
  if (!flow_.greeted()) return;
  --hub_.greeted;
  hub_.session->leave(flow_.client());
}

// ---- HTTP -------------------------------------------------------------------------------------------------

class Connection : public std::enable_shared_from_this<Connection> {
 public:
  Connection(Hub& hub, tcp::socket socket)
      : hub_(hub), slot_(hub), stream_(std::move(socket)), in_(hub.limits().header_bytes + read_piece) {}

  void read();

 private:
  using Request = http::request<http::empty_body>;
  using Response = http::response<http::string_body>;
  using UploadParser = http::request_parser<http::string_body>;

  void take(error_code error);
  void route();
  void upgrade(const PagePath& path);
  void get(const PagePath& path);
  void get_file(const std::string& path);
  void get_save(const PagePath& path);
  void post(const PagePath& path);
  void read_upload(const PagePath& path, std::size_t size);
  void take_upload(error_code error);
  void end_upload() {
    file_ = std::string();
    ticket_.reset();
  }
  void work(std::function<std::function<void()>()> task);

  bool own_origin(const Request& request) const;
  void refuse(http::status status) { answer(status, "", ""); }
  void refuse(http::status status, const Refusal& refusal) { answer_json(status, refusal.json()); }
  void answer_json(http::status status, const json& body) { answer(status, "application/json", dump(body)); }
  void answer(http::status status, std::string_view type, std::string body,
              std::string_view cache = "no-store", std::string_view disposition = {});
  void finish();
  void drain();

  Hub& hub_;
  Slot slot_;
  beast::tcp_stream stream_;
  beast::flat_buffer in_;
  std::optional<http::request_parser<http::empty_body>> parser_;
  std::optional<UploadParser> upload_;
  std::string file_;
  std::optional<UploadTicket> ticket_;
  std::string name_;
  std::string host_;
  bool head_ = false, keep_ = false;
  Response response_;
};

void Connection::read() {
  parser_.emplace();
  parser_->header_limit(std::uint32_t(hub_.limits().header_bytes));
  parser_->body_limit(std::numeric_limits<std::uint64_t>::max());  // checked before a body is read
  stream_.expires_after(hub_.limits().header);
  const auto self = shared_from_this();
  http::async_read_header(stream_, in_, *parser_,
                          [self](error_code error, std::size_t) { self->take(error); });
}

void Connection::take(error_code error) {
  host_ = fmt::format("127.0.0.1:{}", hub_.port);
  head_ = keep_ = false;
  if (error == http::error::end_of_stream) return drain();
  if (error == http::error::header_limit || error == http::error::buffer_overflow)
    return refuse(http::status::request_header_fields_too_large);
  if (error.category() == make_error_code(http::error::bad_method).category())
    return refuse(http::status::bad_request);
  if (error) return;
  route();
}

bool Connection::own_origin(const Request& request) const {
  return request.count(http::field::origin) == 1 &&
         view_of(request[http::field::origin]) == "http://" + host_;
}

/// Host before anything else (a name that was bound to our address by someone else), then the token.
void Connection::route() {
  const Request& request = parser_->get();
  const std::string_view host = view_of(request[http::field::host]);
  if (request.count(http::field::host) != 1 || !own_host(host, hub_.port))
    return refuse(http::status::misdirected_request);
  host_ = std::string(host);
  const auto path = below_token(view_of(request.target()), hub_.options.token);
  if (!path) return refuse(http::status::not_found);
  if (websocket::is_upgrade(request)) return upgrade(*path);
  if (request.method() == http::verb::post) return post(*path);
  if (request.method() != http::verb::get && request.method() != http::verb::head)
    return refuse(http::status::method_not_allowed);
  if (parser_->chunked() || parser_->content_length().value_or(0) > 0)
    return refuse(http::status::bad_request);
  head_ = request.method() == http::verb::head;
  keep_ = request.keep_alive();
  get(*path);
}

void Connection::upgrade(const PagePath& path) {
  const Request& request = parser_->get();
  if (path.path != "ws") return refuse(http::status::not_found);
  if (!own_origin(request)) return refuse(http::status::forbidden);
  ++hub_.requests;
  // Not only the first line of several counts.
  std::string offered;
  for (const auto& field : request)
    if (field.name() == http::field::sec_websocket_protocol)
      offered += (offered.empty() ? "" : ",") + std::string(field.value());
  const auto page = std::make_shared<Page>(hub_, std::move(slot_), std::move(stream_));
  page->accept(request, offered);
}

void Connection::get(const PagePath& path) {
  if (path.path == "health")
    return answer_json(http::status::ok, {{"ok", true},
                                          {"step", hub_.session->step()},
                                          {"rate", hub_.session->rate()},
                                          {"clients", hub_.session->clients()}});
  if (path.path.starts_with("save/")) return get_save(path);
  if (path.path.starts_with("thumb/") && path.path.ends_with(".png") && hub_.options.picture) {
    const auto picture = hub_.options.picture(std::string_view(path.path).substr(6, path.path.size() - 10));
    return picture ? answer(http::status::ok, "image/png", *picture, "private, max-age=3600")
                   : refuse(http::status::not_found);
  }
  if (path.path == "ws") return refuse(http::status::upgrade_required);
  get_file(path.path.empty() ? "index.html" : path.path);
}

void Connection::get_file(const std::string& path) {
  for (const PageFile& file : page_files())
    if (file.path == path)
      return answer(http::status::ok, file.type, std::string(file.bytes),
                    path.starts_with("assets/") ? "private, max-age=31536000, immutable" : "no-store");
  refuse(http::status::not_found);
}

void Connection::get_save(const PagePath& path) {
  const auto value = [&](const char* name) {
    const auto found = path.query.find(name);
    return found == path.query.end() ? std::string() : found->second;
  };
  const std::string kind = path.path.substr(5), body = value("body"), format = value("format");
  work([this, kind, body, format]() -> std::function<void()> {
    auto outcome = std::make_shared<Outcome<Download>>(hub_.session->save(kind, body, format));
    return [this, outcome] {
      if (!*outcome) return refuse(status_of(outcome->refusal), outcome->refusal);
      const Download& file = *outcome->value;
      answer(http::status::ok, file.type,
             std::string(reinterpret_cast<const char*>(file.bytes.data()), file.bytes.size()), "no-store",
             fmt::format("attachment; filename=\"{}\"", header_name(file.name)));
    };
  });
}

void Connection::post(const PagePath& path) {
  const Request& request = parser_->get();
  if (!own_origin(request)) return refuse(http::status::forbidden);
  if (path.path != "mesh") return refuse(http::status::not_found);
  const auto size = parser_->content_length();
  if (parser_->chunked() || !size) return refuse(http::status::length_required);
  if (*size > hub_.limits().upload_bytes)
    return refuse(
        http::status::payload_too_large,
        {"too_large",
         fmt::format("the file has {} bytes, at most {} are taken", *size, hub_.limits().upload_bytes), "",
         "", "start with a higher --max-upload, or reduce the mesh"});
  if (hub_.uploads >= hub_.limits().uploads)
    return refuse(http::status::service_unavailable,
                  {"busy", "other files are being read", "", "", "try again in a moment"});
  read_upload(path, std::size_t(*size));
}

void Connection::read_upload(const PagePath& path, std::size_t size) {
  ticket_.emplace(hub_);
  const auto name = path.query.find("name");
  name_ = name == path.query.end() ? "" : name->second;
  keep_ = parser_->get().keep_alive();
  upload_.emplace(std::move(*parser_));
  upload_->body_limit(size);
  stream_.expires_after(hub_.limits().body);
  const auto self = shared_from_this();
  http::async_read(stream_, in_, *upload_,
                   [self](error_code error, std::size_t) { self->take_upload(error); });
}

void Connection::take_upload(error_code error) {
  if (!error) file_ = std::move(upload_->get().body());
  upload_.reset();
  if (error) return ticket_.reset();
  work([this]() -> std::function<void()> {
    const auto* first = reinterpret_cast<const std::byte*>(file_.data());
    auto outcome =
        std::make_shared<Outcome<json>>(hub_.session->upload(name_, {first, first + file_.size()}));
    return [this, outcome] {
      end_upload();
      if (*outcome) return answer_json(http::status::ok, *outcome->value);
      refuse(status_of(outcome->refusal), outcome->refusal);
    };
  });
}

/// `task` runs on the worker and gives what to do next on the thread of the sockets.
void Connection::work(std::function<std::function<void()>()> task) {
  stream_.expires_never();
  asio::post(hub_.worker, [self = shared_from_this(), task = std::move(task)]() mutable {
    std::function<void()> next;
    try {
      next = task();
    } catch (const std::exception& error) {
      const std::string what = error.what();
      next = [connection = self.get(), what] {
        connection->end_upload();
        connection->refuse(http::status::internal_server_error, {"internal", what});
      };
    }
    // The connection ends on the thread of the sockets, not here.
    asio::io_context& io = self->hub_.io;
    asio::post(io, [self = std::move(self), next = std::move(next)] { next(); });
  });
}

void Connection::answer(http::status status, std::string_view type, std::string body, std::string_view cache,
                        std::string_view disposition) {
  const auto text = [](std::string_view value) { return beast::string_view(value.data(), value.size()); };
  response_ = {status, 11};
  response_.set("Cross-Origin-Opener-Policy", "same-origin");
  response_.set("Cross-Origin-Embedder-Policy", "require-corp");
  response_.set("Cross-Origin-Resource-Policy", "same-origin");
  response_.set("X-Content-Type-Options", "nosniff");
  response_.set("Referrer-Policy", "no-referrer");
  response_.set("Content-Security-Policy", content_security_policy(host_));
  response_.set(http::field::cache_control, text(cache));
  if (!type.empty()) response_.set(http::field::content_type, text(type));
  if (!disposition.empty()) response_.set(http::field::content_disposition, text(disposition));
  if (status == http::status::method_not_allowed) response_.set(http::field::allow, "GET, HEAD, POST");
  response_.content_length(body.size());
  response_.keep_alive(keep_);
  if (!head_) response_.body() = std::move(body);
  ++hub_.requests;
  stream_.expires_after(hub_.limits().body);
  const auto self = shared_from_this();
  http::async_write(stream_, response_, [self](error_code error, std::size_t) {
    if (!error) self->finish();
  });
}

void Connection::finish() {
  response_ = {};
  if (keep_ && !hub_.stopping) return read();
  error_code ignored;
  stream_.socket().shutdown(tcp::socket::shutdown_send, ignored);
  stream_.expires_after(farewell);
  drain();
}

/// A sender that is cut off before it has said everything may never see our answer: the rest is read and
/// thrown away, for a moment.
void Connection::drain() {
  in_.consume(in_.size());
  const auto self = shared_from_this();
  stream_.async_read_some(in_.prepare(read_piece), [self](error_code error, std::size_t) {
    if (!error) self->drain();
  });
}

// ---- The hub ----------------------------------------------------------------------------------------------

void Hub::accept() {
  acceptor.async_accept([this](error_code error, tcp::socket socket) {
    if (stopping || error == asio::error::operation_aborted) return;
    if (error) {  // out of descriptors: try again when the clock has ticked
      accept_failed = true;
      return;
    }
    if (int(connections.load()) < limits().connections) {
      error_code ignored;
      socket.set_option(tcp::no_delay(true), ignored);
      std::make_shared<Connection>(*this, std::move(socket))->read();
    }
    accept();
  });
}

void Hub::keep_time() {
  timer.expires_after(tick);
  timer.async_wait([this](error_code error) {
    if (error || stopping) return;
    const FlowTime now = std::chrono::steady_clock::now();
    for (Page* page : std::vector<Page*>(pages.begin(), pages.end())) page->keep_time(now);
    if (std::exchange(accept_failed, false)) accept();
    clean_up(now);
    keep_time();
  });
}

void Hub::clean_up(FlowTime now) {
  const std::uint64_t wear = ended + errors;
  if (wear - cleaned_at_wear < wear_to_clean || now - cleaned < clean_interval) return;
  give_back_free_memory();
  cleaned_at_wear = wear;
  cleaned = now;
}

void Hub::deliver(int client, const SharedText& text, bool droppable, std::optional<std::uint32_t> epoch) {
  for (Page* page : std::vector<Page*>(pages.begin(), pages.end()))
    if (page->greeted() && (client == everyone || page->is(client))) page->queue(text, droppable, epoch);
}

void Hub::pump_pages() {
  for (Page* page : std::vector<Page*>(pages.begin(), pages.end())) page->pump();
}

void Hub::say_goodbye() {
  stopping = true;
  error_code ignored;
  acceptor.close(ignored);
  for (Page* page : std::vector<Page*>(pages.begin(), pages.end()))
    page->close(close_going_away, "the server ends");
}

/// A request that finds no memory is dropped with its connection; the simulation and the other pages go on.
void run(asio::io_context& io) {
  for (;;) try {
      io.run();
      return;
    } catch (const std::bad_alloc&) {
    }
}

}  // namespace

// ---- The server -------------------------------------------------------------------------------------------

struct Server::Parts {
  explicit Parts(const ServerOptions& options) : hub(options) {}
  Hub hub;
  std::thread thread;
};

Server::Server(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}

Server::~Server() { stop(); }

Result<std::unique_ptr<Server>> Server::open(const ServerOptions& options) {
  auto parts = std::make_unique<Parts>(options);
  Hub& hub = parts->hub;
  if (hub.options.token.empty()) hub.options.token = make_token();
  if (!usable_token(hub.options.token))
    return Error{"--token",
                 {{"", fmt::format("{} characters", hub.options.token.size()), "16 to 64 of A-Z a-z 0-9 - _",
                   "leave it out for a random one"}}};
  const tcp::endpoint place(asio::ip::address_v4::loopback(), options.port);
  error_code error;
  hub.acceptor.open(place.protocol(), error);
  if (!error) hub.acceptor.set_option(tcp::acceptor::reuse_address(true), error);
  if (!error) hub.acceptor.bind(place, error);
  if (!error) hub.acceptor.listen(asio::socket_base::max_listen_connections, error);
  if (error)
    return Error{"--port",
                 {{"", fmt::format("{}: {}", options.port, error.message()), "a port that is free",
                   "leave it out, or 0, for one that the system chooses"}}};
  hub.port = hub.acceptor.local_endpoint().port();
  return std::unique_ptr<Server>(new Server(std::move(parts)));
}

SessionOutput Server::output() {
  Hub* hub = &parts_->hub;
  const auto message = [hub](int client, const json& content) {
    const auto type = content.find("type");
    const bool droppable = type != content.end() && (*type == "stats" || *type == "build");
    asio::post(hub->io, [hub, client, text = shared(content), droppable, epoch = epoch_of(content)] {
      hub->deliver(client, text, droppable, epoch);
    });
  };
  const auto snapshot = [hub] {
    if (hub->poked.exchange(true)) return;
    asio::post(hub->io, [hub] {
      hub->poked = false;
      hub->pump_pages();
    });
  };
  return {message, snapshot};
}

void Server::serve(Session& session) {
  Hub& hub = parts_->hub;
  hub.session = &session;
  hub.accept();
  hub.keep_time();
  parts_->thread = std::thread([&hub] { run(hub.io); });
}

std::uint16_t Server::port() const { return parts_->hub.port; }

std::string Server::address() const {
  return fmt::format("http://127.0.0.1:{}/{}/", parts_->hub.port, parts_->hub.options.token);
}

ServerCounters Server::counters() const {
  const Hub& hub = parts_->hub;
  return {hub.connections, hub.greeted, hub.requests, hub.messages, hub.errors, hub.frames, hub.frame_bytes};
}

void Server::stop() {
  Hub& hub = parts_->hub;
  if (!parts_->thread.joinable()) return;
  asio::post(hub.io, [&hub] { hub.say_goodbye(); });
  const auto deadline = std::chrono::steady_clock::now() + farewell;
  while (hub.greeted > 0 && std::chrono::steady_clock::now() < deadline)
    std::this_thread::sleep_for(milliseconds(5));
  hub.io.stop();
  parts_->thread.join();
  hub.worker.stop();
  hub.worker.join();
}

}  // namespace pliant::view
