// The bodies and joints of a scene as a tree, with search, and a slider for every joint that moves freely.
import type { Connection } from "./connection";
import { byId, h, plain } from "./text";
import type { JointInfo, Joints, SceneInfo } from "./wire";

/** More rows than this nobody reads; the search finds the others. */
const kMostRows = 400;
/** What a slider reaches where the scene names no limits. */
const kReach = { hinge: Math.PI, slider: 1, velocity: 10, force: 10 };

interface Row {
  body: number; // -1: the world
  joint: number; // above the body; -1: none
  depth: number;
}

interface Slider {
  joint: number;
  input: HTMLInputElement;
  value: HTMLOutputElement;
  free: HTMLButtonElement;
}

/** What the slider of a joint sets, and in which unit. */
function driven(joint: JointInfo): { what: "hinge" | "slider" | "velocity" | "force"; unit: string; gear: number } {
  const turns = joint.kind === "hinge";
  if (joint.motor?.mode === "velocity") return { what: "velocity", unit: turns ? "rad/s" : "m/s", gear: joint.motor.gear };
  if (joint.motor?.mode === "force") return { what: "force", unit: turns ? "N·m" : "N", gear: 1 / joint.motor.gear };
  return { what: turns ? "hinge" : "slider", unit: turns ? "rad" : "m", gear: joint.motor?.gear ?? 1 };
}

/** Every body below the one that carries it: depth first, each once. */
function treeOf(scene: SceneInfo): Row[] {
  const below = new Map<number, number[]>();
  const carried = new Set<number>();
  scene.joints.forEach((joint, i) => {
    const b = joint.b;
    if (carried.has(b)) return; // closes a loop: shown with its body's other joint
    carried.add(b);
    if (!below.has(joint.a)) below.set(joint.a, []);
    below.get(joint.a)!.push(i);
  });
  const rows: Row[] = [];
  const seen = new Set<number>();
  const visit = (start: Row) => {
    const open = [start];
    while (open.length > 0) {
      const row = open.pop()!;
      if (seen.has(row.body)) continue;
      seen.add(row.body);
      rows.push(row);
      const joints = below.get(row.body) ?? [];
      for (const joint of joints.slice().reverse()) open.push({ body: scene.joints[joint].b, joint, depth: row.depth + 1 });
    }
  };
  for (const joint of below.get(-1) ?? []) visit({ body: scene.joints[joint].b, joint, depth: 0 });
  scene.bodies.forEach((_, body) => {
    if (!carried.has(body)) visit({ body, joint: -1, depth: 0 });
  });
  scene.bodies.forEach((_, body) => visit({ body, joint: scene.joints.findIndex((joint) => joint.b === body), depth: 0 }));
  return rows;
}

export class Tree {
  private readonly root = byId("tree-panel");
  private readonly field = h("input", { id: "tree-search", type: "search", placeholder: "Search bodies and joints ( / )", "aria-label": "Search bodies and joints", autocomplete: "off", spellcheck: "false" });
  private readonly list = h("div", { id: "tree-list", role: "tree" });
  private readonly note = h("p", { class: "quiet", id: "tree-note" });
  private scene: SceneInfo | null = null;
  private rows: Row[] = [];
  private sliders: Slider[] = [];
  private joints: Joints | null = null;
  private readonly held = new Set<number>();
  private selected = -1;
  private isVisible = false;

  constructor(private readonly connection: Connection, private readonly pick: (body: number) => void) {
    this.root.append(this.field, this.list, this.note);
    this.field.oninput = () => this.draw();
    this.field.onkeydown = (event) => {
      if (event.key !== "Escape") return;
      this.field.value = "";
      this.draw();
      this.field.blur();
    };
  }

  open(scene: SceneInfo): void {
    this.scene = scene;
    this.joints = null;
    this.held.clear();
    this.rows = treeOf(scene);
    this.draw();
  }

  search(): void {
    this.field.focus();
    this.field.select();
  }

  setVisible(isVisible: boolean): void {
    this.isVisible = isVisible;
    this.connection.subscribe({ joints: isVisible });
    if (isVisible) this.draw();
  }

  select(body: number): void {
    this.selected = body;
    for (const row of this.list.querySelectorAll<HTMLElement>("[data-body]")) {
      row.classList.toggle("on", Number(row.dataset.body) === body);
    }
  }

  setJoints(joints: Joints): void {
    this.joints = joints;
    if (this.isVisible) this.showValues();
  }

  private draw(): void {
    if (!this.scene || !this.isVisible) return;
    const { bodies, joints } = this.scene;
    const words = this.field.value.trim().toLowerCase();
    const matches = (row: Row) => words === "" || bodies[row.body].name.toLowerCase().includes(words)
      || (row.joint >= 0 && joints[row.joint].name.toLowerCase().includes(words));
    const found = this.rows.filter(matches);
    this.sliders = [];
    this.list.replaceChildren(...found.slice(0, kMostRows).map((row) => this.rowOf(row, words !== "")));
    const more = found.length - kMostRows;
    this.note.textContent = found.length === 0 ? "Nothing has such a name." : more > 0 ? `… and ${more} more: search for them.` : "";
    this.select(this.selected);
    this.showValues();
  }

  private rowOf(row: Row, isFlat: boolean): HTMLElement {
    const body = this.scene!.bodies[row.body];
    const joint = row.joint < 0 ? null : this.scene!.joints[row.joint];
    const kind = body.static ? "static" : body.kinematic ? "kinematic" : "";
    const head = h("button", { class: "tree-body", role: "treeitem", "data-body": String(row.body) },
      h("span", {}, body.name), h("small", { title: joint?.kind ?? "" }, joint ? joint.name || joint.kind : kind));
    head.onclick = () => this.pick(row.body);
    const line = h("div", { class: "tree-row", style: `--depth:${isFlat ? 0 : Math.min(row.depth, 12)}` }, head);
    if (joint?.free) line.append(this.sliderOf(row.joint, joint));
    return line;
  }

  private sliderOf(number: number, joint: JointInfo): HTMLElement {
    const { what } = driven(joint);
    const reach = what === "force" ? joint.motor!.maxForce ?? kReach.force : kReach[what];
    const isPlace = what === "hinge" || what === "slider";
    const low = isPlace && joint.lower !== undefined ? joint.lower : -reach;
    const high = isPlace && joint.upper !== undefined ? joint.upper : reach;
    const input = h("input", { type: "range", min: String(low), max: String(high), step: "any", "data-joint": String(number),
      "aria-label": `${joint.name || joint.kind}: ${isPlace ? "position" : what}`, title: this.titleOf(joint, what) });
    input.disabled = !this.scene!.live || joint.follows !== undefined;
    const value = h("output", { class: "tree-value" });
    const free = h("button", { class: "link", title: "Let the scene drive it again" }, "free");
    free.hidden = !this.held.has(number);
    const { gear } = driven(joint);
    input.oninput = () => {
      this.held.add(number);
      free.hidden = false;
      this.connection.send({ c: "drive", joint: number, target: Number(input.value) * gear });
    };
    free.onclick = () => {
      this.held.delete(number);
      free.hidden = true;
      this.connection.send({ c: "drive", joint: number, target: null });
    };
    this.sliders.push({ joint: number, input, value, free });
    return h("div", { class: "tree-joint" }, input, value, free);
  }

  private titleOf(joint: JointInfo, what: string): string {
    if (joint.follows !== undefined) return `follows ${joint.follows}`;
    if (!this.scene!.live) return "a recording cannot be driven";
    if (!joint.motor) return "holds the joint in a place, as a motor of 4 Hz would";
    return what === "velocity" || what === "force" ? `the motor's ${what}` : "the motor's target";
  }

  /** Where nobody drives, the slider shows the motor's target, or where the joint stands. */
  private showValues(): void {
    if (!this.joints || !this.scene) return;
    for (const slider of this.sliders) {
      const joint = this.scene.joints[slider.joint];
      const [coordinate, speed, , target] = this.joints.floats.subarray(slider.joint * 4, slider.joint * 4 + 4);
      const { what, unit, gear } = driven(joint);
      const shown = what === "velocity" ? speed : what === "force" ? target / gear : coordinate;
      const digits = Math.abs(shown) < 5e-5 ? "0" : plain(shown, 3);
      slider.value.textContent = Number.isFinite(shown) ? `${digits} ${unit}` : "–";
      slider.value.dataset.value = String(shown);
      if (this.held.has(slider.joint)) continue;
      const place = joint.motor && Number.isFinite(target) ? target / gear : shown;
      if (Number.isFinite(place)) this.reachFor(slider.input, place);
    }
  }

  private reachFor(input: HTMLInputElement, place: number): void {
    if (document.activeElement === input && input.matches(":active")) return;
    if (place < Number(input.min)) input.min = String(place);
    if (place > Number(input.max)) input.max = String(place);
    input.value = String(place);
  }
}
