// The binary messages of the server. docs/view.md gives the layouts; src/Wire.cpp writes them.

export type Vec3 = [number, number, number];
export type Quat = [number, number, number, number]; // w, x, y, z

export interface Span extends Array<number> {
  0: number; // first word
  1: number; // how many
}

export type ShapeInfo =
  | { type: "sphere"; radius: number }
  | { type: "box"; halfExtents: Vec3 }
  | { type: "capsule" | "cylinder"; radius: number; halfHeight: number }
  | { type: "hull"; vertices: Span; triangles: Span; edges: Span }
  | { type: "mesh"; vertices: Span; triangles: Span }
  | { type: "plane"; normal: Vec3; offset: number }
  | { type: "heightfield"; columns: number; rows: number; cell: [number, number]; heights: Span }
  | { type: "compound"; parts: { shape: ShapeInfo; position: Vec3; orientation: Quat }[] };

export interface BodyInfo {
  name: string;
  shape: number;
  static: boolean;
  kinematic: boolean;
  mass: number;
  centre: Vec3;
  colour?: Colour;
  /** What is to be seen of it; without it, its shape. */
  visual?: { shape: number; position: Vec3; orientation: Quat; colour?: Colour }[];
}

export type Colour = [number, number, number, number]; // red, green, blue, opacity

export interface JointInfo {
  name: string;
  kind: string;
  a: number; // -1: the world
  b: number;
  anchorA: Vec3;
  anchorB: Vec3;
  axis: Vec3;
  free: boolean; // one coordinate is free: an angle or a travel
  lower?: number;
  upper?: number;
  follows?: string;
  motor?: { mode: "velocity" | "position" | "force"; gear: number; maxForce?: number };
}

export interface SceneInfo {
  name: string;
  description: string;
  file: string;
  gravity: Vec3;
  dt: number;
  steps: number;
  live: boolean;
  origin: Vec3;
  columns: string[];
  /** Names of the bits of the column "faults". */
  faults: string[];
  warnings: string[];
  camera?: { position: Vec3; target: Vec3 };
  shapes: ShapeInfo[];
  bodies: BodyInfo[];
  joints: JointInfo[];
  blob: ArrayBuffer;
}

export interface Poses {
  count: number;
  index: number;
  first: number;
  last: number;
  step: number;
  time: number;
  playing: boolean;
  drag: { body: number; point: Vec3; target: Vec3; force: number } | null;
  positions: Float32Array; // 3 a body
  rotations: Int16Array; // x, y, z, w a body, 32767 is 1
  info: Uint32Array; // island, and the top bit for sleeping
  speeds: Float32Array; // [m/s]
  broken: Uint8Array; // 1 a joint
}

export const kNoIsland = 0x7fffffff;
export const kAsleep = 0x80000000;

export interface Contacts {
  count: number;
  index: number;
  floats: Float32Array; // 16 words a contact, see the offsets below
  words: Uint32Array;
}

/** Places of a contact's values among its 16 words. */
export const contactAt = { a: 0, b: 1, point: 2, normal: 5, force: 8, gap: 11, friction: 12, slip: 13, state: 14 } as const;
export const kContactWords = 16;
export const contactStates = ["open", "stick", "slip"] as const;

export interface Bounds {
  count: number;
  index: number;
  floats: Float32Array; // lower and upper corner a body
}

/** What joints with a free coordinate do; NaN where there is nothing. */
export interface Joints {
  count: number;
  index: number;
  floats: Float32Array; // 4 a joint: coordinate, velocity, force of the motor, its target
}

export interface SeriesChunk {
  rows: number;
  columns: number;
  reset: boolean;
  values: Float64Array;
}

/** How steps are solved, in the order of their numbers in the series. */
export const METHODS = ["fast", "exact", "reference"] as const;
export type Method = (typeof METHODS)[number];

export interface PlayState {
  playing: boolean;
  live: boolean;
  ended: boolean;
  speed: number;
  method: Method;
  failure: string;
}

export interface BodyReport {
  body: number;
  index: number;
  name: string;
  shape: string;
  kind: "static" | "kinematic" | "moving";
  mass: number;
  position: Vec3;
  orientation: Quat;
  velocity: Vec3;
  angularVelocity: Vec3;
  awake: boolean;
  island: number;
  translation: number;
  rotation: number;
  potential: number;
  contacts: { other: number; name: string; point: Vec3; force: Vec3; normal: Vec3; gap: number; friction: number; slip: number; state: "open" | "stick" | "slip" }[];
  contactCount: number;
  joints: { name: string; kind: string; force: Vec3; broken: boolean }[];
  contactForce: Vec3;
  jointForce: Vec3;
  appliedForce: Vec3;
  weight: Vec3;
  net: Vec3;
}

export const messageKinds = { poses: 1, contacts: 2, series: 3, scene: 4, bounds: 5, joints: 6 } as const;

function vec3(view: DataView, at: number): Vec3 {
  return [view.getFloat32(at, true), view.getFloat32(at + 4, true), view.getFloat32(at + 8, true)];
}

export function readPoses(data: ArrayBuffer): Poses {
  const view = new DataView(data);
  const count = view.getUint32(4, true);
  const joints = view.getUint32(52, true);
  const body = view.getInt32(56, true);
  let at = 88;
  const positions = new Float32Array(data, at, count * 3);
  at += count * 12;
  const rotations = new Int16Array(data, at, count * 4);
  at += count * 8;
  const info = new Uint32Array(data, at, count);
  at += count * 4;
  const speeds = new Float32Array(data, at, count);
  at += count * 4;
  return {
    count,
    index: view.getFloat64(8, true),
    first: view.getFloat64(16, true),
    last: view.getFloat64(24, true),
    step: view.getFloat64(32, true),
    time: view.getFloat64(40, true),
    playing: view.getUint32(48, true) !== 0,
    drag: body < 0 ? null : { body, point: vec3(view, 60), target: vec3(view, 72), force: view.getFloat32(84, true) },
    positions,
    rotations,
    info,
    speeds,
    broken: new Uint8Array(data, at, joints),
  };
}

export function readContacts(data: ArrayBuffer): Contacts {
  const view = new DataView(data);
  const count = view.getUint32(4, true);
  return {
    count,
    index: view.getFloat64(8, true),
    floats: new Float32Array(data, 16, count * kContactWords),
    words: new Uint32Array(data, 16, count * kContactWords),
  };
}

export function readBounds(data: ArrayBuffer): Bounds {
  const view = new DataView(data);
  const count = view.getUint32(4, true);
  return { count, index: view.getFloat64(8, true), floats: new Float32Array(data, 16, count * 6) };
}

export function readJoints(data: ArrayBuffer): Joints {
  const view = new DataView(data);
  const count = view.getUint32(4, true);
  return { count, index: view.getFloat64(8, true), floats: new Float32Array(data, 16, count * 4) };
}

export function readSeries(data: ArrayBuffer): SeriesChunk {
  const view = new DataView(data);
  const rows = view.getUint32(4, true);
  const columns = view.getUint32(8, true);
  return { rows, columns, reset: view.getUint32(12, true) !== 0, values: new Float64Array(data, 16, rows * columns) };
}

export function readScene(data: ArrayBuffer): SceneInfo {
  const length = new DataView(data).getUint32(4, true);
  const text = new TextDecoder().decode(new Uint8Array(data, 8, length));
  return { ...JSON.parse(text), blob: data.slice(8 + length) };
}
