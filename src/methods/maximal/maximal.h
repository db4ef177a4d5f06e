/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Maximal coordinates: the code shared by all methods that keep the full coordinates of every body.
 *
 * At the pose of time t every attached joint has its rows J, the responses W = M^-1 J^T of its bodies to a unit
 * impulse along each row, and the inverse of its own block A = J W of the joint matrix (Schmitt 2003, sections 4
 * to 6). With them the solvers compute impulses that close the joints in a look-ahead, velocities and
 * accelerations that satisfy the joints, and the nearest poses at which all joints are closed. */

#ifndef TRM_METHODS_MAXIMAL_MAXIMAL_H
#define TRM_METHODS_MAXIMAL_MAXIMAL_H

#include "methods/method.h"
#include "motion/free.h"

/* If the last step was shorter than this fraction of the present one, its forces are not used as a start: it
 * closed gaps of rounding. With a larger value useful starts are lost and iterations are added, with a smaller one
 * forces of rounding are extrapolated by its inverse. */
static const double TRM_USABLE_STEP = 1e-3;

/* One attached joint at the present pose. */
typedef struct trm_maximal_joint {
    const trm_joint *joint;
    int index;          /* index in the model */
    bool on;            /* the joint acts at present; otherwise it has no rows */
    bool fresh;         /* its rows differ from those of the previous pose */
    trm_spatial *J, *W; /* rows x bodies */
    double *inverse;    /* rows x rows: A^-1; NULL: the solver does not need it */
    bool driven;        /* a drive or a moving body prescribes its motion */
    double *drive;      /* per row, if driven: prescribed speed, -(c_t + J V of moving bodies), m/s or rad/s */
    double *c_t;        /* per row, if driven: c_t, m/s or rad/s */
} trm_maximal_joint;

/* A row of a force that depends on velocities (a damped spring, a servo), at the present pose. */
typedef struct trm_maximal_damper {
    int force;
    int index; /* index among the rows of the force */
    trm_force_row row;
    trm_spatial W[TRM_JOINT_BODIES];
    double own; /* J W: change of the rate along the row per unit of its own impulse */
    /* N s: impulse applied so far in this velocity correction or, for an implicit force, in this look-ahead */
    double impulse;
    double at_end; /* N s: impulse of an integrated force over the second half of this step */
} trm_maximal_damper;

typedef struct trm_maximal trm_maximal;

/* The largest residual of one solver round, with the element that has it. */
typedef struct trm_maximal_worst {
    double residual; /* in units of the tolerance */
    const char *kind, *name;
    int joint; /* index in the model, if the element is a joint; else -1 */
} trm_maximal_worst;

/* Work and counters of one part of a computation. They are kept separately while several threads work, and added
 * to the clock and the counters afterwards. */
typedef struct trm_maximal_tally {
    double work; /* J: work done by drives and moving bodies */
    long long checks, corrections, newton, in_body;
} trm_maximal_tally;

/* A solver for joint impulses. */
typedef struct trm_direct_matrix trm_direct_matrix;
typedef struct trm_maximal_solver {
    const char *name;
    const trm_direct_matrix *matrix; /* how a direct solver stores its matrix; otherwise NULL */
    int most_velocity_rounds;        /* limit of rounds of velocity_round */
    bool needs_inverse;              /* it needs the inverse of the diagonal block of each joint */
    bool exact;                      /* a direct solver that uses the exact matrix in every round */
    bool in_joints;                  /* a direct solver that closes trees by Newton's method in joint coordinates */
    bool if_cheaper;                 /* the same, for trees in which that takes fewer operations */
    /* Decides which rank works on what, before rows exist. NULL: every rank works on everything. Returns false
     * when out of memory. */
    bool (*plan)(trm_maximal *w);
    void (*end_plan)(trm_maximal *w); /* called after create, even if that failed; NULL: nothing to do */
    /* Allocates the solver's own data. Returns false when out of memory. NULL: it has none. */
    bool (*create)(trm_maximal *w);
    void (*prepare)(trm_maximal *w); /* called when the rows have changed; NULL: nothing to do */
    /* Applies impulses at t that close all joints in the look-ahead. Returns false, with the reason in outcome, if
     * it finds none. */
    bool (*correct_joints)(trm_maximal *w, double h, trm_outcome *outcome);
    /* Does one round (counted from 1) of impulses that project velocities onto the joints. Sets worst to the
     * largest residual before the round. */
    void (*velocity_round)(trm_maximal *w, int round, trm_maximal_worst *worst);
    /* Projects velocities where only two bodies move, without checking the result. NULL: use rounds of
     * velocity_round. */
    void (*respond)(trm_maximal *w, const int *body);
    /* Does one round of forces that satisfy the joints at acceleration level, for all islands or for one.
     * island_acceleration_round is NULL if the solver cannot treat one island alone. */
    void (*acceleration_round)(trm_maximal *w);
    void (*island_acceleration_round)(trm_maximal *w, int island);
    int most_reaction_rounds;
    int most_projection_rounds; /* over velocities, in each round of a projection of poses */
    /* Lists at most `most` rows that are dropped at present. Returns how many there are in all. NULL: the solver
     * drops no rows. */
    int (*dropped)(const trm_maximal *w, trm_row_name *rows, int most);
    /* Returns the joint that is far more open at the present pose than the kept rows explain, because one of its
     * rows was dropped. Returns NULL if there is none. NULL: the solver drops no rows. */
    const trm_joint *(*opened_by_rank)(trm_maximal *w);
} trm_maximal_solver;

extern const trm_maximal_solver trm_maximal_iterative, trm_maximal_direct, trm_maximal_exact, trm_maximal_in_joints,
    trm_maximal_in_cheaper, trm_maximal_hierarchy;

typedef struct trm_direct trm_direct;
struct trm_contact_set; /* methods/contact */
struct trm_rank_map;    /* methods/ranks */
struct trm_plan;

/* Creates the workspace. Returns NULL when out of memory. */
trm_maximal *trm_maximal_create(trm_stepper *stepper, const trm_maximal_solver *solver);
/* Lists at most `most` rows that the solver has dropped at the last pose. Returns how many there are in all. */
int trm_maximal_dropped(const trm_maximal *w, trm_row_name *rows, int most);
/* Lists the joints, island by island, without rows. Returns false when out of memory. */
bool trm_maximal_list_joints(trm_maximal *w, trm_arena *arena);
/* Returns the solver that the options name, the direct one if they name none. */
const trm_maximal_solver *trm_maximal_solver_of(const trm_simulation_def *options);

/* The state at which the rows were computed. rows.c computes them again where the state differs. */
typedef struct trm_maximal_stamp {
    trm_pose *pose;  /* per body: pose to which joints[] and dampers belong */
    uint64_t number; /* number of times that the rows were computed */
    double time;     /* s: time to which the rows belong; NAN: none yet */
    double *choice;  /* the chosen functions of time to which the rows belong */
    double *inputs;  /* the inputs to which the rows belong */
    bool *on;        /* per joint of the model: whether it was active when the rows were computed */
} trm_maximal_stamp;

/* How long the choice of dropped redundant rows lasts (redundancy.c). */
typedef struct trm_maximal_rank {
    bool held;     /* rows dropped when the rank was last decided stay dropped */
    bool stale;    /* the present factorisation drops rows that were chosen at another pose */
    bool released; /* a step with held rank has failed: the next one is tried without holding it */
} trm_maximal_rank;

/* Rows of forces that depend on velocities, and workspace for them (dampers.c, compliant.c). */
typedef struct trm_maximal_dampers {
    trm_maximal_damper *list;
    int count;
    int *springs; /* indices of the dampers that are implicit or integrated */
    int spring_count;
    double *residuals;    /* per damper: scratch for residuals */
    double *responses;    /* per pair of dampers: S of dampers.c at the present pose; NULL: there are too many */
    double *matrix;       /* scratch for two matrices of that size */
    bool responses_known; /* `responses` belongs to the present pose */
} trm_maximal_dampers;

/* The look-ahead of the present step (phases.c). */
typedef struct trm_maximal_ahead {
    trm_flight *start;       /* per body: start of its look-ahead; unused if its motion is prescribed */
    trm_pose *ahead;         /* per body: pose at t + h; between steps, start of a projection of poses */
    bool *moved;             /* per body: its velocity has changed since its look-ahead */
    trm_vec3 *spin;          /* per body: rad/s: its angular velocity before the impulses of the joints */
    double h;                /* s: length of this look-ahead */
    double span;             /* s: impulses of this look-ahead are forces times this; 0: unknown */
    double unprojected_span; /* s: the same for islands without shapes, whose velocities may not be projected */
    int rounds; /* rounds over the joints, after which remaining gaps are accepted; 0: until all are closed */
    int taylor; /* order of the free rotation of bodies, or TRM_TAYLOR_AUTO */
} trm_maximal_ahead;

/* Forces at the present state. */
typedef struct trm_maximal_forces {
    int *slips; /* joints with limited force, index in the model */
    int slip_count;
    int count;           /* number of forces of the model without gravity forces, which come last */
    trm_spatial *wrench; /* per force of the model except gravity and body: its present wrenches */
    trm_spatial *called; /* per force of the caller: its impulse so far in this velocity correction */
} trm_maximal_forces;

/* Workspace at acceleration level, while multipliers are computed (reactions.c). */
typedef struct trm_maximal_multipliers {
    trm_spatial *a;              /* per body */
    double *lambda;              /* per row of the model: N, N m */
    double *gamma;               /* per row of the model: required J a */
    trm_spatial *contact_wrench; /* per body: wrench of contacts; NULL: no contacts */
} trm_maximal_multipliers;

/* Joints and bodies that the present step or correction treats differently, or leaves out. */
typedef struct trm_maximal_choice {
    const bool
        *engaged; /* per joint of `joints`: it is a row with bounds in this step, whatever its mode; NULL: none is */
    const bool *joints; /* per joint of `joints`: the present correction leaves it out; NULL: none is left out */
    const bool *bodies; /* per body: the present correction leaves out forces on it; NULL: none */
} trm_maximal_choice;

/* Quantities that every step of this machine must provide. */
typedef struct trm_maximal_needs {
    bool work;                 /* work through joints: a drive or a moving body drives some joint */
    bool velocities;           /* projected velocities of all islands */
    bool velocities_of_shapes; /* projected velocities of islands with shapes, which contacts read */
} trm_maximal_needs;

struct trm_maximal {
    trm_stepper *stepper;
    const trm_maximal_solver *solver;
    trm_direct *direct;                  /* data of the direct solver */
    struct trm_contact_set *contact_set; /* contacts; NULL: no shapes can collide, or the method has no contacts */
    trm_maximal_joint *joints;           /* all known joints, sorted by island */
    int joint_count;
    int *first_joint;              /* joints of island i: first_joint[i] to first_joint[i + 1] - 1 */
    int island_count;              /* islands that have joints */
    struct trm_rank_map *rank_map; /* division among ranks; NULL: there is one rank */
    struct trm_plan *plan;         /* plan of the hierarchical solver, only during creation */
    int *bodies;                   /* bodies known to this rank: all, if there is only one rank */
    int body_count;                /* number of known bodies */
    int *island_of; /* per body: island of its joints; -1: it has none, or it is fixed or moves as prescribed */
    trm_maximal_dampers dampers;
    trm_maximal_forces forces;
    trm_maximal_ahead look;
    bool *held;            /* per body: no impulse changes its velocity (fixed, prescribed or asleep) */
    bool *turned;          /* per body: its pose has changed since the rows were last made */
    int threads;           /* for loops over all bodies or joints */
    trm_gap per_tolerance; /* 1 / m, 1 / rad */
    const bool *shaped;    /* per island: shapes of its bodies may collide; NULL: none may */
    trm_maximal_choice exempt;
    trm_mat3 *inverse_inertia; /* per body, world axes */
    trm_maximal_multipliers accelerations;
    trm_maximal_rank rank;
    /* Per row of the model: compliance added to the diagonal of A (constraint force mixing), 1/kg or 1/(kg m^2).
     * NULL: all rows are rigid. */
    const double *softness;
    double *required; /* per row of the model: replaces c_t while poses are projected; else NULL */
    trm_maximal_needs needs;
    trm_maximal_stamp rows_at; /* the rows at present */
};

/* Loops over at least this many bodies or joints use several threads. */
enum { TRM_MAXIMAL_MANY = 50000 };

/* Residuals above this, in units of the tolerance, count as divergence. It is far from overflow. */
#define TRM_DIVERGENT_RESIDUAL 1e100

/* Replaces worst by the largest residual of all ranks. */
void trm_maximal_agree_on_worst(const trm_maximal *w, trm_maximal_worst *worst);
static inline void trm_maximal_agree(const trm_maximal *w, trm_maximal_worst *worst)
{
    if (w->rank_map) trm_maximal_agree_on_worst(w, worst);
}

/* Reports in outcome that a rank is lost. Returns false. */
bool trm_maximal_lost(const trm_maximal *w, trm_outcome *outcome);

/* Sends the whole state to all ranks (trm_method.gather). Returns false if a rank is lost. */
bool trm_maximal_gather(const trm_maximal *w, trm_outcome *outcome);

/* Replace so_far if residual is larger; NaN is larger than all. */
void trm_maximal_take_worse(trm_maximal_worst *so_far, double residual, const char *kind, const char *name);
static inline void trm_maximal_take_worse_joint(trm_maximal_worst *so_far, double residual,
                                                const trm_maximal_joint *j)
{
    if (!isnan(so_far->residual) && !(residual <= so_far->residual))
        *so_far = (trm_maximal_worst){residual, "joint", j->joint->name, j->index};
}
/* Reports in outcome that `what` failed for the element of worst. Returns false. */
bool trm_maximal_diverged(trm_outcome *outcome, const trm_maximal_worst *worst, const char *what);

/* rows.c: recomputes everything that depends on the pose, if the state has changed since the last call. */
void trm_maximal_rows(trm_maximal *w);

/* Returns M^-1 F of one body. */
static inline trm_spatial trm_maximal_response(const trm_maximal *w, int body, trm_spatial F)
{
    const double per_mass = w->stepper->model->bodies[body].inverse_mass;
    return trm_sp(trm_mat_vec(w->inverse_inertia[body], F.ang), trm_v3_scale(per_mass, F.lin));
}

/* Applies an impulse to a body: V += M^-1 F. */
void trm_maximal_apply_impulse(trm_maximal *w, int body, trm_spatial impulse);

/* V += W lambda, with m rows on n bodies; if m is a constant the compiler unrolls the loops. */
static inline void trm_maximal_apply_rows(trm_maximal *w, const trm_maximal_joint *j, const double *lambda,
                                          double *work, int m, int n)
{
    trm_state *state = w->stepper->state;
    for (int b = 0; b < n; b++) {
        const int body = j->joint->body[b];
        if (w->held[body]) continue;
        trm_spatial V = state->velocity[body];
        for (int r = 0; r < m; r++) V = trm_sp_add_scaled(V, lambda[r], j->W[r * n + b]);
        state->velocity[body] = V;
        w->look.moved[body] = true;
    }
    for (int r = 0; j->driven && r < m; r++) *work += lambda[r] * j->drive[r];
}

/* Applies impulses lambda along the rows of a joint. Adds the work that drives and moving bodies do through them to
 * `work`, in J. */
static inline void trm_maximal_apply_joint_impulse(trm_maximal *w, const trm_maximal_joint *j, const double *lambda,
                                                   double *work)
{
    const int m = j->joint->rows, n = j->joint->body_count;
    if (m == 3 && n == 2)
        trm_maximal_apply_rows(w, j, lambda, work, 3, 2);
    else if (m == 5 && n == 2)
        trm_maximal_apply_rows(w, j, lambda, work, 5, 2);
    else
        trm_maximal_apply_rows(w, j, lambda, work, m, n);
}
/* Adds a tally to the clock's work and to the counters. */
static inline void trm_maximal_take_tally(trm_maximal *w, const trm_maximal_tally *tally)
{
    trm_add_work(w->stepper->state, 1, (trm_works){.input = tally->work});
    w->stepper->counters->checks += tally->checks;
    w->stepper->counters->corrections += tally->corrections;
    w->stepper->counters->newton += tally->newton;
    w->stepper->counters->in_body += tally->in_body;
}

/* lambda = s A^-1 c */
void trm_maximal_solve(const trm_maximal_joint *j, double s, const double *c, double *lambda);

/* phases.c: trm_maximal_kick applies the impulses of forces over the time dt at the present pose: of all forces, or
 * only of those that do not depend on velocities (the velocity correction applies the others implicitly). The rows
 * of this pose must be computed. Returns false, with the reason in outcome, if a force is not finite. */
typedef enum trm_which_forces { TRM_ALL_FORCES, TRM_FORCES_OF_POSITION } trm_which_forces;
bool trm_maximal_kick(trm_maximal *w, double dt, trm_which_forces which, trm_outcome *outcome);

/* Computes the wrenches of a force of the model on its bodies at the present state. Returns false, with the reason
 * in outcome, if they are not finite. */
bool trm_maximal_wrench(const trm_maximal *w, int force, trm_spatial *F, trm_outcome *outcome);

/* Computes the wrenches of a joint with limited force on its bodies while it slips. Returns false if it does not
 * slip. */
bool trm_maximal_slip(const trm_maximal *w, int slip, trm_spatial *F);

/* Computes a force of the caller at the present state. Returns false, with the reason in outcome, if it is not
 * finite. */
bool trm_maximal_caller_force(trm_maximal *w, int called, trm_spatial *F, trm_outcome *outcome);

/* power.c: returns the power of everything that has no potential, W; with TRM_FORCES_OF_POSITION without the rows of
 * velocity-dependent forces and without the caller's forces. */
trm_works trm_maximal_power(const trm_maximal *w, trm_which_forces which);

/* reactions.c: computes the forces in the joints and stores them in the state. begin_accelerations sets
 * accelerations to those without joints and gamma to the required J a. solve_accelerations finds the multipliers.
 * keep_reactions stores both in the state. The first two functions return false, with the reason in outcome, if a
 * force is not finite or a rank is lost. */
bool trm_maximal_reactions(trm_maximal *w, trm_outcome *outcome);
bool trm_maximal_begin_accelerations(trm_maximal *w, trm_outcome *outcome);
void trm_maximal_solve_accelerations(trm_maximal *w);
void trm_maximal_keep_reactions(trm_maximal *w);
/* acceleration_gap computes J a + softness lambda - gamma of a joint. apply_joint_force applies forces lambda along
 * its rows to the accelerations. */
void trm_maximal_acceleration_gap(const trm_maximal *w, const trm_maximal_joint *j, double *gap);
void trm_maximal_apply_joint_force(trm_maximal *w, const trm_maximal_joint *j, const double *lambda);

/* response.c: the response of the machine to a joint that does not act at present. Computes the velocities V that a
 * unit impulse along the joint's first row causes. Returns false if velocities could not be projected onto the
 * other joints. */
bool trm_maximal_respond(trm_maximal *w, int joint, trm_spatial *V, trm_outcome *outcome);
/* The same for a unit impulse along any row J on these bodies. */
bool trm_maximal_respond_to(trm_maximal *w, const int *body, int bodies, const trm_spatial *J, trm_spatial *V,
                            trm_outcome *outcome);
/* Returns c'' of the joint's first row under the present accelerations, m/s^2 or rad/s^2. */
double trm_maximal_row_acceleration(const trm_maximal *w, int joint);
/* Applies a unit impulse along a row with responses W to the machine at rest; the result is in w->accelerations.a.
 * Before the call, w->accelerations.a and w->accelerations.lambda of the islands involved must be zero;
 * trm_maximal_clear_response sets them to zero again. Only for solvers that have island_acceleration_round. */
void trm_maximal_apply_unit_impulse(trm_maximal *w, const int *body, int bodies, const trm_spatial *W);
void trm_maximal_clear_response(trm_maximal *w, const int *body, int bodies);
/* Sets accelerations, multipliers and gamma to zero. */
void trm_maximal_clear_accelerations(trm_maximal *w);

/* dampers.c: rate_along returns the rate along a row, apply_damper_impulse applies an impulse along it.
 * find_damper_responses computes S and returns false if that is impossible. The last two update the impulses of all
 * rows over the time dt once: damp_together solves for all of them and returns false if the matrix cannot be
 * inverted, damp_in_turn updates them one by one. */
double trm_maximal_rate_along(const trm_maximal *w, const trm_maximal_damper *d);
void trm_maximal_apply_damper_impulse(trm_maximal *w, const trm_maximal_damper *d, double impulse);
bool trm_maximal_find_damper_responses(trm_maximal *w);
bool trm_maximal_damp_together(trm_maximal *w, double dt, trm_maximal_worst *changed);
void trm_maximal_damp_in_turn(trm_maximal *w, double dt, trm_maximal_worst *changed);

/* compliant.c: applies impulses at t that close all joints in the look-ahead and satisfy the laws of implicit and
 * integrated springs. Returns false, with the reason in outcome, if it does not converge. */
bool trm_maximal_close_with_springs(trm_maximal *w, double h, trm_outcome *outcome);
/* The first computes the impulses of integrated springs over the second half of the step, before bodies move. The
 * second applies them at the end of the step. */
void trm_maximal_integrate_springs(trm_maximal *w);
void trm_maximal_kick_by_integrals(trm_maximal *w);

/* nearest_poses.c: moves all bodies to the nearest poses at which all joints are closed. Velocities do not change.
 * Returns false, with the reason in outcome, if it does not converge. */
bool trm_maximal_project_positions(trm_maximal *w, trm_outcome *outcome);

/* phases.c: the phases of a step. look_ahead starts a look-ahead to the stepper's goal, h from now. */
void trm_maximal_look_ahead(trm_maximal *w, double h);
/* Computes the look-ahead of a body again if its velocity has changed. */
static inline void trm_maximal_update_look_ahead(trm_maximal *w, int body)
{
    if (!w->look.moved[body]) return;
    w->look.moved[body] = false;
    trm_look_ahead(&w->look.start[body], &w->stepper->state->velocity[body], &w->look.ahead[body]);
}
/* Applies impulses at t that close all joints in the look-ahead. Returns false, with the reason in outcome, if it
 * does not converge. */
bool trm_maximal_correct_joints(trm_maximal *w, double h, trm_outcome *outcome);
/* Moves time, poses and velocities to the end of the look-ahead. */
void trm_maximal_advance(trm_maximal *w, double h);
/* Computes the residual c of a joint at given poses and time. Returns its size in units of the tolerance. */
double trm_maximal_residual_at(const trm_maximal *w, const trm_maximal_joint *j, const trm_pose *poses, double t,
                               double *c);
/* Computes the look-ahead of these bodies, which must not be held, whether their velocities have changed or not. */
static inline void trm_maximal_update_look_aheads(trm_maximal *w, const int *bodies, int count)
{
    for (int i = 0; i < count; i++) w->look.moved[bodies[i]] = false;
    trm_look_ahead_all(w->look.start, w->stepper->state->velocity, w->look.ahead, bodies, count);
}
/* Computes the residual c of a joint in the look-ahead. Returns its size in units of the tolerance. */
double trm_maximal_residual(trm_maximal *w, const trm_maximal_joint *j, double *c);
/* Computes J V + c_t of one joint. Returns its size in units of the tolerance. */
double trm_maximal_check_velocity(const trm_maximal *w, const trm_maximal_joint *j, double *c_dot);

/* Evaluates the caller's forces again in a velocity correction and applies the difference to the impulses applied
 * before. Sets changed to the largest change of a velocity, in units of the tolerance. Returns false if a force is
 * not finite. */
bool trm_maximal_update_caller_forces(trm_maximal *w, double dt, trm_maximal_worst *changed, trm_outcome *outcome);

/* Projects velocities onto the joints. For the time dt, in s, velocity-dependent forces act implicitly. Returns
 * false, with the reason in outcome, if it does not converge. */
bool trm_maximal_correct_velocities(trm_maximal *w, double dt, trm_outcome *outcome);

/* The same without the marked joints and without forces on the marked bodies. An active joint must be marked if its
 * bodies are. The caller then sets state->clock->velocities_projected, because this function does not know whether
 * all velocities are projected. */
bool trm_maximal_correct_other_velocities(trm_maximal *w, double dt, const bool *joints, const bool *bodies,
                                          trm_outcome *outcome);
/* Applies impulses at t that close all joints except the marked ones. Returns false, with the reason in outcome,
 * if it does not converge. */
bool trm_maximal_correct_other_joints(trm_maximal *w, double h, const bool *joints, trm_outcome *outcome);

/* Return whether the present correction leaves out this joint, or forces on these bodies. */
static inline bool trm_maximal_leaves_out(const trm_maximal *w, const trm_maximal_joint *j)
{
    return w->exempt.joints && w->exempt.joints[j - w->joints];
}
static inline bool trm_maximal_leaves_out_force(const trm_maximal *w, const int *body, int bodies)
{
    for (int b = 0; w->exempt.bodies && b < bodies; b++)
        if (w->exempt.bodies[body[b]]) return true;
    return false;
}

/* Returns the time for which a joint force acts in the impulses of a look-ahead by h, s: half of this step and, if
 * velocities were not projected at its start, half of the last one. Returns 0 if the two steps nearly cancel, as in
 * compositions: impulses then do not determine forces. */
static inline double trm_maximal_impulse_span(const trm_clock *clock, bool projected, double h)
{
    const double span = projected ? 0.5 * h : 0.5 * (clock->step + h);
    return fabs(span) > 0.1 * fabs(h) ? span : 0;
}

/* Returns whether trm_maximal_power may differ from zero. */
static inline bool trm_maximal_has_power(const trm_maximal *w)
{
    return w->needs.velocities || w->dampers.count > 0 || w->stepper->called_count > 0 || w->forces.slip_count > 0;
}

/* Returns the time by which forces in the joints of an island are multiplied in the impulses of this look-ahead,
 * s. */
static inline double trm_maximal_span(const trm_maximal *w, int island)
{
    return w->shaped && !w->shaped[island] ? w->look.unprojected_span : w->look.span;
}

static inline const trm_force *trm_maximal_force_of(const trm_maximal *w, const trm_maximal_damper *damper)
{
    return &w->stepper->model->forces[damper->force];
}

#endif
