/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Velocities and impulses of bodies that hold each other: joints, contacts with Coulomb's friction, and forces that depend
 * on velocities, all at once.
 *
 * A constraint acts along up to six rows J on up to four bodies. With
 *
 *     u = J V + b          what its rows see: speeds, or what is left of a gap per time of the step
 *     V = V_free + M^-1 sum J^T lambda
 *
 * it obeys one of five laws:
 *
 *     closed    u = 0                                                                     joints
 *     cone      u_n >= 0, lambda_n >= 0, u_n lambda_n = 0, |lambda_t| <= mu lambda_n,
 *               slip opposite to lambda_t where it slips at all                           contacts: rows n, t1, t2
 *     disc      |lambda| <= c lambda_n of its contact, u opposite to lambda where it turns
 *               at all                                                                    rolling friction: rows t1, t2
 *     pull      lambda = dt pull(u)                                                       dampers, servos (model/force.h)
 *     bounded   u = 0 where least < lambda < most, u <= 0 at most, u >= 0 at least        motors, friction in joints, limits,
 *                                                                                         ropes: one row
 *
 * Islands, which share no body that an impulse can move, are solved one by one: reduced to their contacts where there are joints or few rows
 * (reduced.c), by Newton's method on the velocities of bodies (newton.c), or by sweeps over the constraints where they are too large for that
 * (sweeps.c). */

#ifndef TRM_METHODS_CONTACT_PROBLEM_H
#define TRM_METHODS_CONTACT_PROBLEM_H

#include "base/arena.h"
#include "model/model.h"

typedef enum trm_constraint_law { TRM_CLOSED, TRM_CONE, TRM_DISC, TRM_PULL, TRM_BOUNDED } trm_constraint_law;

/* Where two bodies touch: the directions of the rows, at right angles, and from both centres of mass to the place; none of
 * a point mass. J of the first body is (arm x d, d), that of the second (-arm x d, -d). */
typedef struct trm_contact_frame {
    trm_vec3 d[3]; /* n, t1, t2 */
    trm_vec3 arm[2];
} trm_contact_frame;

typedef struct trm_constraint {
    trm_constraint_law law;
    int rows, bodies;
    const int *body; /* per body: its number in V */
    const trm_spatial *J,
        *W; /* rows x bodies; W = M^-1 J^T, nothing on bodies that no impulse moves; sweeps do without those
                                 of cones */
    const trm_contact_frame *frame; /* of a cone */
    const double *b;                /* per row; NULL: 0 */
    double *lambda;                 /* per row, N s or N m s: where it begins, and what is found */
    double friction;                /* of a cone; of a disc, m: the arm c */
    const double *normal;           /* of a disc: lambda_n of its contact */
    bool driven;                    /* from outside: its b is work that is put in */
    double least, most;             /* N s or N m s: bounds of a bounded one; may be infinite */
    const trm_force_row *pull;
    double dt; /* s: of a pull */
} trm_constraint;

typedef struct trm_problem {
    const trm_constraint *constraints;
    int constraint_count;
    int body_count;
    const trm_body *bodies; /* per body: its mass; 0: no impulse moves it */
    const trm_pose *poses;
    const trm_mat3 *inverse_inertia; /* per body, in the world; 0: no impulse turns it */
    trm_spatial *V;                  /* per body: where it begins, lambda having acted, and what is found */
    double tolerance;                /* m/s: how closely rows are to obey their laws, */
    double enough;                   /* how closely will do where more cannot be had, */
    double enough_closed;            /* and of joints, */
    double soon;                     /* and how closely where it is had at once */
    double part;                     /* of what rows are off by at first: so much may be left */
    trm_arena *arena;                /* what is taken is given back */
    trm_arena *kept;                 /* of what is kept for other problems with the same rows; NULL: nothing is */
} trm_problem;

/* Constraints of one island: bodies and constraints by their numbers. */
typedef struct trm_problem_island {
    const int *bodies;
    int body_count;
    const int *constraints;
    int constraint_count;
    struct trm_reduced **kept; /* one: its matrices in contact space; NULL: not made yet */
} trm_problem_island;

/* How far a constraint is from its law, m/s, at given velocities. */
double trm_constraint_residual(const trm_constraint *constraint, const trm_spatial *V);

/* The same of a cone at speeds u with s in the place of mu |u_t|; own: the most that its rows answer. */
double trm_cone_residual(const trm_constraint *constraint, const double *u, double s, double own);

/* The radius that its contact gives a disc at present. */
double trm_disc_radius(const trm_constraint *constraint);

/* How the speed along a row answers to a unit impulse along it, and the most that any of its rows does. */
double trm_constraint_response(const trm_constraint *constraint, int row);
double trm_constraint_largest_response(const trm_constraint *constraint);

/* u of its rows. */
void trm_constraint_speeds(const trm_constraint *constraint, const trm_spatial *V, double *u);

/* lambda += change, V with it. */
void trm_constraint_apply_impulse(const trm_constraint *constraint, const double *change, trm_spatial *V);

/* What became of an island. */
typedef enum trm_solved { TRM_SOLVED, TRM_NOT_SOLVED, TRM_SOLVE_NO_MEMORY } trm_solved;

/* newton.c. Not solved: V and lambda are as they were. steps: Newton's, added. */
trm_solved trm_problem_newton(const trm_problem *problem, const trm_problem_island *island, int *steps);

/* reduced.c: with joints eliminated first; whether there are few enough rows for that. Not solved: V and lambda are as they were but
 * for joints, which are closed; if sweeps are asked for, what these came to, without energy put in. steps: Newton's, added. */
bool trm_problem_can_reduce(const trm_problem *problem, const trm_problem_island *island);
trm_solved trm_problem_reduced(const trm_problem *problem, const trm_problem_island *island, bool sweeps, int *steps);

/* dense.c: of few rows. Not solved, or out of memory: V and lambda are what it came to. */
trm_solved trm_problem_dense(const trm_problem *problem, const trm_problem_island *island);

/* sweeps.c: so many rounds, and up to `most` while speeds still change by more than `calm`, m/s; whatever they led to. Returns
 * what is left, m/s. */
double trm_problem_sweeps(const trm_problem *problem, const trm_problem_island *island, int rounds, int most,
                          double calm);

#endif
