// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Pulling at bodies with the mouse. Pressing on a movable body grips it as soon as the mouse moves. The target is the place of the mouse
// in the plane through the pressed point parallel to the screen. With Alt no spring pulls: the machine assumes the nearest pose that its
// joints and limits allow, at rest. With another button, or with Shift or Ctrl, the camera is moved as usual.

import { Vector3 } from "three";
import type { Scene } from "./data";
import type { Stage } from "./stage";

/** Pixels: a press that moved less is a click, as in stage.ts. */
const STILL = 4;

interface Press {
  pointer: number;
  x: number;
  y: number;
  body: number;
  point: Vector3; // in the body's frame
  depth: number; // m, from the eye along its direction
  held: boolean; // the mouse has moved, so the body is pulled
  poses: boolean; // with Alt: the body is placed instead
}

export class Drag {
  private press: Press | null = null;
  private readonly canvas: HTMLElement;
  private readonly ended = new AbortController();
  private sent = "";

  constructor(
    private readonly scene: Scene,
    private readonly stage: Stage,
    private readonly send: (text: string) => void,
  ) {
    this.canvas = stage.camera.controls.domElement as HTMLElement;
    const { signal } = this.ended;
    // before the handlers of the camera
    this.canvas.addEventListener("pointerdown", (e) => this.down(e), { capture: true, signal });
    this.canvas.addEventListener("pointermove", (e) => this.move(e), { signal });
    for (const end of ["pointerup", "pointercancel", "lostpointercapture"] as const) {
      this.canvas.addEventListener(end, (e) => e.pointerId === this.press?.pointer && this.release(), { signal });
    }
  }

  /** Returns the body that this page pulls; -1: none. */
  get body(): number {
    return this.press?.held === true ? this.press.body : -1;
  }

  dispose(): void {
    this.release();
    this.ended.abort();
  }

  /** Sends the place of the mouse if it or the camera has moved; called once per picture. */
  tick(): void {
    if (this.press === null || !this.press.held) return;
    const to = this.pointAt(this.press).applyQuaternion(this.stage.machine.root.quaternion.clone().invert());
    const { body, point, poses } = this.press;
    const text = poses ? `place ${body} ${numbers(point)} ${numbers(to)}` : `pull ${numbers(to)}`;
    if (text !== this.sent) this.send(text);
    this.sent = text;
  }

  private down(e: PointerEvent): void {
    if (this.press !== null || e.button !== 0 || e.shiftKey || e.ctrlKey || e.metaKey) return;
    const hit = this.stage.hitAt(e.offsetX, e.offsetY);
    const kind = hit === null ? "ground" : this.scene.bodies[hit.body].kind;
    if (hit === null || (kind !== "rigid" && kind !== "point")) return;
    const { machine, camera } = this.stage;
    machine.root.updateMatrixWorld(true);
    const point = machine.bodies[hit.body].worldToLocal(hit.point.clone());
    const depth = hit.point.clone().sub(camera.eye.position).dot(camera.eye.getWorldDirection(new Vector3()));
    // otherwise releasing the button outside would not be noticed
    this.canvas.setPointerCapture(e.pointerId);
    this.press = { pointer: e.pointerId, x: e.offsetX, y: e.offsetY, body: hit.body, point, depth, held: false, poses: e.altKey };
    camera.controls.enabled = false;
  }

  private move(e: PointerEvent): void {
    const { press } = this;
    if (press === null || e.pointerId !== press.pointer) return;
    if ((e.buttons & 1) === 0) {
      this.release();
      return;
    }
    const moved = Math.hypot(e.offsetX - press.x, e.offsetY - press.y);
    if (!press.held && moved <= STILL) return;
    press.x = e.offsetX;
    press.y = e.offsetY;
    if (press.held) return;
    press.held = true;
    this.sent = "";
    if (!press.poses) this.send(`grab ${press.body} ${numbers(press.point)}`);
  }

  private release(): void {
    const { press } = this;
    this.press = null;
    this.stage.camera.controls.enabled = true;
    if (press?.held === true && !press.poses) this.send("release");
  }

  /** Returns the place of the mouse at the depth of the grip, in the page's axes. */
  private pointAt({ x, y, depth }: Press): Vector3 {
    const { eye } = this.stage.camera;
    const { clientWidth: width, clientHeight: height } = this.canvas;
    eye.updateMatrixWorld();
    const way = new Vector3((2 * x) / width - 1, 1 - (2 * y) / height, 0.5).unproject(eye).sub(eye.position);
    const ahead = way.dot(eye.getWorldDirection(new Vector3()));
    return way.multiplyScalar(depth / ahead).add(eye.position);
  }
}

/** Numbers with the digits that matter for a mouse. */
const numbers = (v: Vector3): string => v.toArray().map((x) => String(Number(x.toPrecision(7)))).join(" ");
