// Numbers and elements for people.

export function h<K extends keyof HTMLElementTagNameMap>(
  tag: K, attributes: Record<string, string> = {}, ...children: (Node | string)[]
): HTMLElementTagNameMap[K] {
  const element = document.createElement(tag);
  for (const [name, value] of Object.entries(attributes)) element.setAttribute(name, value);
  element.append(...children);
  return element;
}

export function byId<T extends HTMLElement = HTMLElement>(id: string): T {
  const element = document.getElementById(id);
  if (!element) throw new Error(`no element ${id}`);
  return element as T;
}

const svgNamespace = "http://www.w3.org/2000/svg";

export function icon(path: string): SVGSVGElement {
  const svg = document.createElementNS(svgNamespace, "svg");
  svg.setAttribute("viewBox", "0 0 24 24");
  svg.setAttribute("aria-hidden", "true");
  for (const d of path.split("|")) {
    const shape = document.createElementNS(svgNamespace, "path");
    shape.setAttribute("d", d.replace(/^!/, ""));
    if (d.startsWith("!")) shape.setAttribute("class", "solid");
    svg.append(shape);
  }
  return svg;
}

const prefixes: [number, string][] = [[1e9, "G"], [1e6, "M"], [1e3, "k"], [1, ""], [1e-3, "m"], [1e-6, "µ"], [1e-9, "n"]];

/** The page's one way to write a number: this many digits that count, without zeros at the end, and
 *  a power of ten (1.2e-8) below 1e-4 and from 1e6 on. */
export function plain(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size === 0) return "0";
  const isFar = size < 1e-4 || size >= 1e6;
  const [mantissa, power] = (isFar ? value.toExponential(digits - 1) : value.toPrecision(digits)).split("e");
  return trim(mantissa) + (power === undefined ? "" : `e${power.replace("+", "")}`);
}

/** "12.34 kJ", "3.2 µm": the same with a prefix of the unit in place of the power. */
export function unit(value: number, name: string, digits = 4): string {
  const size = Math.abs(value);
  if (!Number.isFinite(value)) return "–";
  if (size < 1e-9 || size >= 1e12) return `${plain(value, digits)} ${name}`;
  const [factor, prefix] = prefixes.find(([f]) => size >= f) ?? prefixes[prefixes.length - 1];
  return `${plain(value / factor, digits)} ${prefix}${name}`;
}

function trim(text: string): string {
  return text.includes(".") ? text.replace(/\.?0+$/, "") : text;
}

/** For a clock or a column, where the point must not move. */
export function fixed(value: number, digits: number): string {
  const text = value.toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : text;
}

export function norm(v: readonly number[]): number {
  return Math.hypot(...v);
}

/** A message that stays until it is ended, and can be changed. */
export function lastingToast(message: string): { say: (text: string) => void; end: () => void } {
  const element = h("div", { class: "toast note", role: "status" }, message);
  byId("toasts").append(element);
  return { say: (text) => (element.textContent = text), end: () => element.remove() };
}

export function toast(message: string, kind: "note" | "quiet-note" | "bad" = "note"): void {
  const element = h("div", { class: `toast ${kind}` }, message);
  byId("toasts").append(element);
  setTimeout(() => element.remove(), kind === "note" ? 2600 : 8000);
}
