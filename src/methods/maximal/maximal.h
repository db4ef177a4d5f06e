/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Maximal coordinates: what the methods that keep all coordinates of every body share.
 *
 * At the pose of time t every attached joint has its rows J, the responses W = M^-1 J^T of its bodies to a unit
 * impulse along each row, and the inverse of its own block A = J W of the joint matrix (Schmitt 2003, sections 4 to 6).
 * With them impulses are found that close the joints in a look-ahead, velocities and accelerations that fit, and the
 * nearest poses at which all joints are closed. */

#ifndef TRM_METHODS_MAXIMAL_MAXIMAL_H
#define TRM_METHODS_MAXIMAL_MAXIMAL_H

#include "methods/method.h"
#include "motion/free.h"

/* One attached joint at the present pose. */
typedef struct trm_maximal_joint {
    const trm_joint *joint;
    int index;          /* in the model */
    bool on;            /* it holds its bodies; else it has no rows */
    bool fresh;         /* its rows are others than before the last pose */
    trm_spatial *J, *W; /* rows x bodies */
    double *inverse;    /* rows x rows: A^-1; NULL: the solver does not want it */
    bool driven;        /* the outside prescribes something: a drive, a moving body */
    double *drive;      /* per row of a driven one: the speed that it prescribes, -(c_t + J V of moving bodies) */
    double *c_t;        /* likewise */
} trm_maximal_joint;

/* A row of a force that depends on velocities (a damped spring, a servo), at the present pose. */
typedef struct trm_maximal_damper {
    int force;
    int index; /* among the force's rows */
    trm_force_row row;
    trm_spatial W[2];
    double own;     /* J W: how its own impulse changes its rate */
    double impulse; /* given so far in this correction or, by one that is implicit, in this look-ahead, N s */
} trm_maximal_damper;

typedef struct trm_maximal trm_maximal;

/* The worst of a round over all that takes part in it. */
typedef struct trm_maximal_worst {
    double residual; /* in tolerances */
    const char *kind, *name;
    int joint; /* in the model; where it is one */
} trm_maximal_worst;

/* What a part of the work adds to the clock's work and to the counters; kept apart where several threads are at it. */
typedef struct trm_maximal_tally {
    double work; /* J, put in by drives and moving bodies */
    long long checks, corrections, newton;
} trm_maximal_tally;

/* How joint impulses are found. */
typedef struct trm_direct_matrix trm_direct_matrix;
typedef struct trm_maximal_solver {
    const char *name;
    const trm_direct_matrix *matrix;  /* of a direct one: how it is kept */
    int most_velocity_rounds;         /* more do not help */
    bool wants_inverse;               /* of each joint's own block */
    bool (*plan)(trm_maximal *w);     /* who works on what, before there are rows; NULL: all is for all */
    void (*end_plan)(trm_maximal *w); /* after create, whatever became of it; NULL: nothing to do */
    bool (*create)(trm_maximal *w);   /* what it keeps of its own; false: out of memory; NULL: nothing */
    void (*prepare)(trm_maximal *w);  /* when there are new rows; NULL: nothing to do */
    /* Impulses at t that close all joints in the look-ahead; false: they could not be found, outcome says why. */
    bool (*correct_joints)(trm_maximal *w, double h, trm_outcome *outcome);
    /* One round (counted from 1) of impulses that make velocities fit; worst: how little they did before. */
    void (*match_velocities)(trm_maximal *w, int round, trm_maximal_worst *worst);
    /* Velocities made to fit, all but those of two bodies being zero, without looking whether they do; NULL: by rounds
     * of match_velocities. */
    void (*answer)(trm_maximal *w, const int *body);
    /* One round of forces that make accelerations fit, of all islands, or of one; NULL: not of one alone. */
    void (*match_accelerations)(trm_maximal *w);
    void (*match_island)(trm_maximal *w, int island);
    int most_reaction_rounds;
    int most_fit_rounds; /* over velocities, while poses are made to fit */
    int (*dropped)(const trm_maximal *w, trm_row_name *rows, int most); /* NULL: it drops none */
    /* The joint that is far more open at the present pose than the rows that were kept explain, because of a row that was dropped;
     * NULL: there is none. NULL: it drops no rows. */
    const trm_joint *(*opened_by_rank)(trm_maximal *w);
} trm_maximal_solver;

extern const trm_maximal_solver trm_maximal_iterative, trm_maximal_direct, trm_maximal_hierarchy;

typedef struct trm_direct trm_direct;
struct trm_contact_set; /* methods/contact */
struct trm_rank_map;    /* methods/subsystem */
struct trm_plan;

trm_maximal *trm_maximal_create(trm_stepper *stepper, const trm_maximal_solver *solver); /* NULL: out of memory */
bool trm_maximal_list_joints(trm_maximal *w,
                             trm_arena *arena); /* island after island, without rows; false likewise */
const trm_maximal_solver *trm_maximal_solver_of(const trm_simulation_def *options);

struct trm_maximal {
    trm_stepper *stepper;
    const trm_maximal_solver *solver;
    trm_direct *direct;                  /* the direct solver's own */
    struct trm_contact_set *contact_set; /* contacts, of a method that has them; NULL: nothing may collide */
    trm_maximal_joint *joints;           /* island after island, */
    int joint_count;
    int *first_joint;              /* those of island i from first_joint[i] to first_joint[i + 1] - 1 */
    int island_count;              /* that have joints */
    struct trm_rank_map *rank_map; /* with other ranks; NULL: there are none */
    struct trm_plan *plan;         /* of the hierarchical solver, while all this is made */
    int *bodies;                   /* that are known here: all, unless other ranks have some, */
    int body_count;                /* so many */
    int *island_of;                /* per body: the one whose joints hold it; -1: none, or no impulse moves it */
    trm_maximal_damper *dampers;
    int damper_count;
    int *springs; /* those of them that are implicit, */
    int spring_count;
    double *missed;        /* per damper, while they are found */
    double *answers;       /* per pair of dampers: S of dampers.c at the present pose; NULL: they are too many */
    double *damper_matrix; /* room for twice as many */
    bool answers_known;
    int *slips; /* joints of limited force, of the model */
    int slip_count;
    trm_tangent *outlook;  /* per body: from where it looks ahead; none where its motion is given */
    trm_pose *ahead;       /* per body: look-ahead to t + h; between steps, from where poses are made to fit */
    bool *moved;           /* per body: its velocity has changed since its look-ahead */
    bool *held;            /* per body: no impulse changes its velocity */
    bool *turned;          /* per body: it had another pose before this one */
    int threads;           /* for loops over all bodies or joints */
    trm_gap per_tolerance; /* 1 / m, 1 / rad */
    int rounds;            /* over the joints of a look-ahead, whatever is left then; 0: until all are closed */
    double h;              /* s: of this look-ahead */
    double span;           /* s: the impulses of this look-ahead are forces times this; 0: not to be said */
    double unfitted_span;  /* s: the same of islands without shapes, whose velocities may not have been fitted */
    const bool *shaped;    /* per island: shapes of its bodies may collide; NULL: none may */
    const bool
        *engaged; /* per joint of `joints`: it is a row with bounds in this step, whatever its mode; NULL: none is */
    const bool *aside; /* per joint of `joints`: left out of the corrections that are being made; NULL: none is */
    const bool *aside_body;    /* per body: forces on it are left out likewise; NULL: none are */
    trm_mat3 *inverse_inertia; /* per body, in the world */
    trm_spatial *acceleration; /* per body, while multipliers are found */
    double *multiplier;        /* per row of the model: N, N m */
    double *gamma;             /* per row of the model, likewise */
    bool rank_held;            /* rows that were dropped when the rank was last decided stay dropped */
    bool rank_stale;           /* the present factorisation holds rows dropped that belong to another pose */
    bool rank_free;            /* a step with its rank held has failed: the next is tried without */
    const double *softness;    /* per row of the model, added to the diagonal of A (constraint force mixing), 1/kg or
                                * 1/(kg m^2); NULL: all are rigid */
    double *wanted;         /* per row of the model: takes the place of c_t while poses are made to fit; else NULL */
    trm_spatial *wrench;    /* two per force of the model that is no weight: what it does now */
    trm_spatial *pressed;   /* per body: by contacts, while multipliers are found; NULL: there are none */
    trm_spatial *called;    /* per force of the caller: its impulse so far in this velocity correction */
    bool drives;            /* something is driven from outside, and so works through joints */
    bool velocities_needed; /* something reads velocities in every step, */
    bool shapes_need_them;  /* or shapes that may collide read those of their islands */
    trm_pose *rows_pose;    /* per body: the pose that joints[] and dampers[] belong to, */
    uint64_t rows_number;   /* how often they were made, */
    double rows_time;       /* the time; NAN: none yet, */
    double *rows_choice;    /* the functions of time that had been chosen, */
    double *rows_inputs;    /* the inputs, */
    bool *rows_on;          /* and, per joint of the model, whether it acted */
};

/* A loop over so many bodies or joints is worth several threads. */
enum { TRM_MAXIMAL_MANY = 50000 };

/* A residual in tolerances that will not come back; far from overflow. */
#define TRM_BEYOND_HOPE 1e100

/* Other ranks may have a joint that is worse: the worst of all. */
void trm_maximal_agree(const trm_maximal *w, trm_maximal_worst *worst);

/* A rank is lost: outcome says so. False. */
bool trm_maximal_lost(const trm_maximal *w, trm_outcome *outcome);

/* All ranks know the whole state (trm_method.gather). */
bool trm_maximal_gather(const trm_maximal *w, trm_outcome *outcome);

void trm_maximal_take_worse(trm_maximal_worst *so_far, double residual, const char *kind, const char *name);
void trm_maximal_take_worse_joint(trm_maximal_worst *so_far, double residual, const trm_maximal_joint *j);
bool trm_maximal_diverged(trm_outcome *outcome, const trm_maximal_worst *worst, const char *what); /* false */

/* rows.c: everything that belongs to a pose, made anew if the state has another one by now. */
void trm_maximal_rows(trm_maximal *w);

/* M^-1 F of one body. */
trm_spatial trm_maximal_response(const trm_maximal *w, int body, trm_spatial F);

/* A wrench for an instant: V += M^-1 F. */
void trm_maximal_hit(trm_maximal *w, int body, trm_spatial impulse);

/* Impulses lambda along the rows of a joint; adds the work that the outside does through them. */
void trm_maximal_push(trm_maximal *w, const trm_maximal_joint *j, const double *lambda, double *work);
void trm_maximal_take_tally(trm_maximal *w, const trm_maximal_tally *tally);

/* lambda = s A^-1 c */
void trm_maximal_solve(const trm_maximal_joint *j, double s, const double *c, double *lambda);

/* kicks.c: forces as impulses. Forces act for the time dt at the present pose: all of them, or those that do not depend
 * on velocities (the velocity correction applies the others implicitly). False: a force is not finite. */
typedef enum trm_which_forces { TRM_ALL_FORCES, TRM_FORCES_OF_POSITION } trm_which_forces;
bool trm_maximal_kick(trm_maximal *w, double dt, trm_which_forces which, trm_outcome *outcome);

/* What a force of the model does to its bodies at the present state; false: it is not finite, and outcome says so. */
bool trm_maximal_wrench(const trm_maximal *w, int force, trm_spatial *F, trm_outcome *outcome);

/* What a joint of limited force does to its bodies while it slips; false: it does not slip. */
bool trm_maximal_slip(const trm_maximal *w, int slip, trm_spatial *F);

/* A force of the caller at the present state; false: it is not finite, and outcome says so. */
bool trm_maximal_ask(trm_maximal *w, int called, trm_spatial *F, trm_outcome *outcome);

/* Power of all that is not potential, W; or without the rows of forces that depend on velocities and the caller's. */
trm_works trm_maximal_power(const trm_maximal *w, trm_which_forces which);

/* reactions.c: the forces in the joints, into the state: the multipliers that make accelerations fit, which begin as if
 * there were no joints, gamma being what J a is to be. J a - gamma of a joint; forces lambda along its rows. */
bool trm_maximal_reactions(trm_maximal *w, trm_outcome *outcome);
bool trm_maximal_begin_accelerations(trm_maximal *w, trm_outcome *outcome);
void trm_maximal_fit_accelerations(trm_maximal *w);
void trm_maximal_keep_reactions(trm_maximal *w);
void trm_maximal_acceleration_gap(const trm_maximal *w, const trm_maximal_joint *j, double *gap);
void trm_maximal_hold(trm_maximal *w, const trm_maximal_joint *j, const double *lambda);

/* answers.c: how the machine answers to a joint that does not act: by velocities to an impulse along its first row, and
 * by c'' to all forces. */
bool trm_maximal_respond(trm_maximal *w, int joint, trm_spatial *V, trm_outcome *outcome);
/* The same for a unit impulse along any row J on these bodies. */
bool trm_maximal_respond_to(trm_maximal *w, const int *body, int bodies, const trm_spatial *J, trm_spatial *V,
                            trm_outcome *outcome);
double trm_maximal_opening(const trm_maximal *w, int joint);
/* The machine at rest (w->acceleration and w->multiplier of all that is touched being zero) gets a unit impulse along a row, W being
 * its responses: w->acceleration becomes what it does; and is at rest again. By solvers that match one island. */
void trm_maximal_answer(trm_maximal *w, const int *body, int bodies, const trm_spatial *W);
void trm_maximal_calm(trm_maximal *w, const int *body, int bodies);
/* The machine is at rest, and its joints want nothing. */
void trm_maximal_rest(trm_maximal *w);

/* dampers.c: the rate along a row and an impulse along it; S, false: it cannot be had; one round over all rows for the time
 * dt, together (false: it cannot be) or in turn. */
double trm_maximal_rate_along(const trm_maximal *w, const trm_maximal_damper *d);
void trm_maximal_give(trm_maximal *w, const trm_maximal_damper *d, double impulse);
bool trm_maximal_find_answers(trm_maximal *w);
bool trm_maximal_damp_together(trm_maximal *w, double dt, trm_maximal_worst *changed);
void trm_maximal_damp_in_turn(trm_maximal *w, double dt, trm_maximal_worst *changed);

/* compliant.c: impulses at t that close all joints in the look-ahead and give implicit springs what their law says. */
bool trm_maximal_close_with_springs(trm_maximal *w, double h, trm_outcome *outcome);

/* fit.c: the nearest poses at which all joints are closed; velocities stay as they are. */
bool trm_maximal_fit_positions(trm_maximal *w, trm_outcome *outcome);

/* phases.c */
void trm_maximal_look_ahead(trm_maximal *w, double h); /* to the stepper's goal, h from now */
void trm_maximal_look_again(trm_maximal *w, int body); /* if its velocity has changed since it last looked ahead */
bool trm_maximal_correct_joints(trm_maximal *w, double h, trm_outcome *outcome);
void trm_maximal_advance(trm_maximal *w, double h);
/* A joint at any poses and time: its residual, and how far that is open in units of the tolerance. */
double trm_maximal_open(const trm_maximal *w, const trm_maximal_joint *j, const trm_pose *poses, double t, double *c);
/* Bodies that are not held look ahead, whether they moved or not. */
void trm_maximal_look_all(trm_maximal *w, const int *bodies, int count);
/* A joint in the look-ahead: its residual there, and how far that is open in units of the tolerance. */
double trm_maximal_look(trm_maximal *w, const trm_maximal_joint *j, double *c);
/* J V + c_t of one joint, and how much that is in units of the tolerance. */
double trm_maximal_check_velocity(const trm_maximal *w, const trm_maximal_joint *j, double *c_dot);

/* Forces of the caller in a velocity correction: each is asked again and the difference to what it has given applied; by how
 * much that changed velocities, in tolerances. False: one is not finite. */
bool trm_maximal_ask_all_again(trm_maximal *w, double dt, trm_maximal_worst *changed, trm_outcome *outcome);

/* dt: for how long forces that depend on velocities act, implicitly, while velocities are made to fit. */
bool trm_maximal_correct_velocities(trm_maximal *w, double dt, trm_outcome *outcome);

/* The same without the joints and the forces on bodies that are marked; a joint that acts is marked if its bodies are. Whether all velocities fit then is for the
 * caller to say, in state->clock->velocities_fit. */
bool trm_maximal_correct_other_velocities(trm_maximal *w, double dt, const bool *joints, const bool *bodies,
                                          trm_outcome *outcome);
/* Impulses at t that close all joints but those that are marked. */
bool trm_maximal_correct_other_joints(trm_maximal *w, double h, const bool *joints, trm_outcome *outcome);

/* Whether a correction that is being made leaves out this joint, or forces on these bodies. */
static inline bool trm_maximal_leaves_out(const trm_maximal *w, const trm_maximal_joint *j)
{
    return w->aside && w->aside[j - w->joints];
}
static inline bool trm_maximal_leaves_out_force(const trm_maximal *w, const int *body, int bodies)
{
    for (int b = 0; w->aside_body && b < bodies; b++)
        if (w->aside_body[body[b]]) return true;
    return false;
}

/* s: of which the impulses that close the joints of this island are forces. */
static inline double trm_maximal_span(const trm_maximal *w, int island)
{
    return w->shaped && !w->shaped[island] ? w->unfitted_span : w->span;
}

#endif
