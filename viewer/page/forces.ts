// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Forces of contacts and in joints, centres of mass, and grips, which a live page draws over the machine.

import { BufferAttribute, Group, Matrix4, MeshBasicMaterial, SphereGeometry, Vector3 } from "three";
import { Arrows, ArrowScale } from "./arrows";
import { Copies } from "./copies";
import type { Scene, Vec3 } from "./data";
import { make, setText } from "./dom";
import { CONTACT, GRIP } from "./frame";
import type { Frame } from "./frame";
import { format } from "./number";
import type { Stage } from "./stage";

const CONTACT_COLOUR = 0xd6456b;
const REACTION_COLOUR = 0x8a6fe8;
const GRIP_COLOUR = 0xf08a24;
/** Radius of the mark of a centre of mass, as a fraction of the extent. */
const CENTRE = 0.02;

export interface Shown {
  contacts: boolean;
  reactions: boolean;
  centres: boolean;
}

export class Forces {
  readonly shown: Shown = { contacts: true, reactions: false, centres: false };
  private readonly group = new Group();
  private readonly contacts: Arrows;
  private readonly reactions: Arrows;
  private readonly grips: Arrows;
  private readonly centres: Copies;
  private readonly scale: ArrowScale;
  private readonly scaleText = make("div", { class: "scale arrows" });
  private readonly labels: { element: HTMLElement; at: Vector3 }[] = [];
  private frame: Frame | null = null;
  private drawn = 0; // ms

  constructor(
    private readonly scene: Scene,
    private readonly stage: Stage,
    private readonly place: HTMLElement,
  ) {
    const extent = scene.extent > 0 ? scene.extent : 1;
    this.scale = new ArrowScale(extent);
    this.contacts = new Arrows(CONTACT_COLOUR, extent);
    this.reactions = new Arrows(REACTION_COLOUR, extent);
    this.grips = new Arrows(GRIP_COLOUR, extent);
    this.centres = makeCentres(scene, CENTRE * extent);
    this.group.add(this.reactions.group, this.contacts.group, this.centres.mesh, this.grips.group);
    stage.machine.root.add(this.group);
    place.append(this.scaleText);
  }

  dispose(): void {
    this.scaleText.remove();
    for (const { element } of this.labels) element.remove();
  }

  setFrame(frame: Frame): void {
    this.frame = frame;
  }

  /** Draws everything again for the present poses. */
  update(now: number): void {
    const { frame, shown } = this;
    if (frame === null) return;
    const dt = Math.min((now - this.drawn) / 1000, 1);
    this.drawn = now;
    const largest = Math.max(
      shown.contacts ? largestOf(frame.contacts, CONTACT, 3) : 0,
      shown.reactions ? largestOf(frame.reactions, 3, 0) : 0,
    );
    this.scale.update(largest, dt);
    setText(this.scaleText, shown.contacts || shown.reactions ? this.scale.text : "");
    this.drawContacts(shown.contacts ? frame.contacts : new Float32Array(0));
    this.drawReactions(shown.reactions ? frame.reactions : new Float32Array(0));
    this.drawGrips(frame.grips);
    this.centres.mesh.visible = shown.centres && this.centres.all.length > 0;
    if (shown.centres) this.centres.place(this.stage.machine.bodies.map((b) => b.matrix), frame.t);
    this.stage.touch();
  }

  /** Places the labels at the projections of their objects. */
  placeLabels(): void {
    const shown = this.labels.filter((l) => !l.element.hidden);
    if (shown.length === 0) return; // reading sizes is expensive
    const { clientWidth: width, clientHeight: height } = this.place;
    for (const { element, at } of shown) {
      const seen = at.clone().applyQuaternion(this.stage.machine.root.quaternion).project(this.stage.camera.eye);
      const [x, y] = [((seen.x + 1) / 2) * width, ((1 - seen.y) / 2) * height];
      element.style.transform = `translate(${Math.round(x + 12)}px, ${Math.round(y - 10)}px)`;
    }
  }

  private drawContacts(contacts: Float32Array): void {
    this.contacts.clear();
    for (let k = 0; k < contacts.length; k += CONTACT) {
      const at = new Vector3().fromArray(contacts, k);
      this.contacts.putDot(at);
      this.contacts.put(at, this.scale.apply(new Vector3().fromArray(contacts, k + 3)));
    }
    this.contacts.done();
  }

  private drawReactions(reactions: Float32Array): void {
    this.reactions.clear();
    for (let j = 0; 3 * j < reactions.length; j++) {
      const { bodies, anchors } = this.scene.joints[j];
      const body = this.stage.machine.bodies[bodies[1]];
      const at = new Vector3(...anchors[1]).applyQuaternion(body.quaternion).add(body.position);
      this.reactions.put(at, this.scale.apply(new Vector3().fromArray(reactions, 3 * j)));
    }
    this.reactions.done();
  }

  private drawGrips(grips: Float32Array): void {
    this.grips.clear();
    const count = grips.length / GRIP;
    while (this.labels.length < count) {
      const element = make("div", { class: "grip" });
      this.place.append(element);
      this.labels.push({ element, at: new Vector3() });
    }
    this.labels.forEach(({ element, at }, i) => {
      element.hidden = i >= count;
      if (i >= count) return;
      const k = GRIP * i;
      const held = new Vector3().fromArray(grips, k + 1);
      at.fromArray(grips, k + 4);
      this.grips.putDot(held);
      this.grips.put(held, at.clone().sub(held));
      setText(element, `${format(new Vector3().fromArray(grips, k + 7).length(), 3)} N`);
    });
    this.grips.done();
  }
}

function largestOf(numbers: Float32Array, stride: number, from: number): number {
  let largest = 0;
  for (let k = from; k + 2 < numbers.length; k += stride) {
    largest = Math.max(largest, Math.hypot(numbers[k], numbers[k + 1], numbers[k + 2]));
  }
  return Number.isFinite(largest) ? largest : 0;
}

/** Makes balls of black and white quarters, as in technical drawings. */
function makeCentres(scene: Scene, radius: number): Copies {
  const shape = new SphereGeometry(1, 16, 8).toNonIndexed();
  const p = shape.getAttribute("position");
  const colours = new Float32Array(3 * p.count);
  for (let i = 0; i < p.count; i += 3) {
    const sum = (get: (k: number) => number): number => get(i) + get(i + 1) + get(i + 2);
    const white = sum((k) => p.getX(k)) * sum((k) => p.getY(k)) * sum((k) => p.getZ(k)) > 0;
    colours.fill(white ? 1 : 0, 3 * i, 3 * i + 9);
  }
  shape.setAttribute("color", new BufferAttribute(colours, 3));
  // drawn over the bodies that contain them, but each with its own front and back
  const material = new MeshBasicMaterial({ vertexColors: true, depthTest: false, transparent: true });
  const weighs = scene.bodies.map((body, i) => ({ body, i })).filter(({ body }) => body.kind === "rigid" || body.kind === "point");
  const copies = new Copies(
    shape,
    material,
    weighs.map(({ body, i }) => {
      const [x, y, z]: Vec3 = body.com ?? [0, 0, 0];
      return { body: i, place: new Matrix4().makeScale(radius, radius, radius).setPosition(x, y, z), colour: null };
    }),
  );
  copies.mesh.renderOrder = 2;
  return copies;
}
