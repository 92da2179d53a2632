// What was found, as a line, a Markdown page and an HTML page with plots.
#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "msd-exe/src/Bench/BenchResult.hpp"
#include "msd-exe/src/Validate/Phenomenon.hpp"
#include "msd-exe/src/Version.hpp"
#include "msd-record/src/HtmlReport.hpp"
#include "msd-record/src/SvgChart.hpp"

namespace msd_exe {

namespace {

using msd_record::escaped;

/// A bar in a table of Markdown would end the cell.
std::string cell(std::string_view text) {
  std::string result;
  for (const char c : text) {
    if (c == '|') result += '\\';
    result += c;
  }
  return result;
}

std::string verdict(const Finding& f) {
  return f.isLeftOut() ? "left out" : f.holds() ? "holds" : "misses";
}

std::string commandLine(bool fast) {
  return fmt::format("msd validate{} --markdown docs/validation.md --html docs/validation.html",
                     fast ? " --fast" : "");
}

/// "sliding, then rolling ball (exact)"
std::string nameOf(const Finding& f) {
  return fmt::format("{} ({})", f.phenomenon.name, msd_sim::methodName(f.method));
}

/// What one method did with a phenomenon: its error, or why there is none.
std::string errorOf(const std::vector<Finding>& findings, std::string_view phenomenon,
                    std::string_view method) {
  for (const Finding& f : findings) {
    if (f.phenomenon.name != phenomenon || msd_sim::methodName(f.method) != method) continue;
    if (f.isLeftOut()) return "–";
    if (!f.failure.empty()) return "failed";
    return fmt::format("{:.1e}{}", f.measurement.error, f.holds() ? "" : " MISS");
  }
  return "";
}

/// Names of the phenomena, each once, in their order.
std::vector<const Finding*> firstOfEach(const std::vector<Finding>& findings) {
  std::vector<const Finding*> list;
  for (const Finding& f : findings) {
    if (list.empty() || list.back()->phenomenon.name != f.phenomenon.name) list.push_back(&f);
  }
  return list;
}

/// "1e-09 of 1e-06" as digits to spare; what is exact counts as kMost.
constexpr double kMost = 16.0;
double spareDigits(const Measurement& m) {
  if (m.error <= 0.0) return m.holds() ? kMost : -1.0;
  if (m.tolerance <= 0.0) return -1.0;
  return std::clamp(std::log10(m.tolerance / m.error), -3.0, kMost);
}

/// How far each stays below what is allowed: a bar per phenomenon, in powers of ten.
std::string overview(const std::vector<Finding>& findings) {
  constexpr double kRow = 19.0, kNames = 290.0, kDigit = 36.0, kTop = 26.0;
  const double zero = kNames + 3.0 * kDigit;
  std::string svg;
  double y = kTop;
  for (const Finding& f : findings) {
    if (f.isLeftOut() || !f.failure.empty()) continue;
    const double digits = spareDigits(f.measurement);
    fmt::format_to(std::back_inserter(svg),
                   "<text x=\"{:.0f}\" y=\"{:.1f}\" text-anchor=\"end\">{}</text>\n"
                   "<rect x=\"{:.1f}\" y=\"{:.1f}\" width=\"{:.1f}\" height=\"12\" rx=\"2\" "
                   "fill=\"{}\"/>\n",
                   kNames - 6.0, y + 10.0, escaped(nameOf(f)),
                   digits < 0.0 ? zero + digits * kDigit : zero, y,
                   std::max(1.5, std::abs(digits) * kDigit), digits < 0.0 ? "#d1442b" : "#2f8f5b");
    y += kRow;
  }
  std::string axis;
  for (int digits = -3; digits <= static_cast<int>(kMost); ++digits) {
    const double x = zero + digits * kDigit;
    fmt::format_to(std::back_inserter(axis),
                   "<line x1=\"{0:.1f}\" x2=\"{0:.1f}\" y1=\"{1:.0f}\" y2=\"{2:.0f}\" "
                   "stroke=\"currentColor\" stroke-opacity=\"{3}\"/>\n"
                   "<text x=\"{0:.1f}\" y=\"14\" text-anchor=\"middle\">{4}</text>\n",
                   x, kTop - 6.0, y, digits == 0 ? 0.8 : 0.12, digits);
  }
  return fmt::format(
      "<svg viewBox=\"0 0 {:.0f} {:.0f}\" font-family=\"system-ui,sans-serif\" font-size=\"11\" "
      "fill=\"currentColor\" role=\"img\" aria-label=\"digits to spare of every phenomenon\">\n"
      "{}{}</svg>\n",
      zero + (kMost + 1.0) * kDigit, y + 6.0, axis, svg);
}

void addRow(std::string& out, const Finding& f) {
  const Measurement& m = f.measurement;
  if (f.isLeftOut() || !f.failure.empty()) {
    fmt::format_to(std::back_inserter(out),
                   "<tr><td>{}</td><td>{}</td><td colspan=\"5\">{}</td><td>{}</td></tr>\n",
                   escaped(nameOf(f)), escaped(f.phenomenon.formula),
                   escaped(f.isLeftOut() ? f.leftOut : f.failure), verdict(f));
    return;
  }
  fmt::format_to(
      std::back_inserter(out),
      "<tr><td>{}</td><td>{}</td><td class=\"n\">{:.6g}</td><td class=\"n\">{:.6g}</td>"
      "<td>{}</td><td class=\"n\">{:.2g}</td><td class=\"n\">{:.0e}</td><td>{}</td></tr>\n",
      escaped(nameOf(f)), escaped(f.phenomenon.formula), m.expected, m.measured,
      escaped(f.phenomenon.unit), m.error, m.tolerance, f.holds() ? "holds" : "<b>misses</b>");
}

}  // namespace

std::string methodTable(const std::vector<Finding>& findings) {
  std::string text = fmt::format("{:<42} {:>10} {:>10} {:>10}\n", "error", "fast", "exact", "reference");
  for (const Finding* f : firstOfEach(findings)) {
    text += fmt::format("{:<42}", f->phenomenon.name);
    for (const std::string_view method : msd_sim::kMethodNames) {
      text += fmt::format(" {:>10}", errorOf(findings, f->phenomenon.name, method));
    }
    text += "\n";
  }
  return text;
}

std::string summaryOf(const std::vector<Finding>& findings) {
  std::size_t held = 0;
  std::string missed;
  std::string leftOut;
  std::size_t misses = 0;
  std::size_t absent = 0;
  const auto add = [](std::string& list, std::string_view name) {
    if (!list.empty()) list += ", ";
    list += name;
  };
  for (const Finding& f : findings) {
    if (f.isLeftOut()) {
      ++absent;
      add(leftOut, nameOf(f));
    } else if (f.holds()) {
      ++held;
    } else {
      ++misses;
      add(missed, nameOf(f));
    }
  }
  std::string text = fmt::format("{} of {} hold", held, findings.size() - absent);
  if (misses > 0) text += fmt::format("; {} missed: {}", misses, missed);
  if (absent > 0) text += fmt::format("; {} left out: {}", absent, leftOut);
  return text;
}

std::string validationMarkdown(const std::vector<Finding>& findings, bool fast) {
  const Machine machine = describeMachine();
  std::string text = fmt::format(
      "# Validation\n\nEvery phenomenon below has a known answer. The page is written by\n\n"
      "<!-- page-test: help -->\n```sh\n{}\n```\n\n"
      "with version {} on {}, {}, on {}. The results do not depend on the machine; `dt` is 1/60 s "
      "and "
      "all settings are the defaults unless a row says otherwise. A row that misses its tolerance "
      "says so. The HTML page has the plots.\n\n**{}.**\n",
      commandLine(fast), version(), machine.processor, machine.system, today(),
      summaryOf(findings));
  text +=
      "\n## Three methods, one model\n\nErrors of every phenomenon with each method; the rows below say of what. "
      "The reference method is of first order in time and finds contacts when they overlap, which shows "
      "where things fly or hit; *allowed* is then wider, and the reason is given. A dash: does not apply.\n\n"
      "| phenomenon | fast | exact | reference |\n|---|---|---|---|\n";
  for (const Finding* f : firstOfEach(findings)) {
    text += fmt::format("| {} |", cell(f->phenomenon.name));
    for (const std::string_view method : msd_sim::kMethodNames) {
      text += fmt::format(" {} |", errorOf(findings, f->phenomenon.name, method));
    }
    text += "\n";
  }
  std::string_view group;
  for (const Finding& f : findings) {
    if (f.phenomenon.group != group) {
      group = f.phenomenon.group;
      text += fmt::format(
          "\n## {}\n\n| phenomenon | method | law, and what the error is | expected | measured | unit | "
          "error | allowed | |\n|---|---|---|---|---|---|---|---|---|\n",
          group);
    }
    const Measurement& m = f.measurement;
    if (f.isLeftOut() || !f.failure.empty()) {
      text += fmt::format("| {} | {} | {} | | {} | | | | {} |\n", cell(f.phenomenon.name),
                          msd_sim::methodName(f.method), cell(f.phenomenon.formula),
                          cell(f.isLeftOut() ? f.leftOut : f.failure), verdict(f));
      continue;
    }
    const std::string_view why = termsOf(f.phenomenon, f.method).why;
    text += fmt::format("| {} | {} | {} | {:.6g} | {:.6g} | {} | {:.2g} | {:.0e}{} | {} |\n",
                        cell(f.phenomenon.name), msd_sim::methodName(f.method),
                        cell(f.phenomenon.formula), m.expected, m.measured, f.phenomenon.unit,
                        m.error, m.tolerance, why.empty() ? "" : fmt::format(" ({})", why),
                        f.holds() ? "holds" : "**misses**");
  }
  return text;
}

std::string validationHtml(const std::vector<Finding>& findings, bool fast) {
  const Machine machine = describeMachine();
  std::string out = msd_record::htmlHead("msd-sim: validation");
  // Laws are long: their column wraps.
  out += "<style>main{max-width:1240px}td:nth-child(2){white-space:normal}</style>\n";
  out += fmt::format(
      "<h1>Validation</h1>\n<p>Phenomena with known answers: version {}, {}, {}, {}. Made by "
      "<code>{}</code>.</p>\n<p><b>{}.</b></p>\n",
      version(), escaped(machine.processor), escaped(machine.system), today(), commandLine(fast),
      escaped(summaryOf(findings)));
  out +=
      "<h2>Digits to spare</h2>\n<p>How many powers of ten the error stays below what is "
      "allowed; 16: no error at all. To the left of 0: missed.</p>\n<div class=\"box\">";
  out += overview(findings) + "</div>\n";
  std::string_view group;
  const auto closeGroup = [&](std::string& drawings) {
    if (!group.empty()) out += "</table></div>\n" + drawings;
    drawings.clear();
  };
  std::string drawings;
  std::string_view drawn;
  for (const Finding& f : findings) {
    if (f.phenomenon.group != group) {
      closeGroup(drawings);
      group = f.phenomenon.group;
      out += fmt::format(
          "<h2>{}</h2>\n<div class=\"box\"><table><tr><th>phenomenon</th><th>law, and what the "
          "error "
          "is</th><th class=\"n\">expected</th><th class=\"n\">measured</th><th>unit</th>"
          "<th class=\"n\">error</th><th class=\"n\">allowed</th><th></th></tr>\n",
          escaped(group));
    }
    addRow(out, f);
    // One plot a phenomenon: of the first method that has one.
    const bool isNew = f.phenomenon.name != drawn;
    if (!f.measurement.drawing.empty() && isNew) drawn = f.phenomenon.name;
    if (!f.measurement.drawing.empty() && isNew)
      drawings += "<div class=\"box\">" + f.measurement.drawing + "</div>\n";
  }
  closeGroup(drawings);
  return out + "</main></body></html>\n";
}

}  // namespace msd_exe
