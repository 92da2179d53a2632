#include "msd-study/src/StudyReport.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>
#include <numeric>
#include <utility>

#include "msd-record/src/HtmlReport.hpp"
#include "msd-record/src/SvgChart.hpp"
#include "msd-study/src/StudyChecks.hpp"
#include "msd-study/src/StudyCharts.hpp"

namespace msd_study {

namespace {

using msd_record::escaped;

/// Cases shown of each extreme, and of those that are not ok.
constexpr std::size_t kWorst = 5;
constexpr std::size_t kMostNotOk = 20;

class Page {
 public:
  Page(const StudyTable& table, const Study& study, const std::filesystem::path& results)
      : table_{table}, study_{study}, results_{results} {}

  std::string write() {
    out_ = msd_record::htmlHead(table_.name);
    add("<h1>{}</h1>\n<p>{}</p>\n<p>Made {} by {}; results in {}</p>\n", escaped(table_.name),
        escaped(study_.document().description), escaped(table_.created), escaped(table_.build),
        escaped(results_.filename().string()));
    addCards();
    addChecks();
    addCharts("Over the parameters", overParameters(table_, {}));
    addCharts("Histograms", histograms(table_, {}));
    addNotOk();
    addWorst();
    addColumns();
    return std::move(out_) + "</main></body></html>\n";
  }

 private:
  template <class... Arguments>
  void add(fmt::format_string<Arguments...> format, Arguments&&... arguments) {
    fmt::format_to(std::back_inserter(out_), format, std::forward<Arguments>(arguments)...);
  }

  void card(std::string_view label, const std::string& value) {
    add("<div class=\"card\"><b>{}</b><span>{}</span></div>\n", escaped(value), escaped(label));
  }

  void addCards() {
    out_ += "<div class=\"cards\">\n";
    card("status", table_.status);
    card(fmt::format("of {} cases done", table_.cases), fmt::format("{}", table_.rows()));
    const TableColumn* status = table_.find("status");
    std::size_t ok = 0;
    for (const double place : status->numbers) {
      ok += place >= 0.0 && status->words[static_cast<std::size_t>(place)] == "ok" ? 1 : 0;
    }
    card("not ok", fmt::format("{}", table_.rows() - ok));
    const TableColumn* success = table_.find("success");
    const auto yes = std::ranges::count(success->numbers, 1.0);
    const auto judged = yes + std::ranges::count(success->numbers, 0.0);
    if (judged > 0) {
      card("successes",
           fmt::format("{:.4g} %", 100.0 * static_cast<double>(yes) / static_cast<double>(judged)));
    }
    card("of steps, on all cores together", fmt::format("{:.4g} s", table_.stepSeconds));
    if (table_.rows() > 0) {
      card("a case, on one core",
           fmt::format("{:.4g} ms", 1e3 * table_.totalSeconds / static_cast<double>(table_.rows())));
    }
    out_ += "</div>\n";
  }

  void addChecks() {
    const auto checks = evaluateChecks(study_.document(), table_);
    if (checks.empty()) return;
    out_ += "<h2>Checks</h2>\n<div class=\"box\"><table>\n";
    for (const StudyCheckResult& check : checks) {
      add("<tr><td>{}</td></tr>\n", escaped(check.line));
    }
    out_ += "</table></div>\n";
  }

  void addCharts(std::string_view title, const std::vector<StudyChart>& charts) {
    if (charts.empty()) return;
    add("<h2>{}</h2>\n", title);
    for (const StudyChart& chart : charts) add("<div class=\"box\">{}</div>\n", chart.svg);
  }

  [[nodiscard]] std::string cell(const TableColumn& column, std::size_t row) const {
    const double value = column.numbers[row];
    if (std::isnan(value)) return "-";
    return column.isWords() ? column.words[static_cast<std::size_t>(value)]
                            : fmt::format("{:.6g}", value);
  }

  /// Rows of cases: number, parameters, the column of interest, and the command.
  void addCases(const std::vector<std::size_t>& rows, const TableColumn& of) {
    const auto parameters = table_.ofKind("parameter");
    out_ += "<div class=\"box\"><table><tr><th class=\"n\">case</th>";
    for (const TableColumn* p : parameters) add("<th class=\"n\">{}</th>", escaped(p->name));
    add("<th class=\"n\">{}</th><th>to see it</th></tr>\n", escaped(of.name));
    for (const std::size_t row : rows) {
      add("<tr><td class=\"n\">{}</td>", table_.ids[row]);
      for (const TableColumn* p : parameters) {
        add("<td class=\"n\">{}</td>", escaped(cell(*p, row)));
      }
      add("<td class=\"n\">{}</td><td><code>msd replay {} {} --record case-{}.db</code></td></tr>\n",
          escaped(cell(of, row)), escaped(results_.string()), table_.ids[row], table_.ids[row]);
    }
    out_ += "</table></div>\n";
  }

  void addNotOk() {
    const TableColumn* status = table_.find("status");
    const TableColumn* reason = table_.find("reason");
    std::vector<std::size_t> rows;
    for (std::size_t row = 0; row < table_.rows() && rows.size() < kMostNotOk; ++row) {
      if (cell(*status, row) != "ok") rows.push_back(row);
    }
    if (rows.empty()) return;
    out_ += "<h2>Cases that did not end well</h2>\n";
    addCases(rows, *reason);
  }

  void addWorst() {
    out_ +=
        "<h2>Extreme cases</h2>\n<p>The least and the largest of each measure. A command runs the case "
        "again, compares the bits with the study's, and records it; <code>msd view</code> shows "
        "it.</p>\n";
    for (const TableColumn* measure : table_.ofKind("measure")) {
      std::vector<std::size_t> order;
      for (std::size_t row = 0; row < table_.rows(); ++row) {
        if (std::isfinite(measure->numbers[row])) order.push_back(row);
      }
      if (order.empty()) continue;
      std::ranges::sort(order, {}, [&](std::size_t row) { return std::pair{measure->numbers[row], row}; });
      std::vector<std::size_t> shown{order.begin(),
                                     order.begin() + static_cast<std::ptrdiff_t>(
                                                         std::min(kWorst, order.size()))};
      const std::size_t rest = order.size() - shown.size();
      for (std::size_t i = std::min(kWorst, rest); i > 0; --i) {
        shown.push_back(order[order.size() - i]);
      }
      add("<h3>{}</h3>\n", escaped(measure->name));
      addCases(shown, *measure);
    }
  }

  void addColumns() {
    out_ += "<h2>Columns</h2>\n<div class=\"box\"><table><tr><th>name</th><th>kind</th><th>unit</th>"
            "</tr>\n";
    for (const TableColumn& column : table_.columns) {
      add("<tr><td>{}</td><td>{}</td><td>{}</td></tr>\n", escaped(column.name),
          escaped(column.kind), escaped(column.unit));
    }
    out_ += "</table></div>\n";
  }

  const StudyTable& table_;
  const Study& study_;
  std::filesystem::path results_;
  std::string out_;
};

}  // namespace

std::string htmlReport(const StudyTable& table, const Study& study,
                       const std::filesystem::path& results) {
  return Page{table, study, results}.write();
}

}  // namespace msd_study
