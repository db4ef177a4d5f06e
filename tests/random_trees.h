/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Random trees with every joint that can carry a body, in both directions, with free bodies and points, on the ground
 * or on a moving body. */

#ifndef TRM_TESTS_RANDOM_TREES_H
#define TRM_TESTS_RANDOM_TREES_H

#include "machines.h"
#include "random_bodies.h"

enum { RANDOM_TREE_BODIES = 9 };

static const char *const CARRIERS[] = {"hinge",  "slider", "universal", "cylinder", "screw",
                                       "planar", "ball",   "rail",      "slot",     "fixed"};
enum { CARRIER_COUNT = sizeof CARRIERS / sizeof *CARRIERS };

static void hang(machine *m, trm_random *random, const char *type, int parent, int child)
{
    const bool backward = trm_random_uniform(random, 0, 1) < 0.5;
    trm_joint_def *joint = add_joint(m, type, backward ? child : parent, backward ? parent : child);
    joint->anchor = random_vector(random, 1);
    joint->axis = random_direction(random);
    if (strcmp(type, "universal") == 0)
        joint->axis2 = trm_v3_unit(trm_v3_cross(joint->axis, random_direction(random)));
    if (strcmp(type, "screw") == 0) joint->pitch = trm_random_uniform(random, 0.1, 0.5);
    if (strcmp(type, "ball") == 0 || strcmp(type, "fixed") == 0) joint->axis = trm_v3(NAN, NAN, NAN);
}

/* Builds a tree. Body 1 has a prescribed motion if requested. Each other body is attached to an earlier one, or to
 * none; the last two are points. */
static inline trm_model *random_tree(unsigned seed, bool moved)
{
    machine m;
    trm_random random = trm_random_seed(seed);
    machine_init(&m);
    for (int i = 1; i <= RANDOM_TREE_BODIES; i++) {
        trm_body_def body = random_body(&random, "");
        const bool moves = moved && i == 1;
        if (moves) {
            body = trm_default_body_def();
            body.kind = TRM_BODY_MOVING;
            body.moving.position[0] = trm_expression_function("0.3*sin(2*t)");
            body.moving.position[2] = trm_expression_function("t^2");
            body.moving.axis = random_direction(&random);
            body.moving.angle = trm_expression_function("sin(3*t) + t");
        }
        add_body(&m, body);
        const int parent = (int)trm_random_uniform(&random, 0, i);
        const bool loose = trm_random_uniform(&random, 0, 1) < 0.15;
        if (!moves && !loose)
            hang(&m, &random, CARRIERS[(int)trm_random_uniform(&random, 0, CARRIER_COUNT)],
                 moved && i == 2 ? 1 : parent, i);
    }
    add_point(&m, 0.3, 0.2, 0.1);
    const int point = add_point(&m, 0.4, -0.2, 0.7);
    trm_joint_def *joint = add_joint(&m, seed % 2 ? "slot" : "rail", moved ? 1 : 0, point);
    joint->anchor = trm_v3(0.4, -0.2, 0.7);
    joint->axis = random_direction(&random);
    return machine_finish(&m);
}

#endif
