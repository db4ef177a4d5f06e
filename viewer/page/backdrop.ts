// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// The background: light that fades towards the edges. It is part of the picture, so that the canvas is opaque and the browser need not
// blend it with the page.

import { BufferAttribute, BufferGeometry, Color, Mesh, ShaderMaterial } from "three";
import type { Theme } from "./theme";

const vertexShader = `
varying vec2 at;
void main() {
  at = position.xy;
  gl_Position = vec4(position.xy, 1.0, 1.0);
}`;

/** The brightness is 1 in the middle of the upper half and 0 at the lower corners. */
const fragmentShader = `
varying vec2 at;
uniform vec3 bright;
uniform vec3 dim;
void main() {
  vec2 off = (at - vec2(0.0, 0.35)) * vec2(0.55, 0.6);
  gl_FragColor = vec4(mix(bright, dim, min(dot(off, off), 1.0)), 1.0);
}`;

const COLOURS: Record<Theme, [number, number]> = { light: [0xfbfcfd, 0xdfe4ea], dark: [0x2a323b, 0x151a20] };

export class Backdrop {
  readonly mesh: Mesh<BufferGeometry, ShaderMaterial>;

  constructor() {
    // one triangle that covers the screen
    const shape = new BufferGeometry().setAttribute("position", new BufferAttribute(new Float32Array([-1, -1, 0, 3, -1, 0, -1, 3, 0]), 3));
    const uniforms = { bright: { value: new Color() }, dim: { value: new Color() } };
    this.mesh = new Mesh(shape, new ShaderMaterial({ vertexShader, fragmentShader, uniforms, depthTest: false, depthWrite: false }));
    this.mesh.frustumCulled = false;
    this.mesh.renderOrder = -10;
  }

  setTheme(theme: Theme): void {
    const { bright, dim } = this.mesh.material.uniforms;
    // converted to sRGB here, because the shader does not convert
    (bright.value as Color).set(COLOURS[theme][0]).convertLinearToSRGB();
    (dim.value as Color).set(COLOURS[theme][1]).convertLinearToSRGB();
  }
}
