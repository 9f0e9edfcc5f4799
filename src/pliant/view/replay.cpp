// SPDX-License-Identifier: Apache-2.0
#include "pliant/view/replay.hpp"

#include <fmt/format.h>

#include <fstream>

#include "pliant/view/commands.hpp"

namespace pliant::view {
namespace {

Error wrong(std::string place, std::string found, std::string expected) {
  return {"", {{std::move(place), std::move(found), std::move(expected), ""}}};
}

bool is_session(const Json& json) {
  return json.is_object() && json.value("pliant_session", Json()) == 1 &&
         json.value("scene", Json()).is_object() && json.value("commands", Json()).is_array() &&
         json.value("steps", Json()).is_number_unsigned() && json.value("hash", Json()).is_string() &&
         json.value("name", Json("")).is_string();
}

bool is_command(const Json& json) {
  return json.is_object() && json.value("step", Json()).is_number_unsigned() &&
         json.value("client", Json()).is_number_integer() && json.value("cmd", Json()).is_string() &&
         json.value("args", Json()).is_object();
}

/// What a command was told. The epoch told a page's old model from the newest one; the log holds only what was
/// said about the newest, and counts of models do not begin with the session.
Json told(const Json& command) {
  Json args = command["args"];
  args.erase("epoch");
  return args;
}

/// A command as it was: done at once, or built and swapped between the same two steps.
std::optional<Refusal> give(World& world, const Call& call) {
  const Action action = interpret(world, call);
  if (action.refused) return action.refused;
  if (!action.rebuild) return std::nullopt;
  const Outcome<Json> done = world.build_now(*action.rebuild);
  return done ? std::nullopt : std::optional(done.refusal);
}

}  // namespace

Result<Replayed> replay(const Json& session, const std::filesystem::path& folder, int threads,
                        const std::function<void(const World&)>& every_step) {
  if (!is_session(session)) return wrong("", "something else", "a session saved by `pliant view`");
  World world({threads, {}, [&](const std::string& name) {
                 return folder / std::filesystem::path(name).filename();
               }});
  const Outcome<Json> loaded =
      world.load_now({session["scene"], (folder / "session.json").string(), session.value("name", "")});
  if (!loaded)
    return wrong("scene" + (loaded.refusal.where.empty() ? "" : "." + loaded.refusal.where),
                 loaded.refusal.message, "a scene that can be built");
  Replayed out;
  const Json& commands = session["commands"];
  const auto steps = session["steps"].get<std::uint32_t>();
  std::size_t next = 0;
  if (every_step) every_step(world);
  while (true) {
    for (; next < commands.size(); ++next) {
      const Json& command = commands[next];
      if (!is_command(command)) return wrong(fmt::format("commands.{}", next), "something else", "a command");
      if (command["step"].get<std::uint32_t>() > out.steps) break;
      const Call call{command["client"].get<int>(), command["cmd"].get<std::string>(), told(command)};
      if (const auto refusal = give(world, call))
        out.refused.push_back(fmt::format("step {}: {}: {}", out.steps, call.cmd, refusal->message));
      ++out.commands;
    }
    if (out.steps >= steps) break;
    world.go_on();
    world.advance();
    world.take_happenings();
    ++out.steps;
    if (every_step) every_step(world);
  }
  out.hash = world.state_hash();
  out.same = fmt::format("{:016x}", out.hash) == session["hash"].get<std::string>();
  return out;
}

Result<Replayed> replay_file(const std::filesystem::path& file, int threads) {
  std::ifstream in(file, std::ios::binary);
  if (!in) return Error{file.string(), {{"", "no such file", "a session saved by `pliant view`", ""}}};
  const std::string text{std::istreambuf_iterator<char>(in), {}};
  const Json session = Json::parse(text, nullptr, false);
  Result<Replayed> out = replay(session, file.parent_path(), threads);
  if (out) return out;
  Error error = out.error();
  error.file = file.string();
  return error;
}

}  // namespace pliant::view
