#include "msd-record/src/HtmlReport.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <iterator>

#include "msd-record/src/Charts.hpp"
#include "msd-record/src/Extremes.hpp"
#include "msd-sim/src/Diagnostics/FaultText.hpp"

namespace msd_record {

namespace {

constexpr std::size_t kLargest = 10;

constexpr std::string_view kHead = R"(<!doctype html>
<html lang="en"><head><meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta http-equiv="Content-Security-Policy" content="default-src 'none'; style-src 'unsafe-inline'">
<title>{0}</title>
<style>
:root{{--ink:#1d232b;--soft:#5b6470;--line:#e4e7eb;--card:#fff;--page:#f5f6f8}}
@media (prefers-color-scheme:dark){{:root{{--ink:#e8ecf1;--soft:#98a2ae;--line:#2a3039;--card:#161a20;--page:#0e1116}}}}
*{{box-sizing:border-box}}
body{{margin:0;background:var(--page);color:var(--ink);font:15px/1.5 system-ui,sans-serif}}
main{{max-width:1000px;margin:0 auto;padding:32px 20px 64px}}
h1{{font-size:28px;margin:0 0 4px}}h2{{font-size:19px;margin:36px 0 12px}}
p{{margin:4px 0;color:var(--soft)}}
.cards{{display:grid;grid-template-columns:repeat(auto-fit,minmax(190px,1fr));gap:12px;margin-top:20px}}
.card,.box{{background:var(--card);border:1px solid var(--line);border-radius:8px;padding:12px 14px}}
.card b{{display:block;font-size:21px;font-weight:600}}.card span{{color:var(--soft);font-size:13px}}
.box{{padding:8px;margin-bottom:14px;overflow-x:auto}}.box svg{{display:block;width:100%;height:auto}}
table{{border-collapse:collapse;width:100%;font-variant-numeric:tabular-nums;font-size:14px}}
th,td{{padding:5px 10px;border-bottom:1px solid var(--line);text-align:left;white-space:nowrap}}
th{{color:var(--soft);font-weight:500}}td.n,th.n{{text-align:right}}tr:last-child td{{border-bottom:0}}
</style></head><body><main>
)";

}  // namespace

std::string htmlHead(std::string_view title) {
  return fmt::format(fmt::runtime(kHead), escaped(title));
}

namespace {

std::string quantity(double value, std::string_view unit) {
  if (!std::isfinite(value)) return "-";
  const Scaled scaled = bestPrefix(std::abs(value), unit);
  return fmt::format("{:.4g} {}", value * scaled.factor, scaled.unit);
}

/// A table whose numbers stand on the right.
class HtmlTable {
 public:
  HtmlTable(std::string& out, std::initializer_list<std::string_view> heads, std::size_t texts)
      : out_{out}, texts_{texts} {
    out_ += "<div class=\"box\"><table><tr>";
    std::size_t i = 0;
    for (const std::string_view head : heads) cell("th", head, i++);
    out_ += "</tr>\n";
  }
  ~HtmlTable() { out_ += "</table></div>\n"; }
  HtmlTable(const HtmlTable&) = delete;
  HtmlTable& operator=(const HtmlTable&) = delete;

  void row(std::initializer_list<std::string> cells) {
    out_ += "<tr>";
    std::size_t i = 0;
    for (const std::string& text : cells) cell("td", text, i++);
    out_ += "</tr>\n";
  }

 private:
  void cell(std::string_view tag, std::string_view text, std::size_t i) {
    fmt::format_to(std::back_inserter(out_), "<{0}{1}>{2}</{0}>", tag,
                   i < texts_ ? "" : " class=\"n\"", escaped(text));
  }
  std::string& out_;
  std::size_t texts_;  ///< columns of text; those after them are numbers
};

/// What the steps add up to.
struct Totals {
  std::uint64_t steps{0};
  double time{0.0};
  double wall{0.0};
  double deepest{0.0};
  double deepestTime{0.0};
  double residual{0.0};
  double closure{0.0};  ///< largest of a step, against the scale
  double change{0.0};
  std::uint32_t contacts{0};
  std::uint64_t degraded{0};
  msd_sim::StepFaults faults{};
  std::string hash{};
};

Totals addUp(Reader& reader) {
  Totals t;
  reader.forEachStep(1, [&](const RecordedStep& step) {
    const msd_sim::StepReport& r = step.report;
    ++t.steps;
    t.time = r.time;
    t.wall += step.wall;
    if (r.deepestPenetration > t.deepest) {
      t.deepest = r.deepestPenetration;
      t.deepestTime = r.time;
    }
    t.residual = std::max(t.residual, r.residual);
    if (r.energy.scale > 0.0) {
      t.closure = std::max(t.closure, std::abs(r.energy.closure()) / r.energy.scale);
    }
    t.change += r.energy.change;
    t.contacts = std::max(t.contacts, r.contacts);
    t.degraded += r.status == msd_sim::StepStatus::kDegraded ? 1 : 0;
    t.faults.add(r.faults);
    t.hash = r.hash.toString();
    return true;
  });
  return t;
}

void addCards(std::string& out, Reader& reader, const Totals& t, std::size_t bodies) {
  const auto card = [&](std::string_view label, const std::string& value) {
    fmt::format_to(std::back_inserter(out), "<div class=\"card\"><b>{}</b><span>{}</span></div>\n",
                   escaped(value), escaped(label));
  };
  out += "<div class=\"cards\">\n";
  const std::string end = reader.fact("end");
  card(end.empty() || end == "completed" ? "status" : fmt::format("status; {}", end),
       reader.fact("status"));
  if (t.degraded > 0) {
    card(fmt::format("steps degraded: {}", msd_sim::faultText(t.faults)),
         fmt::format("{}", t.degraded));
  }
  card(fmt::format("simulated in {} steps", t.steps), quantity(t.time, "s"));
  card(t.wall > 0.0 ? fmt::format("of steps: {:.3g} x real time", t.time / t.wall) : "of steps",
       quantity(t.wall, "s"));
  card("bodies", fmt::format("{}", bodies));
  card("most contact points at once", fmt::format("{}", t.contacts));
  card(fmt::format("deepest penetration, at {:.3g} s", t.deepestTime), quantity(t.deepest, "m"));
  card("change of mechanical energy", quantity(t.change, "J"));
  card("largest part of a step's energy left unexplained", fmt::format("{:.1e}", t.closure));
  out += "</div>\n";
}

void addContacts(std::string& out, const std::vector<ContactExtreme>& extremes,
                 const std::vector<RecordedBody>& bodies, std::string_view value,
                 std::string_view unit) {
  const auto name = [&](std::uint32_t body) {
    return body < bodies.size() ? bodies[body].name : fmt::format("{}", body);
  };
  HtmlTable table{
      out, {"body A", "body B", "state", value, "time [s]", "step", "x [m]", "y [m]", "z [m]"}, 3};
  for (const ContactExtreme& e : extremes) {
    const Vector3D p = e.contact.point();
    table.row(
        {name(e.contact.bodyA), name(e.contact.bodyB), e.contact.isSlipping() ? "slip" : "stick",
         quantity(e.value, unit), fmt::format("{:.4g}", e.time), fmt::format("{}", e.step),
         fmt::format("{:.4g}", p.x()), fmt::format("{:.4g}", p.y()), fmt::format("{:.4g}", p.z())});
  }
}

void addHits(std::string& out, const std::vector<RecordedEvent>& hits,
             const std::vector<RecordedBody>& bodies) {
  const auto name = [&](std::int64_t body) {
    return body >= 0 && static_cast<std::size_t>(body) < bodies.size()
               ? bodies[static_cast<std::size_t>(body)].name
               : fmt::format("{}", body);
  };
  HtmlTable table{
      out, {"body A", "body B", "approach speed", "step", "x [m]", "y [m]", "z [m]"}, 2};
  for (const RecordedEvent& hit : hits) {
    table.row({name(hit.bodyA), name(hit.bodyB), quantity(hit.approachSpeed, "m/s"),
               fmt::format("{}", hit.step), fmt::format("{:.4g}", hit.point.x()),
               fmt::format("{:.4g}", hit.point.y()), fmt::format("{:.4g}", hit.point.z())});
  }
}

void addFacts(std::string& out, const std::vector<Fact>& facts) {
  HtmlTable table{out, {"name", "value", "unit"}, 3};
  for (const Fact& fact : facts) table.row({fact.name, fact.value, fact.unit});
}

void addExtremes(std::string& out, Reader& reader, const std::vector<RecordedBody>& bodies) {
  const Extremes extremes = findExtremes(reader, kLargest);
  const auto none = [&] { out += "<p>There were none in the recorded frames.</p>\n"; };
  out +=
      "<h2>Deepest penetrations</h2>\n<p>Each pair of bodies once, in the recorded frames.</p>\n";
  extremes.deepest.empty() ? none() : addContacts(out, extremes.deepest, bodies, "depth", "m");
  out +=
      "<h2>Largest contact forces</h2>\n<p>Of one contact point, mean over a step; each pair of "
      "bodies once.</p>\n";
  extremes.strongest.empty() ? none() : addContacts(out, extremes.strongest, bodies, "force", "N");
  if (extremes.hits.empty()) return;
  out += "<h2>Hardest hits</h2>\n";
  addHits(out, extremes.hits, bodies);
}

}  // namespace

std::string htmlReport(Reader& reader) {
  const std::vector<RecordedBody> bodies = reader.bodies();
  const Totals totals = addUp(reader);
  const std::string scene = reader.fact("scene");
  const std::string title = scene.empty() ? reader.path().stem().string() : scene;
  std::string out = htmlHead(title);
  out += fmt::format("<h1>{}</h1>\n<p>Recorded {} by {}; {} frames in {}</p>\n", escaped(title),
                     escaped(reader.fact("created")), escaped(reader.fact("build")),
                     reader.frameCount(), escaped(reader.path().filename().string()));
  addCards(out, reader, totals, bodies.size());
  out += "<h2>Plots</h2>\n";
  for (const NamedChart& chart : runCharts(reader)) {
    out += fmt::format("<div class=\"box\">{}</div>\n", toSvg(chart.chart));
  }
  addExtremes(out, reader, bodies);
  out += "<h2>Settings</h2>\n";
  addFacts(out, reader.settings());
  out += "<h2>About this recording</h2>\n";
  addFacts(out, reader.about());
  if (!totals.hash.empty()) {
    out += fmt::format(
        "<p>Hash of the last state: <code>{}</code>. <code>msd verify</code> runs the "
        "scene again and compares every step.</p>\n",
        totals.hash);
  }
  return out + "</main></body></html>\n";
}

}  // namespace msd_record
