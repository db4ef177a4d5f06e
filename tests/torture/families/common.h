/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Functions that families share: masses, chains, forces, shapes. */

#ifndef TORTURE_FAMILIES_COMMON_H
#define TORTURE_FAMILIES_COMMON_H

#include "family.h"

void set_run(machine *m, double step, double time);

/* Returns a mass of about 1 kg; every fifth is between 30 g and 30 kg. Lighter bodies between heavy ones would need
 * too many steps. */
double draw_mass(machine *m);

/* Gives all free bodies the motion of one rigid body, which no joint between them resists. */
void move_as_one(machine *m, double velocity, double rate);

/* Gives each body its own velocities; those that joints resist are projected out before the run. */
void move_apart(machine *m, double velocity, double rate);

/* Adds a rod-like body from one point to another, with its frame in the middle and x along it. */
int add_link(machine *m, trm_vec3 from, trm_vec3 to, double mass);

/* Smooth forces: springs and torsions; where allowed also dampers, functions of time, servos and actuators. */
typedef struct force_mix {
    int count;
    bool damped, powered;
} force_mix;

void scatter_forces(machine *m, force_mix mix);

/* Adds a body with a random convex shape of 0.2 to 0.6 m. e < 0: a random restitution. */
int add_random_solid(machine *m, trm_vec3 place, double e);
trm_shape_def random_solid_shape(machine *m, machine_body *body);
trm_shape_def plain_shape(const char *type);
trm_shape_def box_shape(double x, double y, double z);

/* Adds a ground at z <= 0: a plane, a box, a slab of a hull, or a mesh of hills. Returns its body. */
int add_ground_shape(machine *m);

/* Draws the contact mode, event-driven or time-stepping, and one of its orders. */
void draw_contact_mode(machine *m);

#endif
