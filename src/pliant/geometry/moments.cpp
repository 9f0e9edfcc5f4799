// SPDX-License-Identifier: Apache-2.0
#include "pliant/geometry/moments.hpp"

#include <cmath>
#include <numeric>

#include "pliant/base/check.hpp"
#include "pliant/math/symmetric_eigen.hpp"

namespace pliant {
namespace {

using Vec9 = Eigen::Matrix<double, 9, 1>;
using Mat9 = Eigen::Matrix<double, 9, 9>;

constexpr int newton_steps = 40;
constexpr double reached = 1e-13;       // of the scaled moments
constexpr double fixed = 1e-7;          // variance of a function over the largest: it cannot be changed
constexpr double most_change = 2.0794;  // ln 8

/// x, then the products of its components.
Vec9 functions(const Vec3& x) {
  Vec9 f;
  f << x, x.cwiseProduct(x), x.x() * x.y(), x.y() * x.z(), x.z() * x.x();
  return f;
}

/// The shares w_i = p_i exp(l . f_i) / Z, and the mean and covariance of f under them.
struct Tilted {
  std::vector<double> share;
  double most = 0;  ///< largest |ln w_i/p_i|
  Vec9 mean;
  Mat9 covariance;
};

Tilted tilt(const std::vector<Vec9>& f, const std::vector<double>& p, const Vec9& l) {
  Tilted out;
  double z = 0;
  for (std::size_t i = 0; i < f.size(); ++i) z += out.share.emplace_back(p[i] * std::exp(l.dot(f[i])));
  out.mean.setZero();
  for (std::size_t i = 0; i < f.size(); ++i) {
    out.share[i] /= z;
    out.most = std::max(out.most, std::abs(l.dot(f[i]) - std::log(z)));
    out.mean += out.share[i] * f[i];
  }
  out.covariance.setZero();
  for (std::size_t i = 0; i < f.size(); ++i)
    out.covariance += out.share[i] * (f[i] - out.mean) * (f[i] - out.mean).transpose();
  return out;
}

/// The Newton step of the dual; directions in which the functions hardly vary are left out.
Vec9 newton_step(const Mat9& covariance, const Vec9& lack) {
  const SpectrumX s = dense_spectrum(covariance);
  Vec9 step = Vec9::Zero();
  for (int k = 0; k < 9; ++k)
    if (s.values[k] > fixed * s.values[8])
      step += s.vectors.col(k) * (s.vectors.col(k).dot(lack) / s.values[k]);
  return step;
}

/// Shares of points at scaled places f, as near to p as possible, with these means of f.
std::vector<double> shares_with(const std::vector<Vec9>& f, const std::vector<double>& p,
                                const Vec9& wanted) {
  Vec9 l = Vec9::Zero();
  Tilted now = tilt(f, p, l);
  for (int k = 0; k < newton_steps; ++k) {
    const Vec9 lack = wanted - now.mean, step = newton_step(now.covariance, lack);
    // What a step can change at all must shrink, and no share may change too much.
    double length = 1;
    for (; length > 1e-3; length /= 2) {
      Tilted next = tilt(f, p, l + length * step);
      const Vec9 left = wanted - next.mean;
      if (next.most > most_change || !(left.dot(step) < (1 - 0.1 * length) * lack.dot(step))) continue;
      l += length * step;
      now = std::move(next);
      break;
    }
    if (length <= 1e-3 || lack.dot(step) < reached) break;
  }
  return std::move(now.share);
}

}  // namespace

Moments moments_of(const Points& points, std::span<const double> volumes) {
  Moments out;
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    out.volume += volumes[i];
    out.centre += volumes[i] * points[i];
  }
  if (out.volume != 0) out.centre /= out.volume;
  for (std::size_t i = 0; i < volumes.size(); ++i) {
    const Vec3 r = points[i] - out.centre;
    out.second += volumes[i] * r * r.transpose();
  }
  return out;
}

Moments moments_of(const Points& vertices, const std::vector<Triangle>& triangles) {
  Moments out;
  if (triangles.empty()) return out;
  // Tetrahedra between an origin o and the triangles: volume v, centre o + (a + b + c)/4, and about o
  // integral x x^T = v/20 (s s^T + a a^T + b b^T + c c^T), s = a + b + c.
  const Vec3 origin = vertices[triangles[0][0]];
  Vec3 first = Vec3::Zero();
  for (const Triangle& t : triangles) {
    const Vec3 a = vertices[t[0]] - origin, b = vertices[t[1]] - origin, c = vertices[t[2]] - origin;
    const Vec3 s = a + b + c;
    const double v = a.dot(b.cross(c)) / 6;
    out.volume += v;
    first += v / 4 * s;
    out.second += v / 20 * (s * s.transpose() + a * a.transpose() + b * b.transpose() + c * c.transpose());
  }
  if (out.volume == 0) return {};
  const Vec3 mean = first / out.volume;
  out.second -= out.volume * mean * mean.transpose();
  out.centre = origin + mean;
  return out;
}

void match_moments(const Points& points, const Moments& wanted, std::vector<double>& volumes) {
  PLIANT_CHECK(wanted.volume > 0 && points.size() >= volumes.size());
  const double sum = std::accumulate(volumes.begin(), volumes.end(), 0.0);
  const double size = std::sqrt(wanted.second.trace() / wanted.volume);
  std::vector<Index> used;
  std::vector<Vec9> f;
  std::vector<double> p;
  for (std::size_t i = 0; i < volumes.size(); ++i)
    if (volumes[i] > 0) {
      used.push_back(Index(i));
      f.push_back(functions((points[i] - wanted.centre) / size));
      p.push_back(volumes[i] / sum);
    }
  const Mat3 s = wanted.second / (wanted.volume * size * size);
  Vec9 target;
  target << Vec3::Zero(), s.diagonal(), s(0, 1), s(1, 2), s(2, 0);
  const std::vector<double> share = shares_with(f, p, target);
  for (std::size_t k = 0; k < used.size(); ++k) volumes[used[k]] = wanted.volume * share[k];
}

}  // namespace pliant
