// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/sheet/sweeps.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <tuple>

#include "pliant/math/rotation.hpp"
#include "pliant/methods/geometric/energy.hpp"
#include "pliant/methods/geometric/sheet/energy.hpp"

namespace pliant::geometric {
namespace {

constexpr int block_slots = 512, block_nodes = 256;  // parts of the pool: some 10 us

int blocks_of(int count, int block) { return (count + block - 1) / block; }

Vec3 at(const double* x, Index place) { return Eigen::Map<const Vec3>(x + 4 * std::size_t(place)); }
Vec3 at(const float* x, Index place) {
  return Eigen::Map<const Eigen::Vector3f>(x + 4 * std::size_t(place)).cast<double>();
}
template <class Number>
void put(const Vec3& v, Number* to) {
  for (int k = 0; k < 3; ++k) to[k] = Number(v[k]);
}

Mat3 rotation_of(const float* q) {
  return Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
}

/// tr(S) I - S for S = sym(R^T A).
Mat3 turning_inertia(const Mat3& s) { return s.trace() * Mat3::Identity() - 0.5 * (s + s.transpose()); }

bool well_positive(const Mat3& g) {
  const double mean = g.trace() / 3;
  return mean > 0 && g(0, 0) > 0 && g(0, 0) * g(1, 1) > g(0, 1) * g(0, 1) &&
         g.determinant() > 1e-6 * mean * mean * mean;
}

/// R(A) by Newton steps from a warm start that is near: where tr(S) I - S is positive the maximum of tr(R^T A)
/// is the only one. Else by the robust search.
Mat3 near_rotation(const Mat3& a, const Mat3& warm) {
  constexpr int most = 5;
  constexpr double far = 0.5, small = 1e-8;  // rad; the square of a small turn is rounding
  Mat3 r = warm;
  for (int k = 0; k < most; ++k) {
    const Mat3 s = r.transpose() * a, g = turning_inertia(s);
    if (!well_positive(g)) break;
    const Vec3 w = g.inverse() * Vec3(s(2, 1) - s(1, 2), s(0, 2) - s(2, 0), s(1, 0) - s(0, 1));
    const double angle = w.norm();
    if (!(angle < far)) break;
    if (angle > 0) r = r * Eigen::AngleAxisd(angle, w / angle).toRotationMatrix();
    if (angle < small) return r;
  }
  return nearest_rotation(a, Eigen::Quaterniond(warm)).q.toRotationMatrix();
}

}  // namespace

// ---- layout ----

void SheetSweeps::arrange(const Model& model, const Arrangement& arrangement) {
  if (!model.sheet) return;
  nodes_ = model.nodes();
  free_ = arrangement.free;
  fill_matrix(model, arrangement);
  sort_elements(*model.sheet, arrangement);
  fill_triangles(*model.sheet);
  fill_incident();
  partial_.assign(std::size_t(blocks_of(free_, block_nodes)), 0);
  bind();
}

void SheetSweeps::fill_matrix(const Model& model, const Arrangement& arrangement) {
  const SymmetricMatrix k = stiffness_matrix(model);
  std::vector<std::vector<std::pair<Index, double>>> rows(static_cast<std::size_t>(free_));
  for (Index i = 0; i < k.rows(); ++i)
    for (Index n = k.begin[i]; n < k.begin[i + 1]; ++n) {
      const Index a = arrangement.place[i], b = arrangement.place[k.column[n]];
      if (a == b) continue;
      if (a < free_) rows[a].emplace_back(b, k.value[n]);
      if (b < free_) rows[b].emplace_back(a, k.value[n]);
    }
  row_.assign(1, 0), column_.clear(), value_.clear();
  for (auto& row : rows) {
    std::sort(row.begin(), row.end());
    for (const auto& [column, value] : row) column_.push_back(column), value_.push_back(value);
    row_.push_back(Index(column_.size()));
  }
  value_float_.assign(value_.begin(), value_.end());
}

/// Triangles at flat rest first, each kind in the order of places.
void SheetSweeps::sort_elements(const SheetElements& sheet, const Arrangement& arrangement) {
  std::vector<Index> low(std::size_t(sheet.count()), nodes_);
  for (Index e = 0; e < sheet.count(); ++e)
    for (const Index node : sheet[e].node.first(std::size_t(sheet.turning[e])))
      low[e] = std::min(low[e], arrangement.place[node]);
  element_.resize(std::size_t(sheet.count()));
  std::iota(element_.begin(), element_.end(), 0);
  std::sort(element_.begin(), element_.end(), [&](Index a, Index b) {
    return std::tuple(!sheet.flat[a], low[a], a) < std::tuple(!sheet.flat[b], low[b], b);
  });
  flat_ = Index(std::count(sheet.flat.begin(), sheet.flat.end(), 1));
  begin_.assign(1, 0), place_.clear(), arm_.clear(), inertia_.clear();
  for (Index s = 0; s < elements(); ++s) {
    const SheetElements::View view = sheet[element_[s]];
    for (Index v = 0; v < view.turning; ++v) {
      place_.push_back(arrangement.place[view.node[v]]);
      if (s >= flat_) arm_.push_back(view.arm[v]);
    }
    begin_.push_back(Index(place_.size()));
    if (s >= flat_) inertia_.push_back(sheet.inertia[element_[s]]);
  }
}

void SheetSweeps::fill_triangles(const SheetElements& sheet) {
  const std::size_t slots = element_.size(), members = place_.size(), flat = std::size_t(flat_);
  slope_.assign(8 * flat, 0), frame_.assign(12 * flat, 0), slew_.assign(4 * flat, 0);
  lever_.assign(20 * flat, 0), flattened_.assign(flat, 0), rest_frame_.resize(flat);
  for (Index s = 0; s < flat_; ++s) {
    const SheetElements::View view = sheet[element_[s]];
    const double root = view.rest[0].norm();
    double* slope = slope_.data() + 8 * std::size_t(s);
    for (int v = 0; v < 2; ++v)
      for (int k = 0; k < 2; ++k) slope[2 * v + k] = view.at(k, v + 1) / root;
    slope[4] = root * root;
    Mat3& frame = rest_frame_[s];
    frame.col(0) = view.rest[0] / root;
    frame.col(1) = view.rest[1] / root;
    frame.col(2) = frame.col(0).cross(frame.col(1));
  }
  rotation_.assign(slots - flat, Mat3::Identity());
  bent_slew_.assign(slots - flat, Mat3::Zero());
  bent_slew_now_ = bent_slew_;
  turn_.assign(4 * slots, 0), turn_sum_.assign(4 * slots, 0), followed_.assign(4 * members, 0);
  force_.assign(4 * members, 0), exact_followed_.assign(4 * members, 0);
}

void SheetSweeps::fill_incident() {
  incident_begin_.assign(std::size_t(free_) + 1, 0);
  for (const Index p : place_)
    if (p < free_) ++incident_begin_[std::size_t(p) + 1];
  for (Index p = 0; p < free_; ++p) incident_begin_[p + 1] += incident_begin_[p];
  incident_.assign(std::size_t(incident_begin_.back()), 0);
  std::vector<Index> next(incident_begin_.begin(), incident_begin_.end() - 1);
  for (Index m = 0; m < Index(place_.size()); ++m)
    if (place_[m] < free_) incident_[next[place_[m]]++] = m;
}

void SheetSweeps::bind() {
  arrays_ = {.row = row_.data(),
             .column = column_.data(),
             .value = value_.data(),
             .value_float = value_float_.data(),
             .corner = place_.data(),
             .slope = slope_.data(),
             .frame = frame_.data(),
             .slew = slew_.data(),
             .lever = lever_.data(),
             .turn = turn_.data(),
             .flattened = flattened_.data(),
             .force = force_.data(),
             .followed = followed_.data(),
             .incident_begin = incident_begin_.data(),
             .incident = incident_.data()};
}

// ---- rotations ----

Mat3 SheetSweeps::frame(Index s) const {
  return Eigen::Map<const Eigen::Matrix<double, 4, 3>>(frame_.data() + 12 * std::size_t(s)).topRows<3>();
}

void SheetSweeps::turn_line(Index s, const double* x, bool tension) {
  const double* slope = slope_.data() + 8 * std::size_t(s);
  const Index* place = place_.data() + 3 * std::size_t(s);
  const Vec3 a = at(x, place[1]) - at(x, place[0]), b = at(x, place[2]) - at(x, place[0]);
  Mat3 f;
  f << slope[0] * a + slope[2] * b, slope[1] * a + slope[3] * b, Vec3::Zero();
  const Mat3 r = nearest_rotation(f, Eigen::Quaterniond(frame(s))).q.toRotationMatrix();
  for (int k = 0; k < 3; ++k) put(r.col(k), frame_.data() + 12 * std::size_t(s) + 4 * k);
  if (tension) {
    const double rest[4] = {1 / slope[4], 0, 1 / slope[4], 1 / (2 * slope[4])};
    std::copy_n(rest, 4, slew_.data() + 4 * std::size_t(s));
  }
  sheet_kernels().push(arrays_, s);
}

void SheetSweeps::turn_bent(Index s, const double* x, bool tension) {
  const Vec3 origin = at(x, place_[begin_[s]]);
  Mat3 a = Mat3::Zero();
  for (Index m = begin_[s] + 1; m < begin_[s + 1]; ++m)
    a += (at(x, place_[m]) - origin) * arm_[m - 3 * flat_].transpose();
  Mat3& r = rotation_[s - flat_];
  r = near_rotation(a, r);
  if (tension) bent_slew_[s - flat_] = slew_under_tension(inertia_[s - flat_], r.transpose() * a);
  push_bent(s);
}

void SheetSweeps::push_bent(Index s) {
  const Mat3& r = rotation_[s - flat_];
  for (Index m = begin_[s]; m < begin_[s + 1]; ++m)
    put(r * arm_[m - 3 * flat_], force_.data() + 4 * std::size_t(m));
  bent_slew_now_[s - flat_] = r * bent_slew_[s - flat_] * r.transpose();
}

void SheetSweeps::turn(const double* x, bool tension, int begin, int end) {
  const int triangles = std::min(end, int(flat_));
  if (begin < triangles) sheet_kernels().fit(arrays_, x, tension, begin, triangles);
  for (Index s = begin; s < triangles; ++s)
    if (flattened_[s]) turn_line(s, x, tension);
  for (Index s = std::max(begin, int(flat_)); s < end; ++s) turn_bent(s, x, tension);
}

void SheetSweeps::start(const double* x, std::span<const float> quaternions, Pool& pool) {
  for_blocks(pool, elements(), block_slots, [&](int begin, int end) {
    for (Index s = begin; s < end; ++s) {
      const Mat3 r = rotation_of(quaternions.data() + 4 * std::size_t(element_[s]));
      if (s >= flat_) {
        rotation_[s - flat_] = r;
        continue;
      }
      const Mat3 frame = r * rest_frame_[s];
      for (int k = 0; k < 3; ++k) put(frame.col(k), frame_.data() + 12 * std::size_t(s) + 4 * k);
    }
    turn(x, true, begin, end);
  });
}

void SheetSweeps::set_rest() {
  for (Index s = 0; s < flat_; ++s) {
    const double weight = slope_[8 * std::size_t(s) + 4];
    const double slew[4] = {1 / weight, 0, 1 / weight, 1 / (2 * weight)};
    std::copy_n(slew, 4, slew_.data() + 4 * std::size_t(s));
    for (int k = 0; k < 3; ++k) put(rest_frame_[s].col(k), frame_.data() + 12 * std::size_t(s) + 4 * k);
    sheet_kernels().push(arrays_, s);
  }
  for (Index s = flat_; s < elements(); ++s) {
    const Mat3& g = inertia_[s - flat_];
    rotation_[s - flat_] = Mat3::Identity();
    // At rest S = B: no tension.
    bent_slew_[s - flat_] = slew_under_tension(g, g.trace() / 2 * Mat3::Identity() - g);
    push_bent(s);
  }
}

void SheetSweeps::store(std::span<float> quaternions, Pool& pool) const {
  for_blocks(pool, elements(), block_slots, [&](int begin, int end) {
    for (Index s = begin; s < end; ++s) {
      const Mat3 r = s < flat_ ? Mat3(frame(s) * rest_frame_[s].transpose()) : rotation_[s - flat_];
      const Eigen::Quaternionf q = Eigen::Quaterniond(r).cast<float>();
      const float numbers[4] = {q.w(), q.x(), q.y(), q.z()};
      std::copy_n(numbers, 4, quaternions.begin() + 4 * std::ptrdiff_t(element_[s]));
    }
  });
}

void SheetSweeps::rotate(const double* x, Pool& pool) {
  for_blocks(pool, elements(), block_slots, [&](int begin, int end) { turn(x, false, begin, end); });
}

Vec3 SheetSweeps::lever(Index s, Index v) const { return at(force_.data(), begin_[s] + v); }

Mat3 SheetSweeps::slew(Index s) const {
  if (s >= flat_) return bent_slew_now_[s - flat_];
  const double* g = slew_.data() + 4 * std::size_t(s);
  Mat3 in_frame = Mat3::Zero();
  in_frame(0, 0) = g[0], in_frame(1, 1) = g[2], in_frame(2, 2) = g[3];
  in_frame(0, 1) = in_frame(1, 0) = g[1];
  const Mat3 f = frame(s);
  return f * in_frame * f.transpose();
}

// ---- gradient and products ----

double SheetSweeps::summed(int parts) const {
  return std::accumulate(partial_.begin(), partial_.begin() + parts, 0.0);
}

double SheetSweeps::gradient(const double* x, double scale, bool renew, const Collect& c, Pool& pool) {
  if (renew) rotate(x, pool);
  const SheetCollect collect{c.base, c.diagonal, c.u, c.out};
  for_blocks(pool, free_, block_nodes, [&](int begin, int end) {
    partial_[begin / block_nodes] = sheet_kernels().gradient(arrays_, x, scale, collect, begin, end);
  });
  return summed(blocks_of(free_, block_nodes));
}

/// w of an element that is no triangle at flat rest, for the motion p.
template <class Number>
void SheetSweeps::follow_bent(Index s, const Number* p, Vec3& w) const {
  Vec3 a = Vec3::Zero();
  for (Index m = begin_[s]; m < begin_[s + 1]; ++m) a += at(force_.data(), m).cross(at(p, place_[m]));
  w = bent_slew_now_[s - flat_] * a;
}

double SheetSweeps::product(const float* p, float pull, float turning, const Collect& c, Pool& pool) {
  for_blocks(pool, elements(), block_slots, [&](int begin, int end) {
    const int triangles = std::min(end, int(flat_));
    if (begin < triangles) sheet_kernels().follow(arrays_, p, begin, triangles);
    for (Index s = std::max(begin, int(flat_)); s < end; ++s) {
      Vec3 w;
      follow_bent(s, p, w);
      put(w, turn_.data() + 4 * std::size_t(s));
      for (Index m = begin_[s]; m < begin_[s + 1]; ++m)
        put(w.cross(at(force_.data(), m)), followed_.data() + 4 * std::size_t(m));
    }
  });
  const SheetCollect collect{c.base, c.diagonal, c.u, c.out};
  for_blocks(pool, free_, block_nodes, [&](int begin, int end) {
    partial_[begin / block_nodes] = sheet_kernels().product(arrays_, p, pull, turning, collect, begin, end);
  });
  return summed(blocks_of(free_, block_nodes));
}

void SheetSweeps::add_exact_product(const double* p, double pull, double turning, float* out, Pool& pool) {
  for_blocks(pool, elements(), block_slots, [&](int begin, int end) {
    for (Index s = begin; s < end; ++s) {
      Vec3 a = Vec3::Zero();
      for (Index m = begin_[s]; m < begin_[s + 1]; ++m) a += at(force_.data(), m).cross(at(p, place_[m]));
      const Vec3 w = slew(s) * a;
      for (Index m = begin_[s]; m < begin_[s + 1]; ++m)
        put(w.cross(at(force_.data(), m)), exact_followed_.data() + 4 * std::size_t(m));
    }
  });
  for_blocks(pool, free_, block_nodes, [&](int begin, int end) {
    for (Index i = begin; i < end; ++i) {
      const Vec3 here = at(p, i);
      Vec3 sum = Vec3::Zero();
      for (Index n = row_[i]; n < row_[i + 1]; ++n) sum += pull * value_[n] * (at(p, column_[n]) - here);
      for (Index n = incident_begin_[i]; n < incident_begin_[i + 1]; ++n)
        sum -= turning * at(exact_followed_.data(), incident_[n]);
      for (int k = 0; k < 3; ++k) out[4 * std::size_t(i) + k] += float(sum[k]);
    }
  });
}

// ---- turns ----

void SheetSweeps::clear_turns() { std::fill(turn_sum_.begin(), turn_sum_.end(), 0.0f); }

void SheetSweeps::add_turn(double s) {
  const float share = float(s);
  for (std::size_t i = 0; i < turn_.size(); ++i) turn_sum_[i] += share * turn_[i];
}

double SheetSweeps::largest_turn() const {
  float most = 0;
  for (std::size_t i = 0; i < turn_sum_.size(); i += 4) {
    const float* w = turn_sum_.data() + i;
    most = std::max(most, w[0] * w[0] + w[1] * w[1] + w[2] * w[2]);
  }
  return std::sqrt(most);
}

// ---- bytes ----

std::size_t SheetSweeps::gradient_bytes() const {
  const std::size_t flat = std::size_t(flat_), bent = element_.size() - flat, members = place_.size();
  return value_.size() * (sizeof(double) + sizeof(Index)) + members * (2 * 32 + 2 * sizeof(Index)) +
         flat * (8 + 12 + 4) * sizeof(double) + flat * 20 * sizeof(float) + bent * 4 * sizeof(Mat3) +
         arm_.size() * sizeof(Vec3) + std::size_t(nodes_) * (32 + 16 + 16);
}

std::size_t SheetSweeps::product_bytes() const {
  const std::size_t flat = std::size_t(flat_), bent = element_.size() - flat, members = place_.size();
  return value_.size() * (sizeof(float) + sizeof(Index)) + members * (2 * 16 + 2 * sizeof(Index)) +
         flat * (20 + 4) * sizeof(float) + bent * sizeof(Mat3) + arm_.size() * 32 +
         std::size_t(nodes_) * 3 * 16;
}

std::size_t SheetSweeps::memory_bytes() const {
  const std::size_t flat = std::size_t(flat_), slots = element_.size(), members = place_.size();
  return value_.size() * (sizeof(double) + sizeof(float) + sizeof(Index)) +
         members * (2 * 32 + 16 + 2 * sizeof(Index)) + flat * (24 * sizeof(double) + 20 * sizeof(float)) +
         flat * sizeof(Mat3) + (slots - flat) * 4 * sizeof(Mat3) + arm_.size() * sizeof(Vec3) + slots * 32;
}

}  // namespace pliant::geometric
