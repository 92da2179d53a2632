// Camera, light and shadow; draws when something has changed.
import * as THREE from "three";
import { OrbitControls } from "three/addons/controls/OrbitControls.js";
import { Bodies } from "./bodies";
import { reachOf } from "./geometry";
import { themes, type Theme, type ThemeName } from "./theme";
import type { Poses, SceneInfo } from "./wire";

export interface DrawCost {
  updateMs: number; // taking a frame over into the picture
  drawMs: number; // handing the picture to the graphics card
  frames: number;
}

/** Vertical field of view of the part of the window that no panel covers [degrees]. */
const kFieldOfView = 46;
/** Panels widen the whole picture's field of view up to this factor; beyond, the camera steps back. */
const kMostWidening = 1.5;
/** Scenes place their camera for windows at least this wide, relative to their height. */
const kUsualAspect = 1.2;

export class Stage {
  readonly renderer: THREE.WebGLRenderer;
  readonly world = new THREE.Scene();
  readonly camera = new THREE.PerspectiveCamera(kFieldOfView, 1, 0.05, 5000);
  readonly controls: OrbitControls;
  readonly cost: DrawCost = { updateMs: 0, drawMs: 0, frames: 0 };
  bodies: Bodies | null = null;
  scene: SceneInfo | null = null;
  theme: Theme;
  /** A length that fits the scene [m]: how large a usual body is. */
  unit = 1;
  /** Half the extent of what there is to see [m]. */
  size = 10;
  beforeDraw: () => void = () => {};
  private readonly sun = new THREE.DirectionalLight(0xffffff, 2);
  private readonly sky = new THREE.HemisphereLight(0xffffff, 0x888888, 1);
  private centre = new THREE.Vector3();
  private up = new THREE.Vector3(0, 0, 1);
  private isDirty = true;
  private isPlain = false;
  private inset = { left: 0, right: 0, top: 0, bottom: 0 };

  constructor(private readonly canvas: HTMLCanvasElement, theme: ThemeName) {
    this.theme = themes[theme];
    this.renderer = new THREE.WebGLRenderer({ canvas, antialias: true });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = THREE.PCFShadowMap;
    this.renderer.toneMapping = THREE.NeutralToneMapping;
    this.camera.up.set(0, 0, 1);
    this.controls = new OrbitControls(this.camera, canvas);
    this.controls.enableDamping = true;
    this.controls.dampingFactor = 0.12;
    this.controls.addEventListener("change", () => this.invalidate());
    this.sun.castShadow = true;
    this.sun.shadow.mapSize.set(2048, 2048);
    this.world.add(this.sky, this.sun, this.sun.target);
    this.setTheme(theme);
    const draw = () => {
      requestAnimationFrame(draw);
      this.draw();
    };
    requestAnimationFrame(draw);
  }

  invalidate(): void {
    this.isDirty = true;
  }

  setTheme(name: ThemeName): void {
    this.theme = themes[name];
    this.world.background = new THREE.Color(this.theme.sky);
    this.world.fog = new THREE.Fog(this.theme.sky, 12 * this.size, 60 * this.size);
    this.sky.color.set(this.theme.hemisphere[0]);
    this.sky.groundColor.set(this.theme.hemisphere[1]);
    this.sky.intensity = this.theme.hemisphere[2];
    this.sun.intensity = this.theme.sun;
    this.bodies?.setTheme(this.theme);
    this.bodies?.repaint();
    this.invalidate();
  }

  /** Without shadows and fine pixels a weak graphics card keeps up, too. */
  setPlain(plain: boolean): void {
    this.isPlain = plain;
    this.sun.castShadow = !plain;
    this.resize();
  }

  get plain(): boolean {
    return this.isPlain;
  }

  /** The edges that panels cover [px]: the picture's middle is the middle of the rest. */
  setInset(inset: { left: number; right: number; top: number; bottom: number }): void {
    this.inset = inset;
    this.resize();
  }

  open(scene: SceneInfo, keepCamera: boolean): void {
    if (this.bodies) {
      this.world.remove(this.bodies.root);
      this.bodies.dispose();
    }
    this.scene = scene;
    const gravity = new THREE.Vector3(...scene.gravity);
    this.up = gravity.length() > 0 ? gravity.normalize().negate() : new THREE.Vector3(0, 0, 1);
    const reaches = scene.bodies.filter((body) => !body.static).map((body) => reachOf(scene.shapes[body.shape], scene.blob));
    reaches.sort((a, b) => a - b);
    this.unit = reaches.length ? reaches[reaches.length >> 1] / 0.87 : 1;
    this.size = 12 * this.unit;
    this.bodies = new Bodies(scene, this.theme, this.size);
    this.world.add(this.bodies.root);
    this.isFramed = keepCamera;
    this.invalidate();
  }

  private isFramed = false;

  update(poses: Poses): void {
    if (!this.bodies) return;
    const start = performance.now();
    this.bodies.update(poses);
    this.cost.updateMs += performance.now() - start;
    this.cost.frames += 1;
    if (!this.isFramed) {
      this.isFramed = true;
      this.measure(poses);
      this.homeCamera();
    }
    this.invalidate();
  }

  /** Finds the middle and the size of what moves. */
  private measure(poses: Poses): void {
    const box = new THREE.Box3();
    const point = new THREE.Vector3();
    const anyMoving = this.scene!.bodies.some((body) => !body.static);
    this.scene!.bodies.forEach((body, i) => {
      if (body.static && anyMoving) return;
      const reach = this.bodies!.reaches[i];
      point.fromArray(poses.positions, i * 3);
      box.expandByPoint(point.clone().addScalar(reach));
      box.expandByPoint(point.clone().addScalar(-reach));
    });
    if (box.isEmpty()) box.set(new THREE.Vector3(-5, -5, -5), new THREE.Vector3(5, 5, 5));
    box.getCenter(this.centre);
    this.size = Math.max(box.getSize(point).length() / 2, 2 * this.unit);
    this.setTheme(this.theme.name);
    this.placeSun();
  }

  private placeSun(): void {
    const reach = 1.5 * this.size;
    const side = new THREE.Vector3(0.55, -0.38, 0).applyQuaternion(
      new THREE.Quaternion().setFromUnitVectors(new THREE.Vector3(0, 0, 1), this.up));
    this.sun.position.copy(this.centre).addScaledVector(this.up, 3 * reach).addScaledVector(side, 3 * reach);
    this.sun.target.position.copy(this.centre);
    const shadow = this.sun.shadow;
    shadow.camera.left = shadow.camera.bottom = -reach;
    shadow.camera.right = shadow.camera.top = reach;
    shadow.camera.near = 0.1 * reach;
    shadow.camera.far = 8 * reach;
    shadow.camera.updateProjectionMatrix();
    shadow.normalBias = reach / 700;
    shadow.bias = -0.0004;
    shadow.radius = 3;
  }

  /** Where the scene asks the camera to stand, or all in view. */
  homeCamera(): void {
    const camera = this.scene?.camera;
    const origin = new THREE.Vector3(...(this.scene?.origin ?? [0, 0, 0]));
    this.camera.up.copy(this.up);
    if (camera) {
      this.camera.position.set(...camera.position).sub(origin);
      this.controls.target.set(...camera.target).sub(origin);
      this.camera.position.sub(this.controls.target).multiplyScalar(this.stepBack()).add(this.controls.target);
      this.setDepth(this.camera.position.distanceTo(this.controls.target));
      this.controls.update();
    } else {
      this.look(this.centre, this.size, new THREE.Vector3(0.62, -0.68, 0.42));
    }
    this.invalidate();
  }

  frameAll(poses: Poses): void {
    this.measure(poses);
    this.look(this.centre, this.size, this.camera.position.clone().sub(this.controls.target));
  }

  frameBody(body: number): void {
    if (!this.bodies || body < 0) return;
    const at = new THREE.Vector3().setFromMatrixPosition(this.bodies.matrixOf(body));
    this.look(at, 2.2 * Math.max(this.bodies.reaches[body], 0.2 * this.unit), this.camera.position.clone().sub(this.controls.target));
  }

  private look(at: THREE.Vector3, radius: number, direction: THREE.Vector3): void {
    // Half angles of the part of the window that no panel covers.
    const { left, right, top, bottom } = this.inset;
    const perPixel = Math.tan(THREE.MathUtils.degToRad(this.camera.fov) / 2) / Math.max(1, this.canvas.clientHeight);
    const vertical = Math.atan(perPixel * Math.max(100, this.canvas.clientHeight - top - bottom));
    const horizontal = Math.atan(perPixel * Math.max(100, this.canvas.clientWidth - left - right));
    const distance = (1.05 * radius) / Math.sin(Math.min(vertical, horizontal));
    this.controls.target.copy(at);
    this.camera.position.copy(at).addScaledVector(direction.normalize(), distance);
    this.setDepth(distance);
    this.controls.update();
    this.invalidate();
  }

  private setDepth(distance: number): void {
    const reach = Math.max(distance, this.size);
    this.camera.near = reach / 400;
    this.camera.far = reach * 200;
    this.camera.updateProjectionMatrix();
    this.controls.maxDistance = 60 * reach;
  }

  /** Height of the window over that of its uncovered part. */
  private coverage(): number {
    const height = Math.max(1, this.canvas.clientHeight);
    return height / Math.max(100, height - this.inset.top - this.inset.bottom);
  }

  /** How much farther than the scene asks the camera stands, so that panels hide nothing. */
  private stepBack(): number {
    const { left, right, top, bottom } = this.inset;
    const aspect = Math.max(100, this.canvas.clientWidth - left - right) / Math.max(100, this.canvas.clientHeight - top - bottom);
    return Math.max(1, this.coverage() / kMostWidening) * Math.max(1, kUsualAspect / aspect);
  }

  resize(): void {
    const width = this.canvas.clientWidth;
    const height = this.canvas.clientHeight;
    if (width === 0 || height === 0) return;
    const { left, right, top, bottom } = this.inset;
    this.renderer.setPixelRatio(this.isPlain ? 1 : Math.min(devicePixelRatio, 2));
    this.renderer.setSize(width, height, false);
    this.camera.aspect = width / height;
    const half = Math.tan(THREE.MathUtils.degToRad(kFieldOfView / 2)) * Math.min(this.coverage(), kMostWidening);
    this.camera.fov = 2 * THREE.MathUtils.radToDeg(Math.atan(half));
    this.camera.setViewOffset(width, height, (right - left) / 2, (bottom - top) / 2, width, height);
    this.camera.updateProjectionMatrix();
    this.invalidate();
  }

  /** From a pointer's place to a ray. */
  ray(clientX: number, clientY: number): THREE.Raycaster {
    const at = new THREE.Vector2((clientX / this.canvas.clientWidth) * 2 - 1, 1 - (clientY / this.canvas.clientHeight) * 2);
    const ray = new THREE.Raycaster();
    ray.setFromCamera(at, this.camera);
    return ray;
  }

  draw(force = false): void {
    this.controls.update();
    if (!this.isDirty && !force) return;
    this.isDirty = false;
    const start = performance.now();
    this.beforeDraw();
    this.renderer.render(this.world, this.camera);
    this.cost.drawMs += performance.now() - start;
  }
}
