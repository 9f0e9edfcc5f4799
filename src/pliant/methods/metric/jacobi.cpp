// SPDX-License-Identifier: Apache-2.0
#include "pliant/methods/metric/preconditioner.hpp"
#include "pliant/methods/metric/stencil_kernels.hpp"

namespace pliant::metric {
namespace {

class Jacobi final : public Preconditioner {
 public:
  Jacobi(const Operator& matrix, bool blocks) {
    for (std::size_t k = 0; k < (blocks ? 6u : 1u); ++k)
      inverse_[k].assign(std::size_t(matrix.points()), 0.0f);
  }
  void prepare(Operator& matrix, Pool& pool) override {
    matrix_ = &matrix;
    matrix.invert_diagonal(inverse_, pool);
  }
  const float* scales() const override { return matrix_->blocks() ? nullptr : inverse_[0].data(); }
  double apply(const float* r, float* z, Pool& pool) const override {
    const StencilKernels& kernels = stencil_kernels();
    const std::size_t n = std::size_t(matrix_->points());
    const float* const d[6] = {inverse_[0].data(), inverse_[1].data(), inverse_[2].data(),
                               inverse_[3].data(), inverse_[4].data(), inverse_[5].data()};
    const float* const from[3] = {r, r + n, r + 2 * n};
    float* const to[3] = {z, z + n, z + 2 * n};
    return matrix_->sum(pool, [&](int begin, int end) {
      if (matrix_->blocks())
        kernels.multiply_blocks(d, from, to, begin, end);
      else
        for (int c = 0; c < 3; ++c) kernels.multiply(d[0], from[c], to[c], begin, end);
      double sum = 0;
      for (int c = 0; c < 3; ++c) sum += kernels.dot(from[c], to[c], begin, end);
      return sum;
    });
  }
  std::string name() const override { return "jacobi"; }
  std::size_t applied_bytes() const override { return memory_bytes(); }
  std::size_t memory_bytes() const override {
    std::size_t sum = 0;
    for (const Floats& f : inverse_) sum += f.size() * sizeof(float);
    return sum;
  }

 private:
  const Operator* matrix_ = nullptr;
  std::array<Floats, 6> inverse_;
};

}  // namespace

std::unique_ptr<Preconditioner> make_jacobi(const Operator& matrix, Integrator integrator) {
  return std::make_unique<Jacobi>(matrix, integrator == Integrator::accurate);
}

}  // namespace pliant::metric
