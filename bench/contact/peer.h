/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* What the bench of contacts asks of every engine, our own included: build a scene, make steps, tell where the bodies are.
 *
 * A scene is plain data: boxes and spheres that start at rest, and a ground that fills z <= 0. An incline is level here and
 * has its gravity tilted, so that every engine gets the same numbers. All figures are computed by the bench from what `read`
 * tells (figures.c), in the same way for every engine.
 *
 * An engine is one file in peers/ and one line in peers/list.h. It may have several variants. */

#ifndef TRM_BENCH_CONTACT_PEER_H
#define TRM_BENCH_CONTACT_PEER_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum scene_shape { SCENE_BOX, SCENE_SPHERE } scene_shape;

typedef struct scene_body {
    scene_shape shape;
    double size[3]; /* m, full lengths; a sphere's diameter three times */
    double mass;
    double inertia[3]; /* about the axes of q */
    double p[3], q[4]; /* centre, orientation (w first) */
} scene_body;

typedef struct scene {
    const char *name;
    double gravity[3];
    double friction, restitution; /* of every pair, the ground's included */
    scene_body *bodies;
    int body_count;
    double time; /* s, to simulate */
} scene;

/* Where a body is and how it moves: centre, orientation, velocity of the centre. */
typedef struct body_state {
    double p[3], q[4], v[3];
} body_state;

typedef struct peer {
    const char *name;    /* "ODE" */
    const char *variant; /* "dWorldStep" */
    const char *note;    /* what the variant is, in a few words, for the tables */
    int most_bodies;     /* scenes of more are not tried: they would take hours; 0: no limit */
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
