// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// The picture: the machine, its light and ground, the camera, and the object under the mouse. It is drawn when something has changed.

import {
  BufferAttribute,
  BufferGeometry,
  DirectionalLight,
  HemisphereLight,
  Line,
  LineBasicMaterial,
  PCFShadowMap,
  Quaternion,
  Raycaster,
  Scene as ThreeScene,
  Vector2,
  Vector3,
  WebGLRenderer,
} from "three";
import type { Box3 } from "three";
import { Backdrop } from "./backdrop";
import { beyond, boundsOf } from "./bounds";
import type { Bounds } from "./bounds";
import { Camera } from "./camera";
import type { Scene } from "./data";
import { make } from "./dom";
import { Ground } from "./ground";
import { Looks } from "./looks";
import { Machine } from "./machine";
import { Names } from "./names";
import { format } from "./number";
import { onTheme, theme } from "./theme";

/** Pixels: a press that moved less is a click; distance at which thin bodies are hit. */
const STILL = 4;
const NEAR = 6;
/** Least vertical component of the normal of a plane that counts as ground. */
const LEVEL = 0.999;
/** In radii of the motion: the ground is at height 0 if the lowest point is at most this far above it, or this little below; else it is
 * this much below that point. */
const FAR_BELOW = 1.5;
const ON_GROUND = 1e-3;
const UNDER = 0.01;
/** In radii of the motion: largest fall at once that lowers the ground, and additional distance by which it is lowered. */
const MOST_LOWERED = 1.5;
const LOWERED = 0.12;

export interface StageEvents {
  chosen(body: number): void; // by a click; -1: none
}

export interface Hit {
  body: number;
  point: Vector3; // in the page's axes
}

export class Stage {
  readonly machine: Machine;
  readonly camera: Camera;
  private readonly renderer: WebGLRenderer;
  private readonly world = new ThreeScene();
  private readonly sun = new DirectionalLight();
  private readonly sky = new HemisphereLight();
  private grounds: Ground[] = [];
  private readonly path = new Line(new BufferGeometry(), new LineBasicMaterial({ transparent: true, opacity: 0.8 }));
  private readonly label = make("div", { class: "label", hidden: "" });
  private readonly scale = make("div", { class: "scale" });
  private readonly axes: Axes;
  private readonly sizes = new ResizeObserver(() => this.resize());
  private readonly unheard: () => void; // removes the listener of the theme
  private bounds: Bounds | null = null;
  floor: number | null = null; // m: height of a ground that is not a plane of the model
  private readonly sky3d = new Backdrop();
  private readonly names: Names;
  private following = -1;
  private stale = true;
  private readonly looks = new Looks();

  /** Throws if there is no WebGL. */
  constructor(
    private readonly place: HTMLElement,
    private readonly scene: Scene,
    private readonly events: StageEvents,
  ) {
    // without a graphics card antialiasing costs as much as everything else; a picture at rest is smooth by its finer pixels
    this.renderer = new WebGLRenderer({ antialias: this.looks.fast, alpha: false });
    this.renderer.shadowMap.enabled = true;
    this.renderer.shadowMap.type = PCFShadowMap;
    const canvas = this.renderer.domElement;
    canvas.setAttribute("aria-label", `${scene.name}, in three dimensions`);
    place.prepend(canvas);

    this.machine = new Machine(scene, !this.looks.fast);
    this.machine.root.add(this.path);
    this.path.frustumCulled = false;
    this.world.add(this.sky3d.mesh, this.machine.root, this.sky, this.sun, this.sun.target);
    this.camera = new Camera(canvas, () => (this.stale = true));
    this.axes = new Axes(this.machine.root.quaternion);
    this.names = new Names(scene, this.machine);
    place.append(this.names.element, this.axes.element, this.scale, this.label);

    this.setUpPointer(canvas);
    this.sizes.observe(place);
    this.unheard = onTheme(() => this.dress());
  }

  /** Releases the picture, because another machine replaces it. */
  dispose(): void {
    this.unheard();
    this.sizes.disconnect();
    this.camera.controls.dispose();
    this.renderer.dispose();
    this.renderer.forceContextLoss();
    for (const element of [this.renderer.domElement, this.names.element, this.axes.element, this.scale, this.label]) element.remove();
  }

  /** Notes that something shown was changed from outside. */
  touch(): void {
    this.stale = true;
  }

  /** Fits camera, light and ground to a motion through these poses. known: they are the whole motion, not only its past. */
  frame(poses: Float32Array[], known: boolean): Bounds {
    const bounds = boundsOf(this.scene, this.machine, poses, known);
    this.bounds = bounds;
    this.machine.setPoses(poses[0], 0);
    this.layGrounds(bounds);

    const { shadow } = this.sun;
    const reach = 1.25 * bounds.radius;
    Object.assign(shadow.camera, { left: -reach, right: reach, top: reach, bottom: -reach, near: 0.1 * reach, far: 8 * reach });
    shadow.camera.updateProjectionMatrix();
    shadow.mapSize.set(2048, 2048);
    shadow.normalBias = 0.004 * bounds.radius;
    shadow.radius = 3;
    this.camera.setBounds(bounds);
    this.dress();
    this.resize();
    return bounds;
  }

  setPoses(poses: Float32Array, t: number): void {
    this.machine.setPoses(poses, t);
    if (this.following >= 0) this.camera.follow(this.placeOf(this.following));
    else this.drift(poses);
    this.stale = true;
  }

  showJoints(shown: boolean): void {
    this.machine.showJoints(shown);
    this.stale = true;
  }

  showNames(shown: boolean): void {
    this.names.show(shown);
    this.stale = true;
  }

  showFrames(shown: boolean): void {
    this.machine.showFrames(shown);
    this.stale = true;
  }

  /** Lowers the ground if a body is below it, unless the model defines its place. */
  keepGroundBelow(poses: Float32Array): void {
    if (this.floor === null || this.bounds === null) return;
    const lowest = this.machine.lowestIn(poses);
    if (!(lowest < this.floor) || lowest < this.floor - MOST_LOWERED * this.bounds.radius) return;
    this.bounds.box.min.y = lowest - LOWERED * this.bounds.radius;
    this.layGrounds(this.bounds);
    this.dress();
  }

  /** Returns a picture of the view as PNG, in full quality. */
  async picture(): Promise<Blob | null> {
    this.looks.takeAll();
    this.stale = true;
    this.drawNow();
    const made = new Promise<Blob | null>((done) => this.renderer.domElement.toBlob(done, "image/png"));
    this.stale = true;
    return made;
  }

  /** Highlights a body with its path (three numbers per point, model axes). */
  choose(body: number, path: Float32Array | null): void {
    this.machine.choose(body);
    this.path.visible = path !== null;
    if (path !== null) {
      this.path.geometry.dispose();
      this.path.geometry = new BufferGeometry().setAttribute("position", new BufferAttribute(path, 3));
    }
    this.stale = true;
  }

  /** Makes the camera follow this body; -1: none. */
  follow(body: number): void {
    this.following = body;
    this.camera.follow(null);
    if (body >= 0) this.camera.follow(this.placeOf(body));
    this.stale = true;
  }

  /** Places the camera, relative to its displacement with the machine. */
  lookFrom(eye: Vector3, target: Vector3): void {
    const { camera } = this;
    camera.moved = true;
    camera.eye.position.copy(eye).add(camera.drifted);
    camera.controls.target.copy(target).add(camera.drifted);
    camera.controls.update();
    this.stale = true;
  }

  resetCamera(): void {
    this.camera.reset();
    this.stale = true;
  }

  /** Returns the place of a point of a body on the screen, in pixels of the page. */
  pointOf(body: number, point: [number, number, number] = [0, 0, 0]): [number, number] {
    const { left, top, width, height } = this.place.getBoundingClientRect();
    this.camera.eye.updateMatrixWorld(); // otherwise that of the last picture would be used
    const at = new Vector3(...point).applyMatrix4(this.machine.bodies[body].matrix).applyQuaternion(this.machine.root.quaternion).project(this.camera.eye);
    return [left + ((at.x + 1) / 2) * width, top + ((1 - at.y) / 2) * height];
  }

  /** The reductions of quality while bodies move. */
  get without(): string {
    return this.looks.without;
  }

  /** Whether all changes have been drawn in full quality. */
  get rests(): boolean {
    return !this.stale && this.looks.full;
  }

  /** Draws if something has changed. lasted: s since the last call while playing, else 0. */
  draw(lasted: number): void {
    if (this.looks.begin(this.stale, lasted)) this.drawNow();
  }

  private drawNow(): void {
    this.takeLooks();
    this.stale = false;
    const { target } = this.camera.controls;
    const radius = this.bounds?.radius ?? 1;
    for (const ground of this.grounds) ground.centreOn(target);
    const lit = this.following >= 0 || this.camera.drifted.lengthSq() > 0 ? target : (this.bounds?.centre ?? target);
    this.sun.target.position.copy(lit);
    this.sun.position.copy(lit).add(new Vector3(1.1, 2.6, 1.5).multiplyScalar(radius));
    this.machine.setLight(this.sun, this.sky);
    this.renderer.render(this.world, this.camera.eye);
    this.axes.turn(this.camera.eye.quaternion);
    this.names.draw(this.camera.eye, this.machine.root.quaternion);
  }

  /** Moves the camera with a machine that goes far away. */
  private drift(poses: Float32Array): void {
    if (this.bounds === null) return;
    const way = beyond(this.machine.middleOf(poses).sub(this.bounds.middle), this.bounds.room);
    this.camera.drift(way);
    if (this.bounds.room.max.x === Infinity) return;
    for (const ground of this.grounds) ground.showBelow(this.bounds.centre.clone().add(way));
  }

  /** Makes the fixed planes of the model, and a horizontal ground if there is none, below everything if necessary, unless it would cross
   * a slope. */
  private layGrounds({ box, radius }: Bounds): void {
    for (const { group } of this.grounds) this.world.remove(group);
    const planes = this.machine.layPlanes(radius);
    const slopes = planes.filter(({ normal }) => Math.abs(normal.y) <= LEVEL);
    const floors = planes.filter(({ normal }) => normal.y > LEVEL).sort((a, b) => b.point.y - a.point.y);
    this.grounds = slopes.map(({ point, normal, colour }) => new Ground(radius, point, normal, true, colour));
    this.floor = floors.length > 0 || slopes.length > 0 ? null : floorBelow(box, radius);
    if (floors.length > 0 || slopes.length === 0) {
      const at = new Vector3(0, floors[0]?.point.y ?? this.floor ?? 0, 0);
      this.grounds.push(new Ground(radius, at, new Vector3(0, 1, 0), false, floors[0]?.colour));
    }
    this.world.add(...this.grounds.map(({ group }) => group));
    this.scale.textContent = `grid ${format(this.grounds[0].cell)} m`;
  }

  private placeOf(body: number): Vector3 {
    return this.machine.bodies[body].position.clone().applyQuaternion(this.machine.root.quaternion);
  }

  private dress(): void {
    const dark = theme() === "dark";
    this.machine.setTheme(theme());
    this.sky3d.setTheme(theme());
    for (const ground of this.grounds) ground.setTheme(theme());
    this.sky.color.set(dark ? 0xdfe9f5 : 0xffffff);
    this.sky.groundColor.set(dark ? 0x39424d : 0x9a948c);
    this.sky.intensity = dark ? 1.7 : 2.2;
    this.sun.intensity = dark ? 2.2 : 2.5;
    this.path.material.color.set(dark ? 0xffd479 : 0xb4541a);
    this.stale = true;
  }

  private resize(): void {
    const { clientWidth: width, clientHeight: height } = this.place;
    if (width === 0 || height === 0) return;
    this.renderer.setSize(width, height);
    this.camera.setSize(width, height);
    this.stale = true;
  }

  private takeLooks(): void {
    const { full, pixels, fast } = this.looks;
    this.sun.castShadow = full;
    for (const ground of this.grounds) ground.showShadows(full);
    this.machine.showPlain(!full);
    const ratio = fast ? Math.min(devicePixelRatio, pixels) : pixels * Math.min(devicePixelRatio, 1);
    if (ratio !== this.renderer.getPixelRatio()) this.renderer.setPixelRatio(ratio);
    for (const ground of this.grounds) ground.setLineWidth(Math.max(ratio / devicePixelRatio, 1));
  }

  private setUpPointer(canvas: HTMLCanvasElement): void {
    let pressed: { x: number; y: number } | null = null;
    canvas.addEventListener("pointerdown", (e) => {
      pressed = { x: e.offsetX, y: e.offsetY };
      this.label.hidden = true;
    });
    canvas.addEventListener("pointerup", (e) => {
      if (pressed === null || Math.hypot(e.offsetX - pressed.x, e.offsetY - pressed.y) > STILL) return;
      if (e.button === 0) this.events.chosen(this.bodyAt(e.offsetX, e.offsetY));
    });
    canvas.addEventListener("pointerleave", () => (this.label.hidden = true));
    canvas.addEventListener("pointermove", (e) => {
      if (e.buttons === 0 && e.pointerType === "mouse") this.pointAt(e.offsetX, e.offsetY);
    });
  }

  private pointAt(x: number, y: number): void {
    const i = this.bodyAt(x, y);
    this.label.hidden = i < 0;
    this.renderer.domElement.style.cursor = i < 0 ? "" : "pointer";
    if (i < 0) return;
    const { name, kind, mass } = this.scene.bodies[i];
    const weighs = kind === "rigid" || kind === "point";
    this.label.replaceChildren(make("b", {}, name), weighs ? ` ${format(mass)} kg` : ` ${kind}`);
    this.label.style.transform = `translate(${x + 14}px, ${y + 12}px)`;
  }

  /** Returns the body at a place of the canvas or near it; -1: none. */
  private bodyAt(x: number, y: number): number {
    return this.hitAt(x, y)?.body ?? -1;
  }

  /** Returns the object at a place of the canvas or near it. */
  hitAt(x: number, y: number): Hit | null {
    const { clientWidth: width, clientHeight: height } = this.place;
    const ray = new Raycaster();
    this.machine.placeCopies();
    const around = [[0, 0], [1, 0], [-1, 0], [0, 1], [0, -1], [0.7, 0.7], [-0.7, 0.7], [0.7, -0.7], [-0.7, -0.7]];
    for (const [dx, dy] of around) {
      const at = new Vector2(((x + NEAR * dx) / width) * 2 - 1, 1 - ((y + NEAR * dy) / height) * 2);
      ray.setFromCamera(at, this.camera.eye);
      const hit = ray.intersectObjects(this.machine.pickable, false)[0];
      if (hit !== undefined) return { body: this.machine.bodyOf(hit), point: hit.point };
    }
    return null;
  }
}

/** Returns the height of the ground if the model has no plane: 0 if the motion is above it and near, else just below the motion. */
function floorBelow(box: Box3, radius: number): number {
  const near = box.min.y < FAR_BELOW * radius;
  return box.min.y >= -ON_GROUND * radius && near ? Math.min(0, box.min.y) : box.min.y - UNDER * radius;
}

/** The model's axes in a corner, as seen by the camera. */
class Axes {
  readonly element = document.createElementNS("http://www.w3.org/2000/svg", "svg");
  private readonly parts: { line: SVGLineElement; name: SVGTextElement; way: Vector3 }[] = [];

  constructor(private readonly root: Quaternion) {
    this.element.setAttribute("class", "axes");
    this.element.setAttribute("viewBox", "-30 -30 60 60");
    this.element.setAttribute("aria-hidden", "true");
    for (const [i, axis] of ["x", "y", "z"].entries()) {
      const line = document.createElementNS(this.element.namespaceURI, "line") as SVGLineElement;
      const name = document.createElementNS(this.element.namespaceURI, "text") as SVGTextElement;
      line.setAttribute("class", axis);
      name.setAttribute("class", axis);
      name.textContent = axis;
      this.element.append(line, name);
      this.parts.push({ line, name, way: new Vector3().setComponent(i, 1) });
    }
  }

  turn(eye: Quaternion): void {
    const seen = eye.clone().invert().multiply(this.root);
    for (const { line, name, way } of this.parts) {
      const { x, y } = way.clone().applyQuaternion(seen);
      line.setAttribute("x2", String(18 * x));
      line.setAttribute("y2", String(-18 * y));
      name.setAttribute("x", String(25 * x));
      name.setAttribute("y", String(-25 * y));
    }
  }
}
