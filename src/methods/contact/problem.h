/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The contact problem: velocities and impulses of bodies connected by joints, by contacts with Coulomb friction, and
 * by velocity-dependent forces, solved together.
 *
 * A constraint acts along at most six rows J on at most four bodies. With
 *
 *     u = J V + b          speeds of its rows; b may include the remaining gap, divided by the step
 *     V = V_free + M^-1 sum J^T lambda
 *
 * it obeys one of five laws:
 *
 *     closed    u = 0                                                                 joints
 *     cone      u_n >= 0, lambda_n >= 0, u_n lambda_n = 0, |lambda_t| <= mu lambda_n,
 *               slip opposite to lambda_t if it slips                                 contacts: rows n, t1, t2
 *     disc      |lambda| <= c lambda_n of its contact, u opposite to lambda if it
 *               rotates                                                               rolling friction: rows t1, t2;
 *                                                                                     torsional friction: row n
 *     pull      lambda = dt pull(u)                                                   dampers, servos (model/force.h)
 *     bounded   u = 0 where least < lambda < most, u <= 0 at most, u >= 0 at least    motors, friction in joints,
 *                                                                                     limits, ropes: one row
 *
 * Islands share no body that an impulse can move, and are solved one by one. Islands with joints or few rows are
 * reduced to their contacts (reduced.c). Others are solved by Newton's method on the velocities of bodies (newton.c),
 * and those too large for it by sweeps over the constraints (sweeps.c). */

#ifndef TRM_METHODS_CONTACT_PROBLEM_H
#define TRM_METHODS_CONTACT_PROBLEM_H

#include "base/arena.h"
#include "model/model.h"

typedef enum trm_constraint_law { TRM_CLOSED, TRM_CONE, TRM_DISC, TRM_PULL, TRM_BOUNDED } trm_constraint_law;

/* Contact frame: the orthogonal directions of the rows, and the lever arms from both centres of mass to the contact
 * point (zero for a point mass). J of the first body is (arm x d, d), that of the second (-arm x d, -d). */
typedef struct trm_contact_frame {
    trm_vec3 d[3]; /* n, t1, t2 */
    trm_vec3 arm[2];
} trm_contact_frame;

typedef struct trm_constraint {
    trm_constraint_law law;
    int rows, bodies;
    const int *body; /* per body: its number in V */
    /* rows x bodies; W = M^-1 J^T, zero on bodies that no impulse moves; sweeps do not need those of cones */
    const trm_spatial *J, *W;
    const trm_contact_frame *frame; /* contact frame of a cone */
    const double *b;                /* per row; NULL: 0 */
    double *lambda;                 /* per row, N s or N m s: initial value, then solution */
    double own;                     /* largest response of its rows; 0: not computed yet */
    double friction;                /* coefficient mu of a cone; lever arm c of a disc, m */
    const double *normal;           /* of a disc: lambda_n of its contact */
    bool driven;                    /* driven from outside: the work of its b is input */
    double least, most;             /* N s or N m s: bounds of a bounded row; may be infinite */
    const trm_force_row *pull;
    double dt; /* s: time for which a pull acts */
} trm_constraint;

typedef struct trm_problem {
    const trm_constraint *constraints;
    int constraint_count;
    int body_count;
    const trm_body *bodies; /* per body: its mass; an inverse mass of 0: no impulse moves it */
    const trm_pose *poses;
    const trm_mat3 *inverse_inertia; /* per body, world axes; 0: no impulse turns it */
    trm_spatial *V;                  /* per body: initial value, in which lambda has acted, then solution */
    double tolerance;                /* m/s: required accuracy of all rows */
    double enough;                   /* m/s: accuracy accepted if the solver cannot improve it */
    double enough_closed;            /* m/s: the same for joints */
    double soon;                     /* m/s: accuracy accepted if it is reached quickly */
    double part;                     /* fraction of the initial residual that may be left */
    double contradiction;            /* the same where rows contradict each other */
    trm_arena *arena;                /* workspace: everything allocated here is released */
    trm_arena *kept;                 /* for matrices kept for problems with the same rows; NULL: none are kept */
} trm_problem;

/* Bodies and constraints of one island, by their numbers. */
typedef struct trm_problem_island {
    const int *bodies;
    int body_count;
    const int *constraints;
    int constraint_count;
    struct trm_reduced **kept; /* points to its matrices in contact space; NULL: not made yet */
} trm_problem_island;

/* Executes the statement with the numbers of rows and bodies of a constraint. They are constants for a contact of two
 * bodies, whose loops the compiler unrolls. */
#define TRM_WITH_SHAPE(constraint, ROWS, BODIES, statement)                                                          \
    if ((constraint)->rows == 3 && (constraint)->bodies == 2) {                                                      \
        enum { ROWS = 3, BODIES = 2 };                                                                               \
        statement;                                                                                                   \
    } else {                                                                                                         \
        const int ROWS = (constraint)->rows, BODIES = (constraint)->bodies;                                          \
        statement;                                                                                                   \
    }

/* Returns the residual of the law of a constraint at given velocities, m/s. */
double trm_constraint_residual(const trm_constraint *constraint, const trm_spatial *V);

/* Returns the residual of a cone at speeds u with s in place of mu |u_t|. own: its largest response. */
double trm_cone_residual(const trm_constraint *constraint, const double *u, double s, double own);

/* Returns the radius of a disc from the present normal impulse of its contact. */
double trm_disc_radius(const trm_constraint *constraint);

/* Returns the response of a row: the change of its speed per unit impulse along it. */
double trm_constraint_response(const trm_constraint *constraint, int row);
/* Returns the largest response of its rows. */
double trm_constraint_largest_response(const trm_constraint *constraint);

/* Computes u of its rows. */
void trm_constraint_speeds(const trm_constraint *constraint, const trm_spatial *V, double *u);

/* Adds change to lambda and applies it to V. */
void trm_constraint_apply_impulse(const trm_constraint *constraint, const double *change, trm_spatial *V);

/* Result for an island. TRM_NEARLY_SOLVED: up to a contradiction between its rows. */
typedef enum trm_solved { TRM_SOLVED, TRM_NEARLY_SOLVED, TRM_NOT_SOLVED, TRM_SOLVE_NO_MEMORY } trm_solved;

/* newton.c: solves an island. If it is not solved, V and lambda keep their values. Adds the number of Newton steps to
 * steps. */
trm_solved trm_problem_newton(const trm_problem *problem, const trm_problem_island *island, int *steps);

/* reduced.c: returns whether an island has few enough rows to be reduced. */
bool trm_problem_can_reduce(const trm_problem *problem, const trm_problem_island *island);
/* Solves an island after elimination of its joints. If it is not solved, V and lambda keep their values except that
 * joints are closed; with `sweeps` they are the result of sweeps, which adds no energy. Adds the number of Newton
 * steps to steps. */
trm_solved trm_problem_reduced(const trm_problem *problem, const trm_problem_island *island, bool sweeps, int *steps);

/* dense.c: solves an island of few rows. If it is not solved, or out of memory, V and lambda are those reached so
 * far. */
trm_solved trm_problem_dense(const trm_problem *problem, const trm_problem_island *island);

/* sweeps.c: makes `rounds` sweeps, and at most `most` while speeds still change by more than `calm`, m/s. V and
 * lambda are the result of the sweeps. Returns the largest change of a speed in the last sweep, m/s. */
double trm_problem_sweeps(const trm_problem *problem, const trm_problem_island *island, int rounds, int most,
                          double calm);
/* Sweeps until all constraints obey their laws, joints to enough_closed and others to enough, at most `most` times.
 * V and lambda are the result of the sweeps. Adds their number to sweeps. */
trm_solved trm_problem_sweep_out(const trm_problem *problem, const trm_problem_island *island, int most, int *sweeps);

/* Returns whether a constraint cannot add energy. */
static inline bool trm_constraint_is_passive(const trm_constraint *constraint)
{
    return constraint->law != TRM_PULL && !(constraint->law == TRM_BOUNDED && constraint->driven);
}

#endif
