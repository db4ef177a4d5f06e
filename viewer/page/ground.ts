// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// A grid without end that fades with distance, and the shadows that fall on it.

import { Color, DoubleSide, Group, Mesh, PlaneGeometry, ShaderMaterial, ShadowMaterial, Vector3 } from "three";
import { niceStep } from "./number";
import type { Theme } from "./theme";

/** Of the radius of the motion: where the grid has faded, and the wanted width of a cell. */
const FADED = 4.5;
const CELL = 0.16;
/** Of the radius: the grid lies so much lower than what stands on it, against flicker. */
const BELOW = 0.0015;

const vertexShader = `
varying vec2 place;
void main() {
  vec4 world = modelMatrix * vec4(position, 1.0);
  place = world.xz;
  gl_Position = projectionMatrix * viewMatrix * world;
}`;

const fragmentShader = `
varying vec2 place;
uniform float cell;
uniform float faded;
uniform vec2 middle;
uniform vec3 colour;
uniform float strength;
float lines(float width) {
  vec2 at = place / width;
  vec2 step = fwidth(at);
  vec2 near = abs(fract(at - 0.5) - 0.5) / step;
  float dense = 1.0 - smoothstep(0.15, 0.5, max(step.x, step.y));
  return dense * (1.0 - min(min(near.x, near.y), 1.0));
}
void main() {
  float fade = 1.0 - smoothstep(0.12, 1.0, length(place - middle) / faded);
  float alpha = strength * fade * max(0.45 * lines(cell), lines(5.0 * cell));
  if (alpha < 0.004) discard;
  gl_FragColor = vec4(colour, alpha);
  #include <colorspace_fragment>
}`;

export class Ground {
  readonly group = new Group();
  readonly cell: number; // m
  private readonly lines: ShaderMaterial;
  private readonly shadows: Mesh;
  private readonly shade = new ShadowMaterial({ transparent: true, depthWrite: false });

  constructor(radius: number, height: number) {
    this.cell = niceStep(CELL * radius);
    this.lines = new ShaderMaterial({
      vertexShader,
      fragmentShader,
      transparent: true,
      depthWrite: false,
      side: DoubleSide,
      uniforms: {
        cell: { value: this.cell },
        faded: { value: FADED * radius },
        middle: { value: [0, 0] },
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
    this.group.position.y = height - BELOW * radius;
  }

  /** Goes along with what is looked at. */
  centreOn(target: Vector3): void {
    this.group.position.x = target.x;
    this.group.position.z = target.z;
    this.lines.uniforms.middle.value = [target.x, target.z];
  }

  showShadows(shown: boolean): void {
    this.shadows.visible = shown;
  }

  setTheme(theme: Theme): void {
    const dark = theme === "dark";
    (this.lines.uniforms.colour.value as Color).set(dark ? 0xaab8c6 : 0x56646f);
    this.lines.uniforms.strength.value = dark ? 0.32 : 0.38;
    this.shade.opacity = dark ? 0.42 : 0.2;
  }
}
