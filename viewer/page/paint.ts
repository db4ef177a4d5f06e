// SPDX-FileCopyrightText: The Trammel authors
// SPDX-License-Identifier: MIT

// Materials: painted metal for bodies, bare metal for pins, links and coils. Each has a plain form for slow drawing.

import { MeshStandardMaterial } from "three";
import type { DirectionalLight, HemisphereLight, Material } from "three";
import { COIL_NORMAL, COIL_SHIFT } from "./coil";
import { PlainMaterial } from "./plain";

export type Kind = "body" | "metal" | "coil";

function coilMaterial(): MeshStandardMaterial {
  const material = metal();
  material.onBeforeCompile = (shader) => {
    shader.vertexShader = `attribute float wire;\n${shader.vertexShader}`
      .replace("#include <beginnormal_vertex>", `#include <beginnormal_vertex>\n${COIL_NORMAL}`)
      .replace("#include <begin_vertex>", `#include <begin_vertex>\n${COIL_SHIFT}`);
  };
  return material;
}

const metal = (): MeshStandardMaterial => new MeshStandardMaterial({ roughness: 0.38, metalness: 0.3, vertexColors: true });

export class Paint {
  private readonly full: Record<Kind, Material> = {
    body: new MeshStandardMaterial({ roughness: 0.62, metalness: 0, vertexColors: true }),
    metal: metal(),
    coil: coilMaterial(),
  };
  private readonly simple = new PlainMaterial(false);
  private readonly simpleCoil = new PlainMaterial(true);

  of(kind: Kind, plain: boolean): Material {
    return !plain ? this.full[kind] : kind === "coil" ? this.simpleCoil : this.simple;
  }

  setLight(sun: DirectionalLight, sky: HemisphereLight): void {
    this.simple.setLight(sun, sky);
    this.simpleCoil.setLight(sun, sky);
  }
}
