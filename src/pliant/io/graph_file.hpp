// SPDX-License-Identifier: Apache-2.0
// A graph of nodes as a file: .json for programs, .vtu (lines with volumes and shares) for ParaView.
#pragma once

#include <filesystem>
#include <optional>

#include "pliant/base/result.hpp"
#include "pliant/geometry/node_graph.hpp"

namespace pliant {

/// None if write_graph knows the extension: asked before long work.
[[nodiscard]] std::optional<Error> check_graph_name(const std::filesystem::path& path);

/// By extension, in any case; another one is an error.
[[nodiscard]] std::optional<Error> write_graph(const std::filesystem::path& path, const NodeGraph& graph);

}  // namespace pliant
