// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/geometric/sheet/sweeps.hpp"

#include <algorithm>
#include <cmath>
#include <numeric>

#include "pliant/math/rotation.hpp"
#include "pliant/methods/geometric/energy.hpp"
#include "pliant/methods/geometric/sheet/energy.hpp"

namespace pliant::geometric {
namespace {

constexpr int block_slots = 256, block_nodes = 256;  // parts of the pool: some 20 us
constexpr double flattened = 1e-6;                   // area over stretches at which a triangle is a line

int parts_of(int count, int block) { return (count + block - 1) / block; }

Vec3 at(const double* x, Index place) { return Eigen::Map<const Vec3>(x + 4 * std::size_t(place)); }

Mat3 rotation_of(const float* q) {
  return Eigen::Quaterniond(q[0], q[1], q[2], q[3]).normalized().toRotationMatrix();
}

}  // namespace

// ---- layout ----

void SheetSweeps::arrange(const Model& model, const Arrangement& arrangement) {
  if (!model.sheet) return;
  nodes_ = model.nodes();
  free_ = arrangement.free;
  fill_matrix(model, arrangement);
  fill_elements(model, arrangement);
  partial_.assign(std::size_t(parts_of(free_, block_nodes)), 0);
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

void SheetSweeps::fill_elements(const Model& model, const Arrangement& arrangement) {
  const SheetElements& sheet = *model.sheet;
  std::vector<Index> low(std::size_t(sheet.count()), nodes_);  // the first place of an element
  for (Index e = 0; e < sheet.count(); ++e)
    for (const Index node : sheet[e].node.first(std::size_t(sheet.turning[e])))
      low[e] = std::min(low[e], arrangement.place[node]);
  element_.resize(std::size_t(sheet.count()));
  std::iota(element_.begin(), element_.end(), 0);
  std::sort(element_.begin(), element_.end(), [&](Index a, Index b) {
    return std::tuple(!sheet.flat[a], low[a], a) < std::tuple(!sheet.flat[b], low[b], b);
  });
  flat_ = Index(std::count(sheet.flat.begin(), sheet.flat.end(), 1));
  begin_.assign(1, 0), place_.clear(), arm_.clear(), inertia_.clear(), triangle_.clear();
  for (const Index e : element_) {
    const SheetElements::View view = sheet[e];
    for (Index v = 0; v < view.turning; ++v) {
      place_.push_back(arrangement.place[view.node[v]]);
      arm_.push_back(view.arm[v]);
    }
    begin_.push_back(Index(place_.size()));
    inertia_.push_back(sheet.inertia[e]);
    if (!sheet.flat[e]) continue;
    Triangle& t = triangle_.emplace_back();
    const double root = view.rest[0].norm();
    t.weight = root * root;
    for (int v = 0; v < 2; ++v)
      for (int k = 0; k < 2; ++k) t.slope[2 * v + k] = view.at(k, v + 1) / root;
    t.frame.col(0) = view.rest[0] / root;
    t.frame.col(1) = view.rest[1] / root;
    t.frame.col(2) = t.frame.col(0).cross(t.frame.col(1));
  }
  const std::size_t slots = element_.size(), members = place_.size();
  rotation_.assign(slots, Mat3::Identity());
  slew_.assign(slots, Mat3::Zero());
  slew_now_ = slew_;
  q_ = arm_;
  pushed_.assign(members, Vec3::Zero());
  turn_.assign(slots, Vec3::Zero());
  turn_sum_ = turn_;
  incident_begin_.assign(std::size_t(free_) + 1, 0);
  for (const Index p : place_)
    if (p < free_) ++incident_begin_[std::size_t(p) + 1];
  for (Index p = 0; p < free_; ++p) incident_begin_[p + 1] += incident_begin_[p];
  incident_.assign(std::size_t(incident_begin_.back()), 0);
  std::vector<Index> next(incident_begin_.begin(), incident_begin_.end() - 1);
  for (Index m = 0; m < Index(members); ++m)
    if (place_[m] < free_) incident_[next[place_[m]]++] = m;
}

// ---- rotations ----

Mat3 SheetSweeps::covariance(Index s, const double* x) const {
  const Vec3 origin = at(x, place_[begin_[s]]);
  Mat3 a = Mat3::Zero();
  for (Index m = begin_[s] + 1; m < begin_[s + 1]; ++m)
    a += (at(x, place_[m]) - origin) * arm_[m].transpose();
  return a;
}

/// With F the deformation of the plane (3 x 2), C = F^T F and J = sqrt(det C): U = sqrt(C) is
/// (C + J I)/sqrt(tr C + 2 J), and [r1 r2] = F U^-1.
Mat3 SheetSweeps::fit(const Triangle& t, const double* x, const Index* place, const Mat3& warm) const {
  const Vec3 origin = at(x, place[0]), a = at(x, place[1]) - origin, b = at(x, place[2]) - origin;
  const Vec3 f1 = t.slope[0] * a + t.slope[2] * b, f2 = t.slope[1] * a + t.slope[3] * b;
  const double c11 = f1.squaredNorm(), c12 = f1.dot(f2), c22 = f2.squaredNorm();
  const Vec3 normal = f1.cross(f2);
  const double area = normal.norm(), size = c11 + c22;
  Mat3 out;
  if (!(area > flattened * size)) {
    out << f1, f2, Vec3::Zero();
    return nearest_rotation(out, Eigen::Quaterniond(warm)).q.toRotationMatrix();
  }
  // U^-1 = (U's cofactors) / J
  const double scale = 1 / (std::sqrt(size + 2 * area) * area);
  out.col(0) = scale * ((c22 + area) * f1 - c12 * f2);
  out.col(1) = scale * ((c11 + area) * f2 - c12 * f1);
  out.col(2) = normal / area;
  return out;
}

void SheetSweeps::push(Index s) {
  const Mat3& r = rotation_[s];
  for (Index m = begin_[s]; m < begin_[s + 1]; ++m) q_[m] = r * arm_[m];
  slew_now_[s] = r * slew_[s] * r.transpose();
}

void SheetSweeps::turn(Index s, const double* x) {
  Mat3& r = rotation_[s];
  if (s < flat_) {
    const Triangle& t = triangle_[s];
    r = fit(t, x, place_.data() + begin_[s], r * t.frame) * t.frame.transpose();
  } else {
    r = nearest_rotation(covariance(s, x), Eigen::Quaterniond(r)).q.toRotationMatrix();
  }
  push(s);
}

void SheetSweeps::start(const double* x, std::span<const float> quaternions, Pool& pool) {
  for_blocks(pool, elements(), block_slots, [&](int begin, int end) {
    for (Index s = begin; s < end; ++s) {
      rotation_[s] = rotation_of(quaternions.data() + 4 * std::size_t(element_[s]));
      turn(s, x);
      slew_[s] = slew_under_tension(inertia_[s], rotation_[s].transpose() * covariance(s, x));
      push(s);
    }
  });
}

void SheetSweeps::set_rest() {
  for (Index s = 0; s < elements(); ++s) {
    rotation_[s] = Mat3::Identity();
    // At rest S = B: no tension.
    slew_[s] = slew_under_tension(inertia_[s], inertia_[s].trace() / 2 * Mat3::Identity() - inertia_[s]);
    push(s);
  }
}

void SheetSweeps::store(std::span<float> quaternions, Pool& pool) const {
  for_blocks(pool, elements(), block_slots, [&](int begin, int end) {
    for (Index s = begin; s < end; ++s) {
      const Eigen::Quaternionf q = Eigen::Quaterniond(rotation_[s]).cast<float>();
      const float numbers[4] = {q.w(), q.x(), q.y(), q.z()};
      std::copy_n(numbers, 4, quaternions.begin() + 4 * std::ptrdiff_t(element_[s]));
    }
  });
}

void SheetSweeps::rotate(const double* x, Pool& pool) {
  for_blocks(pool, elements(), block_slots, [&](int begin, int end) {
    for (Index s = begin; s < end; ++s) turn(s, x);
  });
}

// ---- gradient and products ----

double SheetSweeps::summed(int parts) const {
  return std::accumulate(partial_.begin(), partial_.begin() + parts, 0.0);
}

double SheetSweeps::gradient(const double* x, double scale, bool renew, const Collect& c, Pool& pool) {
  if (renew) rotate(x, pool);
  for_blocks(pool, free_, block_nodes, [&](int begin, int end) {
    double product = 0;
    for (Index i = begin; i < end; ++i) {
      const Vec3 here = at(x, i);
      Vec3 sum = Vec3::Zero();
      for (Index n = row_[i]; n < row_[i + 1]; ++n) sum += value_[n] * (at(x, column_[n]) - here);
      for (Index n = incident_begin_[i]; n < incident_begin_[i + 1]; ++n) sum -= q_[incident_[n]];
      for (int k = 0; k < 3; ++k) {
        const std::size_t to = 4 * std::size_t(i) + k;
        double g = scale * sum[k];
        if (c.base) g += c.base[to];
        if (c.diagonal) g += double(c.diagonal[i]) * c.u[to];
        c.out[to] = float(g);
        if (c.u) product += double(c.u[to]) * c.out[to];
      }
    }
    partial_[begin / block_nodes] = product;
  });
  return summed(parts_of(free_, block_nodes));
}

/// w and w x q of every element for the motion p.
template <class Number>
void SheetSweeps::follow(const Number* p, Pool& pool) {
  using Vector = Eigen::Matrix<Number, 3, 1>;
  for_blocks(pool, elements(), block_slots, [&](int begin, int end) {
    for (Index s = begin; s < end; ++s) {
      Vec3 a = Vec3::Zero();
      for (Index m = begin_[s]; m < begin_[s + 1]; ++m)
        a += q_[m].cross(Eigen::Map<const Vector>(p + 4 * std::size_t(place_[m])).template cast<double>());
      const Vec3 w = slew_now_[s] * a;
      turn_[s] = w;
      for (Index m = begin_[s]; m < begin_[s + 1]; ++m) pushed_[m] = w.cross(q_[m]);
    }
  });
}

double SheetSweeps::product(const float* p, float pull, float turning, const Collect& c, Pool& pool) {
  follow(p, pool);
  using Vector = Eigen::Vector3f;
  const auto p_at = [&](Index i) { return Eigen::Map<const Vector>(p + 4 * std::size_t(i)); };
  for_blocks(pool, free_, block_nodes, [&](int begin, int end) {
    double product = 0;
    for (Index i = begin; i < end; ++i) {
      const Vector here = p_at(i);
      Vector sum = Vector::Zero();
      for (Index n = row_[i]; n < row_[i + 1]; ++n) sum += value_float_[n] * (p_at(column_[n]) - here);
      Vec3 followed = Vec3::Zero();
      for (Index n = incident_begin_[i]; n < incident_begin_[i + 1]; ++n) followed += pushed_[incident_[n]];
      for (int k = 0; k < 3; ++k) {
        const std::size_t to = 4 * std::size_t(i) + k;
        float g = pull * sum[k] - turning * float(followed[k]);
        if (c.base) g += c.base[to];
        if (c.diagonal) g += c.diagonal[i] * c.u[to];
        c.out[to] = g;
        if (c.u) product += double(c.u[to]) * g;
      }
    }
    partial_[begin / block_nodes] = product;
  });
  return summed(parts_of(free_, block_nodes));
}

void SheetSweeps::add_exact_product(const double* p, double pull, double turning, float* out, Pool& pool) {
  follow(p, pool);
  for_blocks(pool, free_, block_nodes, [&](int begin, int end) {
    for (Index i = begin; i < end; ++i) {
      const Vec3 here = at(p, i);
      Vec3 sum = Vec3::Zero();
      for (Index n = row_[i]; n < row_[i + 1]; ++n) sum += pull * value_[n] * (at(p, column_[n]) - here);
      for (Index n = incident_begin_[i]; n < incident_begin_[i + 1]; ++n)
        sum -= turning * pushed_[incident_[n]];
      for (int k = 0; k < 3; ++k) out[4 * std::size_t(i) + k] += float(sum[k]);
    }
  });
}

// ---- turns ----

void SheetSweeps::clear_turns() { std::fill(turn_sum_.begin(), turn_sum_.end(), Vec3::Zero()); }

void SheetSweeps::add_turn(double s) {
  for (std::size_t i = 0; i < turn_.size(); ++i) turn_sum_[i] += s * turn_[i];
}

double SheetSweeps::largest_turn() const {
  double most = 0;
  for (const Vec3& w : turn_sum_) most = std::max(most, w.squaredNorm());
  return std::sqrt(most);
}

SheetSweeps::Now SheetSweeps::now(Index s) const {
  return {element_[s],
          std::span(place_).subspan(std::size_t(begin_[s]), std::size_t(begin_[s + 1] - begin_[s])),
          q_.data() + begin_[s], slew_now_[s]};
}

// ---- bytes ----

std::size_t SheetSweeps::gradient_bytes() const {
  return value_.size() * (sizeof(double) + sizeof(Index)) + place_.size() * (2 * sizeof(Vec3) + 8) +
         element_.size() * 3 * sizeof(Mat3) + std::size_t(nodes_) * (32 + 16 + 16);
}

std::size_t SheetSweeps::product_bytes() const {
  return value_.size() * (sizeof(float) + sizeof(Index)) + place_.size() * (2 * sizeof(Vec3) + 8) +
         element_.size() * (sizeof(Mat3) + sizeof(Vec3)) + std::size_t(nodes_) * 3 * 16;
}

std::size_t SheetSweeps::memory_bytes() const {
  return value_.size() * (sizeof(double) + sizeof(float) + sizeof(Index)) +
         place_.size() * (3 * sizeof(Vec3) + 2 * sizeof(Index)) +
         element_.size() * (4 * sizeof(Mat3) + 2 * sizeof(Vec3)) + triangle_.size() * sizeof(Triangle);
}

}  // namespace pliant::geometric
