/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The records of a compiled tree (compiled.h). */

#ifndef TRM_METHODS_MINIMAL_COMPILED_NODES_H
#define TRM_METHODS_MINIMAL_COMPILED_NODES_H

#include "math/rotation.h"
#include "methods/minimal/compiled.h"

/* Elementary motions: about z, along z, both (with a pitch), a rotation exp q, all six freedoms of a body (shift, then rotation). */
typedef enum node_kind { NODE_TURN, NODE_SHIFT, NODE_SCREW, NODE_SPIN, NODE_FREE } node_kind;

/* The axes of a node, in those of its parent. */
typedef struct node_axes {
    trm_vec3 x, y, z;
} node_axes;

typedef struct node_symmetric {
    double xx, yy, zz, xy, xz, yz;
} node_symmetric;

/* Wrench (n, f) of a twist's rate (w, v): n = A w + B v, f = B^T w + C v; B by rows. */
typedef struct node_inertia {
    node_symmetric A, C;
    trm_vec3 B[3];
} node_inertia;

/* What never changes. */
typedef struct node_fixture {
    node_kind kind;
    int parent;      /* before it; -1: the ground */
    int first;       /* coordinate of the tree */
    int spin;        /* SPIN, FREE: its maps */
    double sign;     /* -1: the joint's first body is the child */
    double pitch;    /* m/rad: of a screw */
    double armature; /* kg or kg m^2: of the one coordinate's rotor */
    node_axes axes;  /* at q = 0 */
    trm_quat turn;   /* the same */
    trm_vec3 origin;
    double mass;            /* kg: of its bodies */
    trm_vec3 moment;        /* kg m: mass times their centre of mass */
    node_symmetric inertia; /* kg m^2: about the origin */
} node_fixture;

/* What changes with q and qd. */
typedef struct node_motion {
    node_axes E;
    trm_vec3 r;
    trm_spatial V, c; /* twist; bias acceleration */
    trm_vec3 rate;    /* SPIN, FREE: the rotation's own angular velocity */
    trm_spatial p;    /* bias wrench, less the wrenches pushed */
} node_motion;

/* What the articulated-body recursion leaves for its way outwards. */
typedef struct node_articulation {
    node_inertia I;
    trm_spatial p;
    trm_spatial U;
    double D, u;            /* of one coordinate */
    node_symmetric inverse; /* SPIN: of A */
    trm_vec3 coupling[3];   /* SPIN: B */
    node_symmetric lin;     /* FREE: (C - B^T A^-1 B)^-1 */
    trm_vec3 torque;        /* SPIN: that is left to accelerate it */
    trm_spatial a;
} node_articulation;

/* What forces along the coordinates alone do (compiled_response.c). */
typedef struct node_response {
    trm_spatial p; /* wrench that is handed inwards; FREE: what accelerates it */
    double u;
    trm_vec3 left; /* SPIN: torque */
    trm_spatial a;
} node_response;

/* A body and where it is on its node. */
typedef struct node_body {
    int body, node;     /* node -1: the ground */
    trm_pose principal; /* in the node's frame; of the ground in the world */
} node_body;

/* A rotor, which moves as a coordinate does. */
typedef struct node_rotor {
    int body, coordinate;
} node_rotor;

struct trm_compiled {
    int node_count, body_count, rotor_count;
    int first, coordinates; /* of the branch */
    const double *y, *yd;   /* of the last trm_compiled_place, trm_compiled_move or trm_compiled_twist */
    node_fixture *fixture;
    node_motion *motion;
    node_articulation *articulation;
    node_response *response;
    node_inertia *mobility; /* per node: accelerations (w, v) of wrenches (n, f), M^-1 seen from there */
    trm_exp_maps *maps;     /* per spin: of the rotation backwards, -q */
    int spin_count;
    trm_pose *world; /* per node, after trm_compiled_pose */
    node_body *bodies;
    node_rotor *rotors;
};

/* ---- Rotations ---------------------------------------------------------------------------- */

static inline trm_vec3 node_inwards(const node_axes *E, trm_vec3 v)
{
    return trm_v3(E->x.x * v.x + E->y.x * v.y + E->z.x * v.z, E->x.y * v.x + E->y.y * v.y + E->z.y * v.z,
                  E->x.z * v.x + E->y.z * v.y + E->z.z * v.z);
}

static inline trm_vec3 node_outwards(const node_axes *E, trm_vec3 v)
{
    return trm_v3(trm_dot(E->x, v), trm_dot(E->y, v), trm_dot(E->z, v));
}

static inline trm_vec3 node_triple(const double *q, double sign)
{
    return trm_v3(sign * q[0], sign * q[1], sign * q[2]);
}

/* B v and B^T v, B by rows. */
static inline trm_vec3 node_rows_times(const trm_vec3 *B, trm_vec3 v)
{
    return trm_v3(trm_dot(B[0], v), trm_dot(B[1], v), trm_dot(B[2], v));
}

static inline trm_vec3 node_B_transposed_times(const trm_vec3 *B, trm_vec3 v)
{
    return trm_v3(B[0].x * v.x + B[1].x * v.y + B[2].x * v.z, B[0].y * v.x + B[1].y * v.y + B[2].y * v.z,
                  B[0].z * v.x + B[1].z * v.y + B[2].z * v.z);
}

static inline trm_vec3 node_times(const node_symmetric *S, trm_vec3 v)
{
    return trm_v3(S->xx * v.x + S->xy * v.y + S->xz * v.z, S->xy * v.x + S->yy * v.y + S->yz * v.z,
                  S->xz * v.x + S->yz * v.y + S->zz * v.z);
}

/* Of a FREE node whose articulated inertia is known: its acceleration by a wrench. */
trm_spatial node_free_acceleration(const node_articulation *a, trm_spatial F);

#endif
