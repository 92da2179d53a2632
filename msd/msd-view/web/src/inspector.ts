// All about the picked body, above all the forces that hold it.
import { byId, h, norm, plain, unit } from "./text";
import type { BodyReport, Vec3 } from "./wire";

/** A sum of forces this small against the weight counts as balance. */
const kBalanced = 0.01;

function vector(v: readonly number[], digits = 4): string {
  // What is next to nothing beside the largest is shown as nothing: 1e-17 tells nobody anything.
  const least = 1e-9 * Math.max(1e-3, ...v.map(Math.abs));
  return v.map((c) => plain(Math.abs(c) < least ? 0 : c, digits)).join("  ");
}

function row(name: string, value: string, data?: [string, number | string]): HTMLElement {
  const cell = h("dd", {}, value);
  if (data) cell.dataset[data[0]] = String(data[1]);
  return h("div", { class: "row" }, h("dt", {}, name), cell);
}

export class Inspector {
  private readonly root = byId("body-panel");
  private report: BodyReport | null = null;
  private shownAt = 0;

  constructor(private readonly pick: (body: number) => void, private readonly frame: () => void) {
    this.clear();
  }

  clear(): void {
    this.report = null;
    this.root.replaceChildren(
      h("div", { class: "empty" }, h("b", {}, "Nothing picked"),
        h("p", {}, "Click a body to see its state and the forces that hold it. Drag it to pull it along.")));
  }

  show(report: BodyReport): void {
    this.report = report;
    // Ten times a second is as fast as figures can be read; the last one always comes.
    const now = performance.now();
    if (now - this.shownAt > 100) this.draw();
    else setTimeout(() => this.report === report && this.draw(), 110);
  }

  private draw(): void {
    const report = this.report;
    if (!report) return;
    this.shownAt = performance.now();
    const scroll = this.root.scrollTop;
    this.root.dataset.body = String(report.body);
    this.root.dataset.index = String(report.index);
    this.root.replaceChildren(this.head(report), ...(report.kind === "static" ? [] : [this.balance(report)]),
      this.contacts(report), this.motion(report));
    this.root.scrollTop = scroll;
  }

  private head(report: BodyReport): HTMLElement {
    const kind = report.kind === "moving" ? (report.awake ? "awake" : "asleep") : report.kind;
    const find = h("button", { class: "link", title: "Look at it (.)" }, "look at it");
    find.onclick = this.frame;
    return h("div", { class: "title" },
      h("div", {}, h("h2", { id: "body-name" }, report.name), h("small", {}, `${report.shape}, `, h("span", { class: kind }, kind),
        report.island >= 0 ? `, island ${report.island}` : "")), find);
  }

  private balance(report: BodyReport): HTMLElement {
    const weight = norm(report.weight);
    const scale = Math.max(weight, norm(report.contactForce), norm(report.appliedForce), norm(report.jointForce), 1e-12);
    const up = weight > 0 ? (report.weight.map((c) => -c / weight) as Vec3) : ([0, 0, 1] as Vec3);
    const along = (f: Vec3) => f[0] * up[0] + f[1] * up[1] + f[2] * up[2];
    const isBalanced = norm(report.net) < kBalanced * scale;
    const bar = (name: string, force: Vec3, colour: string) => {
      const share = Math.abs(along(force)) / scale;
      const fill = h("i", { class: colour, style: `width:${(100 * Math.min(1, share)).toFixed(1)}%` });
      const line = row(name, unit(norm(force), "N"), ["value", norm(force)]);
      line.classList.add("force");
      line.append(h("span", { class: "meter" }, fill));
      line.title = `${vector(force, 4)} N`;
      return line;
    };
    const lines = [bar("contacts", report.contactForce, "stick"), bar("weight", report.weight, "grey")];
    if (report.joints.length) lines.splice(1, 0, bar("joints", report.jointForce, "joint"));
    if (norm(report.appliedForce) > 0) lines.splice(1, 0, bar("applied", report.appliedForce, "pull"));
    const verdict = isBalanced ? "in balance" : report.mass > 0 ? `accelerates at ${unit(norm(report.net) / report.mass, "m/s²", 3)}` : "";
    const sum = row("sum", unit(norm(report.net), "N"), ["value", norm(report.net)]);
    sum.classList.add("sum");
    const block = h("dl", { id: "balance", class: "block" }, h("h3", {}, "Forces ", h("em", { class: isBalanced ? "good" : "warm" }, verdict)), ...lines, sum);
    block.dataset.contactForce = JSON.stringify(report.contactForce);
    block.dataset.weight = JSON.stringify(report.weight);
    return block;
  }

  private contacts(report: BodyReport): HTMLElement {
    const title = h("h3", {}, `Contacts `, h("em", {}, String(report.contactCount)));
    const body = h("tbody");
    for (const contact of report.contacts) {
      const along = contact.force[0] * contact.normal[0] + contact.force[1] * contact.normal[1] + contact.force[2] * contact.normal[2];
      const across = Math.sqrt(Math.max(0, norm(contact.force) ** 2 - along ** 2));
      const use = contact.friction * along > 0 ? across / (contact.friction * along) : 0;
      const line = h("tr", { title: `at ${vector(contact.point, 4)} m, friction ${plain(contact.friction, 3)}, slip ${unit(contact.slip, "m/s", 3)}` },
        h("td", {}, h("i", { class: `dot ${contact.state}` }), contact.name), h("td", {}, unit(norm(contact.force), "N", 3)),
        h("td", {}, contact.state === "open" ? "–" : `${Math.round(100 * use)} %`), h("td", {}, unit(contact.gap, "m", 3)));
      line.onclick = () => this.pick(contact.other);
      body.append(line);
    }
    if (report.contacts.length === 0) return h("div", { class: "block" }, title, h("p", { class: "quiet" }, "Touches nothing."));
    const head = h("thead", {}, h("tr", {}, h("th", {}, "with"), h("th", {}, "force"),
      h("th", { title: "Friction force as a share of what the cone allows" }, "cone"), h("th", {}, "gap")));
    return h("div", { class: "block" }, title, h("table", {}, head, body));
  }

  private motion(report: BodyReport): HTMLElement {
    const kinetic = report.translation + report.rotation;
    const moving = report.kind === "static" ? [] : [
      row("velocity [m/s]", vector(report.velocity)), row("turning [rad/s]", vector(report.angularVelocity)),
      row("mass", `${plain(report.mass, 5)} kg`, ["value", report.mass]),
      row("kinetic energy", unit(kinetic, "J"), ["value", kinetic]), row("of which turning", unit(report.rotation, "J")),
      row("potential energy", unit(report.potential, "J"), ["value", report.potential])];
    const place = row("position [m]", vector(report.position), ["position", JSON.stringify(report.position)]);
    place.id = "body-position";
    return h("dl", { class: "block" }, h("h3", {}, "State"), place, row("orientation w x y z", vector(report.orientation)), ...moving);
  }
}
