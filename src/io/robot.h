/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A robot as described by the readers of robot formats: parts (links, bodies) at their initial poses, and connections
 * between them.
 *
 * trm_robot_build merges parts that are fixed to each other into bodies, and adds bodies, joints and forces to the
 * definition. A part without mass that carries nothing becomes a frame of its neighbour. The keys of the model file
 * are set here, once for all formats. */

#ifndef TRM_IO_ROBOT_H
#define TRM_IO_ROBOT_H

#include "base/names.h"
#include "io/format.h"
#include "math/inertia.h"

/* A named frame of a part: a site, or a link that is fixed to it. */
typedef struct trm_part_frame {
    const char *name;
    trm_pose pose; /* in the part's frame */
} trm_part_frame;

/* A shape with its collision bits: two shapes collide if the type of one has a bit of the affinity of the other. */
typedef struct trm_part_shape {
    trm_shape_def def; /* in the part's frame */
    unsigned type, affinity;
} trm_part_shape;

typedef struct trm_robot_part {
    const char *name;
    trm_place place;
    trm_pose world;       /* pose in the world at the start */
    trm_mass mass;        /* in the part's frame; mass 0: not given */
    bool fixed;           /* fixed to the world */
    bool lacks_mass;      /* a mesh that determines a part of its mass is missing */
    trm_place mass_place; /* place of the first element with such a mesh */
    double gravity;       /* factor of gravity */
    bool no_self_collision;
    int group;   /* number of its robot: parts of one group without self-collision do not collide with each other */
    bool masked; /* true: the bits of its shapes prevent this */
    trm_part_shape *shapes;
    int shape_count;
    trm_part_frame *frames;
    int frame_count;
    int body;         /* first part of its body */
    trm_pose in_body; /* pose of its frame in that of the body's first part */
    int next;         /* next part of the same body; -1: none */
    bool left_out;    /* true: it has no mass, and the joints around it have become one chain */
} trm_robot_part;

/* One coordinate of a connection; axis and anchor in the world at the start. */
typedef struct trm_freedom {
    const char *name;
    trm_place place;
    bool slide; /* true: translation along the axis; false: rotation about it */
    trm_vec3 axis, anchor;
    double start;     /* m or rad: its value at the start */
    double limits[2]; /* infinite: none */
    double stiffness, rest, damping, friction, armature;
    double effort, max_velocity; /* infinite: not given */
} trm_freedom;

typedef struct trm_connection {
    const char *name;
    trm_place place;
    /* joint type of the model file; "fixed": welded; NULL: determined by its freedoms, which are in the order from
     * parent to child */
    const char *type;
    int parts[2];  /* parent, child; -1: the world */
    bool loop;     /* true: closes a loop, and is never welded or omitted */
    bool detached; /* true: detached at the start */
    bool collide;  /* true: its parts collide with each other */
    trm_freedom *freedoms;
    int freedom_count;
    trm_vec3 anchor, axis, axis2; /* in the world at the start, for types that have them */
    bool has_ends;                /* true: the two points that coincide are given separately */
    trm_vec3 ends[2];             /* m, world at the start */
    double rope;                  /* m: largest distance */
    double pitch;                 /* m per rad: screw */
    double damping;               /* of a ball joint, N m s; of a free part, N s/m and N m s */
    double stiffness;             /* of a ball joint, N m */
    double erp, cfm;              /* softness for the method lcp; NAN: that of the method */
} trm_connection;

/* A coupling of freedoms, given by their names: c1 q1 + c2 q2 + ... = a0 + a1 q + a2 q^2 + a3 q^3 + a4 q^4; without q
 * the right side is a0. */
typedef struct trm_coupling_term {
    const char *freedom;
    double factor;
} trm_coupling_term;

typedef struct trm_part_coupling {
    const char *name;
    trm_place place;
    trm_coupling_term *terms;
    int term_count;
    const char *of; /* name of q; NULL: none */
    double a[5];
    bool detached;
} trm_part_coupling;

/* A spring with a damper between points of two parts. */
typedef struct trm_robot_spring {
    const char *name;
    trm_place place;
    int parts[2];     /* -1: the world */
    trm_vec3 ends[2]; /* m, world at the start */
    double stiffness, damping, rest;
} trm_robot_spring;

/* The joint coordinate of the definition that represents a freedom after building: freedom = coordinate + shift. */
typedef struct trm_robot_coordinate {
    const char *freedom, *joint;
    int index, count; /* index of the coordinate, from 0; number of coordinates of the joint */
    double shift;
} trm_robot_coordinate;

typedef struct trm_robot {
    trm_import *in;
    trm_robot_part *parts;
    int part_count;
    trm_connection *connections;
    int connection_count;
    trm_part_coupling *couplings;
    int coupling_count;
    trm_robot_spring *springs;
    int spring_count;
    trm_robot_coordinate *coordinates;
    int coordinate_count;
    trm_names coordinate_names; /* names of freedoms, after all joints were added */
    trm_names force_names;      /* names of forces of the definition that were entered so far */
    int force_count;
} trm_robot;

/* Reserves memory for this many parts and connections in an empty robot, so that adding them moves no list. Returns false if out
 * of memory. */
bool trm_robot_reserve(trm_robot *a, int parts, int connections);

/* Add an element with default values. Return NULL or false if out of memory. */
trm_robot_part *trm_robot_add_part(trm_robot *a);
trm_connection *trm_robot_add_connection(trm_robot *a);
trm_part_coupling *trm_robot_add_coupling(trm_robot *a);
bool trm_coupling_add_term(trm_robot *a, trm_part_coupling *coupling, const char *freedom, double factor);
trm_robot_spring *trm_robot_add_spring(trm_robot *a);
trm_freedom *trm_connection_add_freedom(trm_robot *a, trm_connection *connection);
trm_part_shape *trm_part_add_shape(trm_robot *a, trm_robot_part *part);
bool trm_part_add_frame(trm_robot *a, trm_robot_part *part, const char *name, trm_pose pose);

/* robot_mass.c: compute the mass of a shape at density 1, in the frame of its part, and the masses that the file does
 * not give. Return false if out of memory. */
bool trm_robot_solid(trm_import *in, const trm_shape_def *shape, trm_mass *mass);
bool trm_robot_fill_masses(trm_robot *a);

/* Fills the definition and reports errors as messages. Returns false if out of memory. */
bool trm_robot_build(trm_robot *a);

/* Returns the joint coordinate that represents a freedom; NULL if there is no separate one. */
const trm_robot_coordinate *trm_robot_coordinate_of(const trm_robot *a, const char *freedom);

/* Returns a copy of a name in which "_" replaces characters that names of models cannot have; NULL if out of
 * memory. */
const char *trm_robot_keep_name(const trm_robot *a, const char *name);

/* Returns the name of the body that a part belongs to, "ground" for -1; NULL if out of memory. */
const char *trm_robot_body_name(const trm_robot *a, int part);

/* Excludes the bodies of two parts, which are in the definition, from colliding. Returns false if out of memory. */
bool trm_robot_part_bodies(trm_robot *a, int one, int other);

/* Returns a name that no force of the definition has: the given one, or that with a number; NULL if out of memory. */
const char *trm_robot_force_name(trm_robot *a, const char *name);

/* Converts points from the world at the start to the frames of the bodies. */
void trm_robot_set_ends(const trm_robot *a, const int parts[2], const trm_vec3 world[2], trm_vec3 ends[2]);

/* robot_freedoms.c: add joints for connections, and gears and couplings for couplings. Return false if out of
 * memory. */
bool trm_robot_add_joints(trm_robot *a);
bool trm_robot_add_couplings(trm_robot *a);

/* Returns the lever arm of torsional friction, m, of a patch of radius a with friction mu: 3 pi/16 mu a, by Hertz's
 * distribution of pressure (Gazebo). */
static inline double trm_robot_torsional_arm(double mu, double a)
{
    return 3 * TRM_PI / 16 * mu * a;
}

/* robot_collide.c: sets collision bits of shapes, before bodies are made; then excludes pairs of bodies that do not
 * collide, which returns false if out of memory. */
void trm_robot_mask_shapes(trm_robot *a);
bool trm_robot_part_robots(trm_robot *a);

/* robot_emit.c: adds bodies, joints and forces to the definition, after the body of each part was determined. Returns
 * false if out of memory. */
bool trm_robot_emit(trm_robot *a);

/* Returns red, green and blue, 0 to 1, as a colour of the model file; NULL: out of memory. */
const char *trm_import_color(const trm_import *in, const double *rgb);

#endif
