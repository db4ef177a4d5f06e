/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Velocity-level complementarity, as in ODE (Hishinuma 2018, section 6, with erratum 9 of docs/errata.md).
 *
 *     M (V+ - V) = h Q + sum J^T x,     q+ = q + h V+
 *
 * Joints are two-sided rows; all other rows have bounds. With c the residual (or gap) and c_t its explicit rate:
 *
 *     joints            w = J V+ + c_t + (ERP/h) c + (CFM/h) x = 0
 *     limits, ropes     w = -(J V+ + c/h) + (CFM/h) x >= 0,       x >= 0, w x = 0; (ERP/h) c where violated
 *     motors, friction  w = J V+ + c_t + (CFM/h) x,               |x| <= h F, w = 0 between the bounds
 *     contacts          w = J V+ + gap/h + (CFM/h) x >= 0,        x >= 0; (ERP/h) gap if deep, e J V in impacts
 *     their friction    w = J V+ + (CFM of friction/h) x          in a box or a pyramid about mu x of the contact
 *     stiff forces      w = J V+ + c_t + (ERP/h) c + (CFM/h) x    from their k and d, |x| <= h times the largest force
 *
 * x is an impulse, N s or N m s: a mean force of x/h. eliminate.c keeps the joints closed and solves each island
 * of bounded rows as a linear complementarity problem (linalg/lcp.h) in the responses of the machine. sweep.c
 * solves all rows, including those of joints, by sweeps. */

#ifndef TRM_METHODS_LCP_LCP_H
#define TRM_METHODS_LCP_LCP_H

#include "linalg/lcp.h"
#include "methods/contact/contact_set.h"

/* The category of trm_works to which the work of a row is added; TRM_LCP_WORKS_NOT: its joint or force counts it. */
typedef enum trm_lcp_works {
    TRM_LCP_WORKS_NOT,
    TRM_LCP_WORKS_AS_INPUT,
    TRM_LCP_WORKS_AS_FRICTION,
    TRM_LCP_WORKS_AS_IMPACT,
    TRM_LCP_WORKS_AS_CONTACT,
} trm_lcp_works;

typedef struct trm_lcp_row {
    const int *body;
    int bodies;
    const trm_spatial *J, *W; /* per body */
    double b, soft;           /* w = J V + b + soft x */
    double spread;            /* fraction of its response that is added to soft if joints are eliminated */
    double inverse_diagonal;  /* 1 / (J W + soft), for sweeps */
    double lo, hi;
    int friction;  /* normal row whose impulse bounds this one; -1: none */
    double free;   /* m/s, rad/s: J V when only the joints act */
    double x;      /* N s, N m s: impulse */
    double *to[2]; /* x times a share is added there; NULL: nowhere */
    double share[2];
    trm_lcp_works works;
} trm_lcp_row;

/* Memory of a bounded row of a joint: J and its response W = M^-1 J^T. A rope over pulleys acts on up to four
 * bodies. */
typedef struct trm_lcp_joint_row {
    trm_spatial J[TRM_JOINT_BODIES], W[TRM_JOINT_BODIES];
} trm_lcp_joint_row;

/* Memory of any other bounded row, between two bodies. */
typedef struct trm_lcp_pair {
    int body[2];
    trm_spatial J[2], W[2];
} trm_lcp_pair;

typedef enum trm_lcp_solver { TRM_LCP_DANTZIG, TRM_LCP_LEMKE, TRM_LCP_PGS } trm_lcp_solver;
typedef enum trm_gyroscopic { TRM_GYRO_IMPLICIT, TRM_GYRO_EXPLICIT, TRM_GYRO_NONE } trm_gyroscopic;

typedef struct trm_lcp_method {
    trm_maximal *machine;
    trm_lcp_solver solver;
    trm_gyroscopic gyroscopic;
    bool finite;    /* finite rotations, else infinitesimal ones */
    int directions; /* of the friction pyramid; 0: friction box */
    double erp, cfm, friction_cfm;
    double spread; /* compliance of a contact as a fraction of its response; redundant contacts then share a load */
    double bounce; /* m/s: slower impacts do not bounce; NAN: computed from gravity and h */
    double correction; /* m/s: largest separation speed of penetrating contacts */
    double warm;       /* part of the last impulses with which sweeps begin */
    trm_lcp_sweeps sweeps;

    double h;            /* s: step for which softness was computed */
    double *softness;    /* per row of the model: CFM/h */
    double *reduction;   /* per row of the model: ERP/h */
    double *required;    /* per row of the model: target of J V */
    trm_spatial *before; /* per body: V at the start of the step */
    trm_lcp_row *rows;
    trm_lcp_pair *pairs;
    trm_lcp_joint_row *joint_rows;
    double *diagonal; /* per row: diagonal of J W + softness, for sweeps */
    int row_count, row_room, pair_count, pair_room, joint_row_count;
} trm_lcp_method;

/* rows.c: lists all bounded rows at the current pose, and for sweeps those of joints too. Returns false when out
 * of memory. */
bool trm_lcp_list_rows(trm_lcp_method *w);
/* Returns the largest possible number of bounded rows of joints. */
int trm_lcp_count_joint_rows(const trm_model *model);
/* Adds the impulses to their destinations (trm_lcp_row.to). */
void trm_lcp_distribute_impulses(trm_lcp_method *w);

/* forces.c: V <- V + h M^-1 Q with all forces at the start of the step. Returns false if a force is not finite.
 * Forces that are too stiff for this (trm_lcp_is_stiff) become rows in rows.c. */
bool trm_lcp_apply_forces(trm_lcp_method *w, trm_outcome *outcome);
bool trm_lcp_is_stiff(const trm_lcp_method *w, const trm_maximal_damper *d);
/* Returns the work [J] of all impulses except those of joints and of forces that depend on positions alone. */
trm_works trm_lcp_work(const trm_lcp_method *w);

/* eliminate.c: computes the impulses of all rows and the resulting velocities. Returns false with the reason in
 * outcome. */
bool trm_lcp_eliminate(trm_lcp_method *w, trm_outcome *outcome);
/* sweep.c: does the same by sweeps. */
bool trm_lcp_sweep(trm_lcp_method *w, trm_outcome *outcome);

#endif
