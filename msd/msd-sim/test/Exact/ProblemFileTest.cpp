// Problem texts: three storages read alike, a written problem reads back bit for bit, and no text
// does anything worse than an error with its place.

#include "msd-sim/src/Physics/Constraints/Exact/ProblemFile.hpp"

#include <fmt/format.h>
#include <gmock/gmock.h>
#include <gtest/gtest.h>

#include <random>
#include <string>

#include "ProblemFamilies.hpp"

namespace msd_sim {
namespace {

using testing::HasSubstr;

std::string errorOf(std::string_view text) {
  try {
    (void)parseProblem(text);
  } catch (const ProblemFileError& error) {
    return error.what();
  }
  return "no error";
}

void expectSame(const FrictionProblem& a, const FrictionProblem& b) {
  ASSERT_EQ(a.contactCount(), b.contactCount());
  EXPECT_EQ(a.matrix().rowStart, b.matrix().rowStart);
  EXPECT_EQ(a.matrix().column, b.matrix().column);
  for (std::size_t k = 0; k < a.matrix().block.size(); ++k) {
    EXPECT_EQ(a.matrix().block[k], b.matrix().block[k]);
  }
  EXPECT_TRUE(std::equal(a.q().begin(), a.q().end(), b.q().begin()));
  EXPECT_TRUE(std::equal(a.mu().begin(), a.mu().end(), b.mu().begin()));
}

// Two contacts, W = [1 2 3; 4 5 6; 7 8 9] in the first block, 2·I in the second, no coupling.
const char* const kDense =
    "3\n2\n0\n6\n6\n6 6\n"
    "1 4 7 0 0 0  2 5 8 0 0 0  3 6 9 0 0 0  0 0 0 2 0 0  0 0 0 0 2 0  0 0 0 0 0 2\n"
    "-1 0 1e-3 2.5 -3 4\n0.5 0.25\n";
const char* const kBlocks =
    "3 2 1 6 6\n2 2 2\n3 6\n3 6\n3 2\n0 1 2\n0 1\n"
    "0\n1 4 7 2 5 8 3 6 9\n1\n2 0 0 0 2 0 0 0 2\n"
    "-1 0 1e-3 2.5 -3 4\n0.5 0.25\n";
const char* const kTriplets =
    "3\n2\n2\n6\n6\n1\nCSparse Version 3.2.0, printed by a library\ntriplet: 6-by-6, nzmax: 12 "
    "nnz: 12\n"
    "0 0 : 1\n0 1 : 2\n0 2 : 3\n1 0 : 4\n1 1 : 5\n1 2 : 6\n2 0 : 7\n2 1 : 8\n2 2 : 9\n"
    "3 3 : 2\n4 4 : 2\n5 5 : 2\n-1 0 1e-3 2.5 -3 4\n0.5 0.25\n";
const char* const kColumns =
    "3\n2\n2\n6\n6\n2\nCSparse Version 3.2.0\n6-by-6, nzmax: 12 nnz: 12, 1-norm: 18\n"
    "col 0 : locations 0 to 2\n0 : 1\n1 : 4\n2 : 7\ncol 1 : locations 3 to 5\n0 : 2\n1 : 5\n2 : 8\n"
    "col 2 : locations 6 to 8\n0 : 3\n1 : 6\n2 : 9\ncol 3 : locations 9 to 9\n3 : 2\n"
    "col 4 : locations 10 to 10\n4 : 2\ncol 5 : locations 11 to 11\n5 : 2\n"
    "-1 0 1e-3 2.5 -3 4\n0.5 0.25\n";

TEST(ProblemFile, readsDenseColumnByColumnAndDropsZeroBlocks) {
  const FrictionProblem problem = parseProblem(kDense);
  ASSERT_EQ(problem.contactCount(), 2);
  ASSERT_EQ(problem.matrix().block.size(), 2u);
  EXPECT_EQ(problem.matrix().block[0](0, 1), 2.0);
  EXPECT_EQ(problem.matrix().block[0](2, 0), 7.0);
  EXPECT_EQ(problem.q()[2], 1e-3);
  EXPECT_EQ(problem.mu()[1], 0.25);
}

TEST(ProblemFile, readsEveryStorageAlike) {
  const FrictionProblem dense = parseProblem(kDense);
  expectSame(parseProblem(kBlocks), dense);
  expectSame(parseProblem(kTriplets), dense);
  expectSame(parseProblem(kColumns), dense);
}

TEST(ProblemFile, readsCompressedRowsAsTheTransposeOfColumns) {
  std::string text = kColumns;
  text.replace(text.find("\n2\nCSparse"), 3, "\n3\n");
  const FrictionProblem problem = parseProblem(text);
  EXPECT_EQ(problem.matrix().block[0](0, 1), 4.0);
  EXPECT_EQ(problem.matrix().block[0](1, 0), 2.0);
}

TEST(ProblemFile, ignoresNumbersAfterTheFrictionCoefficients) {
  expectSame(parseProblem(std::string(kDense) + " 1\n0 0 0 0 0 0\n"), parseProblem(kDense));
}

TEST(ProblemFile, roundTripsBitForBit) {
  for (std::uint32_t seed = 1; seed <= 5; ++seed) {
    const FrictionProblem problem = families::makeRandomPile(9, 3, 0.4, seed);
    expectSame(parseProblem(writeProblem(problem)), problem.toAssembled());
  }
}

TEST(ProblemFile, readsAProblemWithoutContacts) {
  EXPECT_EQ(parseProblem("3 0 1 0 0 0 0 0 1 0 0").contactCount(), 0);
  EXPECT_EQ(parseProblem(writeProblem(FrictionProblem{})).contactCount(), 0);
}

TEST(ProblemFile, namesThePlaceOfAnError) {
  EXPECT_THAT(errorOf(""), HasSubstr("line 1: dimension"));
  EXPECT_THAT(errorOf("2\n1\n"), HasSubstr("dimension (only 3 is supported): 2 is out of range"));
  EXPECT_THAT(errorOf("3\nx\n"),
              HasSubstr("line 2: number of contacts: 'x' is not a whole number"));
  EXPECT_THAT(errorOf("3\n-1\n"), HasSubstr("-1 is out of range"));
  EXPECT_THAT(errorOf("3\n9000000\n0\n27000000\n27000000\n"),
              HasSubstr("more than the rest of the file can hold"));
  EXPECT_THAT(errorOf("3\n1\n7\n3\n3\n"), HasSubstr("line 3: storage"));
  EXPECT_THAT(errorOf("3 1 0 3 4"), HasSubstr("columns of W: 4 is out of range, expected 3 to 3"));
  std::string text = kDense;
  text.replace(text.find("2.5"), 3, "nan");
  EXPECT_THAT(errorOf(text), HasSubstr("line 8: q: nan is not finite"));
  text = kDense;
  text.replace(text.find("0.25"), 4, "-0.2");
  EXPECT_THAT(errorOf(text), HasSubstr("mu: -0.2 is negative"));
  EXPECT_THAT(errorOf("3 1 1 3 3 2 1 1"), HasSubstr("number of blocks: 2 is out of range"));
  text = kBlocks;
  text.replace(text.find("0 1 2\n"), 6, "0 2 1\n");
  EXPECT_THAT(errorOf(text), HasSubstr("index1"));
}

TEST(ProblemFile, survivesEveryTruncation) {
  for (const char* const whole : {kDense, kBlocks, kTriplets, kColumns}) {
    const std::string_view text{whole};
    int refused = 0;
    for (std::size_t length = 0; length < text.size(); ++length) {
      if (errorOf(text.substr(0, length)) != "no error") ++refused;
    }
    // Only the last digits of the last number and the white space behind it can go unnoticed.
    EXPECT_GE(refused, static_cast<int>(text.size()) - 5);
  }
}

TEST(ProblemFile, survivesRandomDamage) {
  std::mt19937 generator{41};
  const std::string bytes = " \n0123456789.-+eEnaif:,xcoltriplet";
  for (const char* const whole : {kDense, kBlocks, kTriplets, kColumns}) {
    for (int round = 0; round < 3000; ++round) {
      std::string text{whole};
      for (unsigned k = 0; k < 1 + generator() % 4; ++k) {
        text[generator() % text.size()] = bytes[generator() % bytes.size()];
      }
      (void)errorOf(text);  // anything but ProblemFileError fails the test
    }
  }
}

TEST(ProblemFile, writesASolutionWithALineAContact) {
  const std::vector<double> r{1.0, 2.0, 3.0, 4.0, 5.0, 6.0};
  const std::vector<double> u{0.0, -1.0, 0.5, 0.0, 0.0, 0.0};
  const std::string text = writeSolution(r, u, 1.25e-9);
  EXPECT_EQ(std::count(text.begin(), text.end(), '\n'), 3);
  EXPECT_THAT(text, HasSubstr("1.250e-09"));
  EXPECT_THAT(text, HasSubstr("\n1.00000000000000000e+00 2.00000000000000000e+00"));
}

}  // namespace
}  // namespace msd_sim
