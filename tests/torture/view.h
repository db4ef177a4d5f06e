/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A view of a machine: rotated, displaced, mirrored, scaled, with its bodies and joints in another order.
 *
 * A vector x of the machine is seen as
 *
 *     x' = shift + length Q S x,     S = diag(-1, 1, 1) of a mirrored view, else 1
 *
 * Body frames are mirrored too: a vector a of a body frame is seen as length S a, a rotation R as Q S R S. Angular
 * velocities, torques and axes about which a coordinate turns are pseudovectors, det(S) Q S w, so that all
 * coordinates keep their values. Masses are seen times mass, times times time; all other quantities follow by their
 * dimension. */

#ifndef TORTURE_VIEW_H
#define TORTURE_VIEW_H

#include "machine.h"

typedef struct view {
    trm_quat turn;
    trm_vec3 shift; /* m */
    bool mirror;
    double length, mass, time;
    uint64_t shuffle; /* seed of the order of bodies, joints and forces; 0: as drawn */
    double nudge;     /* m/s of the unscaled machine: random change of the initial velocities */
} view;

view view_plain(const machine *m); /* at the machine's own scale, with Froude's similarity: gravity is unchanged */

trm_vec3 view_point(const view *v, trm_vec3 x);
trm_vec3 view_vector(const view *v, trm_vec3 x); /* not scaled */
trm_vec3 view_pseudo(const view *v, trm_vec3 x); /* not scaled */
trm_quat view_rotation(const view *v, trm_quat q);
trm_vec3 view_point_back(const view *v, trm_vec3 x);
trm_quat view_rotation_back(const view *v, trm_quat q);

/* Returns the definition as the view shows it, without the removed parts (NULL: none). Returns NULL if out of
 * memory. */
trm_model_def *machine_build(const machine *m, const view *v, const removed *r);

#endif
