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
    double v[3], w[3]; /* of the centre of mass; angular velocity, world axes */
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
    double friction, restitution; /* of every pair of shapes, the floor's included */
    double time;                  /* s, to simulate */
} scene;

/* Where a body is and how it moves, as in scene_body. */
typedef struct body_state {
    double p[3], q[4], v[3], w[3];
} body_state;

enum { MOST_STEPS = 8 };

/* How a scene is made, and how it is run. */
typedef struct scene_kind {
    const char *name;  /* of the CSV file, and after --only */
    const char *title; /* in the tables */
    const char *about;
    bool (*build)(scene *s, double given);
    double given; /* a count, an angle, ...; what build makes of it */
    double time;
    double steps[MOST_STEPS]; /* s; 0 after the last */
    double quick;             /* s: the step of --quick; 0: not part of it */
    double spacing;           /* s between looks at the bodies; 0: as usual in the bench */
    double limit;             /* s of processor time in which a run is to end; 0: as usual in the bench */
    int error;                /* what the scene is about: an enumerator of the bench */
    bool ours_only;           /* too large for peers: our first variant alone, not part of --quick */
} scene_kind;

/* Room for this many bodies and joints, none there yet. false: out of memory. */
bool scene_make_room(scene *s, int bodies, int joints);

/* NULL: out of memory. */
scene *scene_create(const scene_kind *kind);
void scene_destroy(scene *s);

#ifdef __cplusplus
}
#endif

#endif
