// SPDX-License-Identifier: Apache-2.0
#include "tests/interop/read_back.hpp"
#include "tests/support/places.hpp"

#include <assimp/postprocess.h>
#include <assimp/scene.h>
#include <sys/wait.h>

#include <algorithm>
#include <assimp/Importer.hpp>
#include <bit>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>
#include <memory>
#include <regex>
#include <sstream>
#include <stdexcept>

namespace pliant::interop {
namespace {

namespace fs = std::filesystem;

std::string slurp(const fs::path& path) {
  std::ifstream in(path, std::ios::binary);
  if (!in) throw std::runtime_error(path.string() + ": cannot be opened");
  return {std::istreambuf_iterator<char>(in), {}};
}

void require(bool condition, const fs::path& path, const std::string& what) {
  if (!condition) throw std::runtime_error(path.string() + ": " + what);
}

void append(Floats& out, const aiVector3D& p) { out.insert(out.end(), {p.x, p.y, p.z}); }

Floats corners_of(const aiMesh& mesh, const aiVector3D* vertices) {
  Floats out;
  for (unsigned f = 0; f < mesh.mNumFaces; ++f)
    for (unsigned c = 0; c < mesh.mFaces[f].mNumIndices; ++c)
      append(out, vertices[mesh.mFaces[f].mIndices[c]]);
  return out;
}

const aiScene& load(Assimp::Importer& importer, const fs::path& path) {
  const aiScene* scene = importer.ReadFile(path.string(), aiProcess_ValidateDataStructure);
  require(scene != nullptr, path, importer.GetErrorString());
  require(scene->mNumMeshes == 1, path, "assimp sees not one mesh");
  return *scene;
}

/// Words of the file at a byte offset, of either byte order.
template <class T>
std::vector<T> words(const std::string& bytes, std::size_t offset, std::size_t count, bool big_endian) {
  if (bytes.size() < offset + 4 * count) throw std::runtime_error("the file ends too early");
  std::vector<T> out(count);
  for (std::size_t i = 0; i < count; ++i) {
    char word[4];
    std::memcpy(word, bytes.data() + offset + 4 * i, 4);
    if (big_endian) std::reverse(word, word + 4);
    std::memcpy(&out[i], word, 4);
  }
  return out;
}

std::string output_of(const std::string& command) {
  std::FILE* pipe = popen(command.c_str(), "r");
  if (!pipe) throw std::runtime_error("cannot run " + command);
  std::string out;
  char block[4096];
  for (std::size_t got = 0; (got = std::fread(block, 1, sizeof(block), pipe)) > 0;) out.append(block, got);
  const int status = pclose(pipe);
  if (status != 0)
    throw std::runtime_error("failed (is python3-vtk9 installed? `scripts/setup test` does it): " + command);
  return out;
}

void expect_word(std::istream& in, const std::string& word) {
  std::string found;
  in >> found;
  if (found != word) throw std::runtime_error("VTK script said '" + found + "' instead of '" + word + "'");
}

Floats hex_floats(std::istream& in, std::size_t tuples, std::size_t components = 3) {
  Floats out;
  std::string word;
  for (std::size_t i = 0; i < components * tuples && in >> word; ++i)
    out.push_back(std::strtof(word.c_str(), nullptr));
  return out;
}

/// All numbers between the bracket at `at` and the one that closes it.
template <class T>
std::vector<T> bracketed(const std::string& text, std::size_t at) {
  const std::size_t end = text.find(']', at);
  if (at == std::string::npos || text[at] != '[' || end == std::string::npos)
    throw std::runtime_error("usda: a list is missing");
  std::string list = text.substr(at + 1, end - at - 1);
  std::replace_if(
      list.begin(), list.end(), [](char c) { return c == '(' || c == ')' || c == ','; }, ' ');
  std::vector<T> out;
  const char* here = list.c_str();
  for (char* next = nullptr;; here = next) {
    T value;
    if constexpr (std::is_integral_v<T>)
      value = T(std::strtol(here, &next, 10));
    else
      value = std::strtof(here, &next);
    if (next == here) break;
    out.push_back(value);
  }
  return out;
}

template <class T>
std::vector<T> usda_list(const std::string& text, const std::string& name) {
  const std::size_t at = text.find(" " + name + " = [");
  if (at == std::string::npos) throw std::runtime_error("usda: no " + name);
  return bracketed<T>(text, text.find('[', at + name.size() + 3));
}

Sequence usda_samples(const std::string& text, const std::string& name) {
  const std::string head = " " + name + ".timeSamples = {";
  const std::size_t begin = text.find(head), end = text.find('}', begin);
  if (begin == std::string::npos || end == std::string::npos)
    throw std::runtime_error("usda: no " + name + ".timeSamples");
  Sequence out;
  std::size_t at = begin + head.size();
  while (true) {
    const std::size_t colon = text.find(':', at);
    if (colon == std::string::npos || colon > end) break;
    out.times.push_back(std::strtod(text.c_str() + at, nullptr));
    const std::size_t open = text.find('[', colon);
    out.frames.push_back(bracketed<float>(text, open));
    at = text.find(']', open) + 2;
  }
  return out;
}

}  // namespace

Floats parse_obj_vertices(const fs::path& path) {
  std::istringstream in(slurp(path));
  Floats out;
  for (std::string line; std::getline(in, line);) {
    if (!line.starts_with("v ")) continue;
    char* at = line.data() + 1;
    for (int axis = 0; axis < 3; ++axis) out.push_back(std::strtof(at, &at));
  }
  return out;
}

Floats assimp_corners(const fs::path& path) {
  Assimp::Importer importer;
  const aiMesh& mesh = *load(importer, path).mMeshes[0];
  return corners_of(mesh, mesh.mVertices);
}

TexturedCorners assimp_textured(const fs::path& path) {
  Assimp::Importer importer;
  const aiMesh& mesh = *load(importer, path).mMeshes[0];
  require(mesh.HasTextureCoords(0), path, "no texture coordinates");
  TexturedCorners out;
  out.positions = corners_of(mesh, mesh.mVertices);
  for (unsigned f = 0; f < mesh.mNumFaces; ++f) {
    out.counts.push_back(mesh.mFaces[f].mNumIndices);
    for (unsigned c = 0; c < mesh.mFaces[f].mNumIndices; ++c) {
      const aiVector3D& uv = mesh.mTextureCoords[0][mesh.mFaces[f].mIndices[c]];
      out.uv.insert(out.uv.end(), {uv.x, uv.y});
    }
  }
  return out;
}

Morphs assimp_morphs(const fs::path& path) {
  Assimp::Importer importer;
  const aiScene& scene = load(importer, path);
  const aiMesh& mesh = *scene.mMeshes[0];
  Morphs out;
  out.rest = corners_of(mesh, mesh.mVertices);
  for (unsigned k = 0; k < mesh.mNumAnimMeshes; ++k) {
    require(mesh.mAnimMeshes[k]->mNumVertices == mesh.mNumVertices, path, "a target of another size");
    require(mesh.mAnimMeshes[k]->HasNormals(), path, "a target without normals");
    out.targets.frames.push_back(corners_of(mesh, mesh.mAnimMeshes[k]->mVertices));
    out.normals.push_back(corners_of(mesh, mesh.mAnimMeshes[k]->mNormals));
  }
  require(scene.mNumAnimations == 1 && scene.mAnimations[0]->mNumMorphMeshChannels == 1, path,
          "not one morph animation");
  const aiMeshMorphAnim& channel = *scene.mAnimations[0]->mMorphMeshChannels[0];
  for (unsigned k = 0; k < channel.mNumKeys; ++k) {
    const aiMeshMorphKey& key = channel.mKeys[k];
    out.targets.times.push_back(key.mTime / scene.mAnimations[0]->mTicksPerSecond);
    std::vector<double> weights(mesh.mNumAnimMeshes, 0);
    for (unsigned i = 0; i < key.mNumValuesAndWeights; ++i) weights.at(key.mValues[i]) = key.mWeights[i];
    out.weights.push_back(weights);
  }
  return out;
}

std::vector<VtuFile> vtk_files(const std::vector<fs::path>& paths) {
  std::string command = "'" PLIANT_PYTHON "' '" + source_folder() + "/tests/interop/read_vtu.py'";
  for (const fs::path& path : paths) command += " '" + path.string() + "'";
  std::istringstream in(output_of(command));
  std::vector<VtuFile> files(paths.size());
  for (VtuFile& file : files) {
    std::string number;
    std::size_t count = 0;
    expect_word(in, "file");
    expect_word(in, "time");
    in >> number;
    file.time = std::strtod(number.c_str(), nullptr);
    expect_word(in, "points");
    in >> count;
    file.surface.positions = hex_floats(in, count);
    expect_word(in, "displacement");
    in >> count;
    file.displacement = hex_floats(in, count);
    expect_word(in, "uv");
    in >> count;
    file.uv = hex_floats(in, count, 2);
    expect_word(in, "cells");
    in >> count;
    file.cells.resize(count);
    for (std::vector<Index>& cell : file.cells) {
      in >> count;
      cell.resize(count);
      for (Index& corner : cell) in >> corner;
      if (count == 3) file.surface.triangles.push_back({cell[0], cell[1], cell[2]});
    }
    if (file.surface.triangles.size() != file.cells.size()) file.surface.triangles.clear();
  }
  require(bool(in), paths.empty() ? "" : paths[0], "the VTK script ended too early");
  return files;
}

std::vector<PvdItem> parse_pvd(const fs::path& path) {
  const std::string text = slurp(path);
  require(text.find("<VTKFile type=\"Collection\"") != std::string::npos, path, "not a collection");
  const std::regex item("<DataSet timestep=\"([^\"]*)\" part=\"0\" file=\"([^\"]*)\"/>");
  std::vector<PvdItem> items;
  for (std::sregex_iterator it(text.begin(), text.end(), item), end; it != end; ++it)
    items.push_back({std::strtod((*it)[1].str().c_str(), nullptr), (*it)[2].str()});
  return items;
}

Sequence parse_pc2(const fs::path& path) {
  const std::string bytes = slurp(path);
  require(bytes.compare(0, 12, std::string("POINTCACHE2\0", 12)) == 0, path, "no POINTCACHE2");
  const std::vector<std::int32_t> head = words<std::int32_t>(bytes, 12, 5, false);
  require(head[0] == 1, path, "not version 1");
  require(std::bit_cast<float>(head[3]) == 1.0f, path, "not a sample a frame");
  const std::size_t points = std::size_t(head[1]), samples = std::size_t(head[4]);
  require(bytes.size() == 32 + 12 * points * samples, path, "not the size its header tells");
  Sequence out;
  for (std::size_t k = 0; k < samples; ++k)
    out.frames.push_back(words<float>(bytes, 32 + 12 * points * k, 3 * points, false));
  return out;
}

Sequence parse_mdd(const fs::path& path) {
  const std::string bytes = slurp(path);
  const std::vector<std::int32_t> head = words<std::int32_t>(bytes, 0, 2, true);
  const std::size_t frames = std::size_t(head[0]), points = std::size_t(head[1]);
  require(bytes.size() == 8 + 4 * frames + 12 * points * frames, path, "not the size its header tells");
  Sequence out;
  for (float time : words<float>(bytes, 8, frames, true)) out.times.push_back(time);
  for (std::size_t k = 0; k < frames; ++k)
    out.frames.push_back(words<float>(bytes, 8 + 4 * frames + 12 * points * k, 3 * points, true));
  return out;
}

UsdaFile parse_usda(const fs::path& path) {
  UsdaFile file;
  file.text = slurp(path);
  require(file.text.starts_with("#usda 1.0\n"), path, "no #usda 1.0");
  file.rest.positions = usda_list<float>(file.text, "points");
  const std::vector<Index> counts = usda_list<Index>(file.text, "faceVertexCounts");
  const std::vector<Index> indices = usda_list<Index>(file.text, "faceVertexIndices");
  require(indices.size() == 3 * counts.size() &&
              std::count(counts.begin(), counts.end(), 3) == long(counts.size()),
          path, "not all faces are triangles");
  for (std::size_t t = 0; t < counts.size(); ++t)
    file.rest.triangles.push_back({indices[3 * t], indices[3 * t + 1], indices[3 * t + 2]});
  file.points = usda_samples(file.text, "points");
  file.extents = usda_samples(file.text, "extent").frames;
  return file;
}

}  // namespace pliant::interop
