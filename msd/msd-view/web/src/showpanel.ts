// What to show over the bodies, how to colour them, and what the colours mean.
import type { Colouring } from "./bodies";
import type { OverlayName, Overlays } from "./overlays";
import { byId, h } from "./text";
import type { Theme } from "./theme";

const overlayList: [OverlayName, string, string, string][] = [
  ["points", "Contact points", "1", "Where bodies touch"],
  ["forces", "Forces", "2", "On the second body of each pair, or on the one that can move; a body's length is a usual weight"],
  ["normals", "Normals", "3", "From the first body of a pair to the second"],
  ["penetration", "Penetration", "4", "Balls grow with the logarithm of the depth"],
  ["cones", "Friction cones", "5", "Where the force may point without slipping; of the picked body, or of all"],
  ["bounds", "Bounds (AABB)", "6", "As the broadphase holds them; tight ones in recordings"],
  ["joints", "Joints", "7", "Anchors and axes; broken ones grey"],
  ["centres", "Centres of mass", "8", ""],
];

export const overlayKeys: Record<string, OverlayName> = Object.fromEntries(overlayList.map(([name, , key]) => [key, name]));

export const colourings: [Colouring, string][] = [["shape", "Shape"], ["island", "Island"], ["sleep", "Sleep"], ["speed", "Speed"]];

const storage = "msd-view-overlays";

export class ShowPanel {
  private readonly boxes = new Map<OverlayName, HTMLInputElement>();
  private readonly colours = new Map<Colouring, HTMLButtonElement>();
  private readonly content = h("div", { class: "show-content" });
  colouring: Colouring = "shape";
  /** The shapes that touch are drawn in place of visual meshes. */
  areShapesOn = false;
  private readonly shapesBox = h("input", { type: "checkbox", id: "show-shapes" });

  constructor(private readonly overlays: Overlays, private readonly changed: () => void) {
    const asked = new URLSearchParams(location.search).get("show");
    const kept = (asked ?? localStorage.getItem(storage) ?? "").split(",");
    const list = h("div", { class: "checks" });
    for (const [name, label, key, note] of overlayList) {
      const box = h("input", { type: "checkbox", id: `show-${name}` });
      box.checked = this.overlays.on[name] = kept.includes(name);
      box.onchange = () => this.set(name, box.checked);
      this.boxes.set(name, box);
      list.append(h("label", { title: note }, box, h("span", {}, label), h("kbd", {}, key)));
    }
    this.shapesBox.checked = this.areShapesOn = kept.includes("shapes");
    this.shapesBox.onchange = () => this.setShapes(this.shapesBox.checked);
    list.append(h("label", { title: "The shapes that touch, in place of what is only seen" }, this.shapesBox, h("span", {}, "Collision shapes"), h("kbd", {}, "9")));
    const colour = h("div", { class: "switch small", role: "radiogroup", "aria-label": "Colour by" });
    for (const [name, label] of colourings) {
      const button = h("button", { role: "radio", "data-colouring": name }, label);
      button.onclick = () => this.setColouring(name);
      this.colours.set(name, button);
      colour.append(button);
    }
    this.content.append(list, h("h3", {}, "Colour by ", h("kbd", {}, "K")), colour);
    byId("show").append(h("h3", {}, "Show"), this.content);
    const first = colourings.find(([name]) => kept.includes(name));
    this.setColouring(first ? first[0] : "shape");
  }

  /** On a phone the panel is a tab of the sheet. */
  moveTo(parent: HTMLElement): void {
    parent.append(this.content);
  }

  set(name: OverlayName, on: boolean): void {
    this.overlays.on[name] = on;
    this.boxes.get(name)!.checked = on;
    this.keep();
  }

  setShapes(on: boolean): void {
    this.areShapesOn = this.shapesBox.checked = on;
    this.keep();
  }

  toggle(name: OverlayName): void {
    this.set(name, !this.overlays.on[name]);
  }

  setColouring(colouring: Colouring): void {
    this.colouring = colouring;
    for (const [name, button] of this.colours) button.setAttribute("aria-checked", String(name === colouring));
    this.keep();
  }

  nextColouring(): void {
    const at = colourings.findIndex(([name]) => name === this.colouring);
    this.setColouring(colourings[(at + 1) % colourings.length][0]);
  }

  private keep(): void {
    const on = [...this.boxes.keys()].filter((name) => this.overlays.on[name]);
    localStorage.setItem(storage, [...on, ...(this.areShapesOn ? ["shapes"] : []), this.colouring].join(","));
    this.changed();
  }

  legend(theme: Theme): void {
    const on = this.overlays.on;
    const keys: [string, number][] = [];
    if (on.points || on.forces || on.cones) keys.push(["sticks", theme.stick], ["slips", theme.slip]);
    if (on.points) keys.push(["near, no force", theme.open]);
    if (on.normals) keys.push(["normal", theme.normal]);
    if (on.penetration) keys.push(["penetrates", theme.penetration]);
    if (on.bounds) keys.push(["bounds", theme.bounds]);
    if (on.joints) keys.push(["joint", theme.joint]);
    if (on.centres) keys.push(["centre of mass", theme.centre]);
    if (this.colouring === "sleep") keys.push(["awake", theme.bodies[3]], ["asleep", theme.asleep]);
    const box = byId("legend");
    box.hidden = keys.length === 0;
    box.replaceChildren(...keys.map(([name, colour]) =>
      h("span", {}, h("i", { style: `background:#${colour.toString(16).padStart(6, "0")}` }), name)));
    if (this.colouring === "speed") {
      box.hidden = false;
      box.append(h("span", {}, "still ", h("i", { class: "ramp" }), " 10 m/s"));
    }
  }
}

