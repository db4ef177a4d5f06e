/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Rank of rows of joints, row by row.
 *
 * A row is scaled per body: velocities as they are, angular velocities by 1/rho, rho the body's largest radius of
 * gyration, so that metres and radians compare. Rows are added one after the other (linalg/echelon.h): one of which
 * nothing is left after those before it depends on them. Columns are numbered from the leaves of the spanning tree to
 * its roots: a tree joint leads with its child's columns, so that only loops fill rows up. */

#ifndef TRM_MOTION_RANK_H
#define TRM_MOTION_RANK_H

#include "linalg/echelon.h"
#include "model/topology.h"
#include "motion/state.h"

/* Part of a row's length below which what is left counts as nothing. Squared, this is the 1e-11 of its free-body value
 * below which a solver drops a pivot. */
#define TRM_DEPENDENT 3.2e-6

typedef struct trm_rank trm_rank;

/* No rows yet. Lives in the arena; NULL: out of memory. */
trm_rank *trm_rank_create(const trm_model *model, const trm_topology *topology, trm_arena *arena);

/* Adds a row of a joint. J: of that row, one per body of the joint. */
trm_echelon_result trm_rank_add(trm_rank *rank, const trm_joint *joint, const trm_spatial *J, double tolerance);

/* 1/rho; 0 for a body without inertia. */
double trm_per_radian(const trm_body *body);

/* Which rows of the joint hold at present, all but those of slack ropes; holds: TRM_JOINT_ROWS. */
void trm_rows_that_hold(const trm_joint_at *at, bool *holds);

#endif
