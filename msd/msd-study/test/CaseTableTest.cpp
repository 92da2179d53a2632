// Draws against closed forms: the normal quantile inverts Φ(x) = erfc(-x/√2)/2; a rotation drawn uniformly
// has E[w²] = 1/4 and unit length; a Latin hypercube has exactly one draw in each of its n strata.
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <cmath>
#include <set>

#include "msd-scene/src/SceneError.hpp"
#include "msd-study/src/Draws.hpp"
#include "msd-study/test/StudySamples.hpp"

namespace msd_study::test {

namespace {

using ::testing::HasSubstr;

TEST(Draws, normalQuantileInvertsTheDistribution) {
  for (const double p : {1e-300, 1e-20, 1e-6, 0.01, 0.07, 0.3, 0.5, 0.6, 0.93, 0.99, 1.0 - 1e-9}) {
    const double x = normalQuantile(p);
    const double back = 0.5 * std::erfc(-x / std::sqrt(2.0));
    // Measured: at most 1.4e-13 at p = 1e-300, where erfc itself loses digits.
    EXPECT_NEAR(back / p, 1.0, 1e-12) << p;
  }
  EXPECT_EQ(normalQuantile(0.5), 0.0);
}

TEST(Draws, logUniformIsThePowerLaw) {
  for (const double u : {0.0, 0.1, 0.5, 0.999, 1.0}) {
    // Measured: 4e-16 relative.
    EXPECT_NEAR(logUniform(u, 1e-3, 1e5) / (1e-3 * std::pow(1e8, u)), 1.0, 1e-14) << u;
  }
}

TEST(Draws, rotationsAreOfUnitLengthAndUniform) {
  std::array<double, 4> squares{};
  constexpr int kDraws = 20000;
  for (std::uint64_t i = 0; i < kDraws; ++i) {
    const auto q = uniformRotation(drawUnit(7, 0, i), drawUnit(7, 1, i), drawUnit(7, 2, i));
    double length = 0.0;
    for (std::size_t k = 0; k < 4; ++k) {
      squares[k] += q[k] * q[k] / kDraws;
      length += q[k] * q[k];
    }
    ASSERT_NEAR(length, 1.0, 1e-14);  // measured: 4e-16
  }
  // Var[w²] = 1/16 for a uniform rotation: five deviations of the mean are 0.0088. Measured: 0.0023.
  for (const double square : squares) EXPECT_NEAR(square, 0.25, 0.0088);
}

TEST(Draws, permutationMeetsEveryPlaceOnce) {
  for (const std::uint64_t size : {1u, 2u, 3u, 10u, 64u, 1000u}) {
    std::set<std::uint64_t> places;
    for (std::uint64_t i = 0; i < size; ++i) places.insert(permuted(3, 5, i, size));
    EXPECT_EQ(places.size(), size);
    EXPECT_EQ(*places.rbegin(), size - 1);
  }
}

TEST(CaseTable, gridTimesDrawsWithTheFirstParameterSlowest) {
  const auto study =
      makeStudy(R"("a": {"path": "bodies.ball.position[2]", "values": [1, 2]},
                   "b": {"path": "bodies.ball.position[0]", "range": {"from": 0, "to": 1, "count": 3}},
                   "c": {"path": "bodies.ball.position[1]", "uniform": [-1, 1]})",
                R"(, "sampling": {"cases": 2, "seed": 4})");
  ASSERT_EQ(study->cases().size(), 12u);
  EXPECT_EQ(study->cases().values(0)[0], 1.0);
  EXPECT_EQ(study->cases().values(5)[0], 1.0);
  EXPECT_EQ(study->cases().values(6)[0], 2.0);
  EXPECT_EQ(study->cases().values(0)[1], 0.0);
  EXPECT_EQ(study->cases().values(2)[1], 0.5);
  EXPECT_EQ(study->cases().values(11)[1], 1.0);
  std::set<double> draws;
  for (std::uint64_t i = 0; i < 12; ++i) draws.insert(study->cases().values(i)[2]);
  EXPECT_EQ(draws.size(), 12u) << "each case has draws of its own";
}

TEST(CaseTable, latinHypercubeHasOneDrawPerStratum) {
  const auto study =
      makeStudy(R"("a": {"path": "bodies.ball.position[2]", "uniform": [10, 20]},
                   "b": {"path": "bodies.ball.mass", "uniform": [0, 100]})",
                R"(, "sampling": {"method": "latinHypercube", "cases": 100, "seed": 2})");
  for (std::size_t column = 0; column < 2; ++column) {
    std::set<int> strata;
    for (std::uint64_t i = 0; i < 100; ++i) {
      const double value = study->cases().values(i)[column];
      strata.insert(static_cast<int>(column == 0 ? (value - 10.0) * 10.0 : value));
    }
    EXPECT_EQ(strata.size(), 100u);
  }
}

TEST(CaseTable, takesCasesFromATableByName) {
  const auto study = makeStudy(R"("m": {"path": "bodies.ball.mass"},
                                  "z": {"path": "bodies.ball.position[2]"})",
                               R"(, "cases": "cases.csv")", {},
                               "remark,z,\"m\"\n1,0.5,3\n2,0.75,4\n\n");
  ASSERT_EQ(study->cases().size(), 2u);
  EXPECT_EQ(study->cases().values(1), (std::vector<double>{4.0, 0.75}));
}

TEST(CaseTable, namesWhatIsWrongWithATable) {
  const auto problem = [](const std::string& table) -> std::string {
    try {
      (void)makeStudy(R"("mass": {"path": "bodies.ball.mass"})", R"(, "cases": "cases.csv")", {}, table);
    } catch (const msd_scene::SceneError& error) {
      return error.what();
    }
    return "nothing";
  };
  EXPECT_THAT(problem("mas\n1\n"), HasSubstr("no column \"mass\""));
  EXPECT_THAT(problem("mas\n1\n"), HasSubstr("did you mean \"mas\""));
  EXPECT_THAT(problem("a,mass\n1,2\n1,heavy\n"), HasSubstr("cases.csv:3:3: found \"heavy\""));
  EXPECT_THAT(problem("a,mass\n1\n"), HasSubstr("cases.csv:2:1: found 1 fields"));
  EXPECT_THAT(problem("mass\n"), HasSubstr("no cases"));
}

}  // namespace

}  // namespace msd_study::test
