// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// An infinite plane: a grid that fades with distance, with shadows.

import { Color, DoubleSide, Group, Mesh, PlaneGeometry, Quaternion, ShaderMaterial, ShadowMaterial, Vector3 } from "three";
import { niceStep } from "./number";
import type { Theme } from "./theme";

/** In radii of the motion: distance at which the grid has faded, and intended width of a cell. */
const FADED = 4.5;
const CELL = 0.16;
/** Opacity of a plane between the lines, relative to that of the lines. */
const FILL = 0.4;
const PAINTED = 1;
/** In radii: distance of the grid below the bodies that stand on it, to avoid flicker. */
const BELOW = 0.0015;

const vertexShader = `
uniform vec2 shift;
varying vec2 offset;
varying vec2 place;
void main() {
  offset = position.xz;
  place = position.xz + shift;
  gl_Position = projectionMatrix * modelViewMatrix * vec4(position, 1.0);
}`;

const fragmentShader = `
varying vec2 offset;
varying vec2 place;
uniform float cell;
uniform float faded;
uniform vec3 colour;
uniform float strength;
uniform float fill;
uniform float width;
float lines(float width, vec2 pixel) {
  vec2 at = place / width;
  vec2 step = pixel / width;
  vec2 near = abs(fract(at - 0.5) - 0.5) / step;
  float dense = 1.0 - smoothstep(0.15, 0.5, max(step.x, step.y));
  return dense * (1.0 - min(min(near.x, near.y), 1.0));
}
void main() {
  vec2 pixel = width * fwidth(place);
  float line = max(0.45 * lines(cell, pixel), lines(5.0 * cell, pixel));
  float fade = 1.0 - smoothstep(0.12, 1.0, length(offset) / faded);
  float alpha = strength * fade * max(line, fill);
  if (alpha < 0.004) discard;
  gl_FragColor = vec4(colour, alpha);
}`;

export class Ground {
  readonly group = new Group();
  readonly cell: number; // m
  private readonly lines: ShaderMaterial;
  private readonly shadows: Mesh;
  private readonly shade = new ShadowMaterial({ transparent: true, depthWrite: false });

  private readonly origin: Vector3;
  private readonly turn: Quaternion; // rotation from the plane's axes, in which y is the normal

  /** Makes a plane through a point. filled: also between its lines. paint: colour given by the model. */
  constructor(
    radius: number,
    point: Vector3,
    normal: Vector3,
    filled: boolean,
    private readonly paint: string | null = null,
  ) {
    this.cell = niceStep(CELL * radius);
    this.turn = new Quaternion().setFromUnitVectors(new Vector3(0, 1, 0), normal);
    this.origin = point.clone().addScaledVector(normal, -BELOW * radius);
    this.group.quaternion.copy(this.turn);
    this.lines = new ShaderMaterial({
      vertexShader,
      fragmentShader,
      transparent: true,
      depthWrite: false,
      side: DoubleSide,
      uniforms: {
        cell: { value: this.cell },
        faded: { value: FADED * radius },
        shift: { value: [0, 0] },
        width: { value: 1 }, // width of lines, drawn pixels
        fill: { value: paint !== null ? PAINTED : filled ? FILL : 0 },
        colour: { value: new Color() },
        strength: { value: 1 },
      },
    });
    const square = new PlaneGeometry(2 * FADED * radius, 2 * FADED * radius).rotateX(-Math.PI / 2);
    const shade = new Mesh(square, this.shade);
    this.shadows = shade;
    shade.receiveShadow = true;
    shade.renderOrder = -2;
    const grid = new Mesh(square, this.lines);
    grid.renderOrder = -1;
    this.group.add(shade, grid);
    this.group.position.copy(this.origin);
  }

  /** Centres the grid on the target of the camera. */
  centreOn(target: Vector3): void {
    const at = target.clone().sub(this.origin).applyQuaternion(this.turn.clone().invert());
    this.lines.uniforms.shift.value = [at.x, at.z];
    this.group.position.set(at.x, 0, at.z).applyQuaternion(this.turn).add(this.origin);
  }

  /** Makes bodies that fell through it visible. */
  showBelow(point: Vector3): void {
    const up = new Vector3(0, 1, 0).applyQuaternion(this.turn);
    this.group.visible = point.clone().sub(this.origin).dot(up) > 0;
  }

  setLineWidth(pixels: number): void {
    this.lines.uniforms.width.value = pixels;
  }

  showShadows(shown: boolean): void {
    this.shadows.visible = shown;
  }

  setTheme(theme: Theme): void {
    const dark = theme === "dark";
    // as the screen wants it, since the shader works out none
    (this.lines.uniforms.colour.value as Color).set(this.paint ?? (dark ? 0xaab8c6 : 0x56646f)).convertLinearToSRGB();
    this.lines.uniforms.strength.value = this.paint !== null ? 0.75 : dark ? 0.26 : 0.3;
    this.shade.opacity = dark ? 0.42 : 0.2;
  }
}
