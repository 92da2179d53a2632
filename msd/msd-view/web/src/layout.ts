// Panels, buttons and keys: a side panel on a wide window, a sheet with tabs on a phone.
import type { App } from "./app";
import { METHODS, type Method } from "./wire";
import { overlayKeys } from "./showpanel";
import { byId, h, icon } from "./text";

const icons = {
  frame: "M4 9V4h5|M15 4h5v5|M20 15v5h-5|M9 20H4v-5",
  hand: "M8 12V5.500a1.500 1.500 0 0 1 3 0V11|M11 10.500v-6a1.500 1.500 0 0 1 3 0V11|M14 11V6.500a1.500 1.500 0 0 1 3 0V14c0 4-2.500 6.500-6 6.500-3 0-4.500-1.500-5.500-3.500L3.700 13.500a1.500 1.500 0 0 1 2.600-1.500L8 14",
  picture: "M4 8h3l1.500-2.500h7L17 8h3v11H4z|M12 10a3.200 3.200 0 1 0 0 6.400 3.200 3.200 0 0 0 0-6.400",
  video: "M4 7h11v10H4z|M15 11l5-3v8l-5-3",
  theme: "M12 4a8 8 0 1 0 8 8 6 6 0 0 1-8-8",
  panels: "M4 5h16v14H4z|M14.500 5v14",
  help: "M9.200 9a2.900 2.900 0 1 1 4.300 2.500c-1 .6-1.500 1.200-1.500 2.300|M12 17.200v.3",
};

type TabName = "body" | "plots" | "tree" | "show";

const kPhone = 720; // [px]
/** Lower windows than this have no room for a sheet below the picture: everything moves to the sides [px]. */
const kShort = 520;

export class Layout {
  private readonly buttons = new Map<string, HTMLButtonElement>();
  private tab: TabName = "plots";
  private arePanelsOn = true;

  constructor(private readonly app: App) {
    this.addTool("frame", "All in view (F)", () => app.frameAll());
    this.addTool("hand", "Dragging pulls bodies (G)", () => app.toggleHand());
    this.addTool("picture", "Save a picture (P)", () => app.picture());
    this.addTool("video", "Record a video (V)", () => app.toggleVideo());
    this.addTool("theme", "Light or dark (L)", () => app.toggleTheme());
    this.addTool("panels", "Hide or show the panels (B)", () => this.togglePanels());
    this.addTool("help", "Keys and mouse (?)", () => app.help());
    byId("scene-button").onclick = () => app.scenes();
    byId("proof").onclick = () => app.certificate();
    for (const button of byId("method").querySelectorAll("button")) {
      button.onclick = () => app.setMethod(button.dataset.method as Method);
    }
    for (const button of byId("tabs").querySelectorAll("button")) {
      button.onclick = () => this.showTab(button.dataset.tab as TabName);
    }
    addEventListener("resize", () => this.arrange());
    addEventListener("keydown", (event) => this.key(event));
    const query = new URLSearchParams(location.search);
    if (query.has("bare")) document.body.classList.add("bare");
    if (query.has("plain")) app.stage.setPlain(true);
    this.arrange();
    this.showTab("plots");
    this.update();
  }

  private addTool(name: keyof typeof icons, title: string, action: () => void): void {
    const button = h("button", { class: "round", id: `tool-${name}`, title, "aria-label": title });
    button.append(icon(icons[name]));
    button.onclick = action;
    this.buttons.set(name, button);
    byId("tools").append(button);
  }

  /** Wide, but low: a small window on a desk, or a phone held across. */
  get isShort(): boolean {
    return innerHeight < kShort && innerWidth > innerHeight;
  }

  get isPhone(): boolean {
    return innerWidth < kPhone && !this.isShort;
  }

  private get hasShowTab(): boolean {
    return this.isPhone || this.isShort;
  }

  update(): void {
    this.buttons.get("hand")!.classList.toggle("on", this.app.pointer.handIsOn);
    this.buttons.get("video")!.classList.toggle("recording", this.app.video.isOn);
    this.buttons.get("panels")!.classList.toggle("on", this.arePanelsOn);
  }

  togglePanels(): void {
    this.arePanelsOn = !this.arePanelsOn;
    document.body.classList.toggle("no-panels", !this.arePanelsOn);
    this.arrange();
    this.update();
  }

  showTab(tab: TabName): void {
    this.tab = tab === "show" && !this.hasShowTab ? "plots" : tab;
    for (const button of byId("tabs").querySelectorAll("button")) {
      button.setAttribute("aria-selected", String(button.dataset.tab === this.tab));
    }
    for (const name of ["body", "plots", "tree", "show"]) byId(`${name}-panel`).hidden = name !== this.tab;
    this.app.plots.isVisible = this.tab === "plots";
    this.app.tree.setVisible(this.tab === "tree");
    this.app.plots.refresh();
  }

  arrange(): void {
    document.body.classList.toggle("phone", this.isPhone);
    document.body.classList.toggle("short", this.isShort);
    this.app.show.moveTo(this.hasShowTab ? byId("show-panel") : byId("show"));
    if (this.tab === "show" && !this.hasShowTab) this.showTab("plots");
    const isBare = document.body.classList.contains("bare");
    const side = byId("side").getBoundingClientRect();
    const bar = byId("bar").getBoundingClientRect();
    const transport = byId("transport").getBoundingClientRect();
    const top = isBare ? 0 : bar.bottom;
    const bottom = isBare ? 0 : this.isPhone && this.arePanelsOn ? innerHeight - Math.min(side.top, transport.top) : innerHeight - transport.top;
    const right = isBare || this.isPhone || !this.arePanelsOn ? 0 : innerWidth - side.left;
    this.app.stage.setInset({ left: 0, right, top, bottom });
    this.app.transport.drawTrack();
  }

  private key(event: KeyboardEvent): void {
    if (event.ctrlKey || event.metaKey || event.altKey) return;
    const isTyping = event.target instanceof HTMLElement && /^(INPUT|TEXTAREA)$/.test(event.target.tagName) && !["checkbox", "range"].includes((event.target as HTMLInputElement).type);
    if (isTyping || document.querySelector("dialog[open]")) return;
    const action = this.actionFor(event.key, event.shiftKey);
    if (!action) return;
    event.preventDefault();
    action();
  }

  private actionFor(key: string, shift: boolean): (() => void) | undefined {
    const { app } = this;
    const overlay = overlayKeys[key];
    if (overlay) return () => app.show.toggle(overlay);
    const far = shift ? 10 : 1;
    const actions: Record<string, () => void> = {
      " ": () => app.transport.toggle(),
      ArrowRight: () => app.transport.step(far),
      ArrowLeft: () => app.transport.step(-far),
      Home: () => app.transport.toStart(),
      End: () => app.transport.toEnd(),
      "+": () => app.transport.faster(1),
      "=": () => app.transport.faster(1),
      "-": () => app.transport.faster(-1),
      "[": () => app.scaleArrows(0.8),
      "]": () => app.scaleArrows(1.25),
      ".": () => app.stage.frameBody(app.selected),
      "?": () => app.help(),
      Escape: () => app.select(-1),
      r: () => app.transport.restart(),
      f: () => app.frameAll(),
      h: () => app.stage.homeCamera(),
      g: () => app.toggleHand(),
      k: () => app.show.nextColouring(),
      l: () => app.toggleTheme(),
      b: () => this.togglePanels(),
      m: () => app.setMethod(METHODS[(METHODS.indexOf(app.state?.method ?? "fast") + 1) % METHODS.length]),
      "9": () => app.show.setShapes(!app.show.areShapesOn),
      t: () => this.showTab("tree"),
      "/": () => {
        this.showTab("tree");
        app.tree.search();
      },
      o: () => app.scenes(),
      p: () => app.picture(),
      q: () => app.stage.setPlain(!app.stage.plain),
      v: () => app.toggleVideo(),
    };
    return actions[key.length === 1 ? key.toLowerCase() : key];
  }
}
