#include "msd-study/src/ParseMeasure.hpp"

#include <algorithm>

#include "msd-scene/src/FieldTable.hpp"
#include "msd-scene/src/JsonValues.hpp"

namespace msd_study {

namespace {

using msd_scene::Field;
using msd_scene::JsonPath;
using msd_scene::JsonReader;
using msd_scene::jsonString;
using msd_scene::readFields;
using msd_scene::readName;
using msd_scene::readNumber;
using R = JsonReader;
using M = StudyMeasure;

constexpr std::string_view kItsUnit = "(in the quantity's unit)";
constexpr std::size_t kNameLength = 64;
constexpr std::array<std::string_view, 3> kEvents{"begin", "end", "hit"};

constexpr std::array<Field<M>, 10> kMeasureFields{{
    {"sensor", [](R& r, M& m) { m.of.sensor = readName(r, "the name of a sensor"); }},
    {"body", [](R& r, M& m) { m.of.body = readName(r, "the name of a body"); }},
    {"joint", [](R& r, M& m) { m.of.joint = readName(r, "the name of a joint"); }},
    {"quantity", [](R& r, M& m) { m.of.quantity = readName(r, "the name of a quantity"); }},
    {"event", [](R& r, M& m) { m.event = kEvents[msd_scene::readChoice(r, kEvents)]; }},
    {"with", [](R& r, M& m) { m.other = readName(r, "the name of a body"); }},
    {"take", [](R& r, M& m) { m.take = static_cast<Take>(msd_scene::readChoice(r, kTakeNames)); }},
    {"at", [](R& r, M& m) { m.of.time = readNumber(r, "[s]"); }},
    {"above", [](R& r, M& m) { m.above = readNumber(r, kItsUnit); }},
    {"below", [](R& r, M& m) { m.below = readNumber(r, kItsUnit); }},
}};

void checkEvent(R& reader, const M& m) {
  if (!m.of.quantity.empty() || !m.of.joint.empty() || !m.of.sensor.empty() || m.of.time || m.above || m.below) {
    reader.fail("an event together with a quantity, joint, sensor, moment or bound",
                "an event of a body, or a quantity");
  }
  if (m.of.body.empty()) reader.fail("no field \"body\"", "the body whose contacts count");
  if (m.take < Take::kFirstTime) {
    reader.fail(fmt::format("\"take\": {}", jsonString(kTakeNames[static_cast<int>(m.take)])),
                "firstTime, lastTime, count or maxSpeed of an event");
  }
}

void checkQuantity(R& reader, const M& m) {
  if (m.of.quantity.empty()) {
    reader.fail("neither \"quantity\" nor \"event\"", "what to measure, such as \"position.z\"");
  }
  if (int{!m.of.body.empty()} + int{!m.of.joint.empty()} + int{!m.of.sensor.empty()} > 1) {
    reader.fail("more than one of \"body\", \"joint\" and \"sensor\"",
                "one of them, or none for the world");
  }
  if (!m.other.empty()) reader.fail("the field \"with\"", "it with an event only");
  if (m.take > Take::kFirstTime) {
    reader.fail(fmt::format("\"take\": {}", jsonString(kTakeNames[static_cast<int>(m.take)])),
                "final, max, min, mean, timeOfMax, timeOfMin or firstTime of a quantity");
  }
  const bool bounded = m.above || m.below;
  if (bounded != (m.take == Take::kFirstTime)) {
    reader.fail(bounded ? "a bound without \"take\": \"firstTime\"" : "firstTime without a bound",
                "\"firstTime\" with \"above\" or \"below\"");
  }
  if (m.of.time && m.take != Take::kFinal) {
    reader.fail("both \"at\" and \"take\"", "one of the two");
  }
}

constexpr std::array<Field<StudyBounds>, 3> kSuccessFields{{
    {"measure", [](R& r, StudyBounds& b) { b.name = readName(r, "the name of a measure"); },
     "the name of a measure"},
    {"min", [](R& r, StudyBounds& b) { b.min = readNumber(r, kItsUnit); }},
    {"max", [](R& r, StudyBounds& b) { b.max = readNumber(r, kItsUnit); }},
}};

constexpr std::array<Field<StudyBounds>, 2> kWhereFields{{
    {"min", [](R& r, StudyBounds& b) { b.min = readNumber(r, kItsUnit); }},
    {"max", [](R& r, StudyBounds& b) { b.max = readNumber(r, kItsUnit); }},
}};

void readWhere(R& reader, StudyCheck& check) {
  readNamed(reader, "bounds", [&](std::string name) {
    StudyBounds& bounds = check.where.emplace_back();
    readFields(reader, "bounds", kWhereFields, bounds);
    bounds.name = std::move(name);
  });
}

void readCategories(R& reader, StudyCheck& check) {
  reader.readArray("an array of numbers", [&](std::size_t) {
    check.categories.push_back(readNumber(reader, kItsUnit));
  });
}

constexpr std::array<Field<StudyCheck>, 6> kCheckFields{{
    {"measure", [](R& r, StudyCheck& c) { c.measure = readName(r, "the name of a measure"); },
     "the name of a measure"},
    {"statistic",
     [](R& r, StudyCheck& c) {
       c.statistic = static_cast<Statistic>(msd_scene::readChoice(r, kStatisticNames));
     },
     "mean, deviation, min, max, count or chiSquare"},
    {"categories", readCategories},
    {"where", readWhere},
    {"min", [](R& r, StudyCheck& c) { c.min = readNumber(r, kItsUnit); }},
    {"max", [](R& r, StudyCheck& c) { c.max = readNumber(r, kItsUnit); }},
}};

}  // namespace

void checkColumnName(R& reader, std::string_view name) {
  const auto isLetter = [](char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z'); };
  const bool good = !name.empty() && name.size() <= kNameLength && isLetter(name.front()) &&
                    std::ranges::all_of(name, [&](char c) {
                      return isLetter(c) || (c >= '0' && c <= '9') || c == '_';
                    });
  if (good) return;
  reader.fail(fmt::format("the name {}", msd_scene::shortened(jsonString(name))),
              fmt::format("a letter, then letters, digits and _, at most {} in all", kNameLength));
}

void readMeasures(R& reader, StudyDocument& document) {
  readNamed(reader, "measures", [&](std::string name) {
    M& measure = document.measures.emplace_back();
    readFields(reader, "a measure", kMeasureFields, measure);
    measure.event.empty() ? checkQuantity(reader, measure) : checkEvent(reader, measure);
    measure.name = std::move(name);
  });
}

void readSuccess(R& reader, StudyDocument& document) {
  reader.readArray("an array of bounds on measures", [&](std::size_t) {
    StudyBounds& bounds = document.success.emplace_back();
    readFields(reader, "a condition of success", kSuccessFields, bounds);
    if (!bounds.min && !bounds.max) reader.fail("no bound", "\"min\", \"max\" or both");
  });
}

void readChecks(R& reader, StudyDocument& document) {
  reader.readArray("an array of checks", [&](std::size_t) {
    StudyCheck& check = document.expect.emplace_back();
    readFields(reader, "a check of a study", kCheckFields, check);
    if (!check.min && !check.max) reader.fail("no bound", "\"min\", \"max\" or both");
    const bool isChi = check.statistic == Statistic::kChiSquare;
    if (isChi ? check.categories.size() < 2 : !check.categories.empty()) {
      reader.fail(fmt::format("{} categories", check.categories.size()),
                  isChi ? "at least two values that should come equally often"
                        : "categories with the statistic chiSquare only");
    }
  });
}

void checkReferences(R& reader, const StudyDocument& document) {
  std::vector<std::string_view> measures;
  for (const StudyMeasure& measure : document.measures) measures.push_back(measure.name);
  std::vector<std::string_view> all = measures;
  for (const StudyParameter& parameter : document.parameters) all.push_back(parameter.name);
  const auto demand = [&](const JsonPath& path, std::string_view name,
                          const std::vector<std::string_view>& known, std::string_view what) {
    if (std::ranges::find(known, name) != known.end()) return;
    reader.failAt(path, jsonString(name),
                  fmt::format("the name of {}{}", what, msd_scene::suggestion(name, known)));
  };
  for (std::size_t i = 0; i < document.success.size(); ++i) {
    demand(JsonPath{} / "success" / i / "measure", document.success[i].name, measures, "a measure");
  }
  for (std::size_t i = 0; i < document.expect.size(); ++i) {
    const JsonPath path = JsonPath{} / "expect" / i;
    const StudyCheck& check = document.expect[i];
    if (check.measure != "success" || document.success.empty()) {
      demand(path / "measure", check.measure, measures, "a measure");
    }
    for (const StudyBounds& bounds : check.where) {
      demand(path / "where" / bounds.name, bounds.name, all, "a parameter or measure");
    }
  }
}

std::vector<std::string_view> measureFieldNames() {
  std::vector<std::string_view> names;
  for (const auto& group :
       {msd_scene::fieldNames(kMeasureFields), msd_scene::fieldNames(kSuccessFields),
        msd_scene::fieldNames(kCheckFields)}) {
    names.insert(names.end(), group.begin(), group.end());
  }
  return names;
}

}  // namespace msd_study
