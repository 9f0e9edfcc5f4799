// SPDX-License-Identifier: Apache-2.0
#include "pliant/io/glb.hpp"

#include <fmt/format.h>

#include <cstdint>
#include <limits>
#include <nlohmann/json.hpp>

#include "pliant/io/atomic_file.hpp"
#include "pliant/io/gltf_numbers.hpp"
#include "pliant/io/texcoords.hpp"

namespace pliant {
namespace {

using OrderedJson = nlohmann::ordered_json;

using namespace gltf;

/// Byte ranges of the binary chunk, in the order they are written.
struct Layout {
  std::uint64_t indices, vertex_array, texcoords, frames, all_targets, times, weights;
  Layout(std::uint64_t vertices, std::uint64_t triangles, std::uint64_t texcoord_count,
         std::uint64_t frame_count)
      : indices(12 * triangles),
        vertex_array(12 * vertices),
        texcoords(8 * texcoord_count),
        frames(frame_count),
        all_targets(frame_count * 2 * vertex_array),
        times(4 * frame_count),
        weights(4 * frame_count * frame_count) {}
  std::uint64_t total() const {
    return indices + 2 * vertex_array + texcoords + all_targets + times + weights;
  }
};

class GlbWriter {
 public:
  GlbWriter(const SurfaceInfo& surface, const FrameSpool& frames)
      : surface_(surface),
        frames_(frames),
        seams_(split_seams(surface.triangles, surface.faces, surface.rest.size())),
        rest_(to_floats(surface.rest)),
        rest_normals_(frame_normals(rest_, surface.triangles)),
        layout_(surface.rest.size() + seams_.copied.size(), surface.triangles.size(), seams_.texcoords.size(),
                frames.stamps().size()) {
    add_copies(rest_);
    add_copies(rest_normals_);
  }

  std::optional<Error> write(const std::filesystem::path& path) {
    std::vector<FloatBounds> bounds;  // the head needs them before the data
    for (std::size_t k = 0; k < layout_.frames; ++k) {
      if (auto error = frames_.read(k, offsets_)) return error;
      add_copies(offsets_);
      subtract(offsets_, rest_);
      bounds.push_back(bounds_of(offsets_));
    }
    std::string head = json(bounds).dump(-1, ' ', false, OrderedJson::error_handler_t::replace);
    head.resize((head.size() + 3) / 4 * 4, ' ');
    const std::uint64_t size = 12 + 8 + head.size() + 8 + layout_.total();
    if (size > std::numeric_limits<std::uint32_t>::max()) return too_large(path, size);

    Result<AtomicFile> file = AtomicFile::create(path);
    if (!file) return file.error();
    put_words(*file, {glb_magic, 2, std::uint32_t(size), std::uint32_t(head.size()), chunk_json});
    file->write(head);
    put_words(*file, {std::uint32_t(layout_.total()), chunk_bin});
    if (auto error = binary(*file)) return error;
    return file->commit();
  }

 private:
  /// The values of the vertices that seams copy, behind those of all vertices.
  void add_copies(FloatFrame& values) const {
    values.reserve(values.size() + 3 * seams_.copied.size());
    for (Index v : seams_.copied)
      for (int axis = 0; axis < 3; ++axis) values.push_back(values[3 * std::size_t(v) + axis]);
  }

  static void subtract(FloatFrame& values, const FloatFrame& base) {
    for (std::size_t i = 0; i < values.size(); ++i) values[i] -= base[i];
  }

  static void put_words(AtomicFile& file, std::initializer_list<std::uint32_t> words) {
    for (std::uint32_t word : words) file.write(&word, sizeof(word));
  }

  static void put_floats(AtomicFile& file, const std::vector<float>& values) {
    file.write(values.data(), values.size() * sizeof(float));
  }

  Error too_large(const std::filesystem::path& path, std::uint64_t size) const {
    return Error{path.string(),
                 {{"",
                   fmt::format("{} frames of {} vertices, {:.1f} GB", layout_.frames, surface_.rest.size(),
                               double(size) * 1e-9),
                   "at most 4.29 GB, the limit of the format", "write fewer frames, or pc2, mdd or usda"}}};
  }

  OrderedJson json(const std::vector<FloatBounds>& bounds) {
    OrderedJson root = {{"asset", {{"version", "2.0"}, {"generator", "pliant"}}},
                        {"scene", 0},
                        {"scenes", {{{"nodes", {0}}}}},
                        {"nodes", {{{"name", surface_.name}, {"mesh", 0}}}}};
    OrderedJson views = OrderedJson::array(), accessors = OrderedJson::array();
    std::uint64_t offset = 0;
    const auto view = [&](std::uint64_t bytes, int target) {
      OrderedJson v = {{"buffer", 0}, {"byteOffset", offset}, {"byteLength", bytes}};
      if (target != 0) v["target"] = target;
      views.push_back(v);
      offset += bytes;
      return int(views.size()) - 1;
    };
    const auto accessor = [&](int of_view, std::uint64_t at, int component, std::uint64_t count,
                              const char* type) {
      accessors.push_back({{"bufferView", of_view},
                           {"byteOffset", at},
                           {"componentType", component},
                           {"count", count},
                           {"type", type}});
      return int(accessors.size()) - 1;
    };
    const std::uint64_t vertices = rest_.size() / 3;
    const auto positions = [&](int of_view, std::uint64_t at, const FloatBounds& range) {
      const int a = accessor(of_view, at, type_float, vertices, "VEC3");
      accessors[std::size_t(a)]["min"] = range.min;
      accessors[std::size_t(a)]["max"] = range.max;
      return a;
    };

    const int indices =
        accessor(view(layout_.indices, target_indices), 0, type_u32, 3 * surface_.triangles.size(), "SCALAR");
    const int base = positions(view(layout_.vertex_array, target_vertices), 0, bounds_of(rest_));
    const int normals =
        accessor(view(layout_.vertex_array, target_vertices), 0, type_float, vertices, "VEC3");
    OrderedJson primitive = {
        {"attributes", {{"POSITION", base}, {"NORMAL", normals}}}, {"indices", indices}, {"mode", 4}};
    if (layout_.texcoords > 0)
      primitive["attributes"]["TEXCOORD_0"] =
          accessor(view(layout_.texcoords, target_vertices), 0, type_float, vertices, "VEC2");
    OrderedJson mesh = {{"name", surface_.name}};
    if (layout_.frames > 0) {
      // Position and normal offsets of a frame lie one behind the other; each in its own view.
      OrderedJson targets = OrderedJson::array(), names = OrderedJson::array();
      for (std::size_t k = 0; k < bounds.size(); ++k) {
        const int moved = positions(view(layout_.vertex_array, target_vertices), 0, bounds[k]);
        const int turned =
            accessor(view(layout_.vertex_array, target_vertices), 0, type_float, vertices, "VEC3");
        targets.push_back({{"POSITION", moved}, {"NORMAL", turned}});
        names.push_back(fmt::format("frame_{:04}", frames_.stamps()[k].frame));
      }
      primitive["targets"] = std::move(targets);
      mesh["weights"] = std::vector<int>(bounds.size(), 0);
      mesh["extras"] = {{"targetNames", std::move(names)}};
      const int times = accessor(view(layout_.times, 0), 0, type_float, layout_.frames, "SCALAR");
      accessors[std::size_t(times)]["min"] = {float(frames_.stamps().front().time)};
      accessors[std::size_t(times)]["max"] = {float(frames_.stamps().back().time)};
      const int weights =
          accessor(view(layout_.weights, 0), 0, type_float, layout_.frames * layout_.frames, "SCALAR");
      root["animations"] = {
          {{"name", "simulation"},
           {"channels", {{{"sampler", 0}, {"target", {{"node", 0}, {"path", "weights"}}}}}},
           {"samplers", {{{"input", times}, {"output", weights}, {"interpolation", "LINEAR"}}}}}};
    }
    mesh["primitives"] = OrderedJson::array({std::move(primitive)});
    root["meshes"] = OrderedJson::array({std::move(mesh)});
    root["accessors"] = std::move(accessors);
    root["bufferViews"] = std::move(views);
    root["buffers"] = OrderedJson::array({{{"byteLength", layout_.total()}}});
    return root;
  }

  std::optional<Error> binary(AtomicFile& file) {
    if (!seams_.triangles.empty()) file.write(seams_.triangles.data(), layout_.indices);
    put_floats(file, rest_);
    put_floats(file, rest_normals_);
    for (const Texcoord& t : seams_.texcoords) {
      const Texcoord flipped{t[0], 1 - t[1]};  // glTF counts v from the top
      file.write(flipped.data(), sizeof(flipped));
    }
    for (std::size_t k = 0; k < layout_.frames; ++k) {
      if (auto error = frames_.read(k, offsets_)) return error;
      FloatFrame normals = frame_normals(offsets_, surface_.triangles);
      add_copies(offsets_);
      add_copies(normals);
      subtract(offsets_, rest_);
      subtract(normals, rest_normals_);
      put_floats(file, offsets_);
      put_floats(file, normals);
    }
    std::vector<float> times;
    for (const FrameStamp& stamp : frames_.stamps()) times.push_back(float(stamp.time));
    put_floats(file, times);
    std::vector<float> weights(layout_.frames, 0.0f);
    for (std::size_t k = 0; k < layout_.frames; ++k) {
      weights[k] = 1;
      put_floats(file, weights);
      weights[k] = 0;
    }
    return std::nullopt;
  }

  const SurfaceInfo& surface_;
  const FrameSpool& frames_;
  SeamSplit seams_;
  FloatFrame rest_, rest_normals_, offsets_;
  Layout layout_;
};

}  // namespace

std::optional<Error> write_glb(const std::filesystem::path& path, const SurfaceInfo& surface,
                               const FrameSpool& frames) {
  return GlbWriter(surface, frames).write(path);
}

}  // namespace pliant
