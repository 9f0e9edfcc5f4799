// SPDX-License-Identifier: Apache-2.0
#include "pliant/view/session.hpp"

#include <algorithm>
#include <thread>

#include "pliant/scene/find_file.hpp"
#include "pliant/scene/library.hpp"
#include "pliant/view/downloads.hpp"
#include "pliant/view/loop.hpp"
#include "pliant/view/messages.hpp"

namespace pliant::view {
namespace {

/// Meshes that the scene names and that are not there.
Json missing_meshes(const SceneSpec& scene, const std::filesystem::path& folder) {
  Json out = Json::array();
  for (const BodySpec& body : scene.bodies) {
    const auto* mesh = std::get_if<MeshSpec>(&body.shape.is);
    std::error_code ignored;
    if (mesh && !std::filesystem::exists(find_file(mesh->mesh, folder), ignored))
      out.push_back(std::filesystem::path(mesh->mesh).filename().string());
  }
  return out;
}

Json list_scenes(const std::vector<std::filesystem::path>& libraries) {
  Json out = Json::array();
  for (const ShippedScene& scene : shipped_scenes(libraries)) {
    Json methods = Json::array(), missing = Json::array();
    if (const Result<ParsedScene> parsed = read_scene(scene.file.string(), {})) {
      for (const BodySpec& body : parsed->spec.bodies)
        if (std::find(methods.begin(), methods.end(), body.method) == methods.end())
          methods.push_back(body.method);
      missing = missing_meshes(parsed->spec, scene.file.parent_path());
    }
    out.push_back({{"name", scene.name},
                   {"description", scene.description},
                   {"methods", std::move(methods)},
                   {"missing", std::move(missing)}});
  }
  return out;
}

}  // namespace

struct Session::Parts {
  Parts(const SessionOptions& opts, SessionOutput out)
      : options(opts),
        output(out),
        scenes(list_scenes(opts.libraries)),
        uploads(folder.path()),
        inbox(opts.wait_for_page),
        loop(options, std::move(out), uploads, inbox, folder.path()) {}
  ~Parts() { stop(); }

  /// Turns by the clock, until the session stops.
  void run() {
    auto due = Ticks::now();
    bool wanted = loop.step_wanted();
    while (inbox.sleep(wanted ? std::optional(due) : std::nullopt, [this] { return loop.has_news(); })) {
      const auto now = Ticks::now();
      if (!wanted) due = now;
      const bool step_due = now >= due;
      if (step_due) {
        due += std::chrono::duration_cast<Ticks::duration>(Seconds(loop.interval()));
        due = std::max(due, now);  // slower than the clock: no debts
      }
      loop.turn(step_due);
      wanted = loop.step_wanted();
    }
  }

  void stop() {
    inbox.stop();
    if (thread.joinable()) thread.join();
    loop.stop();
  }

  const SessionOptions options;
  SessionOutput output;
  const Json scenes;
  TemporaryFolder folder;
  Uploads uploads;
  Inbox inbox;
  Loop loop;
  std::thread thread;
};

Session::Session(std::unique_ptr<Parts> parts) : parts_(std::move(parts)) {}
Session::~Session() = default;

Result<std::unique_ptr<Session>> Session::open(const std::string& scene, const SessionOptions& options,
                                               SessionOutput output) {
  auto parts = std::make_unique<Parts>(options, std::move(output));
  if (!scene.empty()) {
    const Result<ParsedScene> parsed = read_scene(scene, options.libraries, options.sets);
    if (!parsed) return parsed.error();
    // what --set did wrong is told with the argument's name
    if (!parsed->readable || !parsed->problems.empty()) return parsed->error();
    const Outcome<Json> loaded = parts->loop.load({Json::parse(parsed->text), parsed->file, scene});
    if (!loaded)
      return Error{scene,
                   {{loaded.refusal.where, loaded.refusal.message, "a scene that can be built",
                     loaded.refusal.advice}}};
  }
  parts->loop.show_first();
  Parts& of = *parts;
  std::unique_ptr<Session> session(new Session(std::move(parts)));
  if (options.clock == Clock::realtime) of.thread = std::thread([&of] { of.run(); });
  return session;
}

int Session::join(bool read_only) { return parts_->inbox.join(read_only); }
void Session::leave(int client) { parts_->inbox.leave(client); }
int Session::clients() const { return parts_->inbox.clients(); }
void Session::begin() { parts_->inbox.begin(); }
bool Session::waiting() const { return parts_->inbox.waiting(); }
void Session::want(int client, Channels channels) { parts_->inbox.want(client, channels); }

void Session::submit(int client, std::uint32_t id, std::string cmd, Json args) {
  parts_->inbox.begin();
  const std::optional<Refusal> refused =
      parts_->inbox.put({{client, std::move(cmd), std::move(args)}, id, false});
  if (refused && parts_->output.message) parts_->output.message(client, refused_reply(id, *refused));
}

std::shared_ptr<const Snapshot> Session::newest() const { return parts_->loop.shown().snapshot(); }
std::shared_ptr<const Json> Session::scene_message() const { return parts_->loop.shown().scene(); }
const Json& Session::scene_list() const { return parts_->scenes; }
std::uint32_t Session::step() const { return parts_->loop.figures().steps(); }
double Session::rate() const { return parts_->loop.figures().rate(); }

Outcome<Json> Session::upload(const std::string& name, const std::vector<std::byte>& bytes) {
  return parts_->uploads.add(name, bytes);
}

Outcome<Download> Session::save(const std::string& kind, const std::string& body, const std::string& format) {
  return parts_->loop.visit([&](const World& world, const Figures& figures, const Recordings& recordings) {
    return make_download(world, figures, recordings, parts_->folder.path(), kind, body, format);
  });
}

bool Session::turn() {
  if (parts_->inbox.stopped()) return false;
  parts_->loop.turn(true);
  return true;
}

void Session::stop() { parts_->stop(); }

}  // namespace pliant::view
