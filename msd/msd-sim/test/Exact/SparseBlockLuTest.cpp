// Sparse factorisation and dense kernels against Eigen.

#include "msd-sim/src/Physics/Constraints/Exact/SparseBlockLu.hpp"

#include <gtest/gtest.h>

#include <Eigen/LU>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "msd-sim/src/DataTypes/WorkTeam.hpp"
#include "msd-sim/src/Physics/Constraints/Exact/DenseKernels.hpp"

namespace msd_sim {
namespace {

double symmetric(std::mt19937& generator) {
  return static_cast<double>(generator()) / 2147483648.0 - 1.0;
}

struct BlockSystem {
  std::vector<int> rowStart;
  std::vector<int> column;
  std::vector<double> blocks;
  Eigen::MatrixXd dense;
};

/// Random symmetric pattern, unsymmetric values, diagonally weighted.
BlockSystem makeSystem(int nodes, int size, int edges, double diagonal, std::mt19937& generator) {
  std::set<std::pair<int, int>> pattern;
  for (int i = 0; i < nodes; ++i) pattern.emplace(i, i);
  for (int e = 0; e < edges; ++e) {
    const int a = static_cast<int>(generator() % static_cast<unsigned>(nodes));
    const int b = static_cast<int>(generator() % static_cast<unsigned>(nodes));
    pattern.emplace(a, b);
    pattern.emplace(b, a);
  }
  BlockSystem system;
  system.dense = Eigen::MatrixXd::Zero(nodes * size, nodes * size);
  system.rowStart.assign(static_cast<std::size_t>(nodes) + 1, 0);
  for (const auto& [row, column] : pattern) {
    ++system.rowStart[row + 1];
    system.column.push_back(column);
    for (int i = 0; i < size; ++i) {
      for (int j = 0; j < size; ++j) {
        double value = symmetric(generator);
        if (row == column && i == j) value += diagonal;
        system.blocks.push_back(value);
        system.dense(row * size + i, column * size + j) = value;
      }
    }
  }
  for (int i = 0; i < nodes; ++i) system.rowStart[i + 1] += system.rowStart[i];
  return system;
}

TEST(SparseBlockLu, solvesRandomPatternsLikeADenseFactorisation) {
  std::mt19937 generator{17};
  for (const int size : {1, 3, 6}) {
    for (const int nodes : {1, 2, 7, 40, 90}) {
      for (const int edges : {0, nodes, 4 * nodes}) {
        const BlockSystem s = makeSystem(nodes, size, edges, 30.0, generator);
        SparseBlockLu lu;
        lu.analyze(nodes, size, s.rowStart, s.column);
        EXPECT_EQ(lu.factorize(s.blocks, 1e-18), 0);
        Eigen::VectorXd right(nodes * size);
        for (double& value : right) value = symmetric(generator);
        std::vector<double> x(right.begin(), right.end());
        lu.solve(x);
        const Eigen::Map<const Eigen::VectorXd> solution(x.data(), right.size());
        EXPECT_LT((s.dense * solution - right).norm(), 1e-12 * right.norm())  // measured 1e-15
            << nodes << " nodes of " << size << ", " << edges << " edges";
      }
    }
  }
}

TEST(SparseBlockLu, exchangesRowsWhereADiagonalEntryIsZero) {
  const std::vector<int> rowStart{0, 1};
  const std::vector<int> column{0};
  const std::vector<double> blocks{0.0, 2.0, 0.0, 3.0, 0.0, 0.0, 0.0, 0.0, 4.0};
  SparseBlockLu lu;
  lu.analyze(1, 3, rowStart, column);
  EXPECT_EQ(lu.factorize(blocks, 1e-18), 0);
  std::vector<double> x{2.0, 3.0, 4.0};
  lu.solve(x);
  for (const double value : x) EXPECT_DOUBLE_EQ(value, 1.0);
}

TEST(SparseBlockLu, replacesTheMissingPivotOfASingularMatrix) {
  const std::vector<int> rowStart{0, 1};
  const std::vector<int> column{0};
  const std::vector<double> blocks{1.0, 1.0, 1.0, 1.0};
  SparseBlockLu lu;
  lu.analyze(1, 2, rowStart, column);
  EXPECT_EQ(lu.factorize(blocks, 1e-12), 1);
  std::vector<double> x{1.0, 1.0};
  lu.solve(x);
  EXPECT_TRUE(std::isfinite(x[0]) && std::isfinite(x[1]));
}

TEST(SparseBlockLu, followsAChangedPattern) {
  std::mt19937 generator{23};
  SparseBlockLu lu;
  for (int round = 0; round < 10; ++round) {
    const int nodes = 5 + 3 * (round % 4);
    const BlockSystem s = makeSystem(nodes, 3, 2 * nodes, 20.0, generator);
    lu.analyze(nodes, 3, s.rowStart, s.column);
    (void)lu.factorize(s.blocks, 1e-18);
    std::vector<double> x(3 * static_cast<std::size_t>(nodes), 1.0);
    lu.solve(x);
    const Eigen::Map<const Eigen::VectorXd> solution(x.data(), 3L * nodes);
    EXPECT_LT((s.dense * solution - Eigen::VectorXd::Ones(3L * nodes)).norm(), 1e-12);
  }
}

TEST(SparseBlockLu, keepsTheFillOfABandLow) {
  // A chain of n blocks has n - 1 blocks below its diagonal in any good ordering.
  const int nodes = 200;
  std::vector<int> rowStart{0};
  std::vector<int> column;
  for (int i = 0; i < nodes; ++i) {
    for (int j = std::max(i - 1, 0); j <= std::min(i + 1, nodes - 1); ++j) column.push_back(j);
    rowStart.push_back(static_cast<int>(column.size()));
  }
  SparseBlockLu lu;
  lu.analyze(nodes, 6, rowStart, column);
  EXPECT_LT(lu.factorSize(), 6L * 36 * nodes);  // 3 blocks a node without merging; measured 4.4
}

TEST(SparseBlockLu, sameBitsHoweverManyThreadsShareIt) {
  // Fronts of all sizes: a random graph of 300 nodes ends in a dense front of a hundred or more.
  std::mt19937 generator(7);
  const BlockSystem system = makeSystem(300, 6, 700, 8.0, generator);
  const auto solveWith = [&](WorkTeam* team) {
    SparseBlockLu lu;
    lu.analyze(300, 6, system.rowStart, system.column);
    EXPECT_EQ(lu.factorize(system.blocks, 1e-18, team), 0);
    std::vector<double> x(1800);
    for (std::size_t i = 0; i < x.size(); ++i) x[i] = 1.0 + 0.01 * static_cast<double>(i % 17);
    lu.solve(x);
    return x;
  };
  const std::vector<double> alone = solveWith(nullptr);
  for (const int threads : {1, 2, 3}) {
    WorkTeam team{threads};
    const WorkTeam::Session session{team};
    EXPECT_EQ(solveWith(&team), alone) << threads;
  }
}

TEST(DenseKernels, productMatchesEigenForEverySmallShape) {
  std::mt19937 generator{31};
  for (int m = 0; m <= 19; ++m) {
    for (int n = 0; n <= 9; ++n) {
      for (const int k : {0, 1, 5, 12}) {
        Eigen::MatrixXd a(m, k);
        Eigen::MatrixXd b(k, n);
        Eigen::MatrixXd c(m, n);
        for (auto* matrix : {&a, &b, &c}) {
          for (Eigen::Index i = 0; i < matrix->size(); ++i)
            matrix->data()[i] = symmetric(generator);
        }
        const Eigen::MatrixXd expected = c - a * b;
        dense::subtractProduct(m, n, k, a.data(), m, b.data(), k, c.data(), m);
        EXPECT_TRUE(c.isApprox(expected, 1e-13) || expected.size() == 0)
            << m << 'x' << n << 'x' << k;
      }
    }
  }
}

TEST(DenseKernels, frontFactorsReproduceTheMatrix) {
  std::mt19937 generator{37};
  for (const int p : {1, 2, 3, 6, 12, 13, 30}) {
    for (const int border : {0, 1, 6, 20}) {
      const int m = p + border;
      Eigen::MatrixXd full(m, m);
      for (Eigen::Index i = 0; i < full.size(); ++i) full.data()[i] = symmetric(generator);
      Eigen::MatrixXd left = full.leftCols(p);
      Eigen::MatrixXd right = full.topRightCorner(p, border);
      std::vector<int> pivot(p);
      EXPECT_EQ(dense::factorizeFront(m, p, left.data(), border, right.data(), pivot.data(), 1e-30),
                0);
      Eigen::MatrixXd permuted = full;
      for (int k = 0; k < p; ++k) permuted.row(k).swap(permuted.row(pivot[k]));
      const Eigen::MatrixXd lower11 = left.topRows(p).triangularView<Eigen::UnitLower>();
      const Eigen::MatrixXd upper11 = left.topRows(p).triangularView<Eigen::Upper>();
      EXPECT_LT((lower11 * upper11 - permuted.topLeftCorner(p, p)).norm(), 1e-12);
      EXPECT_LT((lower11 * right - permuted.topRightCorner(p, border)).norm(), 1e-12);
      EXPECT_LT((left.bottomRows(border) * upper11 - permuted.bottomLeftCorner(border, p)).norm(),
                1e-12);
    }
  }
}

}  // namespace
}  // namespace msd_sim
