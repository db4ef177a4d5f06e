/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The records of a compiled tree (compiled.h). */

#ifndef TRM_METHODS_MINIMAL_COMPILED_NODES_H
#define TRM_METHODS_MINIMAL_COMPILED_NODES_H

#include "math/rotation.h"
#include "methods/minimal/compiled.h"

/* Elementary motions: rotation about z, translation along z, both (screw with a pitch), rotation exp q, all six
 * freedoms of a body (translation, then rotation). */
typedef enum node_kind { NODE_TURN, NODE_SHIFT, NODE_SCREW, NODE_SPIN, NODE_FREE } node_kind;

/* The axes of a node, in those of its parent. */
typedef struct node_axes {
    trm_vec3 x, y, z;
} node_axes;

typedef struct node_symmetric {
    double xx, yy, zz, xy, xz, yz;
} node_symmetric;

/* Maps the rate of a twist (w, v) to a wrench (n, f): n = A w + B v, f = B^T w + C v; B by rows. */
typedef struct node_inertia {
    node_symmetric A, C;
    trm_vec3 B[3];
} node_inertia;

/* Constant data of a node. */
typedef struct node_fixture {
    node_kind kind;
    int parent;      /* index of the parent, which comes before; -1: the ground */
    int first;       /* its first coordinate in the tree */
    int spin;        /* SPIN, FREE: index of its maps */
    double sign;     /* -1: the joint's first body is the child */
    double pitch;    /* m/rad: pitch of a screw */
    double armature; /* kg or kg m^2: rotor inertia of its only coordinate */
    node_axes axes;  /* axes at q = 0 */
    trm_quat turn;   /* the same as a quaternion */
    trm_vec3 origin;
    double mass;            /* kg: mass of its bodies */
    trm_vec3 moment;        /* kg m: mass times centre of mass */
    node_symmetric inertia; /* kg m^2: about the node's origin */
} node_fixture;

/* Data that change with q and qd. */
typedef struct node_motion {
    node_axes E;
    trm_vec3 r;
    trm_spatial V, c; /* twist; bias acceleration */
    trm_vec3 rate;    /* SPIN, FREE: angular velocity of the rotation itself */
    trm_spatial p;    /* bias wrench minus the applied wrenches */
} node_motion;

/* Results of the inward articulated-body recursion that the outward one needs. */
typedef struct node_articulation {
    node_inertia I;
    trm_spatial p;
    trm_spatial U;
    double D, u;            /* of a node with one coordinate */
    node_symmetric inverse; /* SPIN: A^-1 */
    trm_vec3 coupling[3];   /* SPIN: B */
    node_symmetric lin;     /* FREE: (C - B^T A^-1 B)^-1 */
    trm_vec3 torque;        /* SPIN: remaining torque that accelerates the node */
    trm_spatial a;
} node_articulation;

/* Response to forces along the coordinates alone (compiled_response.c). */
typedef struct node_response {
    trm_spatial p; /* wrench passed inwards; FREE: the wrench that accelerates the node */
    double u;
    trm_vec3 left; /* SPIN: remaining torque */
    trm_spatial a;
} node_response;

/* A node with all nodes that it carries, in the world's axes (compiled_inverse.c). */
typedef struct node_composite {
    node_axes axes;
    trm_vec3 origin;        /* m: from the origin of the first node */
    double mass;            /* kg */
    trm_vec3 moment;        /* kg m */
    node_symmetric inertia; /* kg m^2: about the origin of the first node */
} node_composite;

/* A body and its place on a node. */
typedef struct node_body {
    int body, node;     /* node -1: the ground */
    trm_pose principal; /* principal frame in the node's frame; for the ground, in the world */
} node_body;

/* A rotor, which moves with a coordinate. */
typedef struct node_rotor {
    int body, coordinate;
} node_rotor;

struct trm_compiled {
    int node_count, body_count, rotor_count;
    int first, coordinates; /* coordinates of the branch in the tree */
    const double *y, *yd;   /* arguments of the last trm_compiled_place, trm_compiled_move or trm_compiled_twist */
    node_fixture *fixture;
    node_motion *motion;
    node_articulation *articulation;
    node_response *response;
    node_composite *composite;
    trm_spatial *direction; /* per coordinate: its twist, for the mass matrix */
    node_inertia *mobility; /* per node: maps wrenches (n, f) to accelerations (w, v), M^-1 at that node */
    trm_exp_maps *maps;     /* per spin: maps of the inverse rotation, -q */
    int spin_count;
    trm_pose *world; /* per node: pose in the world, after trm_compiled_pose */
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
    return trm_v3(trm_v3_dot(E->x, v), trm_v3_dot(E->y, v), trm_v3_dot(E->z, v));
}

static inline trm_vec3 node_triple(const double *q, double sign)
{
    return trm_v3(sign * q[0], sign * q[1], sign * q[2]);
}

/* Return B v and B^T v, B by rows. */
static inline trm_vec3 node_rows_times(const trm_vec3 *B, trm_vec3 v)
{
    return trm_v3(trm_v3_dot(B[0], v), trm_v3_dot(B[1], v), trm_v3_dot(B[2], v));
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

/* E^T S E */
static inline node_symmetric node_turned_inwards(const node_axes *E, const node_symmetric *S)
{
    trm_vec3 x = trm_v3_scale(S->xx, E->x), y = trm_v3_scale(S->xy, E->x), z = trm_v3_scale(S->xz, E->x);
    x = trm_v3_add_scaled(trm_v3_add_scaled(x, S->xy, E->y), S->xz, E->z);
    y = trm_v3_add_scaled(trm_v3_add_scaled(y, S->yy, E->y), S->yz, E->z);
    z = trm_v3_add_scaled(trm_v3_add_scaled(z, S->yz, E->y), S->zz, E->z);
    return (node_symmetric){E->x.x * x.x + E->y.x * y.x + E->z.x * z.x, E->x.y * x.y + E->y.y * y.y + E->z.y * z.y,
                            E->x.z * x.z + E->y.z * y.z + E->z.z * z.z, E->x.x * x.y + E->y.x * y.y + E->z.x * z.y,
                            E->x.x * x.z + E->y.x * y.z + E->z.x * z.z, E->x.y * x.z + E->y.y * y.z + E->z.y * z.z};
}

/* Returns the acceleration of a FREE node under a wrench; its articulated inertia must be known. */
trm_spatial node_free_acceleration(const node_articulation *a, trm_spatial F);

#endif
