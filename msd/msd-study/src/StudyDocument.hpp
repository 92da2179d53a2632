#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "msd-scene/src/SceneDocument.hpp"

/// Everything a study file (version 1) says, as plain values. docs/studies.md describes every field.
namespace msd_study {

/// A value of the scene that a parameter sets: to scale·parameter + offset.
struct StudyTarget {
  std::string path{};  ///< bodies.cube.position[2]
  double scale{1.0};
  double offset{0.0};
  bool operator==(const StudyTarget&) const = default;
};

/// Where a parameter's values come from.
enum class Source : std::uint8_t {
  kColumn,      ///< the table of cases, by the parameter's name
  kValues,      ///< a list
  kRange,       ///< numbers at equal distances
  kUniform,     ///< drawn, all of an interval alike
  kLogUniform,  ///< drawn, all orders of magnitude alike
  kNormal,      ///< drawn from a normal distribution
  kRotation,    ///< drawn, all orientations alike: four values w, x, y, z
};

struct StudyParameter {
  std::string name{};
  std::vector<StudyTarget> targets{};
  Source source{Source::kColumn};
  std::vector<double> values{};        ///< kValues; of choices, their numbers
  std::vector<std::string> choices{};  ///< kValues: words, true or false, as JSON writes them
  double low{0.0};                     ///< first of a range, lower bound, or mean
  double high{0.0};                    ///< last of a range, upper bound, or standard deviation
  std::uint64_t count{0};              ///< kRange
  std::string unit{};                  ///< for people
  bool operator==(const StudyParameter&) const = default;
  [[nodiscard]] bool isDrawn() const { return source >= Source::kUniform; }
  [[nodiscard]] bool isListed() const {
    return source == Source::kValues || source == Source::kRange;
  }
};

enum class Sampling : std::uint8_t { kRandom, kLatinHypercube };

/// What is taken of a quantity over a run.
enum class Take : std::uint8_t {
  kFinal,
  kMax,
  kMin,
  kMean,       ///< over all steps
  kTimeOfMax,  ///< [s]
  kTimeOfMin,
  kFirstTime,  ///< when it was first above or below a bound, or an event first came [s]
  kLastTime,   ///< of an event [s]
  kCount,      ///< of events
  kMaxSpeed,   ///< fastest approach of hits [m/s]
};
inline constexpr std::array<std::string_view, 10> kTakeNames{
    "final",     "max",       "min",      "mean",  "timeOfMax",
    "timeOfMin", "firstTime", "lastTime", "count", "maxSpeed"};

struct StudyMeasure {
  std::string name{};
  /// Body, joint and quantity, and the time for a value at a moment.
  msd_scene::SceneExpectation of{};
  std::string event{};  ///< "begin", "end" or "hit" of contacts of a body, instead of a quantity
  std::string other{};  ///< the other body of the event; empty: any
  Take take{Take::kFinal};
  std::optional<double> above{};
  std::optional<double> below{};
};

/// A result that lies between bounds.
struct StudyBounds {
  std::string name{};  ///< of a measure, or a parameter
  std::optional<double> min{};
  std::optional<double> max{};
};

/// What a check looks at over all cases.
enum class Statistic : std::uint8_t {
  kMean,
  kDeviation,
  kMin,
  kMax,
  kCount,
  kChiSquare,  ///< chance of a deviation from equal frequencies at least as large [-]
};
inline constexpr std::array<std::string_view, 6> kStatisticNames{"mean", "deviation", "min",
                                                                 "max",  "count",     "chiSquare"};

/// One thing that should be true of a study as a whole.
struct StudyCheck {
  std::string measure{};  ///< or "success"
  Statistic statistic{Statistic::kMean};
  std::vector<double> categories{};  ///< kChiSquare: the values that should come equally often
  std::vector<StudyBounds> where{};  ///< only cases within these
  std::optional<double> min{};
  std::optional<double> max{};
};

struct StudyDocument {
  std::string name{};
  std::string description{};
  std::string scene{};  ///< path from the study's folder
  std::optional<std::uint64_t> steps{};
  std::vector<StudyParameter> parameters{};
  Sampling sampling{Sampling::kRandom};
  std::uint64_t samples{0};  ///< cases per point of the grid; 0 where nothing is drawn
  std::uint64_t seed{1};
  std::string table{};  ///< CSV file of cases, path from the study's folder
  std::vector<StudyMeasure> measures{};
  std::vector<StudyBounds> success{};
  std::optional<double> caseSeconds{};  ///< longest time a case may take, wall clock [s]
  std::vector<StudyCheck> expect{};
};

/// Most parameters, and most measures, of a study.
inline constexpr std::size_t kMostColumns = 500;
/// Most cases of a study.
inline constexpr std::uint64_t kMostCases = 100'000'000;

}  // namespace msd_study
