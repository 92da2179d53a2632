// Shapes of the scene as triangles.
import * as THREE from "three";
import { RoundedBoxGeometry } from "three/addons/geometries/RoundedBoxGeometry.js";
import { mergeGeometries } from "three/addons/utils/BufferGeometryUtils.js";
import type { ShapeInfo, Span } from "./wire";

/** Beyond this many bodies shapes are drawn with as few triangles as their outline allows. */
const kManyBodies = 1200;
/** Planes end somewhere in a picture [m], in units of the scene's size. */
const kPlaneReach = 40;

export interface Detail {
  bodies: number;
  sceneSize: number;
}

function floats(blob: ArrayBuffer, span: Span): Float32Array {
  return new Float32Array(blob, span[0] * 4, span[1]);
}

function words(blob: ArrayBuffer, span: Span): Uint32Array {
  return new Uint32Array(blob, span[0] * 4, span[1]);
}

function fromTriangles(vertices: Float32Array, triangles: Uint32Array): THREE.BufferGeometry {
  const indexed = new THREE.BufferGeometry();
  indexed.setAttribute("position", new THREE.BufferAttribute(vertices.slice(), 3));
  indexed.setIndex(new THREE.BufferAttribute(triangles.slice(), 1));
  const flat = indexed.toNonIndexed();
  flat.computeVertexNormals();
  return flat;
}

function fromHeights(shape: Extract<ShapeInfo, { type: "heightfield" }>, blob: ArrayBuffer): THREE.BufferGeometry {
  const heights = floats(blob, shape.heights);
  const { columns, rows, cell } = shape;
  const vertices = new Float32Array(columns * rows * 3);
  for (let j = 0; j < rows; ++j) {
    for (let i = 0; i < columns; ++i) {
      vertices.set([i * cell[0], j * cell[1], heights[j * columns + i]], (j * columns + i) * 3);
    }
  }
  const triangles = new Uint32Array((columns - 1) * (rows - 1) * 6);
  let at = 0;
  for (let j = 0; j + 1 < rows; ++j) {
    for (let i = 0; i + 1 < columns; ++i) {
      const a = j * columns + i;
      const b = a + columns;
      triangles.set([a, a + 1, b + 1, a, b + 1, b], at);
      at += 6;
    }
  }
  const geometry = new THREE.BufferGeometry();
  geometry.setAttribute("position", new THREE.BufferAttribute(vertices, 3));
  geometry.setIndex(new THREE.BufferAttribute(triangles, 1));
  geometry.computeVertexNormals();
  return geometry;
}

function planeGeometry(normal: THREE.Vector3, offset: number, size: number): THREE.BufferGeometry {
  const geometry = new THREE.PlaneGeometry(2 * size, 2 * size, 1, 1);
  const turn = new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), normal);
  geometry.applyQuaternion(turn);
  geometry.translate(normal.x * offset, normal.y * offset, normal.z * offset);
  return geometry;
}

function boxGeometry(half: number[], many: boolean): THREE.BufferGeometry {
  const [x, y, z] = half.map((e) => 2 * e);
  const thin = Math.min(x, y, z);
  if (many || thin < 0.02 * Math.max(x, y, z)) return new THREE.BoxGeometry(x, y, z);
  return new RoundedBoxGeometry(x, y, z, 2, 0.025 * thin);
}

export function makeGeometry(shape: ShapeInfo, blob: ArrayBuffer, detail: Detail): THREE.BufferGeometry {
  const many = detail.bodies > kManyBodies;
  switch (shape.type) {
    case "sphere":
      return new THREE.SphereGeometry(shape.radius, many ? 16 : 40, many ? 10 : 24);
    case "box":
      return boxGeometry(shape.halfExtents, many);
    case "capsule": {
      const geometry = new THREE.CapsuleGeometry(shape.radius, 2 * shape.halfHeight, many ? 4 : 10, many ? 12 : 28);
      return geometry.rotateX(Math.PI / 2);
    }
    case "cylinder": {
      const geometry = new THREE.CylinderGeometry(shape.radius, shape.radius, 2 * shape.halfHeight, many ? 20 : 48);
      return geometry.rotateX(Math.PI / 2);
    }
    case "hull":
    case "mesh":
      return fromTriangles(floats(blob, shape.vertices), words(blob, shape.triangles));
    case "heightfield":
      return fromHeights(shape, blob);
    case "plane":
      return planeGeometry(new THREE.Vector3(...shape.normal), shape.offset, kPlaneReach * detail.sceneSize);
    case "compound": {
      const parts = shape.parts.map((part) => {
        const geometry = makeGeometry(part.shape, blob, detail);
        const [w, x, y, z] = part.orientation;
        const pose = new THREE.Matrix4().compose(
          new THREE.Vector3(...part.position), new THREE.Quaternion(x, y, z, w), new THREE.Vector3(1, 1, 1));
        const plain = geometry.index ? geometry.toNonIndexed() : geometry;
        plain.deleteAttribute("uv");
        return plain.applyMatrix4(pose);
      });
      return mergeGeometries(parts);
    }
  }
}

/** How far a shape reaches from its origin [m]; planes count as points. */
export function reachOf(shape: ShapeInfo, blob: ArrayBuffer): number {
  switch (shape.type) {
    case "sphere": return shape.radius;
    case "box": return Math.hypot(...shape.halfExtents);
    case "capsule": return shape.halfHeight + shape.radius;
    case "cylinder": return Math.hypot(shape.halfHeight, shape.radius);
    case "plane": return 0;
    case "hull":
    case "mesh": {
      const points = floats(blob, shape.vertices);
      let most = 0;
      for (let i = 0; i < points.length; i += 3) most = Math.max(most, Math.hypot(points[i], points[i + 1], points[i + 2]));
      return most;
    }
    case "heightfield": return Math.hypot(shape.columns * shape.cell[0], shape.rows * shape.cell[1]);
    case "compound":
      return Math.max(...shape.parts.map((part) => Math.hypot(...part.position) + reachOf(part.shape, blob)));
  }
}
