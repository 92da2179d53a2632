// What lies over the picture: contacts and their forces, bounds, joints, centres of mass.
import * as THREE from "three";
import { Arrows, Cloud, Segments } from "./glyphs";
import type { Stage } from "./stage";
import { contactAt, kContactWords, type Bounds, type Contacts, type Poses } from "./wire";

export const overlayNames = [
  "points", "normals", "forces", "penetration", "cones", "bounds", "joints", "centres",
] as const;
export type OverlayName = (typeof overlayNames)[number];

/** Shallower contacts than this share of a body's size are resting contacts, not penetrations. */
const kShownDepth = 1e-6;
const kOpen = 0;
const kSlip = 2;

export class Overlays {
  readonly on: Record<OverlayName, boolean> = {
    points: false, normals: false, forces: false, penetration: false, cones: false, bounds: false, joints: false, centres: false,
  };
  /** User's factor on the length of force arrows. */
  arrowScale = 1;
  selected = -1;
  private readonly root = new THREE.Group();
  private readonly points = new Cloud(this.root, new THREE.SphereGeometry(1, 12, 8));
  private readonly forces = new Arrows(this.root);
  private readonly normals = new Arrows(this.root);
  private readonly depths = new Cloud(this.root, new THREE.SphereGeometry(1, 16, 12), 0.55);
  private readonly cones = new Cloud(this.root, coneGeometry(), 0.22, true);
  private readonly boxes = new Segments(this.root);
  private readonly joints = new Segments(this.root, 2);
  private readonly jointEnds = new Cloud(this.root, new THREE.OctahedronGeometry(1));
  private readonly centres = new Cloud(this.root, new THREE.SphereGeometry(1, 10, 8));
  private readonly pull = new Segments(this.root, 2);
  private readonly pullEnd = new Cloud(this.root, new THREE.SphereGeometry(1, 12, 8));
  private contacts: Contacts | null = null;
  private bounds: Bounds | null = null;
  private poses: Poses | null = null;
  private weight = 1; // force drawn one unit long [N]

  constructor(private readonly stage: Stage) {
    stage.world.add(this.root);
  }

  get needsContacts(): boolean {
    const { points, normals, forces, penetration, cones } = this.on;
    return points || normals || forces || penetration || cones;
  }

  open(): void {
    this.contacts = this.bounds = this.poses = null;
    const scene = this.stage.scene!;
    const masses = scene.bodies.filter((body) => body.mass > 0).map((body) => body.mass).sort((a, b) => a - b);
    const g = Math.hypot(...scene.gravity) || 9.81;
    this.weight = (masses.length ? masses[masses.length >> 1] : 1) * g;
  }

  setPoses(poses: Poses): void {
    this.poses = poses;
  }

  setContacts(contacts: Contacts): void {
    this.contacts = contacts;
  }

  setBounds(bounds: Bounds): void {
    this.bounds = bounds;
  }

  /** Writes all glyphs anew; called before a picture is drawn. */
  draw(): void {
    if (!this.stage.scene || !this.poses) return;
    // Contacts arrive a moment after the poses; older ones would hang in the air.
    const isFresh = this.contacts !== null && Math.abs(this.contacts.index - this.poses.index) <= 2;
    this.drawContacts(this.needsContacts && isFresh ? this.contacts : null);
    this.drawBounds(this.on.bounds ? this.bounds : null);
    this.drawJoints(this.on.joints);
    this.drawCentres(this.on.centres);
    this.drawPull();
  }

  private drawContacts(contacts: Contacts | null): void {
    const { theme, unit } = this.stage;
    const on = this.on;
    for (const glyphs of [this.points, this.forces, this.normals, this.depths, this.cones]) glyphs.begin();
    const count = contacts?.count ?? 0;
    const f = contacts?.floats ?? new Float32Array(0);
    const w = contacts?.words ?? new Uint32Array(0);
    const perNewton = (0.8 * unit * this.arrowScale) / this.weight;
    for (let i = 0; i < count; ++i) {
      const o = i * kContactWords;
      const state = w[o + contactAt.state];
      const p = o + contactAt.point, n = o + contactAt.normal, q = o + contactAt.force;
      const colour = state === kOpen ? theme.open : state === kSlip ? theme.slip : theme.stick;
      if (on.points) this.points.add(f[p], f[p + 1], f[p + 2], 0.045 * unit, colour);
      if (on.normals) {
        this.normals.add(f[p], f[p + 1], f[p + 2], f[n] * 0.45 * unit, f[n + 1] * 0.45 * unit, f[n + 2] * 0.45 * unit, 0.5 * unit, theme.normal);
      }
      if (on.forces && state !== kOpen) {
        // On the second body of the pair, or on the first where the second cannot move.
        const sign = this.stage.scene!.bodies[w[o + contactAt.b]].static ? -1 : 1;
        const scale = sign * perNewton * shortening(Math.hypot(f[q], f[q + 1], f[q + 2]) / this.weight);
        this.forces.add(f[p], f[p + 1], f[p + 2], f[q] * scale, f[q + 1] * scale, f[q + 2] * scale, unit, colour);
      }
      const depth = -f[o + contactAt.gap];
      if (on.penetration && depth > kShownDepth * unit) {
        // Depths are small: a ball whose size grows with the logarithm, from 1e-6 to 1 of a body.
        const share = Math.min(1, 1 + Math.log10(depth / unit) / 6);
        this.depths.add(f[p], f[p + 1], f[p + 2], (0.04 + 0.2 * share) * unit, theme.penetration);
      }
      const isPicked = this.selected < 0 || w[o] === this.selected || w[o + 1] === this.selected;
      if (on.cones && isPicked && state !== kOpen) {
        const height = 0.6 * unit;
        const radius = height * Math.min(f[o + contactAt.friction], 20);
        this.cones.addAlong(f[p], f[p + 1], f[p + 2], f[n], f[n + 1], f[n + 2], radius, height, colour);
      }
    }
    for (const glyphs of [this.points, this.forces, this.normals, this.depths, this.cones]) glyphs.end();
  }

  private drawBounds(bounds: Bounds | null): void {
    this.boxes.begin();
    for (let i = 0; i < (bounds?.count ?? 0); ++i) {
      const b = bounds!.floats.subarray(i * 6, i * 6 + 6);
      if (!b.every((value) => Number.isFinite(value) && Math.abs(value) < 1e7)) continue;
      this.boxes.addBox(b, this.stage.theme.bounds);
    }
    this.boxes.end();
  }

  private drawJoints(shown: boolean): void {
    this.joints.begin();
    this.jointEnds.begin();
    const scene = this.stage.scene!;
    const bodies = this.stage.bodies!;
    const matrix = new THREE.Matrix4();
    const a = new THREE.Vector3(), b = new THREE.Vector3(), axis = new THREE.Vector3();
    const turned = ["hinge", "slider", "cylindrical", "universal"];
    for (let i = 0; shown && i < scene.joints.length; ++i) {
      const joint = scene.joints[i];
      const colour = this.poses!.broken[i] ? this.stage.theme.asleep : this.stage.theme.joint;
      a.set(...joint.anchorA);
      axis.set(...joint.axis);
      if (joint.a >= 0) {
        bodies.matrixOf(joint.a, matrix);
        a.applyMatrix4(matrix);
        axis.transformDirection(matrix);
      }
      bodies.matrixOf(joint.b, matrix);
      b.set(...joint.anchorB).applyMatrix4(matrix);
      this.jointEnds.add(a.x, a.y, a.z, 0.07 * this.stage.unit, colour);
      this.jointEnds.add(b.x, b.y, b.z, 0.07 * this.stage.unit, colour);
      this.joints.add(a, b, colour);
      if (turned.includes(joint.kind)) {
        axis.multiplyScalar(0.5 * this.stage.unit);
        this.joints.add(a.clone().sub(axis), a.clone().add(axis), colour);
      } else if (joint.a >= 0) {
        this.joints.add(new THREE.Vector3().setFromMatrixPosition(bodies.matrixOf(joint.a, new THREE.Matrix4())), a, colour);
      }
      if (!turned.includes(joint.kind)) this.joints.add(b, new THREE.Vector3().setFromMatrixPosition(matrix), colour);
    }
    this.joints.end();
    this.jointEnds.end();
  }

  private drawCentres(shown: boolean): void {
    this.centres.begin();
    const point = new THREE.Vector3();
    const matrix = new THREE.Matrix4();
    this.stage.scene!.bodies.forEach((body, i) => {
      if (!shown || body.static) return;
      point.set(...body.centre).applyMatrix4(this.stage.bodies!.matrixOf(i, matrix));
      this.centres.add(point.x, point.y, point.z, 0.05 * this.stage.unit, this.stage.theme.centre);
    });
    this.centres.end();
  }

  private drawPull(): void {
    this.pull.begin();
    this.pullEnd.begin();
    const drag = this.poses!.drag;
    if (drag) {
      this.pull.add(new THREE.Vector3(...drag.point), new THREE.Vector3(...drag.target), this.stage.theme.drag);
      this.pullEnd.add(...drag.point, 0.05 * this.stage.unit, this.stage.theme.drag);
      this.pullEnd.add(...drag.target, 0.07 * this.stage.unit, this.stage.theme.drag);
    }
    this.pull.end();
    this.pullEnd.end();
  }
}

/** Arrows grow with the force up to this many usual weights, then with its logarithm. */
const kLongForce = 4;

function shortening(weights: number): number {
  return weights <= kLongForce ? 1 : (kLongForce * (1 + Math.log(weights / kLongForce))) / weights;
}

/** A cone with its tip at the origin, opening along z, of height and radius 1. */
function coneGeometry(): THREE.BufferGeometry {
  return new THREE.ConeGeometry(1, 1, 32, 1, true).translate(0, -0.5, 0).rotateX(-Math.PI / 2);
}
