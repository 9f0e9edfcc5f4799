// SPDX-License-Identifier: Apache-2.0
// A graph of nodes as a file: .json for programs, .vtu (lines with volumes and shares) for ParaView.
#pragma once

#include <filesystem>
#include <optional>

#include "pliant/base/result.hpp"
#include "pliant/geometry/node_graph.hpp"

namespace pliant {

/// By extension, in any case; another one is an error.
[[nodiscard]] std::optional<Error> write_graph(const std::filesystem::path& path, const NodeGraph& graph);

}  // namespace pliant
