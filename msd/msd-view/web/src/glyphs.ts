// Small shapes drawn in great number: each kind is one draw call and grows as needed.
import * as THREE from "three";

const kOrder = 10;
const along = new THREE.Vector3();
const zAxis = new THREE.Vector3(0, 0, 1);
const turn = new THREE.Quaternion();
const place = new THREE.Vector3();
const size = new THREE.Vector3();
const matrix = new THREE.Matrix4();
const tint = new THREE.Color();

/** Copies of one geometry, each with its place, size and colour. */
export class Cloud {
  private mesh: THREE.InstancedMesh;
  private count = 0;

  constructor(private readonly root: THREE.Group, private readonly geometry: THREE.BufferGeometry, opacity = 0.95, doubleSided = false) {
    const material = new THREE.MeshBasicMaterial({ transparent: true, opacity, depthTest: false, toneMapped: false });
    material.depthWrite = false;
    if (doubleSided) material.side = THREE.DoubleSide;
    this.mesh = this.make(material, 256);
  }

  private make(material: THREE.Material, capacity: number): THREE.InstancedMesh {
    const mesh = new THREE.InstancedMesh(this.geometry, material, capacity);
    mesh.setColorAt(0, tint);
    mesh.instanceMatrix.setUsage(THREE.DynamicDrawUsage);
    mesh.renderOrder = kOrder;
    mesh.frustumCulled = false;
    mesh.count = 0;
    this.root.add(mesh);
    return mesh;
  }

  begin(): void {
    this.count = 0;
  }

  private room(): void {
    const capacity = this.mesh.instanceMatrix.count;
    if (this.count < capacity) return;
    const old = this.mesh;
    this.mesh = this.make(old.material as THREE.Material, 2 * capacity);
    (this.mesh.instanceMatrix.array as Float32Array).set(old.instanceMatrix.array);
    (this.mesh.instanceColor!.array as Float32Array).set(old.instanceColor!.array);
    this.root.remove(old);
    old.dispose();
  }

  add(x: number, y: number, z: number, radius: number, colour: number): void {
    this.room();
    matrix.makeScale(radius, radius, radius).setPosition(x, y, z);
    this.put(colour);
  }

  /** Scaled by radius across a unit direction and by height along it. */
  addAlong(x: number, y: number, z: number, nx: number, ny: number, nz: number, radius: number, height: number, colour: number): void {
    this.room();
    turn.setFromUnitVectors(zAxis, along.set(nx, ny, nz));
    matrix.compose(place.set(x, y, z), turn, size.set(radius, radius, height));
    this.put(colour);
  }

  private put(colour: number): void {
    this.mesh.setMatrixAt(this.count, matrix);
    this.mesh.setColorAt(this.count, tint.set(colour));
    this.count += 1;
  }

  end(): void {
    this.mesh.count = this.count;
    this.mesh.visible = this.count > 0;
    this.mesh.instanceMatrix.needsUpdate = true;
    this.mesh.instanceColor!.needsUpdate = true;
  }
}

/** Arrows that start at a point: a shaft and a head. */
export class Arrows {
  private readonly shafts: Cloud;
  private readonly heads: Cloud;

  constructor(root: THREE.Group) {
    const shaft = new THREE.CylinderGeometry(1, 1, 1, 8, 1).translate(0, 0.5, 0).rotateX(Math.PI / 2);
    const head = new THREE.ConeGeometry(1, 1, 14).translate(0, 0.5, 0).rotateX(Math.PI / 2);
    this.shafts = new Cloud(root, shaft);
    this.heads = new Cloud(root, head);
  }

  begin(): void {
    this.shafts.begin();
    this.heads.begin();
  }

  /** From (x, y, z) along (dx, dy, dz); `unit` sets the thickness. */
  add(x: number, y: number, z: number, dx: number, dy: number, dz: number, unit: number, colour: number): void {
    const length = Math.hypot(dx, dy, dz);
    if (!(length > 1e-4 * unit)) return;
    const nx = dx / length, ny = dy / length, nz = dz / length;
    const head = Math.min(0.16 * unit, 0.45 * length);
    const shaft = length - head;
    this.shafts.addAlong(x, y, z, nx, ny, nz, 0.11 * head, shaft, colour);
    this.heads.addAlong(x + nx * shaft, y + ny * shaft, z + nz * shaft, nx, ny, nz, 0.34 * head, head, colour);
  }

  end(): void {
    this.shafts.end();
    this.heads.end();
  }
}

/** Straight lines. */
export class Segments {
  private positions = new Float32Array(0);
  private colours = new Float32Array(0);
  private readonly geometry = new THREE.BufferGeometry();
  private readonly lines: THREE.LineSegments;
  private count = 0; // of vertices

  constructor(root: THREE.Group, width = 1) {
    const material = new THREE.LineBasicMaterial({ vertexColors: true, transparent: true, opacity: 0.9, depthTest: width === 1, toneMapped: false });
    this.lines = new THREE.LineSegments(this.geometry, material);
    this.lines.frustumCulled = false;
    this.lines.renderOrder = kOrder;
    this.lines.visible = false;
    root.add(this.lines);
  }

  begin(): void {
    this.count = 0;
  }

  private vertex(x: number, y: number, z: number): void {
    if ((this.count + 1) * 3 > this.positions.length) this.grow();
    this.positions.set([x, y, z], this.count * 3);
    this.colours.set([tint.r, tint.g, tint.b], this.count * 3);
    this.count += 1;
  }

  private grow(): void {
    const wider = (old: Float32Array) => {
      const result = new Float32Array(Math.max(1536, 2 * old.length));
      result.set(old);
      return result;
    };
    this.positions = wider(this.positions);
    this.colours = wider(this.colours);
    this.geometry.dispose();
    this.geometry.setAttribute("position", new THREE.BufferAttribute(this.positions, 3).setUsage(THREE.DynamicDrawUsage));
    this.geometry.setAttribute("color", new THREE.BufferAttribute(this.colours, 3).setUsage(THREE.DynamicDrawUsage));
  }

  add(from: THREE.Vector3, to: THREE.Vector3, colour: number): void {
    tint.set(colour);
    this.vertex(from.x, from.y, from.z);
    this.vertex(to.x, to.y, to.z);
  }

  /** The twelve edges of lower x, y, z, upper x, y, z. */
  addBox(b: ArrayLike<number>, colour: number): void {
    tint.set(colour);
    for (let axis = 0; axis < 3; ++axis) {
      const u = (axis + 1) % 3, v = (axis + 2) % 3;
      for (const [iu, iv] of [[0, 0], [0, 1], [1, 0], [1, 1]]) {
        const from = [0, 0, 0];
        from[axis] = b[axis];
        from[u] = b[u + 3 * iu];
        from[v] = b[v + 3 * iv];
        this.vertex(from[0], from[1], from[2]);
        from[axis] = b[axis + 3];
        this.vertex(from[0], from[1], from[2]);
      }
    }
  }

  end(): void {
    this.lines.visible = this.count > 0;
    this.geometry.setDrawRange(0, this.count);
    if (this.count === 0) return;
    this.geometry.attributes.position.needsUpdate = true;
    this.geometry.attributes.color.needsUpdate = true;
  }
}
