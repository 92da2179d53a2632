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

/** "12.34 kJ", "3.2 µm"; below a pico-unit plain zero or a power of ten. */
export function unit(value: number, name: string, digits = 4): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size === 0) return `0 ${name}`;
  if (size < 1e-9 || size >= 1e12) return `${value.toExponential(2)} ${name}`;
  const [factor, prefix] = prefixes.find(([f]) => size >= f) ?? prefixes[prefixes.length - 1];
  return `${trim((value / factor).toPrecision(digits))} ${prefix}${name}`;
}

export function plain(value: number, digits = 4): string {
  if (!Number.isFinite(value)) return "–";
  const size = Math.abs(value);
  if (size !== 0 && (size < 1e-4 || size >= 1e6)) return value.toExponential(digits - 2);
  return trim(value.toPrecision(digits));
}

function trim(text: string): string {
  return text.includes(".") && !text.includes("e") ? text.replace(/\.?0+$/, "") : text;
}

export function fixed(value: number, digits: number): string {
  const text = value.toFixed(digits);
  return Number(text) === 0 ? text.replace("-", "") : text;
}

export function scientific(value: number): string {
  if (!Number.isFinite(value)) return "–";
  return value === 0 ? "0" : value.toExponential(1);
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

export function toast(message: string, kind: "note" | "bad" = "note"): void {
  const element = h("div", { class: `toast ${kind}` }, message);
  byId("toasts").append(element);
  setTimeout(() => element.remove(), kind === "bad" ? 8000 : 2600);
}
