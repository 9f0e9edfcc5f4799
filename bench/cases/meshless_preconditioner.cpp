// SPDX-License-Identifier: Apache-2.0
// What preconditions the step of meshless flesh above 5000 nodes: the factor of the scalar matrix, or one
// V-cycle (math/graph_multigrid.hpp) about the same matrix. Both solve the linear system of one step of a bar
// of 22 021 nodes bent by 90 degrees about a bone on its axis; the error is that of the positions against
// many iterations with the factor. Times are of as many iterations as the error of four with the factor
// takes. The V-cycle wants a graph: couplings of the wrong sign are left out, and what is held pulls at the
// diagonal.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <functional>
#include <numbers>
#include <stdexcept>

#include "bench/harness/case.hpp"
#include "bench/harness/timing.hpp"
#include "pliant/math/graph_multigrid.hpp"
#include "pliant/methods/meshless/body.hpp"

namespace pliant::bench {
namespace {

using Field = AlignedVector<Float4>;
using Operator = std::function<void(const Field&, Field&)>;

constexpr double bar_spacing = 0.1, bar_h = 1.0 / 60, hold = 1e7;
constexpr std::array<int, 3> bar_nodes{19, 19, 61};
constexpr int step_iterations = 4, many_iterations = 60, most_iterations = 40;

double dot(const Field& a, const Field& b) {
  double sum = 0;
  for (std::size_t i = 0; i < a.size(); ++i)
    sum += double(a[i].x) * b[i].x + double(a[i].y) * b[i].y + double(a[i].z) * b[i].z;
  return sum;
}

/// a = b + factor c
void combine(Field& a, const Field& b, double factor, const Field& c) {
  const float s = float(factor);
  for (std::size_t i = 0; i < a.size(); ++i)
    a[i] = {b[i].x + s * c[i].x, b[i].y + s * c[i].y, b[i].z + s * c[i].z, 0};
}

struct System {
  meshless::Model model;
  meshless::PackedCells packed;
  meshless::PackedCells::Quaternions turned;
  Gather bone;  ///< points on the axis
  Field load;

  explicit System(meshless::Model made)
      : model(std::move(made)),
        packed(model.cells, model.rest, model.relative),
        turned(packed.unturned()),
        load(model.rest.size()) {
    const double length = bar_spacing * (bar_nodes[2] - 1), middle = bar_spacing * (bar_nodes[0] - 1) / 2;
    for (Index c = 0; c < packed.cells(); ++c) {
      const double share =
          std::clamp((model.cells.centre[std::size_t(c)].z() / length - 0.4) / 0.2, 0.0, 1.0);
      meshless::set_quaternion(
          turned, c, Eigen::Quaterniond(Eigen::AngleAxisd(share * std::numbers::pi / 2, Vec3::UnitX())));
    }
    const Gather& at = model.at_nodes;
    for (Index i = 0; i < model.nodes(); ++i) {
      const Vec3& X = model.rest[std::size_t(i)];
      const float m = float(model.mass[std::size_t(i)]);
      load[std::size_t(i)] = {m * float(std::sin(3 * X.z())), -9.81f * m, m * float(std::cos(5 * X.x())), 0};
      if (std::hypot(X.x() - middle, X.y() - middle) > 1e-6) continue;
      for (Index k = at.begin[std::size_t(i)]; k < at.begin[std::size_t(i) + 1]; ++k) {
        bone.column.push_back(at.column[std::size_t(k)]);
        bone.weight.push_back(at.weight[std::size_t(k)]);
      }
      bone.begin.push_back(Index(bone.column.size()));
    }
  }

  /// y = [ M / h^2 + K(R) + hold rows^T rows ] z
  void apply(const Field& z, Field& y, Pool& pool) {
    const meshless::Stress<float> stress{float(model.mu + model.kappa), float(model.mu - model.kappa),
                                         float(model.lambda), false};
    packed.apply(stress, turned, z.data(), y.data(), pool);
    for (std::size_t i = 0; i < z.size(); ++i) {
      const float m = float(model.mass[i] / (bar_h * bar_h));
      y[i].x += m * z[i].x, y[i].y += m * z[i].y, y[i].z += m * z[i].z;
    }
    for (Index r = 0; r < bone.rows(); ++r) {
      Vec3 field = Vec3::Zero();
      for (Index k = bone.begin[std::size_t(r)]; k < bone.begin[std::size_t(r) + 1]; ++k) {
        const Float4& v = z[std::size_t(bone.column[std::size_t(k)])];
        field += bone.weight[std::size_t(k)] * Vec3(v.x, v.y, v.z);
      }
      for (Index k = bone.begin[std::size_t(r)]; k < bone.begin[std::size_t(r) + 1]; ++k) {
        const Vec3 pull = hold * bone.weight[std::size_t(k)] * field;
        Float4& to = y[std::size_t(bone.column[std::size_t(k)])];
        to.x += float(pull.x()), to.y += float(pull.y()), to.z += float(pull.z());
      }
    }
  }

  GraphOperator graph() const {
    GraphOperator out;
    out.positions = model.rest;
    out.anchor.assign(model.rest.size(), 0);
    const SymmetricMatrix& l = model.laplacian;
    for (Index i = 0; i < model.nodes(); ++i) {
      out.mass.push_back(float(model.mass[std::size_t(i)] / (bar_h * bar_h)));
      for (Index k = l.begin[std::size_t(i)]; k + 1 < l.begin[std::size_t(i) + 1]; ++k) {
        const double weight = -model.scalar_stiffness() * l.value[std::size_t(k)];
        if (weight > 0) out.edges.push_back({l.column[std::size_t(k)], i, float(weight)});
      }
    }
    for (std::size_t k = 0; k < bone.column.size(); ++k)
      out.anchor[std::size_t(bone.column[k])] += float(std::max(0.0, hold * bone.weight[k]));
    return out;
  }
};

System make_system(Pool& pool) {
  meshless::Options options;
  options.stiffness = 1e5;
  BoxShape box{.nodes = bar_nodes};
  for (int c = 0; c < 3; ++c) box.size[c] = bar_spacing * (bar_nodes[std::size_t(c)] - 1);
  const Shape shape = make_shape(box);
  const MovingLeastSquares mls(shape.graph.positions, meshless::inner_pairs(shape.graph),
                               mls_options(shape, options), pool);
  Result<meshless::Model> model = make_model(shape, mls, 1000, options, pool);
  if (!model) throw std::runtime_error(model.error().text());
  return System(std::move(*model));
}

/// x from zero by conjugate gradients, until `enough(iteration, x)`. Returns the iterations.
int iterate(System& system, const Operator& precondition, Pool& pool, Field& x,
            const std::function<bool(int, const Field&)>& enough) {
  Field r = system.load, z(r.size()), p(r.size()), ap(r.size());
  std::fill(x.begin(), x.end(), Float4{});
  precondition(r, z);
  p = z;
  double rz = dot(r, z);
  for (int k = 1;; ++k) {
    system.apply(p, ap, pool);
    const double alpha = rz / dot(p, ap);
    combine(x, x, alpha, p);
    if (enough(k, x)) return k;
    combine(r, r, -alpha, ap);
    precondition(r, z);
    const double next = dot(r, z);
    combine(p, z, next / rz, p);
    rz = next;
  }
}

double error(const Field& x, const Field& exact) {
  Field difference(x.size());
  combine(difference, x, -1, exact);
  return std::sqrt(dot(difference, difference) / dot(exact, exact));
}

Row measure_preconditioner(const Context& context, const std::string& name, bool v_cycle) {
  reset_peak_memory();
  System system = make_system(context.pool);
  meshless::ScalarSystem factor;
  const Stopwatch factoring;
  const std::string trouble =
      factor.prepare(system.model, 1 / (bar_h * bar_h), 1, system.bone, hold, context.pool);
  if (!trouble.empty()) throw std::runtime_error(trouble);
  double setup_ms = factoring.ms();
  const Operator by_factor = [&](const Field& r, Field& z) {
    factor.solve(r.data(), z.data(), context.pool);
  };
  const std::size_t n = system.model.rest.size();
  Field exact(n), x(n);
  iterate(system, by_factor, context.pool, exact, [](int k, const Field&) { return k == many_iterations; });
  iterate(system, by_factor, context.pool, x, [](int k, const Field&) { return k == step_iterations; });
  const double asked = error(x, exact);
  double after_four = asked, memory = double(factor.memory_bytes());
  int iterations = step_iterations;
  GraphMultigrid cycle;
  Operator precondition = by_factor;
  if (v_cycle) {
    const Stopwatch building;
    const GraphMultigrid::Report report = cycle.build(system.graph());
    if (!report.ok()) throw std::runtime_error(report.trouble);
    setup_ms = building.ms();
    memory = double(cycle.memory_bytes());
    precondition = [&](const Field& r, Field& z) { cycle.apply(r.data(), z.data(), context.pool); };
    iterations = iterate(system, precondition, context.pool, x, [&](int k, const Field& now) {
      const double left = error(now, exact);
      if (k == step_iterations) after_four = left;
      return left <= asked || k == most_iterations;
    });
  }
  std::vector<double> samples;
  const Stopwatch whole;
  while (samples.size() < 3 || whole.seconds() < context.seconds) {
    const Stopwatch watch;
    iterate(system, precondition, context.pool, x, [&](int k, const Field&) { return k == iterations; });
    samples.push_back(watch.ms());
  }
  Row row{.name = name, .nodes = system.model.nodes(), .threads = context.pool.threads()};
  row.ms_min = minimum(samples);
  row.ms_median = median(samples);
  row.iterations = iterations;
  row.setup_ms = setup_ms;
  row.peak_bytes = peak_memory();
  row.more["error_asked"] = asked;
  row.more["error_after_four"] = after_four;
  row.more["error"] = error(x, exact);
  row.more["preconditioner_bytes"] = memory;
  return row;
}

}  // namespace

std::vector<Case> meshless_preconditioner_cases() {
  std::vector<Case> out;
  for (const bool v_cycle : {false, true}) {
    const std::string name = v_cycle ? "meshless/22k-by-v-cycle" : "meshless/22k-by-factor";
    out.push_back(
        {name, [=](const Context& context) { return measure_preconditioner(context, name, v_cycle); }});
  }
  return out;
}

}  // namespace pliant::bench
