/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The parts of the SDF reader (docs/import.md).
 *
 * Worlds, models, links, joints and frames are entities; each has a pose relative to another one, and a scope, the
 * model or world that it is named in. */

#ifndef TRM_IO_SDF_H
#define TRM_IO_SDF_H

#include "io/robot.h"
#include "io/xml.h"

typedef enum trm_sdf_kind { TRM_SDF_MODEL, TRM_SDF_LINK, TRM_SDF_JOINT, TRM_SDF_FRAME } trm_sdf_kind;

/* The names in a model or in the world, and their entities. */
typedef struct trm_sdf_scope {
    trm_names names;
    int *entities;
    int count;
} trm_sdf_scope;

typedef struct trm_sdf_entity {
    trm_sdf_kind kind;
    const char *name;
    trm_xml *element;
    int scope;               /* entity of the model in which it is; -1: the world */
    trm_pose pose;           /* pose as given */
    const char *relative_to; /* frame to which it is relative; NULL: the default of its kind */
    const char *base;        /* attached_to of a frame; child of a joint; placement frame of a model */
    int state;               /* state of resolution: 0 not begun, 1 in progress, 2 done */
    trm_pose in_scope;       /* pose in the frame of its scope, after resolution */
    bool is_static, merged, self_collide;
    bool replaced;         /* the file of a model was not found: the reader supplies the model */
    const char *directory; /* folder of its file */
    int version;           /* minor version of that file: 7 for 1.7 */
    int part;              /* part of a link; -1: none */
    trm_sdf_scope inside;  /* names inside a model */
} trm_sdf_entity;

typedef struct trm_sdf {
    trm_import *in;
    trm_robot robot;
    int version; /* minor version of the file whose elements are being collected */
    trm_sdf_entity *entities;
    int entity_count;
    trm_sdf_scope world;
    int top_models;  /* number of models in the world, without those that the reader supplies */
    int depth;       /* depth of includes */
    trm_xml **roots; /* roots of the document and of each included file */
    int root_count;
} trm_sdf;

/* ---- sdf_pose.c --------------------------------------------------------------------------- */

/* Returns the <pose> of an element, and its attribute relative_to unless that pointer is NULL. */
trm_pose trm_sdf_read_pose(trm_sdf *s, trm_xml *element, const char **relative_to);
/* Enters the last entity into its scope. *is_new: the scope had no such name. Returns false if out of memory. */
bool trm_sdf_enter(trm_sdf *s, bool *is_new);
/* Returns the entity of a name in a scope; "a::b" is inside a. Returns -1 if there is none. */
int trm_sdf_find(const trm_sdf *s, int scope, const char *name);
/* Returns the pose of an entity in the world. Reports an error if frames refer to each other in a cycle. */
trm_pose trm_sdf_world(trm_sdf *s, int entity);
/* Gets the orientation of a frame by its name; "__model__" is the scope itself. Returns false after reporting an
 * error. */
bool trm_sdf_frame(trm_sdf *s, int scope, const char *name, trm_place place, trm_pose *world);
/* Returns the link that an entity is attached to; -1 for the world, or none. */
int trm_sdf_link_of(const trm_sdf *s, int entity);
/* Returns the name of an entity in the model file: "model::link". Returns NULL if out of memory. */
const char *trm_sdf_full_name(const trm_sdf *s, int entity);

/* ---- sdf_value.c -------------------------------------------------------------------------- */

/* Returns the text of a child without white space around it. Returns NULL if there is none. */
const char *trm_sdf_text(trm_sdf *s, trm_xml *element, const char *child);
double trm_sdf_number(trm_sdf *s, trm_xml *element, const char *child, double otherwise);
bool trm_sdf_is(trm_sdf *s, trm_xml *element, const char *child, bool otherwise);
bool trm_sdf_vector(trm_sdf *s, trm_xml *element, const char *child, trm_vec3 *v);

/* sdf_link.c, sdf_joint.c: read a link, a joint, and gearboxes. Return false if out of memory. */
bool trm_sdf_read_link(trm_sdf *s, int entity);
bool trm_sdf_read_joint(trm_sdf *s, int entity);
bool trm_sdf_read_gearbox(trm_sdf *s, int entity);

#endif
