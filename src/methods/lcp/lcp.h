/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Velocity-level complementarity, as in ODE (Hishinuma 2018, section 6, with erratum 9 of docs/errata.md).
 *
 *     M (V+ - V) = h Q + sum J^T x,     q+ = q + h V+
 *
 * Joints are rows that hold both ways, all else has bounds; with c the gap and c_t its rate at rest:
 *
 *     joints            w = J V+ + c_t + (ERP/h) c + (CFM/h) x = 0
 *     limits, ropes     w = -(J V+ + c/h) + (CFM/h) x >= 0,       x >= 0, one of both 0; (ERP/h) c where they are passed
 *     motors, friction  w = J V+ + c_t + (CFM/h) x,               |x| <= h F, w = 0 between the bounds
 *     contacts          w = J V+ + gap/h + (CFM/h) x >= 0,        x >= 0; (ERP/h) gap where they are deep, e J V where they strike
 *     their friction    w = J V+ + (CFM of friction/h) x          in a box or a pyramid about mu x of the contact
 *     stiff forces      w = J V+ + c_t + (ERP/h) c + (CFM/h) x    of their k and d, |x| <= h times their most
 *
 * x is an impulse, N s or N m s: a force of x/h. Islands of rows with bounds are linear complementarity problems
 * (linalg/lcp.h) in the responses of the machine, its joints being closed: eliminate.c. Or all rows, those of joints too, are
 * swept: sweep.c. */

#ifndef TRM_METHODS_LCP_LCP_H
#define TRM_METHODS_LCP_LCP_H

#include "linalg/lcp.h"
#include "methods/contact/contact_set.h"

/* A row, and where its impulse goes. */
/* As what the work of a row counts (trm_works); not at all where its joint or force counts it. */
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
    double ease;              /* 1 / (J W + soft), for sweeps */
    double lo, hi;
    int friction;  /* the row that bounds it; -1: none */
    double free;   /* J V with the joints alone */
    double x;      /* N s, N m s */
    double *to[2]; /* x, times a share, is added there; NULL: nowhere */
    double share[2];
    trm_lcp_works works;
} trm_lcp_row;

/* Rows of its own, of what has bounds. */
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
    bool finite;    /* rotations are, else infinitesimal ones */
    int directions; /* of the pyramid of friction; 0: it is a box */
    double erp, cfm, friction_cfm;
    double bounce;     /* m/s: what is slower does not; NAN: by gravity and the step */
    double correction; /* m/s: deep contacts come out no faster */
    double warm;       /* part of the last impulses that sweeps begin with */
    trm_lcp_sweeps sweeps;

    double h;            /* s: of softness */
    double *softness;    /* per row of the model: CFM/h */
    double *reduction;   /* per row of the model: ERP/h */
    double *wanted;      /* per row of the model: J V is to be this */
    trm_spatial *before; /* per body: V at the start of the step */
    trm_lcp_row *rows;
    trm_lcp_pair *pairs;
    double *diagonal; /* per row: of J W + softness, for sweeps */
    int row_count, row_room, pair_count, pair_room;
} trm_lcp_method;

/* rows.c: of all that has bounds, at the present pose, and for sweeps of joints too; false: out of memory. */
bool trm_lcp_list_rows(trm_lcp_method *w);
/* Whether a joint is such a row, and no equation. */
bool trm_lcp_is_bounded(const trm_joint *joint);
/* Impulses to where they belong. */
void trm_lcp_hand_out(trm_lcp_method *w);

/* forces.c: V <- V + h M^-1 Q, all as they are at the start of the step; false: one is not finite. Rows of forces that are too stiff
 * for that are left to rows.c: whether one is. */
bool trm_lcp_apply_forces(trm_lcp_method *w, trm_outcome *outcome);
bool trm_lcp_is_stiff(const trm_lcp_method *w, const trm_maximal_damper *d);
/* J: of all impulses that are not those of joints or of forces that depend on positions alone. */
trm_works trm_lcp_work(const trm_lcp_method *w);

/* eliminate.c: impulses of all rows, and the velocities that they make; false: outcome says why not. */
bool trm_lcp_eliminate(trm_lcp_method *w, trm_outcome *outcome);
/* sweep.c: the same by sweeps. */
bool trm_lcp_sweep(trm_lcp_method *w, trm_outcome *outcome);

#endif
