/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A robot as the readers of robot formats describe it: parts (links, bodies) at their initial poses, and
 * connections between them.
 *
 * trm_robot_build merges parts that are fixed to each other into bodies, and adds bodies, joints and forces to the
 * definition. A part without mass that carries nothing becomes a frame of its neighbour. Every key of the
 * model file that robots use is set here, once for all formats. */

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

/* Which shapes collide: those of which one's type has a bit of the other's affinity. */
typedef struct trm_part_shape {
    trm_shape_def def; /* in the part's frame */
    unsigned type, affinity;
} trm_part_shape;

typedef struct trm_robot_part {
    const char *name;
    trm_place place;
    trm_pose world;       /* at the start */
    trm_mass mass;        /* in the part's frame; of mass 0: none is given */
    bool fixed;           /* to the world */
    bool lacks_mass;      /* some of its mass follows from a mesh that is missing, */
    trm_place mass_place; /* the first time here */
    double gravity;       /* factor */
    bool no_self_collision;
    int group;   /* robots: parts of one group with no_self_collision do not collide with each other; */
    bool masked; /* the bits of its shapes see to that */
    trm_part_shape *shapes;
    int shape_count;
    trm_part_frame *frames;
    int frame_count;
    int body;         /* the first part of its body */
    trm_pose in_body; /* its frame in that of the body's first part */
    int next;         /* part of the same body; -1: none */
    bool left_out;    /* without mass, between joints that have become one chain */
} trm_robot_part;

/* One coordinate between two parts; axis and anchor in the world at the start. */
typedef struct trm_freedom {
    const char *name;
    trm_place place;
    bool slide; /* along the axis, else about it */
    trm_vec3 axis, anchor;
    double start;     /* m or rad: its value at the start */
    double limits[2]; /* infinite: none */
    double stiffness, rest, damping, friction, armature;
    double effort, max_velocity; /* infinite: not given */
} trm_freedom;

typedef struct trm_connection {
    const char *name;
    trm_place place;
    const char *type; /* of our joints; "fixed": welded; NULL: by its freedoms, in their order from parent to child */
    int parts[2];     /* parent, child; -1: the world */
    bool loop;        /* closes a loop: never welded, never left out */
    bool detached;    /* does not act at the start */
    bool collide;     /* its parts collide with each other */
    trm_freedom *freedoms;
    int freedom_count;
    trm_vec3 anchor, axis, axis2; /* world at the start; of types with such */
    bool has_ends;                /* the two points that meet are given each, */
    trm_vec3 ends[2];             /* m, world at the start */
    double rope;                  /* m: distance, at most */
    double pitch;                 /* m per rad: screw */
    double damping;               /* of a ball, N m s; of a free part, N s/m and N m s */
    double stiffness;             /* of a ball, N m */
    double erp, cfm;              /* softness for the method lcp; NAN: the method's */
} trm_connection;

/* Freedoms by their names: c1 q1 + c2 q2 + ... = a0 + a1 q + a2 q^2 + a3 q^3 + a4 q^4; without q the right side is
 * a0. */
typedef struct trm_coupling_term {
    const char *freedom;
    double factor;
} trm_coupling_term;

typedef struct trm_part_coupling {
    const char *name;
    trm_place place;
    trm_coupling_term *terms;
    int term_count;
    const char *of; /* q; NULL: none */
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

/* Where a freedom went, once the robot is built: a coordinate of a joint of the definition; freedom = coordinate +
 * shift. */
typedef struct trm_robot_coordinate {
    const char *freedom, *joint;
    int index, count; /* of the coordinate, from 0, among those of the joint */
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
    trm_names coordinate_names; /* freedoms, once all joints are added */
    trm_names force_names;      /* names of the definition that were read so far */
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

/* robot_mass.c: the mass of a shape of density 1, in the frame of its part; masses that the file does not give.
 * Returns false if out of memory. */
bool trm_robot_solid(trm_import *in, const trm_shape_def *shape, trm_mass *mass);
bool trm_robot_fill_masses(trm_robot *a);

/* Fills the definition and reports errors as messages. Returns false if out of memory. */
bool trm_robot_build(trm_robot *a);

/* Returns the joint coordinate that represents a freedom; NULL if no coordinate of its own does. */
const trm_robot_coordinate *trm_robot_coordinate_of(const trm_robot *a, const char *freedom);

/* Returns a copy of a name, with "_" where the model allows no such character; NULL if out of memory. */
const char *trm_robot_keep_name(const trm_robot *a, const char *name);

/* Returns the name of the body that a part belongs to, "ground" for -1; NULL if out of memory. */
const char *trm_robot_body_name(const trm_robot *a, int part);

/* Excludes the bodies of two parts, which are in the definition, from colliding. Returns false if out of memory. */
bool trm_robot_part_bodies(trm_robot *a, int one, int other);

/* Returns a name that no force of the definition has: the given one, or that with a number; NULL if out of memory. */
const char *trm_robot_force_name(trm_robot *a, const char *name);

/* Converts points from the world at the start to the frames of the bodies. */
void trm_robot_set_ends(const trm_robot *a, const int parts[2], const trm_vec3 world[2], trm_vec3 ends[2]);

/* robot_freedoms.c: joints from connections, gears and the like from couplings. Returns false if out of memory. */
bool trm_robot_add_joints(trm_robot *a);
bool trm_robot_add_couplings(trm_robot *a);

/* Returns the lever arm of torsional friction, m, of a patch of radius a with friction mu: 3 pi/16 mu a, by Hertz's
 * distribution of pressure (Gazebo). */
static inline double trm_robot_torsional_arm(double mu, double a)
{
    return 3 * TRM_PI / 16 * mu * a;
}

/* robot_collide.c: bits of shapes, before there are bodies, and pairs of bodies that do not collide. False: out of
 * memory. */
void trm_robot_mask_shapes(trm_robot *a);
bool trm_robot_part_robots(trm_robot *a);

/* robot_emit.c: from parts that know their bodies to the definition. Returns false if out of memory. */
bool trm_robot_emit(trm_robot *a);

#endif
