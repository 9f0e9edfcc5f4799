// SPDX-License-Identifier: Apache-2.0
// The files that the settings of a method name: read from the scene's folder, and results kept in the user's
// cache.
#pragma once

#include <cstdint>
#include <filesystem>

#include "pliant/methods/entry.hpp"
#include "pliant/scene/own_meshes.hpp"

namespace pliant {

/// $PLIANT_CACHE, else $XDG_CACHE_HOME/pliant, else ~/.cache/pliant; empty when none of them is set.
std::filesystem::path cache_folder();

class BodyFiles final : public FileAccess {
 public:
  /// folder: of the scene file. What is read is added to the fingerprint.
  BodyFiles(std::filesystem::path folder, std::uint64_t& fingerprint, OwnMeshes meshes = {})
      : folder_(std::move(folder)), fingerprint_(fingerprint), meshes_(std::move(meshes)) {}

  std::string place(const std::string& name) const override;
  Result<PolygonMesh> mesh(const std::string& name) override;
  Result<Skeleton> skeleton(const std::string& name) override;
  Points directions(const std::string& name, std::size_t count, const std::string& key,
                    std::vector<Problem>& problems) override;
  std::string cache_place(const std::string& name) const override;
  std::optional<Result<std::string>> read_cache(const std::string& name) const override;
  std::string write_cache(const std::string& name, std::string_view bytes) const override;

 private:
  std::filesystem::path folder_;
  std::uint64_t& fingerprint_;
  OwnMeshes meshes_;
};

}  // namespace pliant
