// Live plots of what every step reports: energy, residual, penetration, time.
import uPlot from "uplot";
import "uplot/dist/uPlot.min.css";
import type { Series } from "./series";
import { byId, h, plain, unit } from "./text";
import type { Theme } from "./theme";

interface Curve {
  label: string;
  column: string | ((series: Series) => Float64Array);
  hidden?: boolean;
}

interface Chart {
  id: string;
  title: string;
  unit: string;
  log?: boolean;
  factor?: number;
  note: string;
  curves: Curve[];
}

const stages = ["gather", "broadphase", "narrowphase", "islandTime", "rows", "solve", "correct", "scatter", "audit"];

function sum(series: Series, names: string[]): Float64Array {
  const columns = names.map((name) => series.column(name));
  return Float64Array.from({ length: series.length }, (_, i) => columns.reduce((total, column) => total + column[i], 0));
}

/** The zero of a potential is arbitrary: what counts is how far it has changed. */
function sinceStart(values: Float64Array): Float64Array {
  return values.map((value) => value - values[0]);
}

/** Residuals below this are rounding, not information [m/s]. */
const kLogFloor = 1e-13;

/** Whole decades, at most six of them. */
function decades(min: number, max: number): number[] {
  const low = Math.ceil(Math.log10(min)), high = Math.floor(Math.log10(max));
  const every = Math.max(1, Math.ceil((high - low) / 5));
  const result = [];
  for (let power = low; power <= high; power += every) result.push(10 ** power);
  return result;
}

const charts: Chart[] = [
  {
    id: "energy", title: "Energy", unit: "J", note: "Kinetic energy; potential energy, their total and the work done, all since the first step",
    curves: [
      { label: "kinetic", column: "kinetic" }, { label: "potential", column: (series) => sinceStart(sum(series, ["potential"])) },
      { label: "total", column: (series) => sinceStart(sum(series, ["kinetic", "potential"])) },
      { label: "pulls, forces", column: "external" }, { label: "joints", column: "joint", hidden: true },
      { label: "impacts", column: "normal" }, { label: "friction", column: "friction" },
      { label: "position", column: "position", hidden: true }, { label: "guard", column: "guard", hidden: true },
      { label: "time step", column: "integrator", hidden: true },
    ],
  },
  {
    id: "residual", title: "Residual", unit: "m/s", log: true, note: "Largest violation of a constraint after the solve",
    curves: [{ label: "residual", column: "residual" }, { label: "natural map [-]", column: "naturalMap", hidden: true }],
  },
  {
    id: "penetration", title: "Deepest penetration", unit: "mm", factor: 1000, note: "At the end of the step",
    curves: [{ label: "penetration", column: "penetration" }, { label: "joint error", column: "jointError", hidden: true }],
  },
  {
    id: "stages", title: "Time per step", unit: "ms", factor: 1000, note: "Wall-clock time, by stage",
    curves: [{ label: "all", column: (series) => sum(series, stages) },
      ...stages.filter((stage) => stage !== "audit" && stage !== "gather").map((stage) => ({ label: stage.replace("Time", "s"), column: stage, hidden: stage !== "solve" && stage !== "narrowphase" }))],
  },
];

/** More points than pixels say nothing: every n-th row is drawn, n a power of two so that points stay. */
const kMostPoints = 1200;
const kHeight = 132;

export class Plots {
  private readonly root = byId("plots-panel");
  private plots: { chart: Chart; plot: uPlot; value: HTMLElement; legend: HTMLElement }[] = [];
  private readonly sync = uPlot.sync("msd");
  private isStale = true;
  private now = 0;
  isVisible = true;

  constructor(private readonly series: Series, private theme: Theme, private readonly seek: (row: number) => void) {
    this.build();
    setInterval(() => this.refresh(), 100);
    new ResizeObserver(() => this.resize()).observe(this.root);
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    this.build();
  }

  invalidate(time: number): void {
    this.now = time;
    this.isStale = true;
  }

  private build(): void {
    for (const { plot } of this.plots) plot.destroy();
    this.root.replaceChildren();
    this.plots = charts.map((chart) => this.make(chart));
    this.isStale = true;
  }

  private make(chart: Chart): { chart: Chart; plot: uPlot; value: HTMLElement; legend: HTMLElement } {
    const value = h("output", { id: `plot-${chart.id}-value` });
    const holder = h("div", { class: "plot", id: `plot-${chart.id}` });
    const legend = h("div", { class: "keys" });
    this.root.append(h("div", { class: "block" }, h("h3", { title: chart.note }, chart.title, h("small", {}, ` ${chart.unit}`), value), holder, legend));
    const axis = { stroke: this.theme.axis, grid: { stroke: this.theme.faint, width: 1 }, ticks: { show: false }, font: "10px system-ui", gap: 3 };
    const options: uPlot.Options = {
      width: Math.max(200, this.root.clientWidth - 28), height: kHeight, legend: { show: false },
      cursor: { sync: { key: this.sync.key }, points: { size: 5 }, drag: { x: false, y: false } },
      scales: { x: { time: false }, y: chart.log ? { distr: 3, log: 10, range: (_, low, high) => logRange(low, high) } : {} },
      axes: [{ ...axis, size: 20 }, { ...axis, size: 48, ...(chart.log ? { filter: (_: uPlot, splits: number[]) => splits, splits: (_: uPlot, __: number, low: number, high: number) => decades(low, high) } : {}), values: (_, ticks) => ticks.map((tick) => (tick === null ? "" : shortNumber(tick))) }],
      series: [{}, ...chart.curves.map((curve, i) => ({
        label: curve.label, show: !curve.hidden, stroke: this.theme.lines[i % this.theme.lines.length], width: 1.4, points: { show: false },
      }))],
      hooks: { draw: [(plot) => this.drawNow(plot)] },
    };
    const plot = new uPlot(options, [[], ...chart.curves.map(() => [])] as uPlot.AlignedData, holder);
    plot.over.addEventListener("click", () => {
      if (plot.cursor.idx !== null && plot.cursor.idx !== undefined) this.seek(plot.cursor.idx * this.every());
    });
    chart.curves.forEach((curve, i) => {
      const key = h("button", { class: "key", "aria-pressed": String(!curve.hidden) }, h("i", { style: `background:${this.theme.lines[i % this.theme.lines.length]}` }), curve.label);
      key.onclick = () => {
        curve.hidden = !curve.hidden;
        plot.setSeries(i + 1, { show: !curve.hidden });
        key.setAttribute("aria-pressed", String(!curve.hidden));
      };
      legend.append(key);
    });
    return { chart, plot, value, legend };
  }

  private drawNow(plot: uPlot): void {
    const x = plot.valToPos(this.now, "x", true);
    const { left, top, width, height } = plot.bbox;
    if (!(x >= left && x <= left + width)) return;
    plot.ctx.save();
    plot.ctx.strokeStyle = this.theme.axis;
    plot.ctx.globalAlpha = 0.7;
    plot.ctx.beginPath();
    plot.ctx.moveTo(x, top);
    plot.ctx.lineTo(x, top + height);
    plot.ctx.stroke();
    plot.ctx.restore();
  }

  private every(): number {
    return 2 ** Math.max(0, Math.ceil(Math.log2(this.series.length / kMostPoints)));
  }

  refresh(): void {
    if (!this.isStale || !this.isVisible || this.series.length === 0) return;
    this.isStale = false;
    const every = this.every();
    const thin = (values: Float64Array, factor: number, positive: boolean) => {
      const result: (number | null)[] = [];
      for (let i = 0; i < values.length; i += every) {
        const value = values[i] * factor;
        result.push(Number.isFinite(value) && (!positive || value >= kLogFloor) ? value : null);
      }
      return result;
    };
    const time = thin(this.series.column("time"), 1, false);
    for (const { chart, plot } of this.plots) {
      const curves = chart.curves.map((curve) =>
        thin(typeof curve.column === "string" ? this.series.column(curve.column) : curve.column(this.series), chart.factor ?? 1, chart.log ?? false));
      plot.setData([time, ...curves] as uPlot.AlignedData);
    }
  }

  /** The figures of one row, beside the titles. */
  show(row: number): void {
    const set = (id: string, text: string, value: number) => {
      const output = byId(`plot-${id}-value`);
      output.textContent = text;
      output.dataset.value = String(value);
    };
    const kinetic = this.series.value("kinetic", row);
    const total = kinetic + this.series.value("potential", row);
    set("energy", Number.isFinite(total) ? unit(total, "J") : "", total);
    byId("plot-energy-value").dataset.kinetic = String(kinetic);
    const residual = this.series.value("residual", row);
    set("residual", unit(residual, "m/s", 3), residual);
    const depth = this.series.value("penetration", row);
    set("penetration", unit(depth, "m", 3), depth);
    const seconds = stages.reduce((all, stage) => all + this.series.value(stage, row), 0);
    set("stages", unit(seconds, "s", 3), seconds);
  }

  private resize(): void {
    const width = this.root.clientWidth - 28;
    if (width < 100) return;
    for (const { plot } of this.plots) plot.setSize({ width, height: kHeight });
  }
}

/** Whole decades around the values; three of them at least. */
function logRange(low: number, high: number): [number, number] {
  if (!(low > 0) || !(high > 0)) return [1e-9, 1e-3];
  const top = Math.ceil(Math.log10(high));
  return [10 ** Math.min(Math.floor(Math.log10(low)), top - 3), 10 ** top];
}

function shortNumber(value: number): string {
  const size = Math.abs(value);
  if (size >= 1e7 || (size > 0 && size < 1e-3)) return value.toExponential(0).replace("e+", "e");
  if (size >= 1e6) return `${plain(value / 1e6, 3)} M`;
  return size >= 1e3 ? `${plain(value / 1e3, 3)} k` : plain(value, 3);
}
