// Play, pause, step, speed and the bar to scrub on.
import type { Connection } from "./connection";
import type { Series } from "./series";
import { byId, fixed, h, icon } from "./text";
import type { Theme } from "./theme";
import type { PlayState, Poses } from "./wire";

export const speeds = [0.05, 0.1, 0.25, 0.5, 1, 2, 4, 8, 0];

const icons = {
  restart: "M5 5v5h5|M5.500 14a7 7 0 1 0 1.200-7L5 10",
  back: "!M18 6 9 12l9 6z|M6 6v12",
  forward: "!M6 6l9 6-9 6z|M18 6v12",
  play: "!M8 5.500v13l11-6.500z",
  pause: "M8.500 6v12|M15.500 6v12",
};

export function speedText(speed: number): string {
  return speed === 0 ? "max" : `${speed}×`;
}

export class Transport {
  private readonly root = byId("transport");
  private readonly playButton = h("button", { id: "play", class: "round main", title: "Play or pause (Space)" });
  private readonly time = h("output", { id: "time" }, "0.000 s");
  private readonly stepText = h("small", { id: "step" }, "step 0");
  private readonly track = h("canvas", { id: "track", role: "slider", tabindex: "0", "aria-label": "Moment shown" });
  private readonly liveButton = h("button", { id: "live", class: "chip live", title: "To the latest moment (End)" }, "live");
  private readonly speedButton = h("select", { id: "speed", title: "Speed (+ and -)" });
  private readonly factor = h("small", { id: "factor", title: "Simulated seconds per second, as measured" });
  private poses: Poses | null = null;
  private state: PlayState | null = null;
  private isScrubbing = false;
  private seekSent = 0;
  private seekWanted = -1;
  private clock = { wall: 0, time: 0 };

  constructor(private readonly connection: Connection, private readonly series: Series, private theme: () => Theme) {
    for (const speed of speeds) this.speedButton.append(h("option", { value: String(speed) }, speedText(speed)));
    const buttons = h("div", { class: "buttons" },
      this.button("restart", icons.restart, "Restart (R)", () => this.restart()),
      this.button("back", icons.back, "Step back (←)", () => this.step(-1)),
      this.playButton,
      this.button("forward", icons.forward, "Step (→)", () => this.step(1)));
    this.root.append(buttons, h("div", { class: "clock" }, this.time, this.stepText), this.track,
      h("div", { class: "pace" }, this.liveButton, this.speedButton, this.factor));
    this.playButton.onclick = () => this.toggle();
    this.liveButton.onclick = () => this.toEnd();
    this.speedButton.onchange = () => this.connection.send({ c: "speed", speed: Number(this.speedButton.value) });
    this.track.addEventListener("pointerdown", (event) => this.scrub(event, true));
    this.track.addEventListener("pointermove", (event) => this.isScrubbing && this.scrub(event, false));
    this.track.addEventListener("pointerup", () => this.endScrub());
    this.track.addEventListener("pointercancel", () => this.endScrub());
    new ResizeObserver(() => this.drawTrack()).observe(this.track);
  }

  private button(id: string, path: string, title: string, action: () => void): HTMLButtonElement {
    const button = h("button", { id, class: "round", title, "aria-label": title });
    button.append(icon(path));
    button.onclick = action;
    return button;
  }

  toggle(): void {
    this.connection.send({ c: this.state?.playing ? "pause" : "play" });
  }

  restart(): void {
    this.connection.send({ c: "restart" });
  }

  step(count: number): void {
    this.connection.send({ c: "step", count });
  }

  toEnd(): void {
    if (this.poses) this.connection.send({ c: "seek", index: this.poses.last });
  }

  toStart(): void {
    if (this.poses) this.connection.send({ c: "seek", index: this.poses.first });
  }

  faster(by: number): void {
    const now = speeds.indexOf(this.state?.speed ?? 1);
    const next = Math.min(speeds.length - 1, Math.max(0, (now < 0 ? 4 : now) + by));
    this.connection.send({ c: "speed", speed: speeds[next] });
  }

  setState(state: PlayState): void {
    this.state = state;
    this.playButton.replaceChildren(icon(state.playing ? icons.pause : icons.play));
    this.playButton.setAttribute("aria-label", state.playing ? "Pause" : "Play");
    this.playButton.dataset.playing = String(state.playing);
    this.speedButton.value = String(state.speed);
    this.liveButton.hidden = !state.live;
    this.clock = { wall: 0, time: 0 };
    if (!state.playing) this.factor.textContent = "";
  }

  setPoses(poses: Poses): void {
    this.poses = poses;
    this.time.textContent = `${fixed(poses.time, 3)} s`;
    this.time.dataset.value = String(poses.time);
    this.stepText.textContent = `step ${poses.step}`;
    this.stepText.dataset.value = String(poses.step);
    this.liveButton.classList.toggle("on", poses.index >= poses.last);
    this.track.setAttribute("aria-valuemin", String(poses.first));
    this.track.setAttribute("aria-valuemax", String(poses.last));
    this.track.setAttribute("aria-valuenow", String(poses.index));
    this.measurePace(poses.time);
    this.drawTrack();
  }

  /** How much simulated time passes in a second of real time, over about half a second. */
  private measurePace(time: number): void {
    const now = performance.now();
    if (this.clock.wall === 0 || time < this.clock.time) this.clock = { wall: now, time };
    const seconds = (now - this.clock.wall) / 1000;
    if (seconds < 0.5 || !this.state?.playing) return;
    this.factor.textContent = `${((time - this.clock.time) / seconds).toFixed(2)}× real time`;
    this.clock = { wall: now, time };
  }

  private scrub(event: PointerEvent, isStart: boolean): void {
    if (!this.poses) return;
    if (isStart) {
      this.isScrubbing = true;
      this.track.setPointerCapture(event.pointerId);
      this.connection.send({ c: "pause" });
    }
    const box = this.track.getBoundingClientRect();
    const share = Math.min(1, Math.max(0, (event.clientX - box.left) / box.width));
    this.seekWanted = Math.round(this.poses.first + share * (this.poses.last - this.poses.first));
    const now = performance.now();
    if (now - this.seekSent < 16) return;
    this.sendSeek(now);
  }

  private sendSeek(now: number): void {
    if (this.seekWanted < 0) return;
    this.connection.send({ c: "seek", index: this.seekWanted });
    this.seekSent = now;
    this.seekWanted = -1;
  }

  private endScrub(): void {
    this.sendSeek(performance.now());
    this.isScrubbing = false;
  }

  drawTrack(): void {
    const canvas = this.track;
    const ratio = Math.min(devicePixelRatio, 2);
    const width = canvas.clientWidth, height = canvas.clientHeight;
    if (width === 0 || !this.poses) return;
    if (canvas.width !== Math.round(width * ratio)) canvas.width = Math.round(width * ratio);
    if (canvas.height !== Math.round(height * ratio)) canvas.height = Math.round(height * ratio);
    const pen = canvas.getContext("2d")!;
    pen.setTransform(ratio, 0, 0, ratio, 0, 0);
    pen.clearRect(0, 0, width, height);
    const { first, last, index } = this.poses;
    const middle = height - 9;
    const x = (at: number) => 7 + ((at - first) / Math.max(1, last - first)) * (width - 14);
    const style = getComputedStyle(document.documentElement);
    pen.fillStyle = style.getPropertyValue("--line");
    pen.beginPath();
    pen.roundRect(7, middle - 2, width - 14, 4, 2);
    pen.fill();
    this.drawMarks(pen, x, middle, width);
    pen.fillStyle = style.getPropertyValue("--accent");
    pen.beginPath();
    pen.roundRect(7, middle - 2, Math.max(0, x(index) - 7), 4, 2);
    pen.fill();
    pen.beginPath();
    pen.arc(x(index), middle, 6.5, 0, 2 * Math.PI);
    pen.fill();
  }

  private marks = { fastest: new Float32Array(0), bad: new Uint8Array(0), first: -1, last: -1, width: -1, made: 0 };

  /** Finds the impacts and the steps that are not ok under each pixel; a few times a second is enough. */
  private findMarks(x: (index: number) => number, width: number): void {
    const { first, last } = this.poses!;
    const old = this.marks;
    const now = performance.now();
    if (old.first === first && old.last === last && old.width === width) return;
    if (old.width === width && now - old.made < 200 && this.state?.playing) return;
    const fastest = new Float32Array(Math.ceil(width) + 1);
    const bad = new Uint8Array(fastest.length);
    const indices = this.series.column("index");
    const hits = this.series.column("hits"), hitSpeeds = this.series.column("hitSpeed"), status = this.series.column("status");
    for (let row = Math.max(0, this.series.rowOf(first)); row < this.series.length; ++row) {
      const at = Math.round(x(indices[row]));
      if (at < 0 || at >= fastest.length) continue;
      if (hits[row] > 0) fastest[at] = Math.max(fastest[at], hitSpeeds[row]);
      if (status[row] !== 0) bad[at] = 1;
    }
    this.marks = { fastest, bad, first, last, width, made: now };
  }

  /** Impacts above the bar, taller for faster ones; steps that are not ok below. */
  private drawMarks(pen: CanvasRenderingContext2D, x: (index: number) => number, middle: number, width: number): void {
    if (this.series.length === 0) return;
    this.findMarks(x, width);
    const { fastest, bad } = this.marks;
    const theme = this.theme();
    const colour = (value: number) => `#${value.toString(16).padStart(6, "0")}`;
    pen.fillStyle = colour(theme.slip);
    pen.globalAlpha = 0.75;
    for (let at = 0; at < fastest.length; ++at) {
      if (fastest[at] > 0) {
        const tall = 3 + Math.min(1, Math.log10(1 + fastest[at]) / 1.3) * (middle - 8);
        pen.fillRect(at - 0.5, middle - 4 - tall, 1, tall);
      }
    }
    pen.fillStyle = colour(theme.penetration);
    for (let at = 0; at < bad.length; ++at) if (bad[at]) pen.fillRect(at - 0.5, middle + 4, 1, 4);
    pen.globalAlpha = 1;
  }
}
