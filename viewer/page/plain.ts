// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// The plain material of copies for slow drawing: light is computed at the corners of triangles only, and not for each pixel. The light is
// that of the full picture without shadows and gloss:
//   colour / pi (sun max(n . s, 0) + mix(ground, sky, (1 + n_y) / 2))

import { Color, DirectionalLight, HemisphereLight, ShaderMaterial, Vector3 } from "three";
import { COIL_SHIFT } from "./coil";

/** coil: with the offset of a wire, whose normals need no inverse scaling. */
const vertexShader = (coil: boolean): string => `
${coil ? "attribute float wire;" : ""}
uniform vec3 towardsSun;
uniform vec3 sun;
uniform vec3 sky;
uniform vec3 ground;
varying vec3 seen;
void main() {
  mat3 turn = mat3(instanceMatrix);
  vec3 sizes = vec3(dot(turn[0], turn[0]), dot(turn[1], turn[1]), dot(turn[2], turn[2]));
  vec3 n = normalize(mat3(modelMatrix) * (turn * (normal / ${coil ? "sqrt(sizes)" : "sizes"})));
  vec3 transformed = position;
  ${coil ? COIL_SHIFT : ""}
  vec3 light = sun * max(dot(n, towardsSun), 0.0) + mix(ground, sky, 0.5 + 0.5 * n.y);
  seen = sqrt(color * instanceColor * light * RECIPROCAL_PI); // approximately sRGB
  gl_Position = projectionMatrix * (modelViewMatrix * (instanceMatrix * vec4(transformed, 1.0)));
}`.replace("RECIPROCAL_PI", (1 / Math.PI).toFixed(6));

const fragmentShader = `
varying vec3 seen;
void main() {
  gl_FragColor = vec4(seen, 1.0);
}`;

export class PlainMaterial extends ShaderMaterial {
  constructor(coil: boolean) {
    const uniforms = {
      towardsSun: { value: new Vector3() },
      sun: { value: new Color() },
      sky: { value: new Color() },
      ground: { value: new Color() },
    };
    super({ vertexShader: vertexShader(coil), fragmentShader, uniforms, vertexColors: true });
  }

  setLight(sun: DirectionalLight, sky: HemisphereLight): void {
    const { uniforms } = this;
    (uniforms.towardsSun.value as Vector3).subVectors(sun.position, sun.target.position).normalize();
    (uniforms.sun.value as Color).copy(sun.color).multiplyScalar(sun.intensity);
    (uniforms.sky.value as Color).copy(sky.color).multiplyScalar(sky.intensity);
    (uniforms.ground.value as Color).copy(sky.groundColor).multiplyScalar(sky.intensity);
  }
}
