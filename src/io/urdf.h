/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The URDF reader: its data about links and joints while it reads (docs/import.md). */

#ifndef TRM_IO_URDF_H
#define TRM_IO_URDF_H

#include "base/names.h"
#include "io/format.h"
#include "io/robot.h"
#include "io/xml.h"
#include "math/inertia.h"

typedef struct trm_urdf_material {
    const char *name, *color; /* "#rrggbb" */
} trm_urdf_material;

typedef struct trm_urdf_link {
    const char *name;
    trm_place place;
    trm_mass mass;         /* in the link's frame; mass 0: not given */
    trm_shape_def *shapes; /* in the link's frame */
    int shape_count;
    int joint;           /* joint to its parent; -1: it is the root link */
    int part;            /* number of its part of the robot */
    double gravity;      /* factor of gravity */
    bool self_collision; /* true: collides with other links of the robot */
    trm_pose world;      /* pose in the world at the start */
} trm_urdf_link;

typedef struct trm_urdf_joint {
    const char *name, *type;
    trm_place place;
    int parent, child; /* links */
    trm_pose origin;   /* pose of the child's frame in the parent's at q = 0 */
    trm_vec3 axis;     /* unit, in the child's frame */
    double limits[2];  /* m or rad; infinite: none */
    double damping, friction, armature;
    double stiffness, rest;
    double effort, velocity; /* infinite: not given */
    const char *mimic;       /* name of the joint that it follows; NULL: none */
    int master;              /* number of that joint */
    double multiplier, offset;
    double pitch; /* m per turn: of a screw */
    double start; /* m or rad: its coordinate at the start */
} trm_urdf_joint;

/* A joint that closes a loop. */
typedef struct trm_urdf_loop {
    const char *name, *type; /* type: joint type of the model file; NULL after an error */
    trm_place place;
    int links[2];
    trm_pose frames[2]; /* joint frames in the frames of the links */
    bool by_child;      /* true: only the frame of the second link is given, and it is that of both */
    trm_vec3 axis;      /* unit, in the joint frame of the second link */
} trm_urdf_loop;

typedef struct trm_urdf {
    trm_import *in;
    trm_urdf_material *materials;
    int material_count;
    trm_urdf_link *links;
    int link_count;
    trm_urdf_joint *joints;
    int joint_count;
    trm_urdf_loop *loops;
    int loop_count;
    trm_names link_names, joint_names;
    int large_count; /* number of meshes whose size looks like millimetres; place and size of the first */
    trm_place large_place;
    double large_size; /* m */
    trm_robot robot;
} trm_urdf;

/* urdf.c: returns the pose <origin xyz="..." rpy="..."/> of an element. */
trm_pose trm_urdf_origin(const trm_urdf *u, trm_xml *element);

/* urdf_link.c: read a named colour, and a link. Return false if out of memory. */
bool trm_urdf_read_material(trm_urdf *u, trm_xml *element, const char **color);
bool trm_urdf_read_link(trm_urdf *u, trm_xml *element, trm_urdf_link *link);
void trm_urdf_report_large_meshes(const trm_urdf *u);

/* urdf_extras.c: reads extensions of other programs, after links and joints were read. Returns false if out of
 * memory. */
bool trm_urdf_read_extras(trm_urdf *u, trm_xml *root);

/* urdf_tree.c: merges links into bodies and adds bodies, joints and forces to the definition. Returns false if out
 * of memory. */
bool trm_urdf_build(trm_urdf *u);

#endif
