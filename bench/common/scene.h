/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Scenes of the benches with other engines.
 *
 * A scene is plain data. Bodies are given by their centre of mass and principal axes, so that every engine gets the
 * same numbers; joints by anchor and axis in the world at the start. The joints that close a loop are marked: engines
 * in joint coordinates take the others as their tree. Bodies with shapes collide with each other and with the floor. */

#ifndef TRM_BENCH_SCENE_H
#define TRM_BENCH_SCENE_H

#include <stdbool.h>

#ifdef __cplusplus
extern "C" {
#endif

typedef enum scene_shape { SCENE_NO_SHAPE, SCENE_BOX, SCENE_SPHERE } scene_shape;

typedef struct scene_body {
    double mass;
    double inertia[3]; /* principal moments, about the axes of q */
    double p[3], q[4]; /* centre of mass, orientation (w first) */
    double v[3], w[3]; /* velocity of the centre of mass; angular velocity, world axes */
    scene_shape shape; /* around the centre of mass, along the axes of q */
    double size[3];    /* m, full lengths; a sphere's diameter three times */
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
    bool floor;                   /* fills z <= 0 */
    double friction, restitution; /* of every pair of shapes, including the floor */
    double time;                  /* s: simulated time */
} scene;

/* Pose and velocity of a body, as in scene_body. */
typedef struct body_state {
    double p[3], q[4], v[3], w[3];
} body_state;

enum { MOST_STEPS = 8 };

/* How a scene is built and run. */
typedef struct scene_kind {
    const char *name;  /* name of the CSV file, and value of --only */
    const char *title; /* title in the tables */
    const char *about;
    bool (*build)(scene *s, double given);
    double given; /* argument of build: a count, an angle, ... */
    double time;
    double steps[MOST_STEPS]; /* s; ended by 0 */
    double quick;             /* s: the step of --quick; 0: not part of it */
    double spacing;           /* s: spacing of observations; 0: the default of the bench */
    double limit;             /* s: limit of processor time of a run; 0: the default of the bench */
    int error;                /* main error of the scene: an enumerator of the bench */
    bool ours_only;           /* too large for peers: our first variant alone, not part of --quick */
} scene_kind;

/* Allocates memory for this many bodies and joints, none of which exists yet. Returns false if out of memory. */
bool scene_make_room(scene *s, int bodies, int joints);

/* Creates a scene. Returns NULL if out of memory. */
scene *scene_create(const scene_kind *kind);
void scene_destroy(scene *s);

#ifdef __cplusplus
}
#endif

#endif
