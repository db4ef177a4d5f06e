/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* ODE's side: a world with the bodies and joints of a scene, with all settings of ODE equal to those of our method.
 *
 * A step of dWorldStep (ODE 0.16.2), with R, w, I = R J R^T at its start, as our method `lcp` reproduces it:
 *
 *     torque          tau = (I (I - h [L]x)^-1 - 1) L / h,  L = I w          gyroscopic, implicit (Lacoursiere 2006)
 *     forces          (J M^-1 J^T + CFM/h) lambda = rhs/h - J (V/h + M^-1 f),   lambda N, rhs = -(ERP/h) c
 *     velocities      V+ = V + h M^-1 (f + J^T lambda)
 *     poses           p+ = p + h v+,   q+ = q + (h/2) (0, w+) o q, made a unit; finite: q+ = exp(h w+) o q
 *
 * Gyroscopic torque is on in a new body, finite rotation off. Ball: c is the distance of the two images of the anchor, as ours.
 * Hinge: c is z_a x z_b along two unit vectors p, q across z_a, where a is the body that moves if the other is the ground, and
 * its rows p, q take w_a - w_b as it is. Ours has the same sine of the tilt but its exact derivative: rows across z_b. Both are
 * the same while the axes are parallel, as they stay in a plane; else they differ by the tilt times the hinge's rate. */

#ifndef TRM_BENCH_ODE_WORLD_H
#define TRM_BENCH_ODE_WORLD_H

#include "common/scene.h"

#ifdef __cplusplus
extern "C" {
#endif

/* Parameters that both share. */
typedef struct parameters {
    double h; /* s */
    double erp, cfm;
    bool gyroscopic;    /* gyroscopic torque acts, implicitly */
    bool finite;        /* finite rotations, else infinitesimal ones */
    const char *method; /* ours: "lcp" */
    double shift;       /* m: displacement of all bodies against y, after the joints are attached */
    bool pyramid;       /* friction along x and y together is at most mu N, else along each of them */
} parameters;

/* In a scene with a floor all corners of its boxes touch it at every step. The pyramid is the box of friction turned by 45 degrees,
 * with mu/sqrt(2). */
void *world_create(const scene *s, const parameters *p); /* returns NULL if ODE does not start */
void world_destroy(void *world);
bool world_step(void *world, int count);       /* dWorldStep: Dantzig's method on the whole matrix */
bool world_quick_step(void *world, int count); /* dWorldQuickStep: 20 sweeps with an over-relaxation of 1.3 */
void world_read(void *world, body_state *states);
const char *world_version(void);

#ifdef __cplusplus
}
#endif

#endif
