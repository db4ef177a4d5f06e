/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* What a bench asks of every engine, our own included: build a scene, make steps, tell where the bodies are.
 *
 * A scene is plain data. Bodies are given by their centre of mass and principal axes, so that every engine gets the
 * same numbers; joints by anchor and axis in the world at the start. The joints that close a loop are marked: engines
 * in joint coordinates take the others as their tree. All errors are computed by the bench from what `read` tells
 * (errors.c), in the same way for every engine.
 *
 * An engine is one file in peers/ and one line in peers/list.h. It may have several variants (an integrator, a
 * solver). */

#ifndef TRM_BENCH_PEER_H
#define TRM_BENCH_PEER_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef struct scene_body {
    double mass;
    double inertia[3]; /* principal moments, about the axes of q */
    double p[3], q[4]; /* centre of mass, orientation (w first) */
    double v[3], w[3]; /* of the centre of mass; angular velocity, world axes */
} scene_body;

typedef enum scene_joint_type { SCENE_BALL, SCENE_HINGE } scene_joint_type;

typedef struct scene_joint {
    scene_joint_type type;
    int a, b; /* bodies; -1: the ground. In the tree a is the parent of b */
    double anchor[3], axis[3];
    bool closes_loop;
} scene_joint;

typedef struct scene {
    const char *name;
    double gravity[3];
    scene_body *bodies;
    int body_count;
    scene_joint *joints;
    int joint_count;
    double time; /* s, to simulate */
} scene;

/* Where a body is and how it moves, as in scene_body. */
typedef struct body_state {
    double p[3], q[4], v[3], w[3];
} body_state;

typedef struct peer {
    const char *name;    /* "ODE" */
    const char *variant; /* "dWorldStep" */
    const char *note;    /* what the variant is, in a few words, for the tables */
    const char *(*version)(void);
    void *(*create)(const scene *scene, double h, const char **why); /* NULL: cannot run it, *why says why not */
    bool (*step)(void *engine, int count);                           /* false: it gave up */
    void (*read)(void *engine, body_state *states);                  /* of all bodies, at the end of the last step */
    void (*destroy)(void *engine);
} peer;

#ifdef __cplusplus
}
#endif

#endif
