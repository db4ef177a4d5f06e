/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* What is going on: the state of a machine, and what can be said of it. */

#ifndef TRAMMEL_SIM_H
#define TRAMMEL_SIM_H

#include "trammel/base.h"
#include "trammel/model.h"
#include "trammel/vecmath.h"

#ifdef __cplusplus
extern "C" {
#endif

/* ---- State -------------------------------------------------------------------------------- */

/* Time, poses, velocities, joint memory, impulses of the last step, which joints are attached: plain numbers. Two
 * equal states of one model continue bit for bit alike. Many states may share one model, which must outlive them. */
typedef struct trm_state trm_state;

/* The start that the model gives. NULL: out of memory. */
TRM_API trm_state *trm_state_create(const trm_model *model, const trm_allocator *allocator);
TRM_API void trm_state_destroy(trm_state *state);
TRM_API void trm_state_copy(trm_state *to, const trm_state *from);    /* of the same model */
TRM_API bool trm_state_equal(const trm_state *a, const trm_state *b); /* bit for bit */
TRM_API uint64_t trm_state_hash(const trm_state *state);

/* A versioned binary form. Loading refuses, with a message, what does not fit the model: the state stays as it was. */
TRM_API trm_status trm_state_save(const trm_state *state, trm_sink sink);
TRM_API trm_status trm_state_load(trm_state *state, const void *bytes, size_t count, const char *file,
                                  trm_messages *messages);

TRM_API double trm_state_time(const trm_state *state); /* s */

/* The body frame as the user gave it: pose, velocity of its origin and world angular velocity. */
TRM_API trm_pose trm_body_pose(const trm_state *state, int body);
TRM_API trm_spatial trm_body_velocity(const trm_state *state, int body);
TRM_API void trm_set_body_pose(trm_state *state, int body, trm_pose pose);
TRM_API void trm_set_body_velocity(trm_state *state, int body, trm_spatial velocity); /* after the pose */

/* A point given in the body frame, in the world. */
TRM_API trm_vec3 trm_point_position(const trm_state *state, int body, trm_vec3 point);
TRM_API trm_vec3 trm_point_velocity(const trm_state *state, int body, trm_vec3 point);

/* The coordinates of a joint and their rates, TRM_JOINT_COORDINATES at most; returns how many. Either may be NULL. */
TRM_API int trm_joint_values(const trm_state *state, int joint, double *q, double *qd);
TRM_API bool trm_joint_attached(const trm_state *state, int joint);
TRM_API trm_gap trm_position_gap(const trm_state *state, int joint);
TRM_API trm_gap trm_velocity_gap(const trm_state *state, int joint);

/* ---- Energy and momentum ------------------------------------------------------------------ */

typedef struct trm_energy {
    double kinetic, potential; /* J; gravity and springs are potential */
    double power;              /* W, put in by all that is not */
} trm_energy;

typedef struct trm_momentum {
    trm_vec3 linear;  /* kg m/s */
    trm_vec3 angular; /* kg m^2/s, about the world's origin */
} trm_momentum;

TRM_API trm_energy trm_state_energy(const trm_state *state);
TRM_API trm_momentum trm_state_momentum(const trm_state *state);

/* ---- Analysis ----------------------------------------------------------------------------- */

typedef struct trm_row_name {
    int joint, row;
} trm_row_name;

/* Bodies held together by joints; what is fixed or moved from outside belongs to none. */
typedef struct trm_island {
    int bodies, joints;
    int loops;    /* joints beyond a spanning tree */
    int freedoms; /* of its bodies without joints */
    int rows;     /* of its attached joints; a slack rope has none */
    int rank;     /* independent ones among them, in this pose */
} trm_island;

typedef struct trm_analysis {
    int island_count;
    const trm_island *islands;
    trm_island whole;    /* the sum over all islands */
    int redundant_count; /* rows that depend on rows of earlier joints */
    const trm_row_name *redundant;
    const int *island_of_body; /* -1: fixed or moving */
    const bool *tree_joint;    /* whether a joint is in the spanning tree */
    const trm_gap *gaps;       /* per joint */
    const trm_gap *velocity_gaps;
    struct trm_arena *arena; /* owns the lists */
} trm_analysis;

/* Degrees of freedom by count are freedoms - rows, by rank freedoms - rank. NULL: out of memory. */
TRM_API trm_analysis *trm_analyse(const trm_state *state, const trm_allocator *allocator);
TRM_API void trm_analysis_destroy(trm_analysis *analysis);

/* Gaps of the start that are too large to be rounding: an error per joint that is open, naming it and its gap, a
 * warning per joint whose bodies' velocities do not fit. */
TRM_API trm_status trm_check_start(const trm_state *state, trm_messages *messages);

/* ---- Methods ------------------------------------------------------------------------------ */

typedef struct trm_method_verdict {
    const char *name;
    bool available;  /* part of this version */
    bool could_run;  /* has all that the model needs */
    const char *why; /* what it lacks and which element needs it; "" if nothing */
} trm_method_verdict;

/* What the method number index (from 0) says of the model; false behind the last. why points into buffer. */
TRM_API bool trm_method_says(const trm_state *state, const trm_analysis *analysis, int index, char *buffer,
                             size_t size, trm_method_verdict *verdict);

#ifdef __cplusplus
}
#endif

#endif
