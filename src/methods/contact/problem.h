/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Velocities and impulses of bodies that hold each other: joints, contacts with Coulomb's friction, and forces that depend
 * on velocities, all at once.
 *
 * A hold acts along up to six rows J on up to four bodies. With
 *
 *     u = J V + b          what its rows see: speeds, or what is left of a gap per time of the step
 *     V = V_free + M^-1 sum J^T lambda
 *
 * it obeys one of four laws:
 *
 *     closed    u = 0                                                                     joints
 *     cone      u_n >= 0, lambda_n >= 0, u_n lambda_n = 0, |lambda_t| <= mu lambda_n,
 *               slip opposite to lambda_t where it slips at all                           contacts: rows n, t1, t2
 *     pull      lambda = dt pull(u)                                                       dampers, servos (model/force.h)
 *     bounded   u = 0 where |lambda| < bound, else away from it                           motors, friction in joints: one row
 *
 * Islands, which share no body that an impulse can move, are solved one by one: by Newton's method (newton.c), or by
 * sweeps over the holds where they are too large for that (sweeps.c). */

#ifndef TRM_METHODS_CONTACT_PROBLEM_H
#define TRM_METHODS_CONTACT_PROBLEM_H

#include "base/arena.h"
#include "model/model.h"

typedef enum trm_hold_law { TRM_CLOSED, TRM_CONE, TRM_PULL, TRM_BOUNDED } trm_hold_law;

typedef struct trm_hold {
    trm_hold_law law;
    int rows, bodies;
    const int *body;          /* per body: its number in V */
    const trm_spatial *J, *W; /* rows x bodies; W = M^-1 J^T, nothing on bodies that no impulse moves */
    const double *b;          /* per row; NULL: 0 */
    double *lambda;           /* per row, N s or N m s: where it begins, and what is found */
    double friction;          /* of a cone */
    double bound;             /* N s or N m s: of a bounded one */
    const trm_force_row *pull;
    double dt; /* s: of a pull */
} trm_hold;

typedef struct trm_problem {
    const trm_hold *holds;
    int hold_count;
    int body_count;
    const trm_body *bodies; /* per body: its mass; 0: no impulse moves it */
    const trm_pose *poses;
    trm_spatial *V;   /* per body: where it begins, lambda having acted, and what is found */
    double tolerance; /* m/s: how closely rows are to obey their laws, */
    double enough;    /* and how closely will do */
    trm_arena *arena; /* what is taken is given back */
} trm_problem;

/* Holds of one island: bodies and holds by their numbers. */
typedef struct trm_problem_island {
    const int *bodies;
    int body_count;
    const int *holds;
    int hold_count;
} trm_problem_island;

/* How far a hold is from its law, m/s, at given velocities. */
double trm_hold_residual(const trm_hold *hold, const trm_spatial *V);

/* The same of a cone at speeds u with s in the place of mu |u_t|; own: the most that its rows answer. */
double trm_cone_residual(const trm_hold *hold, const double *u, double s, double own);

/* How the speed along a row answers to a unit impulse along it, and the most that any of its rows does. */
double trm_hold_answer(const trm_hold *hold, int row);
double trm_hold_own(const trm_hold *hold);

/* u of its rows. */
void trm_hold_speeds(const trm_hold *hold, const trm_spatial *V, double *u);

/* lambda += change, V with it. */
void trm_hold_push(const trm_hold *hold, const double *change, trm_spatial *V);

/* What became of an island. */
typedef enum trm_solved { TRM_SOLVED, TRM_NOT_SOLVED, TRM_SOLVE_NO_MEMORY } trm_solved;

/* newton.c. thorough: with the ladder. Not solved: V and lambda are as they were. steps: Newton's, added. */
trm_solved trm_problem_newton(const trm_problem *problem, const trm_problem_island *island, bool thorough,
                              int *steps);

/* dense.c: of few rows. Not solved, or out of memory: V and lambda are what it came to. */
trm_solved trm_problem_dense(const trm_problem *problem, const trm_problem_island *island);

/* sweeps.c: at most so many rounds; whatever they led to. Returns what is left, m/s. */
double trm_problem_sweeps(const trm_problem *problem, const trm_problem_island *island, int rounds);

#endif
