// Ties the parts together: what arrives goes to those who show it, what is asked for to the server.
import { fileName, savePicture, Video } from "./capture";
import { Connection, type Listener } from "./connection";
import { acceptDrops, showCertificate, showHelp, showScenes } from "./dialogs";
import { Inspector } from "./inspector";
import { Layout } from "./layout";
import { Overlays } from "./overlays";
import { Plots } from "./plots";
import { Pointer } from "./pointer";
import { Series } from "./series";
import { ShowPanel } from "./showpanel";
import { Stage } from "./stage";
import { byId, plain, toast, unit } from "./text";
import { initialTheme, keepTheme, type ThemeName } from "./theme";
import { Transport } from "./transport";
import { Tree } from "./tree";
import { METHODS, type BodyReport, type Bounds, type Contacts, type Joints, type Method, type PlayState, type Poses, type SceneInfo, type SeriesChunk } from "./wire";

/** One short note, whatever there is: the tool lists all of it. */
function warningText(warnings: string[]): string {
  const first = warnings[0].replace(/^.*\/(?=[^/]*:\d)/, "");
  const shown = first.length > 160 ? `${first.slice(0, 157)} …` : first;
  return warnings.length === 1 ? shown : `${shown} (and ${warnings.length - 1} more: msd check lists them)`;
}

export class App implements Listener {
  readonly series = new Series();
  readonly stage: Stage;
  readonly overlays: Overlays;
  readonly connection: Connection;
  readonly transport: Transport;
  readonly inspector: Inspector;
  readonly plots: Plots;
  readonly show: ShowPanel;
  readonly tree: Tree;
  readonly pointer: Pointer;
  readonly layout: Layout;
  readonly video = new Video();
  state: PlayState | null = null;
  poses: Poses | null = null;
  scene: SceneInfo | null = null;
  lastContacts: Contacts | null = null;
  selected = -1;
  private theme: ThemeName = initialTheme();
  private readonly query = new URLSearchParams(location.search);

  constructor() {
    document.documentElement.dataset.theme = this.theme;
    this.stage = new Stage(byId<HTMLCanvasElement>("stage"), this.theme);
    this.overlays = new Overlays(this.stage);
    this.overlays.arrowScale = Number(this.query.get("arrows") ?? 1);
    this.stage.beforeDraw = () => this.overlays.draw();
    this.connection = new Connection(this);
    this.transport = new Transport(this.connection, this.series, () => this.stage.theme);
    this.inspector = new Inspector((body) => this.select(body), () => this.stage.frameBody(this.selected));
    this.plots = new Plots(this.series, this.stage.theme, (row) => this.seekRow(row));
    this.show = new ShowPanel(this.overlays, () => this.overlaysChanged());
    this.tree = new Tree(this.connection, (body) => this.select(body, false));
    this.pointer = new Pointer(this.stage, this.connection, {
      canPull: () => this.scene?.live === true && this.poses !== null && this.poses.index >= this.poses.last,
      picked: (body) => this.select(body),
    });
    this.layout = new Layout(this);
    this.overlaysChanged();
    acceptDrops();
  }

  // --- what arrives -----------------------------------------------------------------------------

  connected(): void {
    document.body.classList.remove("lost");
    this.banner("");
  }

  lost(): void {
    document.body.classList.add("lost");
    this.banner("The server is gone. Waiting for it to come back …");
  }

  sceneCame(scene: SceneInfo): void {
    const isSame = this.scene?.file === scene.file && this.scene.bodies.length === scene.bodies.length;
    this.scene = scene;
    this.series.start(scene.columns, scene.faults);
    this.stage.open(scene, isSame);
    this.tree.open(scene);
    this.stage.bodies!.hidden = new Set(this.query.get("hide")?.split(",").filter((word) => word !== "").map(Number));
    this.stage.bodies!.showShapes = this.show.areShapesOn;
    this.overlays.open();
    this.lastContacts = null;
    if (!isSame) this.select(-1);
    else if (this.selected >= 0) this.stage.bodies!.select(this.selected);
    byId("scene-name").textContent = scene.name || scene.file;
    const moving = scene.bodies.filter((body) => !body.static).length;
    byId("scene-note").textContent = `${scene.live ? "live" : "recording"}, ${moving} moving ${moving === 1 ? "body" : "bodies"}`;
    document.title = `${scene.name || scene.file} · msd view`;
    byId("method").hidden = !scene.live;
    if (!isSame && scene.warnings.length > 0) toast(warningText(scene.warnings), "quiet-note");
    this.applyColouring();
  }

  posesCame(poses: Poses): void {
    this.poses = poses;
    this.overlays.setPoses(poses);
    this.stage.update(poses);
    this.transport.setPoses(poses);
    this.plots.invalidate(poses.time);
    this.showRow();
  }

  contactsCame(contacts: Contacts): void {
    this.lastContacts = contacts;
    this.overlays.setContacts(contacts);
    this.stage.invalidate();
  }

  boundsCame(bounds: Bounds): void {
    this.overlays.setBounds(bounds);
    this.stage.invalidate();
  }

  jointsCame(joints: Joints): void {
    this.tree.setJoints(joints);
  }

  seriesCame(chunk: SeriesChunk): void {
    this.series.add(chunk);
    this.showRow();
  }

  stateCame(state: PlayState): void {
    this.state = state;
    this.transport.setState(state);
    for (const button of byId("method").querySelectorAll("button")) {
      button.setAttribute("aria-checked", String(button.dataset.method === state.method));
    }
    this.banner(state.failure);
  }

  bodyCame(report: BodyReport): void {
    if (report.body === this.selected) this.inspector.show(report);
  }

  error(message: string): void {
    toast(message, "bad");
  }

  // --- what is shown ----------------------------------------------------------------------------

  get row(): number {
    return this.poses ? this.series.rowOf(this.poses.index) : -1;
  }

  private showRow(): void {
    const row = this.row;
    this.plots.show(row);
    const proof = byId("proof");
    if (row < 0) {
      proof.textContent = "no step yet";
      proof.className = "chip";
      return;
    }
    const isExact = this.series.value("method", row) === 1;
    const status = this.series.status(row);
    const isGood = status === "ok";
    const natural = this.series.value("naturalMap", row);
    const measure = isExact ? `certified ${plain(natural, 2)}` : `penetration ${unit(this.series.value("penetration", row), "m", 2)}`;
    proof.textContent = isGood ? measure : `${status}: ${this.series.faults(row)}`;
    proof.className = `chip ${isGood ? (isExact ? "good" : "") : "bad"}`;
    proof.dataset.status = status;
    proof.dataset.method = METHODS[this.series.value("method", row)] ?? "fast";
    proof.dataset.value = String(isExact ? natural : this.series.value("residual", row));
  }

  private banner(text: string): void {
    const banner = byId("banner");
    banner.hidden = text === "";
    banner.textContent = text;
  }

  private overlaysChanged(): void {
    // Called while parts are still being made, too.
    this.connection?.subscribe({ contacts: this.overlays.needsContacts, bounds: this.overlays.on.bounds });
    if (this.show) this.applyColouring();
    this.stage.invalidate();
  }

  private applyColouring(): void {
    this.show.legend(this.stage.theme);
    if (!this.stage.bodies) return;
    this.stage.bodies.colouring = this.show.colouring;
    this.stage.bodies.showShapes = this.show.areShapesOn;
    this.stage.bodies.repaint();
    if (this.poses && this.poses.count === this.scene?.bodies.length) this.stage.bodies.update(this.poses);
  }

  // --- what is asked for ------------------------------------------------------------------------

  select(body: number, showIt = true): void {
    this.selected = body;
    this.tree.select(body);
    this.overlays.selected = body;
    this.stage.bodies?.select(body);
    this.stage.invalidate();
    this.connection.select(body);
    if (body < 0) this.inspector.clear();
    else if (showIt) this.layout.showTab("body");
  }

  seekRow(row: number): void {
    this.connection.send({ c: "pause" });
    this.connection.send({ c: "seek", index: this.series.value("index", row) });
  }

  setMethod(method: Method): void {
    this.connection.send({ c: "method", method });
  }

  toggleTheme(): void {
    this.theme = this.theme === "dark" ? "light" : "dark";
    document.documentElement.dataset.theme = this.theme;
    keepTheme(this.theme);
    this.stage.setTheme(this.theme);
    this.plots.setTheme(this.stage.theme);
    this.applyColouring();
    if (this.selected >= 0) this.stage.bodies?.select(this.selected);
    this.transport.drawTrack();
    this.plots.refresh();
    this.showRow();
  }

  toggleHand(): void {
    this.pointer.handIsOn = !this.pointer.handIsOn;
    toast(this.pointer.handIsOn ? "Dragging a body pulls it" : "Dragging only looks around");
    this.layout.update();
  }

  frameAll(): void {
    if (this.poses) this.stage.frameAll(this.poses);
  }

  scaleArrows(factor: number): void {
    this.overlays.arrowScale = Math.min(100, Math.max(0.01, this.overlays.arrowScale * factor));
    this.stage.invalidate();
  }

  picture(): void {
    savePicture(this.stage, fileName(this.scene?.name ?? "scene", this.poses?.time ?? 0, "png"));
  }

  toggleVideo(): void {
    if (this.video.isOn) this.video.stop();
    else this.video.start(this.stage, () => fileName(this.scene?.name ?? "scene", this.poses?.time ?? 0, "webm"), () => this.layout.update());
    this.layout.update();
  }

  scenes(): void {
    void showScenes(this.scene?.file ?? "");
  }

  help(): void {
    showHelp();
  }

  /** For msd snapshot: whether this moment is shown; asks for it, once. */
  private isAt(index: number): boolean {
    if (!this.scene || !this.poses) return false;
    if (this.poses.index === index) return true;
    if (this.sought !== index) this.connection.send({ c: "seek", index });
    this.sought = index;
    return false;
  }

  private sought = -1;

  /** For msd snapshot: whether a pale copy of this moment has been left in the picture. */
  keepTrace(index: number): boolean {
    if (!this.isAt(index)) return false;
    this.stage.bodies!.keepTrace();
    return true;
  }

  /** For msd snapshot: whether this moment, with all that is to be shown of it, has been drawn. */
  prepareSnapshot(index: number, body: number): boolean {
    if (!this.isAt(index)) return false;
    if (this.selected !== body) this.select(body);
    if (this.overlays.needsContacts && this.lastContacts?.index !== index) return false;
    if (this.snapshotAt === 0) {
      this.layout.arrange();
      this.snapshotAt = performance.now();
    }
    // Figures and plots follow the picture at their own pace.
    return performance.now() - this.snapshotAt > 400;
  }

  private snapshotAt = 0;

  certificate(): void {
    if (this.row >= 0) showCertificate(this.series, this.row);
  }
}
