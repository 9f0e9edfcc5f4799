// SPDX-License-Identifier: Apache-2.0
// Bullet's implicit neo-Hookean deformable on the bar of geometric/bar-stiff: 9 x 9 x 41 nodes, spacing 0.05
// m, five tetrahedra a cell, one end held, density 1000 kg/m^3, E = 5e6 Pa, Poisson's ratio 0.3, h = 1/60 s.
// Prints one JSON row for `pliant bench`.
//   bullet_bar [--seconds S]      time spent stepping (at least 20 steps); default 10
#include <BulletSoftBody/btDeformableBodySolver.h>
#include <BulletSoftBody/btDeformableGravityForce.h>
#include <BulletSoftBody/btDeformableMultiBodyConstraintSolver.h>
#include <BulletSoftBody/btDeformableMultiBodyDynamicsWorld.h>
#include <BulletSoftBody/btDeformableNeoHookeanForce.h>
#include <BulletSoftBody/btSoftBody.h>
#include <BulletSoftBody/btSoftBodyRigidBodyCollisionConfiguration.h>
#include <btBulletDynamicsCommon.h>
#include <fmt/format.h>

#include <array>
#include <cmath>
#include <memory>
#include <string_view>
#include <vector>

#include "bench/cases/solid.hpp"
#include "bench/harness/report.hpp"

namespace {

using namespace pliant::bench;

constexpr double poisson_ratio = 0.3;
constexpr int warm_up = 2;
constexpr int steps_at_least = 20;

struct TetMesh {
  std::vector<btVector3> nodes;
  std::vector<std::array<int, 4>> tets;
};

double volume(const TetMesh& mesh, const std::array<int, 4>& t) {
  const auto edge = [&](int k) {
    return mesh.nodes[std::size_t(t[std::size_t(k)])] - mesh.nodes[std::size_t(t[0])];
  };
  return edge(1).cross(edge(2)).dot(edge(3)) / 6;
}

// Five tetrahedra a cell, mirrored in every second cell so that the diagonals of neighbours meet. Corner c of
// a cell: bit 0 = x, bit 1 = y, bit 2 = z.
TetMesh make_bar_mesh() {
  static constexpr int corners[2][5][4] = {
      {{0, 1, 3, 5}, {0, 3, 2, 6}, {0, 5, 6, 4}, {3, 6, 5, 7}, {0, 3, 6, 5}},
      {{1, 0, 4, 2}, {1, 3, 2, 7}, {1, 4, 5, 7}, {2, 4, 7, 6}, {1, 2, 4, 7}}};
  const auto [nx, ny, nz] = bar_nodes;
  TetMesh mesh;
  for (int k = 0; k < nz; ++k)
    for (int j = 0; j < ny; ++j)
      for (int i = 0; i < nx; ++i)
        mesh.nodes.emplace_back(btScalar(i * spacing), btScalar(j * spacing), btScalar(k * spacing));
  const auto node = [nx = nx, ny = ny](int i, int j, int k) { return (k * ny + j) * nx + i; };
  for (int k = 0; k + 1 < nz; ++k)
    for (int j = 0; j + 1 < ny; ++j)
      for (int i = 0; i + 1 < nx; ++i)
        for (const auto& tet : corners[(i + j + k) % 2]) {
          std::array<int, 4> t{};
          for (std::size_t c = 0; c < 4; ++c) t[c] = node(i + tet[c] % 2, j + tet[c] / 2 % 2, k + tet[c] / 4);
          if (volume(mesh, t) < 0) std::swap(t[2], t[3]);
          mesh.tets.push_back(t);
        }
  return mesh;
}

// The world owns nothing in Bullet: members in the order they need each other.
class BulletBar {
 public:
  explicit BulletBar(const TetMesh& mesh)
      : dispatcher_(&configuration_),
        world_(&dispatcher_, &broadphase_, &constraint_solver_, &configuration_, &solver_) {
    constraint_solver_.setDeformableSolver(&solver_);
    const btVector3 gravity(0, btScalar(-9.81), 0);
    world_.setGravity(gravity);
    world_.getWorldInfo().m_gravity = gravity;
    world_.getWorldInfo().m_sparsesdf.Initialize();
    make_body(mesh);
    world_.addSoftBody(body_.get());
    const double mu = stiffness / (2 * (1 + poisson_ratio));
    const double lambda = stiffness * poisson_ratio / ((1 + poisson_ratio) * (1 - 2 * poisson_ratio));
    elasticity_ = std::make_unique<btDeformableNeoHookeanForce>(btScalar(mu), btScalar(lambda));
    weight_ = std::make_unique<btDeformableGravityForce>(gravity);
    world_.addForce(body_.get(), elasticity_.get());
    world_.addForce(body_.get(), weight_.get());
    world_.setImplicit(true);
    world_.setLineSearch(false);
    world_.setUseProjection(true);
  }
  ~BulletBar() { world_.removeSoftBody(body_.get()); }

  void step() { world_.stepSimulation(btScalar(time_step), 1, btScalar(time_step)); }

  /// Mean drop of the free end, m.
  double tip_drop(const TetMesh& rest) const {
    const int n = int(rest.nodes.size()), layer = bar_nodes[0] * bar_nodes[1];
    double drop = 0;
    for (int i = n - layer; i < n; ++i) drop += rest.nodes[std::size_t(i)].y() - body_->m_nodes[i].m_x.y();
    return drop / layer;
  }

 private:
  void make_body(const TetMesh& mesh) {
    std::vector<btScalar> masses(mesh.nodes.size(), 0);
    for (const auto& t : mesh.tets)
      for (int i : t) masses[std::size_t(i)] += btScalar(density * volume(mesh, t) / 4);
    body_ = std::make_unique<btSoftBody>(&world_.getWorldInfo(), int(mesh.nodes.size()), mesh.nodes.data(),
                                         masses.data());
    for (int i = 0; i < bar_nodes[0] * bar_nodes[1]; ++i) body_->setMass(i, 0);  // the layer z = 0
    for (const auto& t : mesh.tets) body_->appendTetra(t[0], t[1], t[2], t[3]);
    body_->m_sleepingThreshold = 0;
    body_->setActivationState(DISABLE_DEACTIVATION);
    body_->initializeDmInverse();
    body_->m_tetraScratches.resize(body_->m_tetras.size());
    body_->m_tetraScratchesTn.resize(body_->m_tetras.size());
  }

  btSoftBodyRigidBodyCollisionConfiguration configuration_;
  btCollisionDispatcher dispatcher_;
  btDbvtBroadphase broadphase_;
  btDeformableBodySolver solver_;
  btDeformableMultiBodyConstraintSolver constraint_solver_;
  btDeformableMultiBodyDynamicsWorld world_;
  std::unique_ptr<btSoftBody> body_;
  std::unique_ptr<btDeformableLagrangianForce> elasticity_, weight_;
};

Row run(double seconds) {
  const TetMesh mesh = make_bar_mesh();
  const Stopwatch setup;
  BulletBar bar(mesh);
  Row row{.name = "peer/bullet-neohookean/bar", .nodes = pliant::Index(mesh.nodes.size()), .threads = 1};
  row.setup_ms = setup.ms();
  std::vector<double> cpu_ms;
  const std::vector<double> samples = time_calls(seconds, warm_up, steps_at_least, [&] {
    const CpuStopwatch cpu;
    bar.step();
    cpu_ms.push_back(cpu.ms());
  });
  cpu_ms.erase(cpu_ms.begin(), cpu_ms.begin() + warm_up);
  const double tip = bar.tip_drop(mesh);
  row.ms_min = minimum(samples);
  row.ms_median = median(samples);
  row.peak_bytes = peak_memory();
  row.more["cpu_ms_min"] = minimum(cpu_ms);
  row.more["cpu_ms_median"] = median(cpu_ms);
  row.more["steps"] = samples.size();
  row.more["tets"] = mesh.tets.size();
  row.more["tip_drop"] = tip;
  row.more["finite"] = std::isfinite(tip);
  row.more["load"] = load_average();
  return row;
}

}  // namespace

int main(int argc, char** argv) {
  double seconds = 10;
  if (argc == 3 && std::string_view(argv[1]) == "--seconds") {
    seconds = std::atof(argv[2]);
  } else if (argc != 1) {
    fmt::print(stderr, "usage: bullet_bar [--seconds S]\n");
    return 2;
  }
  fmt::print("{}\n", to_json(run(seconds)).dump());
}
