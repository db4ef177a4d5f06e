/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A motion from a result file: of all bodies, or of joint coordinates that determine it. Missing velocities and
 * accelerations are computed by differentiating polynomials through neighbouring rows. */

#ifndef TRM_CLI_TRAJECTORY_H
#define TRM_CLI_TRAJECTORY_H

#include "result_file.h"
#include "trammel/trammel.h"

/* Columns of a body and of a coordinate; -1: missing. */
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
    double *values; /* all columns, row after row */
    int *lines;     /* per row: line of the file */
    int rows;
    body_columns *bodies; /* per body of the model; NULL: the file has coordinates */
    coordinate_columns *coordinates;
    int coordinate_count;
    bool has_v, has_w, has_a, has_al; /* the file has these columns of all bodies; of coordinates: has_v, has_a */
} trajectory;

/* Largest and smallest number of rows through which a polynomial goes. */
enum { MOST_NEIGHBOURS = 9, LEAST_NEIGHBOURS = 5 };

/* Reads the whole file. If it has no bodies, the requested coordinates are enough. Returns false after reporting
 * what is wrong. Free it in both cases. */
bool read_trajectory(trajectory *t, const trm_model *model, const trm_inverse *inverse, const char *path);
void free_trajectory(trajectory *t);

/* Return whether velocities and accelerations are computed by differentiation. */
bool velocities_are_found(const trajectory *t);
bool accelerations_are_found(const trajectory *t);

/* Sets a state to the motion at a row; derivatives are those of polynomials through this many rows. */
trm_outcome set_motion(const trajectory *t, int row, int neighbours, trm_inverse *inverse, trm_state *state);

#endif
