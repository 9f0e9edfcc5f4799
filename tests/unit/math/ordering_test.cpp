// SPDX-License-Identifier: Apache-2.0
#include "pliant/math/ordering.hpp"

#include <gtest/gtest.h>

#include "pliant/math/supernodes.hpp"
#include "tests/unit/math/graph_samples.hpp"

#ifdef PLIANT_HAVE_CHOLMOD
#include <cholmod.h>
#endif

namespace pliant {
namespace ordering_test {

using namespace samples;

TEST(Ordering, is_a_permutation_and_the_same_every_time) {
  for (const MatrixGraph& graph : sample_graphs()) {
    const std::vector<Index> order = nested_dissection(graph);
    EXPECT_EQ(Index(order.size()), graph.rows());
    EXPECT_TRUE(is_permutation_of_rows(order));
    EXPECT_EQ(order, nested_dissection(graph));
  }
}

#ifdef PLIANT_HAVE_CHOLMOD
TEST(Ordering, fill_is_at_most_1_3_times_that_of_cholmod_with_metis) {
  for (const LinkGraph& g : {lattice(9, 9, 40), lattice(14, 14, 14), random_graph(2000, .12, 3)}) {
    const SymmetricMatrix a = lower_rows(shifted(laplacian(g), 1));
    cholmod_common common;
    cholmod_start(&common);
    common.nmethods = 1;
    common.method[0].ordering = CHOLMOD_METIS;
    cholmod_sparse m{};
    m.nrow = m.ncol = a.rows();
    m.nzmax = a.column.size();
    m.p = const_cast<Index*>(a.begin.data());
    m.i = const_cast<Index*>(a.column.data());
    m.x = const_cast<double*>(a.value.data());
    m.stype = 1;
    m.itype = CHOLMOD_INT;
    m.xtype = CHOLMOD_REAL;
    m.dtype = CHOLMOD_DOUBLE;
    m.sorted = m.packed = 1;
    cholmod_factor* factor = cholmod_analyze(&m, &common);
    EXPECT_LE(double(analyse(graph_of(a)).factor_entries), 1.3 * common.lnz);
    cholmod_free_factor(&factor, &common);
    cholmod_finish(&common);
  }
}
#endif

}  // namespace ordering_test
}  // namespace pliant
