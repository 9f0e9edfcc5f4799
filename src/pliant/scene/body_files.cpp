// SPDX-License-Identifier: Apache-2.0
#include "pliant/scene/body_files.hpp"

#include <cstdlib>

#include "pliant/base/hash.hpp"
#include "pliant/io/atomic_file.hpp"
#include "pliant/io/read_file.hpp"
#include "pliant/io/read_mesh.hpp"
#include "pliant/io/skeleton_file.hpp"
#include "pliant/scene/build_fibres.hpp"
#include "pliant/scene/find_file.hpp"
#include "pliant/scene/mesh_fingerprint.hpp"

namespace pliant {

std::filesystem::path cache_folder() {
  const auto value = [](const char* name) {
    const char* text = std::getenv(name);
    return std::filesystem::path(text ? text : "");
  };
  if (const auto own = value("PLIANT_CACHE"); !own.empty()) return own;
  if (const auto shared = value("XDG_CACHE_HOME"); !shared.empty()) return shared / "pliant";
  if (const auto home = value("HOME"); !home.empty()) return home / ".cache" / "pliant";
  return {};
}

std::string BodyFiles::place(const std::string& name) const { return find_file(name, folder_).string(); }

Result<PolygonMesh> BodyFiles::mesh(const std::string& name) {
  Result<PolygonMesh> read = read_surface(name, folder_, meshes_);
  if (read) fingerprint_ = mesh_fingerprint(*read, fingerprint_);
  return read;
}

Result<Skeleton> BodyFiles::skeleton(const std::string& name) {
  Result<Skeleton> read = load_skeleton(find_file(name, folder_));
  if (!read) return read;
  const std::string text = skeleton_text(*read);
  fingerprint_ = hash_bytes(text.data(), text.size(), fingerprint_);
  return read;
}

Points BodyFiles::directions(const std::string& name, std::size_t count, const std::string& key,
                             std::vector<Problem>& problems) {
  Points read = read_directions(find_file(name, folder_), count, key, problems);
  fingerprint_ = hash_bytes(read.data(), read.size() * sizeof(Vec3), fingerprint_);
  return read;
}

std::string BodyFiles::cache_place(const std::string& name) const {
  const std::filesystem::path folder = cache_folder();
  return folder.empty() ? std::string() : (folder / name).string();
}

std::optional<Result<std::string>> BodyFiles::read_cache(const std::string& name) const {
  const std::string file = cache_place(name);
  std::error_code ignored;
  if (file.empty() || !std::filesystem::exists(file, ignored)) return std::nullopt;
  return read_file(file);
}

std::string BodyFiles::write_cache(const std::string& name, std::string_view bytes) const {
  const std::string file = cache_place(name);
  if (file.empty()) return "no cache folder is set: PLIANT_CACHE, XDG_CACHE_HOME or HOME";
  const std::optional<Error> error = write_file(file, bytes);
  return error ? error->text() : "";
}

}  // namespace pliant
