/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Rank of rows of joints, row by row.
 *
 * A row is scaled per body, so that metres and radians compare: velocities by 1, angular velocities by 1/rho,
 * where rho is the body's largest radius of gyration. Rows are added one after the other (linalg/echelon.h). A row
 * depends on those before it if elimination by them leaves no remainder. Columns are numbered from the leaves of the
 * spanning tree to its roots. A tree joint then leads with the columns of its child, so that only loops cause
 * fill-in. */

#ifndef TRM_MOTION_RANK_H
#define TRM_MOTION_RANK_H

#include "linalg/echelon.h"
#include "model/topology.h"
#include "motion/state.h"

/* A row is dependent if less than this fraction of its length remains. Its square is 1e-11, the fraction of the
 * free-body value below which solvers drop a pivot (TRM_DROPPED). */
#define TRM_DEPENDENT 3.2e-6

typedef struct trm_rank trm_rank;

/* Creates a rank without rows. It lives in the arena. Returns NULL when out of memory. */
trm_rank *trm_rank_create(const trm_model *model, const trm_topology *topology, trm_arena *arena);

/* Adds a row of a joint. J: the row, one spatial vector per body of the joint. */
trm_echelon_result trm_rank_add(trm_rank *rank, const trm_joint *joint, const trm_spatial *J, double tolerance);

/* Returns 1/rho, in 1/m; 0 for a body without inertia. */
double trm_per_radian(const trm_body *body);

/* Sets holds[row] (TRM_JOINT_ROWS entries) for the rows that constrain at present: all but those of slack ropes
 * and of springs. */
void trm_active_rows(const trm_joint_at *at, bool *holds);

#endif
