// Mouse and finger: click to pick, drag a body to pull it, drag anything else to look around.
import * as THREE from "three";
import type { Connection } from "./connection";
import type { Stage } from "./stage";

/** A press that moves less than this is a click [px]. */
const kClick = 5;
/** Pulls are sent no more often than pictures come [ms]. */
const kSendEvery = 16;

export interface PointerWorld {
  canPull(): boolean;
  picked(body: number): void;
}

export class Pointer {
  /** Whether dragging a body pulls it (or only looks around). */
  handIsOn = true;
  private start: { x: number; y: number } | null = null;
  private hit: { body: number; point: THREE.Vector3 } | null = null;
  private pull: { body: number; local: THREE.Vector3; plane: THREE.Plane; sent: number } | null = null;

  constructor(private readonly stage: Stage, private readonly connection: Connection, private readonly world: PointerWorld) {
    const canvas = stage.renderer.domElement;
    // Before the camera's controls see it, so that a pull does not turn the camera.
    canvas.addEventListener("pointerdown", (event) => this.down(event), { capture: true });
    canvas.addEventListener("pointermove", (event) => this.move(event));
    canvas.addEventListener("pointerup", (event) => this.up(event));
    canvas.addEventListener("pointercancel", () => this.release());
    canvas.addEventListener("contextmenu", (event) => event.preventDefault());
  }

  get isPulling(): boolean {
    return this.pull !== null;
  }

  private down(event: PointerEvent): void {
    this.start = null;
    this.stage.controls.enabled = true;
    if (event.button !== 0 || !event.isPrimary || !this.stage.bodies) return;
    this.start = { x: event.clientX, y: event.clientY };
    this.hit = this.stage.bodies.pick(this.stage.ray(event.clientX, event.clientY));
    const info = this.hit && this.stage.scene!.bodies[this.hit.body];
    const isPlain = !event.ctrlKey && !event.metaKey && !event.shiftKey && !event.altKey;
    if (this.hit && info && !info.static && !info.kinematic && this.handIsOn && isPlain && this.world.canPull()) {
      this.stage.controls.enabled = false;
      this.stage.renderer.domElement.setPointerCapture(event.pointerId);
    }
  }

  private move(event: PointerEvent): void {
    if (!this.start || !this.hit || this.stage.controls.enabled) return;
    const far = Math.hypot(event.clientX - this.start.x, event.clientY - this.start.y);
    if (!this.pull && far < kClick) return;
    if (!this.pull) this.grab();
    const target = this.stage.ray(event.clientX, event.clientY).ray.intersectPlane(this.pull!.plane, new THREE.Vector3());
    const now = performance.now();
    if (!target || now - this.pull!.sent < kSendEvery) return;
    this.pull!.sent = now;
    const origin = this.stage.scene!.origin;
    this.connection.send({
      c: "drag", body: this.pull!.body, local: this.pull!.local.toArray(),
      target: [target.x + origin[0], target.y + origin[1], target.z + origin[2]],
    });
  }

  /** The mouse moves in the plane through the grabbed point that faces the camera. */
  private grab(): void {
    const { body, point } = this.hit!;
    const local = point.clone().applyMatrix4(this.stage.bodies!.matrixOf(body).invert());
    const facing = this.stage.camera.getWorldDirection(new THREE.Vector3());
    this.pull = { body, local, plane: new THREE.Plane().setFromNormalAndCoplanarPoint(facing, point), sent: 0 };
    this.world.picked(body);
    this.stage.renderer.domElement.classList.add("pulling");
  }

  private up(event: PointerEvent): void {
    const wasClick = this.start && Math.hypot(event.clientX - this.start.x, event.clientY - this.start.y) < kClick;
    if (wasClick && !this.pull) this.world.picked(this.hit ? this.hit.body : -1);
    this.release();
  }

  release(): void {
    if (this.pull) this.connection.send({ c: "release" });
    this.pull = this.hit = this.start = null;
    this.stage.controls.enabled = true;
    this.stage.renderer.domElement.classList.remove("pulling");
  }
}
