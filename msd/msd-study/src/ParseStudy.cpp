#include "msd-study/src/ParseStudy.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <set>
#include <utility>

#include "msd-scene/src/FieldTable.hpp"
#include "msd-scene/src/JsonValues.hpp"
#include "msd-study/src/ParseMeasure.hpp"

namespace msd_study {

namespace {

using msd_scene::Field;
using msd_scene::fieldNames;
using msd_scene::JsonKind;
using msd_scene::JsonReader;
using msd_scene::jsonString;
using msd_scene::readFields;
using msd_scene::readNumber;
using msd_scene::readWhole;
using R = JsonReader;
using P = StudyParameter;

constexpr std::uint64_t kMostCount = kMostCases;
constexpr std::string_view kAnyUnit = "(in the value's unit)";

// --- targets ---

constexpr std::array<Field<StudyTarget>, 3> kTargetFields{{
    {"path", [](R& r, StudyTarget& t) { t.path = r.readString("a path into the scene"); },
     "a path into the scene"},
    {"scale", [](R& r, StudyTarget& t) { t.scale = readNumber(r, "[-]"); }},
    {"offset", [](R& r, StudyTarget& t) { t.offset = readNumber(r, kAnyUnit); }},
}};

StudyTarget readTarget(R& reader) {
  StudyTarget target;
  if (reader.peek() == JsonKind::kString) {
    target.path = reader.readString("a path into the scene");
  } else {
    readFields(reader, "a target of a parameter", kTargetFields, target);
  }
  return target;
}

void readTargets(R& reader, P& parameter) {
  if (reader.peek() != JsonKind::kArray) {
    parameter.targets.push_back(readTarget(reader));
    return;
  }
  reader.readArray("an array of paths",
                   [&](std::size_t) { parameter.targets.push_back(readTarget(reader)); });
}

// --- where values come from ---

void setSource(R& reader, P& parameter, Source source) {
  if (parameter.source != Source::kColumn) {
    reader.fail("a second source of values",
                "one of values, range, uniform, logUniform, normal and rotation");
  }
  parameter.source = source;
}

void readValues(R& reader, P& parameter) {
  setSource(reader, parameter, Source::kValues);
  reader.readArray("an array of values", [&](std::size_t i) {
    const JsonKind kind = reader.peek();
    if (i > 0 && (kind == JsonKind::kNumber) != parameter.choices.empty()) {
      reader.failValue(parameter.choices.empty() ? "a number, as before"
                                                 : "a word, true or false, as before");
    }
    if (kind == JsonKind::kNumber) {
      parameter.values.push_back(readNumber(reader, kAnyUnit));
      return;
    }
    if (kind == JsonKind::kBoolean) {
      parameter.choices.emplace_back(reader.readBoolean("true or false") ? "true" : "false");
    } else {
      parameter.choices.push_back(jsonString(reader.readString("a number, a word, true or false")));
    }
    parameter.values.push_back(static_cast<double>(i));
  });
  if (parameter.values.empty()) reader.fail("no values", "at least one");
}

struct RangeText {
  double from{0.0};
  double to{0.0};
  std::uint64_t count{0};
};
constexpr std::array<Field<RangeText>, 3> kRangeFields{{
    {"from", [](R& r, RangeText& t) { t.from = readNumber(r, kAnyUnit); }, "the first value"},
    {"to", [](R& r, RangeText& t) { t.to = readNumber(r, kAnyUnit); }, "the last value"},
    {"count", [](R& r, RangeText& t) { t.count = readWhole(r, 2, kMostCount); },
     "how many values, at least 2"},
}};

void readRange(R& reader, P& parameter) {
  setSource(reader, parameter, Source::kRange);
  RangeText range;
  readFields(reader, "a range", kRangeFields, range);
  parameter.low = range.from;
  parameter.high = range.to;
  parameter.count = range.count;
}

/// Two numbers; `expected` says which.
void readPair(R& reader, P& parameter, Source source, std::string_view expected) {
  setSource(reader, parameter, source);
  const std::size_t count = reader.readArray(expected, [&](std::size_t i) {
    const double value = readNumber(reader, kAnyUnit);
    if (i < 2) (i == 0 ? parameter.low : parameter.high) = value;
  });
  if (count != 2) reader.fail(fmt::format("{} numbers", count), std::string{expected});
  const bool isNormal = source == Source::kNormal;
  if (isNormal ? !(parameter.high >= 0.0) : !(parameter.low <= parameter.high)) {
    reader.fail(fmt::format("{} and {}", parameter.low, parameter.high), std::string{expected});
  }
  if (source == Source::kLogUniform && !(parameter.low > 0.0)) {
    reader.fail(fmt::format("a lower bound of {}", parameter.low), std::string{expected});
  }
}

void readRotationSource(R& reader, P& parameter) {
  setSource(reader, parameter, Source::kRotation);
  constexpr std::array<std::string_view, 1> kUniform{"uniform"};
  (void)msd_scene::readChoice(reader, kUniform);
}

constexpr std::array<Field<P>, 8> kParameterFields{{
    {"path", readTargets, "the value of the scene that it sets"},
    {"values", readValues},
    {"range", readRange},
    {"uniform",
     [](R& r, P& p) {
       readPair(r, p, Source::kUniform, "two numbers: a lower and an upper bound");
     }},
    {"logUniform",
     [](R& r, P& p) {
       readPair(r, p, Source::kLogUniform, "two numbers > 0: a lower and an upper bound");
     }},
    {"normal",
     [](R& r, P& p) {
       readPair(r, p, Source::kNormal, "two numbers: the mean and the standard deviation >= 0");
     }},
    {"rotation", readRotationSource},
    {"unit", [](R& r, P& p) { p.unit = r.readString("a unit"); }},
}};

struct SamplingText {
  Sampling method{Sampling::kRandom};
  std::uint64_t cases{0};
  std::uint64_t seed{1};
};
constexpr std::array<Field<SamplingText>, 3> kSamplingFields{{
    {"method",
     [](R& r, SamplingText& s) {
       constexpr std::array<std::string_view, 2> kMethods{"random", "latinHypercube"};
       s.method = static_cast<Sampling>(msd_scene::readChoice(r, kMethods));
     }},
    {"cases", [](R& r, SamplingText& s) { s.cases = readWhole(r, 1, kMostCount); },
     "how many cases to draw"},
    {"seed",
     [](R& r, SamplingText& s) { s.seed = readWhole(r, 0, std::uint64_t{1} << 53); }},
}};

// --- the whole ---

using D = StudyDocument;

void readParameters(R& reader, D& document) {
  readNamed(reader, "parameters", [&](std::string name) {
    StudyParameter& parameter = document.parameters.emplace_back();
    readFields(reader, "a parameter", kParameterFields, parameter);
    parameter.name = std::move(name);
  });
}

void readSampling(R& reader, D& document) {
  SamplingText sampling;
  readFields(reader, "the sampling", kSamplingFields, sampling);
  document.sampling = sampling.method;
  document.samples = sampling.cases;
  document.seed = sampling.seed;
}

struct LimitsText {
  std::optional<double> seconds{};
};
constexpr std::array<Field<LimitsText>, 1> kLimitFields{{
    {"seconds",
     [](R& r, LimitsText& l) {
       l.seconds = readNumber(r, "[s]");
       if (!(*l.seconds > 0.0)) r.fail(fmt::format("{}", *l.seconds), "a number > 0 [s]");
     }},
}};

void readLimits(R& reader, D& document) {
  LimitsText limits;
  readFields(reader, "the limits of a case", kLimitFields, limits);
  document.caseSeconds = limits.seconds;
}

constexpr std::array<Field<D>, 12> kFields{{
    {"version", [](R& r, D&) { (void)readWhole(r, 1, 1); }, "the version of the format: 1"},
    {"name", [](R& r, D& d) { d.name = msd_scene::readName(r, "the study's name"); }},
    {"description", [](R& r, D& d) { d.description = r.readString("a text"); }},
    {"scene", [](R& r, D& d) { d.scene = r.readString("the path of a scene"); },
     "the path of a scene"},
    {"steps", [](R& r, D& d) { d.steps = readWhole(r, 0, 1'000'000'000); }},
    {"parameters", readParameters},
    {"sampling", readSampling},
    {"cases", [](R& r, D& d) { d.table = r.readString("the path of a CSV file"); }},
    {"measure", readMeasures, "what to measure, by name"},
    {"success", readSuccess},
    {"limits", readLimits},
    {"expect", readChecks},
}};

void checkNames(R& reader, const D& document) {
  const auto fail = [&](std::string_view group, std::string_view name, std::string found,
                        std::string expected) {
    reader.failAt(msd_scene::JsonPath{} / group / name, std::move(found), std::move(expected));
  };
  std::set<std::string, std::less<>> taken{"case_id", "status", "reason", "steps",
                                           "time",    "hash",   "success"};
  const auto take = [&](std::string_view group, const std::string& name) {
    std::string lower = name;
    std::ranges::transform(lower, lower.begin(), [](char c) {
      return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
    });
    if (taken.insert(lower).second) return;
    fail(group, name, fmt::format("the name {}", jsonString(name)),
         "a name that no other parameter, measure or column of the results has");
  };
  for (const StudyParameter& parameter : document.parameters) {
    take("parameters", parameter.name);
    if (parameter.source == Source::kColumn && document.table.empty()) {
      fail("parameters", parameter.name, "no source of values",
           "values, range, uniform, logUniform, normal or rotation, or a table of cases");
    }
    if (parameter.isDrawn() && document.samples == 0) {
      fail("parameters", parameter.name, "a parameter that is drawn",
           "\"sampling\" with the number of cases to draw");
    }
    if (!parameter.choices.empty() && parameter.targets.size() > 0) {
      const auto scaled = [](const StudyTarget& t) { return t.scale != 1.0 || t.offset != 0.0; };
      if (std::ranges::any_of(parameter.targets, scaled)) {
        fail("parameters", parameter.name, "a scale or offset of a word",
             "numbers, or a path alone");
      }
    }
  }
  for (const StudyMeasure& measure : document.measures) take("measure", measure.name);
  if (document.parameters.size() > kMostColumns || document.measures.size() > kMostColumns) {
    reader.fail("too many parameters or measures", fmt::format("at most {} each", kMostColumns));
  }
  checkReferences(reader, document);
}

}  // namespace

StudyDocument parseStudy(std::string_view text, std::string_view source) {
  JsonReader reader{text, source};
  StudyDocument document;
  readFields(reader, "a study", kFields, document);
  reader.finish();
  checkNames(reader, document);
  return document;
}

std::vector<std::string_view> studyFieldNames() {
  std::vector<std::string_view> names;
  for (const auto& group :
       {fieldNames(kFields), fieldNames(kParameterFields), fieldNames(kTargetFields),
        fieldNames(kRangeFields), fieldNames(kSamplingFields), fieldNames(kLimitFields),
        measureFieldNames()}) {
    names.insert(names.end(), group.begin(), group.end());
  }
  return names;
}

}  // namespace msd_study
