// SPDX-License-Identifier: Apache-2.0
#include "contact_files.hpp"

#include <fcntl.h>
#include <fmt/format.h>

#include <cerrno>
#include <charconv>
#include <fstream>
#include <iterator>

#include "commands.hpp"
#include "pliant/io/atomic_file.hpp"
#include "pliant/io/vtu.hpp"
#include "pliant/sim/contact_forces.hpp"

namespace pliant::cli {
namespace {

namespace fs = std::filesystem;

constexpr const char *csv = "contacts.csv", *part = "contacts.csv.part";

void or_throw(const std::optional<Error>& error) {
  if (error) throw RunError(error->text());
}

/// The rows of frames before this one, with the header; nothing when the text is no such file.
std::string rows_before(const std::string& text, int first_frame) {
  const std::string header = contacts_csv_header();
  if (text.compare(0, header.size(), header) != 0) return {};
  std::size_t at = header.size();
  for (;;) {
    const std::size_t end = text.find('\n', at);
    if (end == std::string::npos) break;  // a row that was cut off
    int frame = 0;
    const auto [rest, error] = std::from_chars(text.data() + at, text.data() + end, frame);
    if (error != std::errc() || frame >= first_frame) break;
    at = end + 1;
  }
  return text.substr(0, at);
}

}  // namespace

const std::vector<std::string>& ContactFiles::names() {
  static const std::vector<std::string> all{csv, part};
  return all;
}

ContactFiles::ContactFiles(fs::path folder, bool vtu, int first_frame)
    : folder_(std::move(folder)), vtu_(vtu), last_frame_(first_frame - 1) {
  std::string text = contacts_csv_header();
  if (first_frame > 0) {
    std::error_code ignored;
    const fs::path earlier = folder_ / (fs::exists(folder_ / part, ignored) ? part : csv);
    std::ifstream in(earlier, std::ios::binary);
    text = rows_before({std::istreambuf_iterator<char>(in), {}}, first_frame);
    if (text.empty())
      throw InputError(
          fmt::format("--contacts: {}: found no contacts of the run to resume, expected those of frames "
                      "before {}; resume without "
                      "--contacts, or run again from the start",
                      (folder_ / csv).string(), first_frame));
  }
  const fs::path file = folder_ / part;
  file_ = FileHandle::open(file, O_RDWR | O_CREAT | O_TRUNC);
  if (!file_) throw InputError(file_error(file, "a file that can be written", errno).text());
  append(text);
}

void ContactFiles::append(const std::string& text) {
  if (const int cause = file_.write_at(bytes_, text.data(), text.size()))
    throw RunError(file_error(folder_ / part, "a file that can be written", cause).text());
  bytes_ += text.size();
}

fs::path ContactFiles::points_file(int frame) const {
  return folder_ / "frames" / fmt::format("contacts_{:04}.vtu", frame);
}

void ContactFiles::write_points(const Scene& scene, int frame) const {
  std::vector<float> places;
  PointArray force{"force", 3, {}}, friction{"friction", 3, {}}, normal{"normal", 3, {}},
      pressed{"normal_force", 1, {}}, gap{"gap", 1, {}}, body{"body", 1, {}}, collider{"collider", 1, {}},
      other{"other_body", 1, {}};
  const auto add = [](std::vector<float>& to, const Vec3& v) {
    to.insert(to.end(), {float(v.x()), float(v.y()), float(v.z())});
  };
  for (const ContactForce& c : contact_forces(scene.simulation)) {
    add(places, c.place);
    add(force.values, c.normal_force * c.normal + c.friction);
    add(friction.values, c.friction);
    add(normal.values, c.normal);
    pressed.values.push_back(float(c.normal_force));
    gap.values.push_back(float(c.gap));
    body.values.push_back(float(c.body));
    collider.values.push_back(float(c.collider));
    other.values.push_back(float(c.other_body));
  }
  or_throw(write_points_vtu(points_file(frame), places,
                            {force, friction, normal, pressed, gap, body, collider, other},
                            scene.simulation.time()));
}

void ContactFiles::write(const Scene& scene, int frame) {
  append(contacts_csv(scene.simulation, frame));
  if (vtu_) write_points(scene, frame);
  last_frame_ = frame;
}

void ContactFiles::finish(const Scene& scene) {
  file_ = FileHandle();
  std::error_code error;
  fs::rename(folder_ / part, folder_ / csv, error);
  if (error) throw RunError(fmt::format("{}: {}", (folder_ / csv).string(), error.message()));
  if (!vtu_) return;
  std::vector<PvdEntry> entries;
  for (int frame = 0; frame <= last_frame_; ++frame)
    if (fs::exists(points_file(frame), error))
      entries.push_back({frame * scene.spec.timestep, points_file(frame).filename().string()});
  or_throw(write_pvd(folder_ / "frames" / "contacts.pvd", entries));
}

}  // namespace pliant::cli
