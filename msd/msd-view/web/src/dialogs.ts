// Scene picker, help sheet, certificate, problems, and dropping files.
import { listScenes, open, send } from "./connection";
import type { Series } from "./series";
import { byId, h, lastingToast, plain, unit } from "./text";

const help: [string, [string, string][]][] = [
  ["Time", [["Space", "play, pause"], ["→  ←", "step on, step back"], ["Shift → ←", "ten steps"], ["Home  End", "first, latest moment"], ["R", "restart; a file that was edited is read again"], ["+  −", "faster, slower"], ["M", "fast, exact or reference"]]],
  ["Camera", [["Drag", "look around"], ["Right drag", "move sideways"], ["Wheel", "closer, farther"], ["F", "all in view"], [".", "picked body in view"], ["H", "the scene's own view"]]],
  ["Bodies", [["Click", "pick"], ["Drag a body", "pull it (live)"], ["G", "pulling on, off"], ["T", "tree of bodies and joints"], ["/", "search in it"], ["Esc", "let go"]]],
  ["Show", [["1 … 8", "points, forces, normals, penetration, cones, bounds, joints, centres"], ["9", "shapes that touch, in place of what is only seen"], ["K", "colour by shape, island, sleep, speed"], ["[  ]", "shorter, longer force arrows"], ["L", "light, dark"], ["Q", "shadows on, off"], ["B", "hide or show the panels"]]],
  ["Files", [["O", "choose a scene"], ["Drop", "open a scene or a recording"], ["P", "save a picture"], ["V", "start, stop a video"], ["?", "this sheet"]]],
];

function header(title: string, dialog: HTMLDialogElement): HTMLElement {
  const close = h("button", { class: "close", "aria-label": "Close", title: "Close (Esc)" }, "×");
  close.onclick = () => dialog.close();
  return h("header", {}, h("h2", {}, title), close);
}

function prepare(id: string): HTMLDialogElement {
  const dialog = byId<HTMLDialogElement>(id);
  dialog.onclick = (event) => {
    if (event.target === dialog) dialog.close();
  };
  return dialog;
}

export function showHelp(): void {
  const dialog = prepare("help");
  const groups = help.map(([title, keys]) => h("section", {}, h("h3", {}, title),
    ...keys.map(([key, text]) => h("p", {}, h("kbd", {}, key), h("span", {}, text)))));
  dialog.replaceChildren(header("Keys and mouse", dialog), h("div", { class: "columns" }, ...groups));
  dialog.showModal();
}

export function showProblem(title: string, message: string): void {
  const dialog = prepare("problem");
  dialog.replaceChildren(header(title, dialog), h("pre", { id: "problem-text" }, message),
    h("p", { class: "quiet" }, "What was open before stays open. The same message comes from msd check."));
  if (!dialog.open) dialog.showModal();
}

export async function openFile(file: File): Promise<void> {
  const note = lastingToast(`Opening ${file.name}`);
  const size = `${unit(file.size, "B", 3)}`;
  try {
    await send(file, (share) => note.say(share < 1 ? `Sending ${file.name}: ${Math.floor(100 * share)} % of ${size}` : `Opening ${file.name}`));
  } catch (error) {
    showProblem(`${file.name} cannot be opened`, (error as Error).message);
  } finally {
    note.end();
  }
}

async function openShipped(scene: string): Promise<void> {
  try {
    await open(scene);
  } catch (error) {
    showProblem(`${scene} cannot be opened`, (error as Error).message);
  }
}

export async function showScenes(current: string): Promise<void> {
  const dialog = prepare("scenes");
  const list = h("div", { class: "cards" });
  const picker = h("input", { type: "file", accept: ".json,.db,.urdf,.xml,.mjcf", hidden: "" });
  picker.onchange = () => {
    if (picker.files?.[0]) void openFile(picker.files[0]);
    dialog.close();
  };
  const browse = h("button", { class: "button" }, "Open a file …");
  browse.onclick = () => picker.click();
  dialog.replaceChildren(header("Scenes", dialog), list,
    h("footer", {}, browse, h("span", { class: "quiet" }, "or drop a scene or a recording anywhere"), picker));
  dialog.showModal();
  try {
    for (const scene of await listScenes()) {
      const card = h("button", { class: "scene-card", "data-file": scene.file },
        h("b", {}, scene.name), h("span", {}, scene.description || scene.file),
        h("small", {}, scene.bodies === 1 ? "1 body" : `${scene.bodies} bodies`));
      if (current.endsWith(scene.file)) card.classList.add("on");
      card.onclick = () => {
        dialog.close();
        void openShipped(scene.file);
      };
      list.append(card);
    }
    if (!list.children.length) list.append(h("p", { class: "quiet" }, "No shipped scenes were found beside the program."));
  } catch (error) {
    list.append(h("p", {}, (error as Error).message));
  }
}

/** What the last step proves. In fast mode the report's own measures stand alone. */
export function showCertificate(series: Series, row: number): void {
  const dialog = prepare("certificate");
  const value = (name: string) => series.value(name, row);
  const isExact = value("method") === 1;
  const lines: [string, string, string][] = isExact
    ? [["natural map", plain(value("naturalMap"), 2), "distance from Coulomb's and Signorini's laws, relative"],
       ["velocity error", plain(value("velocityError"), 2), "worst error of a contact's velocity, relative to the largest"],
       ["complementarity", unit(value("complementarity"), "J", 3), "worst product of normal impulse and separation speed"],
       ["outside the cone", unit(value("coneViolation"), "N·s", 3), "worst friction impulse beyond what the cone allows"],
       ["approach left", unit(value("normalViolation"), "m/s", 3), "worst speed of surfaces into each other"],
       ["joint rows", unit(value("bilateralViolation"), "m/s", 3), "worst violation of a joint's velocity"]]
    : [];
  const energy: [string, string, string][] = [
    ["residual", unit(value("residual"), "m/s", 3), "largest violation of a velocity constraint after the solve"],
    ["joint error", unit(value("jointError"), "m", 3), "worst separation of two joint anchors"],
    ["deepest penetration", unit(value("penetration"), "m", 3), "at the end of the step"],
    ["unexplained energy", unit(value("closure"), "J", 3), `what the ledger's entries leave over, on a scale of ${unit(value("scale"), "J", 3)}`],
    ["iterations", String(value("iterations")), "solver sweeps over the whole step"],
    ["contacts", String(value("contacts")), `in ${value("islands")} islands, ${value("awake")} bodies awake`]];
  const faults = series.faults(row);
  const status = faults === "" ? series.status(row) : `${series.status(row)} (${faults})`;
  dialog.replaceChildren(header(isExact ? `Certificate of step ${value("step")}: ${status}` : `Report of step ${value("step")}: ${status}`, dialog),
    ...(isExact ? [] : [h("p", { class: "quiet" }, value("method") === 2 ? "Reference steps go through the readable pipeline, of first order in time." : "Fast steps are measured, not certified. Choose Exact to have Coulomb's law solved to a proven residual.")]),
    h("dl", { class: "proof" }, ...[...lines, ...energy].map(([name, text, note]) =>
      h("div", {}, h("dt", {}, name), h("dd", { "data-name": name }, text), h("small", {}, note)))));
  dialog.showModal();
}

export function acceptDrops(): void {
  const cover = byId("drop");
  let depth = 0;
  const hasFiles = (event: DragEvent) => event.dataTransfer?.types.includes("Files") ?? false;
  addEventListener("dragenter", (event) => {
    if (!hasFiles(event)) return;
    depth += 1;
    cover.hidden = false;
  });
  addEventListener("dragleave", () => {
    depth = Math.max(0, depth - 1);
    if (depth === 0) cover.hidden = true;
  });
  addEventListener("dragover", (event) => event.preventDefault());
  addEventListener("drop", (event) => {
    event.preventDefault();
    depth = 0;
    cover.hidden = true;
    const file = event.dataTransfer?.files[0];
    if (file) void openFile(file);
  });
}
