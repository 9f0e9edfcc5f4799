// SPDX-License-Identifier: Apache-2.0
#include "tests/sixth_method/springs.hpp"

#include <cmath>

#include "pliant/base/layout.hpp"
#include "pliant/physics/check_input.hpp"
#include "tests/support/plain_nodes.hpp"

namespace pliant {
namespace springs {
namespace {

struct Spring {
  Index a = 0, b = 0;
  double length = 0, k = 0;  ///< m, N/m
};

class Body final : public PlainNodes {
 public:
  Body(const BodyPlan& plan, const Options& options)
      : PlainNodes(plan.shape, plan.density), damping_(plan.damping), options_(options) {
    const NodeGraph& graph = plan.shape.graph;
    double volume = 0;
    for (const double v : graph.volumes) volume += v;
    for (const auto& edge : graph.edges) {
      const double length = (nodes_.x[edge.b] - nodes_.x[edge.a]).norm();
      const double share = volume / double(graph.edges.size());
      springs_.push_back({edge.a, edge.b, length, options.stiffness * share / (length * length)});
    }
    std::vector<double> stiffness(nodes_.x.size(), 0);
    for (const Spring& s : springs_) stiffness[s.a] += s.k, stiffness[s.b] += s.k;
    for (std::size_t i = 0; i < stiffness.size(); ++i)
      fastest_ = std::max(fastest_, std::sqrt(2 * stiffness[i] / nodes_.mass[i]));
    force_ = begin_ = nodes_.x;
    new_ = nodes_;
  }

  StepReport advance(const StepInput& input) override {
    StepReport report;
    report.trouble = trouble_of(input, Index(nodes_.x.size()));
    if (!report.ok()) return report;
    new_.x = nodes_.x, new_.v = nodes_.v, begin_ = nodes_.x;
    const int substeps = std::max(1, int(std::ceil(input.h * fastest_ * 20 / 6.28)));
    const double h = input.h / substeps;
    for (int s = 0; s < substeps; ++s) {
      kick(input, h / 2);
      for (std::size_t i = 0; i < new_.x.size(); ++i) new_.x[i] += h * new_.v[i];
      for (std::size_t n = 0; n < input.held.size(); ++n) {
        const Index i = input.held[n];
        const double share = double(s + 1) / substeps;
        new_.x[i] = share == 1 ? input.targets[n] : begin_[i] + share * (input.targets[n] - begin_[i]);
        new_.v[i] = (input.targets[n] - begin_[i]) / input.h;
      }
      kick(input, h / 2);
    }
    report.iterations = substeps;
    for (const Vec3& x : new_.x)
      if (!x.allFinite()) {
        report.trouble = "springs: the step has no finite answer";
        return report;
      }
    nodes_.x = new_.x, nodes_.v = new_.v;
    return report;
  }
  double elastic_energy() const override {
    double sum = 0;
    for (const Spring& s : springs_)
      sum += s.k / 2 * std::pow((nodes_.x[s.b] - nodes_.x[s.a]).norm() - s.length, 2);
    return sum;
  }
  void elastic_forces(std::span<Vec3> out) const override {
    std::fill(out.begin(), out.end(), Vec3::Zero());
    add_springs(nodes_, 0, out);
  }
  double mass_damping() const override { return damping_.mass; }
  MethodDescription describe() const override {
    MethodDescription out;
    out.name = "springs";
    out.nodes = Index(nodes_.x.size());
    out.freedoms = 3 * out.nodes;
    out.solver = "explicit";
    return out;
  }
  void set_live(const Damping& damping, const Options& options) {
    damping_ = damping;
    options_.damping = options.damping;
  }

 private:
  void add_springs(const NodeState& at, double damping, std::span<Vec3> out) const {
    for (const Spring& s : springs_) {
      const Vec3 d = at.x[s.b] - at.x[s.a];
      const double length = d.norm();
      if (length == 0) continue;
      const Vec3 along = d / length;
      const double speed = along.dot(at.v[s.b] - at.v[s.a]);
      const Vec3 f = s.k * (length - s.length + damping * speed) * along;
      out[s.a] += f;
      out[s.b] -= f;
    }
  }
  /// v += h f/m.
  void kick(const StepInput& input, double h) {
    for (std::size_t i = 0; i < force_.size(); ++i) {
      force_[i] = new_.mass[i] * (input.gravity - damping_.mass * new_.v[i]);
      if (!input.forces.empty()) force_[i] += input.forces[i];
    }
    for (const Grab& grab : input.grabs)
      force_[grab.node] += grab.stiffness * (grab.target - new_.x[grab.node]);
    add_springs(new_, options_.damping, force_);
    for (std::size_t i = 0; i < force_.size(); ++i) new_.v[i] += h / new_.mass[i] * force_[i];
  }

  Damping damping_;
  Options options_;
  std::vector<Spring> springs_;
  double fastest_ = 0;  ///< rad/s
  // Scratch: never read across steps.
  NodeState new_;
  Points force_, begin_;
};

const OptionTable<Options>& option_table() {
  static const OptionTable<Options> table{
      option("stiffness", &Options::stiffness,
             {.unit = "Pa",
              .min = 1,
              .max = 1e9,
              .scale = Scale::logarithmic,
              .help = "Young's modulus, about"}),
      option("damping", &Options::damping,
             {.unit = "s", .min = 0, .max = 1, .change = Change::live, .help = "along every spring"})};
  return table;
}

}  // namespace
}  // namespace springs

template <>
const Layout<springs::Options>& layout_of() {
  static const auto layout =
      make_layout<springs::Options>("springs", "settings of the springs", springs::option_table());
  return layout;
}

const MethodEntry& springs::entry() {
  static const MethodEntry entry = make_entry<Options>(
      "springs", "settings of the springs", any_layout<Options>(),
      {.build = [](const Options& options, const BodyPlan& plan) -> Result<std::unique_ptr<Method>> {
         return std::unique_ptr<Method>(std::make_unique<Body>(plan, options));
       },
       .set_live = set_live_of<Body, Options>,
       .abilities = {Ability::live, Ability::elastic},
       .stiffness = [](const Options& options) { return options.stiffness; }});
  return entry;
}

}  // namespace pliant
