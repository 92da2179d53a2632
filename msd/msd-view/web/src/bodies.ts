// The bodies of a scene as instanced meshes: one draw call for all bodies of a shape.
import * as THREE from "three";
import { makeGeometry, reachOf } from "./geometry";
import type { Theme } from "./theme";
import { kAsleep, kNoIsland, type Colour, type Poses, type SceneInfo } from "./wire";

export type Colouring = "shape" | "island" | "sleep" | "speed";

interface Group {
  mesh: THREE.InstancedMesh;
  bodies: Uint32Array; // scene's number of each instance
  parts: Part[];
  isStatic: boolean;
}

/** One thing to draw: a body's shape, or something that is only seen, somewhere on it. */
interface Part {
  body: number;
  shape: number;
  local: THREE.Matrix4 | null; // in the body's frame
  colour: THREE.Color | null;
}

function colourFrom(colour: Colour | undefined): THREE.Color | null {
  return colour ? new THREE.Color().setRGB(colour[0], colour[1], colour[2], THREE.SRGBColorSpace) : null;
}

const kScale = 1 / 32767;

/** A pleasant, well spread colour for a whole number. */
export function hueOf(number: number): THREE.Color {
  return new THREE.Color().setHSL((number * 0.61803398875) % 1, 0.62, 0.58);
}

export class Bodies {
  readonly root = new THREE.Group();
  private groups: Group[] = [];
  private matrices: Float32Array = new Float32Array(0); // 16 a body
  private areShapesShown = false;
  private base: THREE.Color[] = [];
  private selected = -1;
  private outline: THREE.LineSegments | null = null;
  private isUniform = false;
  colouring: Colouring = "shape";
  showSleep = false;
  reaches: Float32Array = new Float32Array(0);
  /** Bodies that are left out of the picture. */
  hidden: ReadonlySet<number> = new Set();
  private first: Float32Array | null = null; // positions in the moment that came first

  constructor(private readonly scene: SceneInfo, private theme: Theme, private readonly sceneSize: number) {
    const { bodies, shapes, blob } = scene;
    this.matrices = new Float32Array(bodies.length * 16);
    this.reaches = Float32Array.from(bodies, (body) => reachOf(shapes[body.shape], blob));
    this.build();
    this.setTheme(theme);
  }

  /** The shapes that touch, in place of what is only seen. */
  set showShapes(on: boolean) {
    if (on === this.areShapesShown) return;
    this.areShapesShown = on;
    this.clear();
    this.build();
    this.setTheme(this.theme);
    this.repaint();
  }

  private parts(): Part[] {
    return this.scene.bodies.flatMap((body, i): Part[] => {
      if (!body.visual || this.areShapesShown) return [{ body: i, shape: body.shape, local: null, colour: colourFrom(body.colour) }];
      return body.visual.filter((visual) => (visual.colour?.[3] ?? 1) > 0).map((visual) => {
        const [w, x, y, z] = visual.orientation;
        const local = new THREE.Matrix4().compose(new THREE.Vector3(...visual.position), new THREE.Quaternion(x, y, z, w), new THREE.Vector3(1, 1, 1));
        return { body: i, shape: visual.shape, local, colour: colourFrom(visual.colour ?? body.colour) };
      });
    });
  }

  private build(): void {
    const { bodies, shapes, blob } = this.scene;
    const { sceneSize } = this;
    const members = new Map<string, Part[]>();
    for (const part of this.parts()) {
      const key = `${part.shape}${bodies[part.body].static ? "s" : "m"}`;
      if (!members.has(key)) members.set(key, []);
      members.get(key)!.push(part);
    }
    for (const list of members.values()) {
      const first = bodies[list[0].body];
      const shape = shapes[list[0].shape];
      const geometry = makeGeometry(shape, blob, { bodies: bodies.length, sceneSize });
      const material = first.static ? groundMaterial(sceneSize) : new THREE.MeshStandardMaterial({ roughness: 0.55, metalness: 0.05 });
      const surface = ["mesh", "heightfield", "plane"].includes(shape.type);
      if (surface) material.side = THREE.DoubleSide;
      const mesh = new THREE.InstancedMesh(geometry, material, list.length);
      mesh.instanceMatrix.setUsage(first.static ? THREE.StaticDrawUsage : THREE.DynamicDrawUsage);
      mesh.castShadow = shape.type !== "plane";
      mesh.receiveShadow = true;
      mesh.frustumCulled = false;
      this.groups.push({ mesh, bodies: Uint32Array.from(list, (part) => part.body), parts: list, isStatic: first.static });
      this.root.add(mesh);
    }
    const moving = this.groups.filter((group) => !group.isStatic).map((group) => group.bodies.length);
    const total = moving.reduce((sum, n) => sum + n, 0);
    this.isUniform = moving.some((n) => n > 0.6 * total);
  }

  setTheme(theme: Theme): void {
    this.theme = theme;
    const count = theme.bodies.length;
    this.base = this.scene.bodies.map((body, i) => {
      if (body.static) return new THREE.Color(theme.ground);
      // Where nearly all bodies share a shape, the shape says nothing: tell the bodies apart instead.
      const which = this.isUniform ? Math.floor(((i * 0.61803398875) % 1) * count) : body.shape % count;
      const shade = 0.94 + 0.12 * ((i * 0.7548776662) % 1);
      return new THREE.Color(theme.bodies[which]).multiplyScalar(shade);
    });
    for (const group of this.groups) {
      if (group.isStatic) setGridColour(group.mesh.material as THREE.MeshStandardMaterial, theme.grid);
    }
  }

  update(poses: Poses): void {
    this.first ??= Float32Array.from(poses.positions);
    this.place(poses);
    const body = new THREE.Matrix4();
    for (const group of this.groups) {
      const out = group.mesh.instanceMatrix.array as Float32Array;
      for (let place = 0; place < group.bodies.length; ++place) {
        const from = group.bodies[place] * 16;
        const { local } = group.parts[place];
        if (local === null || this.hidden.has(group.bodies[place])) out.set(this.matrices.subarray(from, from + 16), place * 16);
        else body.fromArray(this.matrices, from).multiply(local).toArray(out, place * 16);
      }
      group.mesh.instanceMatrix.needsUpdate = true;
      group.mesh.boundingSphere = null;
    }
    this.paint(poses);
    this.placeOutline();
  }

  /** Where every body is, as a matrix. */
  private place(poses: Poses): void {
    const { positions: p, rotations: r } = poses;
    const out = this.matrices;
    for (let body = 0; body < this.scene.bodies.length; ++body) {
      let x = r[body * 4] * kScale, y = r[body * 4 + 1] * kScale, z = r[body * 4 + 2] * kScale, w = r[body * 4 + 3] * kScale;
      const n = 1 / Math.sqrt(x * x + y * y + z * z + w * w);
      x *= n; y *= n; z *= n; w *= n;
      const o = body * 16;
      if (this.hidden.has(body)) {
        out.fill(0, o, o + 16);
        continue;
      }
      out[o] = 1 - 2 * (y * y + z * z); out[o + 1] = 2 * (x * y + z * w); out[o + 2] = 2 * (x * z - y * w); out[o + 3] = 0;
      out[o + 4] = 2 * (x * y - z * w); out[o + 5] = 1 - 2 * (x * x + z * z); out[o + 6] = 2 * (y * z + x * w); out[o + 7] = 0;
      out[o + 8] = 2 * (x * z + y * w); out[o + 9] = 2 * (y * z - x * w); out[o + 10] = 1 - 2 * (x * x + y * y); out[o + 11] = 0;
      out[o + 12] = p[body * 3]; out[o + 13] = p[body * 3 + 1]; out[o + 14] = p[body * 3 + 2]; out[o + 15] = 1;
    }
  }

  /** Leaves a pale copy of what is elsewhere now than in the moment that came first. */
  keepTrace(): void {
    const here = new THREE.Vector3();
    const there = new THREE.Vector3();
    const matrix = new THREE.Matrix4();
    for (const group of this.groups) {
      if (group.isStatic) continue;
      const pale = (group.mesh.material as THREE.MeshStandardMaterial).clone();
      pale.transparent = true;
      pale.opacity = 0.32;
      pale.depthWrite = false;
      const trace = new THREE.InstancedMesh(group.mesh.geometry, pale, group.bodies.length);
      group.bodies.forEach((body, place) => {
        group.mesh.getMatrixAt(place, matrix);
        const moved = here.setFromMatrixPosition(matrix).distanceTo(there.fromArray(this.first!, body * 3));
        if (moved < 0.02 * this.reaches[body]) matrix.makeScale(0, 0, 0);
        trace.setMatrixAt(place, matrix);
      });
      if (group.mesh.instanceColor) trace.instanceColor = new THREE.InstancedBufferAttribute(group.mesh.instanceColor.array.slice(), 3);
      trace.frustumCulled = false;
      this.root.add(trace);
    }
  }

  private colourOf({ body, colour }: Part, poses: Poses): THREE.Color {
    const info = this.scene.bodies[body];
    if (info.static) return colour ?? this.base[body];
    const island = poses.info[body] & kNoIsland;
    const isAsleep = (poses.info[body] & kAsleep) !== 0;
    switch (this.colouring) {
      case "shape": return colour ?? this.base[body];
      case "sleep": return new THREE.Color(isAsleep ? this.theme.asleep : this.theme.bodies[3]);
      case "island": return island === kNoIsland ? new THREE.Color(this.theme.asleep) : hueOf(island);
      case "speed": {
        const t = Math.min(1, Math.log10(1 + 100 * poses.speeds[body]) / 3);
        return new THREE.Color().setHSL(0.62 * (1 - t), 0.7, 0.5);
      }
    }
  }

  private painted = "";

  private paint(poses: Poses): void {
    // Colours that do not depend on the moment are written once.
    const key = `${this.colouring}|${this.theme.name}`;
    if (this.colouring === "shape" && this.painted === key) return;
    this.painted = key;
    for (const group of this.groups) {
      if (group.isStatic && this.colouring !== "shape" && group.mesh.instanceColor) continue;
      for (let place = 0; place < group.bodies.length; ++place) {
        group.mesh.setColorAt(place, this.colourOf(group.parts[place], poses));
      }
      group.mesh.instanceColor!.needsUpdate = true;
    }
  }

  repaint(): void {
    this.painted = "";
  }

  matrixOf(body: number, target = new THREE.Matrix4()): THREE.Matrix4 {
    return target.fromArray(this.matrices, body * 16);
  }

  select(body: number): void {
    this.selected = body;
    if (this.outline) {
      this.root.remove(this.outline);
      this.outline.geometry.dispose();
      this.outline = null;
    }
    if (body < 0) return;
    // A box is drawn with rounded edges; its outline shows the true ones.
    const shape = this.scene.shapes[this.scene.bodies[body].shape];
    const solid = shape.type === "box"
      ? new THREE.BoxGeometry(...(shape.halfExtents.map((e) => 2 * e) as [number, number, number]))
      : makeGeometry(shape, this.scene.blob, { bodies: this.scene.bodies.length, sceneSize: this.sceneSize });
    const geometry = new THREE.EdgesGeometry(solid, 12);
    solid.dispose();
    const material = new THREE.LineBasicMaterial({ color: this.theme.select, depthTest: false, transparent: true, opacity: 0.9 });
    this.outline = new THREE.LineSegments(geometry, material);
    this.outline.matrixAutoUpdate = false;
    this.outline.renderOrder = 20;
    this.outline.frustumCulled = false;
    this.root.add(this.outline);
    this.placeOutline();
  }

  private placeOutline(): void {
    if (this.outline) this.matrixOf(this.selected, this.outline.matrix);
  }

  /** The body under a ray and where it is hit. */
  pick(ray: THREE.Raycaster): { body: number; point: THREE.Vector3 } | null {
    for (const group of this.groups) group.mesh.computeBoundingSphere();
    const hits = ray.intersectObjects(this.groups.map((group) => group.mesh), false);
    const hit = hits[0];
    if (!hit || hit.instanceId === undefined) return null;
    const group = this.groups.find((candidate) => candidate.mesh === hit.object)!;
    return { body: group.bodies[hit.instanceId], point: hit.point };
  }

  dispose(): void {
    this.select(-1);
    this.clear();
  }

  private clear(): void {
    for (const group of this.groups) {
      this.root.remove(group.mesh);
      group.mesh.geometry.dispose();
      (group.mesh.material as THREE.Material).dispose();
      group.mesh.dispose();
    }
    this.groups = [];
  }
}

/** Static bodies carry a grid of round lengths on what faces up or down, for scale. */
function groundMaterial(sceneSize: number): THREE.MeshStandardMaterial {
  const material = new THREE.MeshStandardMaterial({ roughness: 0.92, metalness: 0 });
  const cell = 10 ** Math.round(Math.log10(Math.max(sceneSize, 1e-9) / 8));
  material.userData.grid = { cell: { value: cell }, colour: { value: new THREE.Color() } };
  material.onBeforeCompile = (shader) => {
    shader.uniforms.gridCell = material.userData.grid.cell;
    shader.uniforms.gridColour = material.userData.grid.colour;
    shader.vertexShader = shader.vertexShader
      .replace("#include <common>", "#include <common>\nvarying vec3 vGridPoint;")
      .replace("#include <begin_vertex>",
        "#include <begin_vertex>\nvGridPoint = (modelMatrix * instanceMatrix * vec4(transformed, 1.0)).xyz;");
    shader.fragmentShader = shader.fragmentShader
      .replace("#include <common>",
        "#include <common>\nvarying vec3 vGridPoint;\nuniform float gridCell;\nuniform vec3 gridColour;")
      .replace("#include <color_fragment>", `#include <color_fragment>
        vec3 gridNormal = normalize(cross(dFdx(vGridPoint), dFdy(vGridPoint)));
        vec2 gridAt = vGridPoint.xy / gridCell;
        vec2 gridWidth = fwidth(gridAt);
        vec2 gridLine = 1.0 - smoothstep(vec2(0.0), 1.4 * gridWidth, abs(fract(gridAt - 0.5) - 0.5));
        float gridFade = 1.0 - smoothstep(0.12, 0.5, max(gridWidth.x, gridWidth.y));
        float gridShare = max(gridLine.x, gridLine.y) * gridFade * step(0.9, abs(gridNormal.z));
        diffuseColor.rgb = mix(diffuseColor.rgb, gridColour, 0.75 * gridShare);`);
  };
  return material;
}

function setGridColour(material: THREE.MeshStandardMaterial, colour: number): void {
  material.userData.grid.colour.value.set(colour);
}
