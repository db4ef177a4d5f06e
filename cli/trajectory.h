/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A motion from a result file: of all bodies, or of joint coordinates that determine it. Missing velocities and
 * accelerations are computed by differentiating polynomials through neighbouring rows. */

#ifndef TRM_CLI_TRAJECTORY_H
#define TRM_CLI_TRAJECTORY_H

#include "result_file.h"
#include "trammel/trammel.h"

/* Columns; -1: not there. */
typedef struct body_columns {
    int x[3], q[4], v[3], w[3], a[3], al[3];
} body_columns;

typedef struct coordinate_columns {
    int q, qd, qdd;
} coordinate_columns;

typedef struct trajectory {
    const trm_model *model;
    result_file results;
    double *t;      /* s, per row */
    double *values; /* row after row, all columns */
    int *lines;     /* of the file, per row */
    int rows;
    body_columns *bodies; /* per body of the model; NULL: */
    coordinate_columns *coordinates;
    int coordinate_count;
    bool has_v, has_w, has_a, has_al; /* of all bodies; of coordinates: has_v and has_a */
} trajectory;

/* Neighbours that a polynomial goes through, and the fewest that will do. */
enum { MOST_NEIGHBOURS = 9, LEAST_NEIGHBOURS = 5 };

/* The file whole; coordinates that are sought will do where it has no bodies. Returns false after reporting what
 * is wrong. Freed either way. */
bool read_trajectory(trajectory *t, const trm_model *model, const trm_inverse *inverse, const char *path);
void free_trajectory(trajectory *t);

/* Return whether velocities and accelerations are computed by differentiation. */
bool velocities_are_found(const trajectory *t);
bool accelerations_are_found(const trajectory *t);

/* The motion at a row into a state; polynomials through so many rows. */
trm_outcome set_motion(const trajectory *t, int row, int neighbours, trm_inverse *inverse, trm_state *state);

#endif
