/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* What families share: masses, chains, forces, shapes. */

#ifndef TORTURE_FAMILIES_COMMON_H
#define TORTURE_FAMILIES_COMMON_H

#include "family.h"

void set_run(machine *m, double step, double time);

/* About 1 kg; every fifth from 30 g to 30 kg. Lighter bodies between heavy ones need steps that no test has time for. */
double draw_mass(machine *m);

/* Gives all free bodies the motion of one rigid body, which no joint between them resists. */
void move_as_one(machine *m, double velocity, double rate);

/* Velocities of their own; those that joints resist are projected out before the run. */
void move_apart(machine *m, double velocity, double rate);

/* A rod-like body from one point to another, its frame in the middle, x along it. */
int add_link(machine *m, trm_vec3 from, trm_vec3 to, double mass);

/* Forces that are smooth: springs, torsions; where allowed also dampers, and forces of time, servos, actuators. */
typedef struct force_mix {
    int count;
    bool damped, powered;
} force_mix;

void scatter_forces(machine *m, force_mix mix);

/* A body of a random convex shape, 0.2 to 0.6 m large; e < 0: a random restitution. */
int add_random_solid(machine *m, trm_vec3 place, double e);
trm_shape_def random_solid_shape(machine *m, machine_body *body);
trm_shape_def plain_shape(const char *type);
trm_shape_def box_shape(double x, double y, double z);

/* Something to fall on, at z <= 0: a plane, a box, a slab of a hull, or a mesh of hills. Returns its body. */
int add_ground_shape(machine *m);

/* Contacts at their times or in windows, of the orders that these have. */
void draw_contact_mode(machine *m);

#endif
