/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The parts of the writer of MJCF. */

#ifndef TRM_IO_MJCF_WRITE_H
#define TRM_IO_MJCF_WRITE_H

#include "base/names.h"
#include "base/number.h"
#include "io/xml.h"
#include "model/model.h"
#include "trammel/io.h"

typedef struct trm_mjcf_writer {
    const trm_model_def *def;
    const trm_model *model; /* of the definition */
    trm_messages *messages;
    trm_sink sink;
    trm_arena *scratch;
    bool failed;
    trm_names names;  /* names of the definition's bodies */
    trm_pose *frames; /* poses of the bodies in the world at the start */
    int *parent;      /* per body: its parent; -1: the world */
    int *joint;       /* per body: joint to its parent; -1: none */
    bool *placed, *is_free;
    bool *in_tree; /* per joint: it is in the tree */
} trm_mjcf_writer;

/* A hinge or a slide. */
typedef struct trm_mjcf_link {
    trm_coordinate_def law; /* its law, with type, axis and anchor in the world at the start */
    double q0;
} trm_mjcf_link;

void trm_mjcf_put(trm_mjcf_writer *w, const char *text);
void trm_mjcf_put_name(trm_mjcf_writer *w, const char *attribute, const char *name);
void trm_mjcf_put_numbers(trm_mjcf_writer *w, const char *attribute, const double *values, int count);
void trm_mjcf_put_vector(trm_mjcf_writer *w, const char *attribute, trm_vec3 v);
void trm_mjcf_lost(const trm_mjcf_writer *w, trm_place place, const char *what, const char *name, const char *why);

int trm_mjcf_body_of(const trm_mjcf_writer *w, const char *name); /* returns the index of a body; -1: the ground */
trm_pose trm_mjcf_frame_of(const trm_mjcf_writer *w, int body);
/* Return the anchor of a joint on one of its bodies, and one of its axes, in the world at the start. */
trm_vec3 trm_mjcf_end_of(const trm_mjcf_writer *w, const trm_joint_def *joint, int k);
trm_vec3 trm_mjcf_axis_of(const trm_mjcf_writer *w, const trm_joint_def *joint, int k);
/* Returns the name of a coordinate of a joint, index from 0. Returns NULL if out of memory. */
const char *trm_mjcf_link_name(trm_mjcf_writer *w, const trm_joint_def *joint, int index);

/* mjcf_write_rest.c: write assets, shapes, sites, constraints and actuators. */
void trm_mjcf_put_assets(trm_mjcf_writer *w);
void trm_mjcf_put_geoms(trm_mjcf_writer *w, const trm_body_def *body);
void trm_mjcf_put_sites(trm_mjcf_writer *w, int body);
void trm_mjcf_put_constraints(trm_mjcf_writer *w);
void trm_mjcf_put_actuators(trm_mjcf_writer *w);

#endif
