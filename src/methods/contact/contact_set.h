/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The contacts of a step. Closed contacts are temporary constraints with round friction cones, next to the joints of
 * the model.
 *
 * At the pose of time t every closed contact has the rows n, t1, t2. u = J V is the velocity of the first body
 * relative to the second at the contact point. The contacts that act in an event-driven step are known before it:
 * they are closed, and their normal speed is nearly zero. Contacts that approach faster have an impact first
 * (impacts.c). Contacts that separate are open. In the look-ahead a closed contact obeys
 *
 *     gap(t+h) >= 0, l_n >= 0, gap l_n = 0;   |l_t| <= mu l_n, slip d(t+h) opposite to l_t         phases.c
 *
 * and at the end of the step the same law in velocities, with friction, which Schmitt 2003, section 11, leaves out
 * there (docs/errata.md).
 *
 * In time-stepping every contact that may close in the step takes part in it. Contacts that have approached fast get
 * their rebound at the end of the step, and penetrations are removed slowly. */

#ifndef TRM_METHODS_CONTACT_TOUCHING_H
#define TRM_METHODS_CONTACT_TOUCHING_H

#include "collide/collide.h"
#include "methods/contact/problem.h"
#include "methods/maximal/maximal.h"

/* m/s: a contact with a smaller normal speed neither collides nor separates. A larger value suppresses the last
 * bounces of a ball, with a smaller one rounding causes impacts. */
static const double TRM_STILL = 1e-6;

/* A friction limit counts as fully used above this fraction. With a value larger than 1 no row would ever slip
 * (test methods_contact_rows); with a smaller one rows slip that still stick. */
static const double TRM_NEARLY_ALL = 0.999;

/* Rows are redundant if their pivot is below this fraction of the largest. A larger value drops rows of slender
 * bodies, a smaller one keeps rows that rounding alone makes independent. */
static const double TRM_NO_PIVOT = 1e-10;

/* Force and slip of a contact with a frozen mode at one end of the step. */
typedef struct trm_contact_force {
    double normal;           /* N: normal force */
    trm_vec3 friction, slip; /* N, m/s: friction force on the first body, slip velocity of the first body */
} trm_contact_force;

/* Quantities at the start of a step that the problem at its end uses (friction.c). */
typedef struct trm_step_slip {
    trm_vec3 slip, turn; /* m/s, rad/s: relative motion of the first body at the start; 0: it does not last */
    double spin;         /* rad/s: the same about the normal */
    trm_vec3 normal;     /* contact normal at the start */
} trm_step_slip;

/* The coefficient of friction in this step, which may depend on the slip (friction.c). */
typedef struct trm_slip_friction {
    double mu;
    double off;     /* its error when it was last adapted to the slip */
    double part;    /* fraction of that error that was applied */
    double of_step; /* coefficient of the look-ahead, which the end of the step uses if the contact is `known` */
} trm_slip_friction;

/* Torsional friction of a contact, about n, and its rolling friction, about t1, t2. */
typedef struct trm_contact_turning {
    double b[3], lambda[3];
    bool spin_lasts, roll_lasts; /* the rotation lasts from the start to the end of the step */
    double ends; /* fraction of the step after which a rotation ends, extrapolated beyond 1; inf: none ends */
    int first;   /* number of the first of its constraints */
} trm_contact_turning;

/* The mode of a contact, while modes are frozen (frozen.h). */
typedef struct trm_kept_mode {
    bool slides;        /* it slides, else it sticks */
    bool turning;       /* the direction of its slip changes in the step */
    trm_vec3 way;       /* unit vector along the slip, now */
    trm_vec3 way_start; /* the same at the start */
    double ahead[3];    /* N s, then N: impulses, then forces, of the last look-ahead */
    trm_contact_force at_start, at_end;
} trm_kept_mode;

/* What piles do not need: contacts with torsional or rolling friction, the end of a step, and frozen modes do. It is
 * apart from the contact, because memory access limits the speed of piles. */
typedef struct trm_contact_details {
    trm_contact_turning turning; /* this and the next line: set if the contact resists turning */
    trm_vec3 turn,
        free_turn; /* rad/s: as `free` for the angular velocity, of all bodies and of those impulses move */
    trm_vec3 predicted, predicted_turn; /* N s, N m s: impulses at the end of a step that its look-ahead predicts */
    trm_step_slip step; /* set if the contact is `known`, but not in time-stepping, where no slip lasts */
    trm_kept_mode mode; /* set while modes are frozen */
} trm_contact_details;

/* One contact at a pose. */
typedef struct trm_step_contact {
    trm_contact features;
    trm_contact_frame frame;
    double lambda[3], b[3];
    trm_vec3 free;   /* m/s: velocity of the first body relative to the second, part from bodies that impulses move */
    double left;     /* m/s: part of b[0] that comes from a gap or is a rebound */
    double recovery; /* m/s: speed at which a penetration is reduced in the step */
    trm_contact_at at;
    trm_contact_law law;
    double u[3]; /* m/s: J V at that pose */
    trm_slip_friction friction;
    trm_spatial *J, *W; /* rows n, t1, t2 x bodies a, b, once they are made */
    double slide;       /* fraction of the step after which slip ends, extrapolated beyond 1; inf: it does not end */
    double rebound;     /* m/s, not positive: e times the approach speed, for impacts in time-stepping */
    bool keeps_sliding; /* slip lasts from the start to the end of the step */
    bool along_rows;    /* b comes from the rows at t alone, not from the look-ahead */
    bool curved;        /* the contact point moves over a surface: slip is not the motion of body points */
    bool pile;          /* belongs to an island that is solved by sweeps */
    bool impacts;       /* an impact at this pose gave it an impulse; in time-stepping: it approaches fast */
    bool known;         /* it was in the look-ahead of the step that ends */
    trm_contact_details *details;
} trm_step_contact;

/* Rows of one contact, with its bodies and shapes. */
typedef struct trm_contact_rows {
    trm_spatial J[6], W[6];
    int body[2], shape[2];
} trm_contact_rows;

/* Rows of the torsional and rolling friction of one contact: n, t1, t2 x bodies. */
typedef struct trm_turning_rows {
    trm_spatial J[6], W[6];
} trm_turning_rows;

/* Work of passive constraints at the start of a step, divided among the bodies of an island. */
typedef struct trm_ledger {
    double work;   /* J */
    double lent;   /* J: part of it that the end of the step must take back */
    double fallen; /* J: part of the lent work that gravity takes back */
} trm_ledger;

/* The rows from which the kept matrices in contact space were made. */
typedef struct trm_kept_rows {
    bool valid;
    uint64_t joints; /* rows_number of the joint rows */
    double dt;       /* s: time for which velocity-dependent forces act */
    int contacts, constraints;
    trm_contact_rows *rows; /* per contact */
} trm_kept_rows;

/* Islands: bodies connected by constraints. Bodies at rest or with prescribed motion connect nothing. */
typedef struct trm_islands {
    int *of; /* per body: its island; -1: none */
    int count;
    int *first_body; /* count + 1 entries */
    int *bodies;
    int *first_constraint; /* count + 1 entries */
    int *constraints;
    int *parent, *of_constraint; /* workspace: union-find parent per body, island per constraint */
    bool *changed;               /* per island: rows, speeds or impulses have changed since it was solved */
    bool *solved;                /* per island: it was solved since the look-ahead was last judged */
    bool *swept;                 /* per island: it is solved by sweeps */
    bool *rough;                 /* per island: it was solved only as accurately as its speed requires */
    bool *failed;                /* per island: Newton's method did not solve it in this step */
    struct trm_reduced **kept;   /* per island: its matrices in contact space; NULL: not made yet */
    trm_kept_rows kept_of;       /* the rows from which they were made */
} trm_islands;

/* A one-sided joint, or one with limited force, in a time-stepping step (bounded.c). */
typedef struct trm_bounded_row {
    double c, u;    /* m or rad, m/s or rad/s: at the start of the step, later at its end before the forces there */
    double travel;  /* m, rad: largest change of c in the step */
    double rebound; /* m/s, rad/s: e times the speed at which it reaches its bound */
    bool fast;      /* it is one-sided and approaches its bound faster than a resting row */
    bool acted;     /* it had an impulse at the start of the step */
    bool open;      /* at the end of the step it is away from its bound */
} trm_bounded_row;

typedef struct trm_contact_set trm_contact_set;

/* Memory of the rows of contacts and of their torsional and rolling friction, and of their details. */
typedef struct trm_contact_row_memory {
    trm_contact_details *details; /* as many as there is room for contacts; each place of the list has one */
    trm_contact_rows *rows;
    int room;
    trm_turning_rows *turns; /* rows of the contacts with torsional or rolling friction, in their order */
    int turns_room;
    int turn_count; /* constraints of torsional and of rolling friction */
} trm_contact_row_memory;

/* Bodies and joints that joints and velocity-dependent forces connect with an active contact. */
typedef struct trm_contact_marks {
    bool *body;          /* per body: it is connected with an active contact */
    bool *free_body;     /* per body: it is not connected with one */
    bool *impacted;      /* per body: it is connected with a contact that a fast approach closed in this step */
    bool *joint;         /* per joint of the workspace: it is active and connected with an active contact */
    bool *farther;       /* per body: its look-ahead travels farther than was expected */
    bool *not_projected; /* per joint of the workspace: the joint solver skips its velocities now */
    int *first;          /* per body: its impact that closes first in a time-stepping step; -1: it has none */
    int *first_of_group; /* the same per group of bodies that joints connect, at its root */
    trm_spatial *landed; /* per body: error of its velocity because its impacts act at once */
    int *group;          /* per body: workspace of the search for groups */
} trm_contact_marks;

/* Hash table of contacts by their id. */
typedef struct trm_known_contacts {
    int *table; /* index in state->contacts plus 1; 0: empty */
    int room;
} trm_known_contacts;

/* Joints that are bounded rows of a time-stepping step (bounded.c). */
typedef struct trm_bounded_rows {
    bool *engaged;         /* per joint of the workspace: its row takes part in this step */
    trm_bounded_row *rows; /* per joint of the workspace: data of that row */
    int count;
} trm_bounded_rows;

/* Impacts and bounces, for reports. */
typedef struct trm_impact_log {
    trm_contact_row *impacts; /* impacts since the last report */
    int impact_count;
    int64_t last;        /* number of the last impact */
    trm_bounce *bounces; /* bounces of the last impacts */
    int bounce_count;
} trm_impact_log;

/* Distances and speeds that count as zero. */
typedef struct trm_contact_scales {
    double near;       /* m: contacts closer than this are closed */
    double impact_gap; /* m: contacts at most this far apart count as impacts; others have yet to close */
    double together;   /* m: approaching contacts at most this far apart have their impact at the same instant */
    double still;      /* m/s: contacts with a smaller normal speed neither separate nor collide */
} trm_contact_scales;

/* Islands that sleep (rest.c). */
typedef struct trm_rest_search {
    bool sleeps;    /* islands at rest may sleep */
    bool *awake;    /* per body: islands with this body never sleep */
    int *candidate; /* per body: island that will sleep after this step, as in trm_rest; 0: none */
    double far;     /* m: a body that moved less from its resting place is at rest */
} trm_rest_search;

/* Progress of a step with frozen modes (frozen.h). */
typedef struct trm_mode_phase {
    bool frozen; /* contacts keep their modes */
    bool begun;  /* contacts have moved in their frozen modes */
    bool solved; /* the cone problem of the look-ahead that determines the modes was solved */
} trm_mode_phase;

struct trm_contact_set {
    trm_collider *collider;
    trm_contacts found;
    trm_step_contact *contacts; /* of the present problem */
    int count, room;
    bool repeats;    /* time-stepping: the step is tried again, with contacts that its first try has shown */
    bool lends;      /* time-stepping look-ahead: the end of the step must take energy back */
    bool approached; /* some contacts approached faster than requested */
    bool mu_varies;  /* the friction coefficient of some contact depends on its slip */
    trm_contact_row_memory memory;
    trm_constraint *constraints; /* contacts, their torsional and rolling friction, joints, dampers */
    int constraint_count, constraint_room;
    trm_islands islands;
    trm_contact_marks marks;
    trm_known_contacts known;
    trm_bounded_rows bounded;
    double *joint_b, *joint_lambda; /* per row of the model */
    double *reach;                  /* m, per body: largest distance of its shapes from its centre of mass */
    double *travel;                 /* m, per body: largest distance it may travel in a step */
    trm_impact_log log;
    struct {
        trm_spatial *velocity; /* per body: V without the impulses of the present solution */
        trm_spatial *given;    /* per body: V at the start of the step */
        signed char *mode;
        trm_works work;
        int64_t projected;
    } start;            /* saved at the start of the step, for a return to it */
    trm_ledger *ledger; /* per body */
    trm_spatial *seen;  /* per body: V of the look-ahead from which b of contacts comes */
    trm_contact_scales scale;
    double falling; /* s: V plus gravity times this is the mean velocity of free bodies in the step */
    trm_rest_search rest;
    bool projected; /* velocities obeyed joints and contacts at the start of the step */
    trm_mode_phase modes;
};

/* Creates the contact set of a workspace. Returns NULL if out of memory. */
trm_contact_set *trm_contact_set_create(trm_maximal *w, trm_collider *collider);

/* rest.c: finds the bodies that may sleep. Returns false if out of memory. */
bool trm_contact_set_prepare_rest(trm_maximal *w);
/* Marks the islands of a look-ahead that will sleep after the step. */
void trm_contact_set_find_sleep_candidates(trm_maximal *w);
/* Puts the marked islands to sleep, after the step. */
void trm_contact_set_sleep(trm_maximal *w);

/* contact_set.c: finds all closed contacts at the present pose whose normal speed lies in a range. Previous
 * contacts are discarded. Returns false if out of memory. */
bool trm_contact_set_find(trm_maximal *w, double slowest, double fastest);
/* Finds the contacts that act in a step of length h. Returns false if out of memory. */
bool trm_contact_set_find_closed(trm_maximal *w, double h);
/* After a look-ahead of time-stepping: sets *any to whether bodies meet in it, or joints pass their bounds, that forces
 * or impacts have made faster than was known when contacts were sought. Returns false if out of memory. */
bool trm_contact_set_find_unforeseen(trm_maximal *w, bool *any);
/* Sets the impulses of all contacts to their forces in the last step times span. */
void trm_contact_set_recall(trm_maximal *w, double span);
/* Stores the impulses of all contacts, divided by span, as their forces. */
void trm_contact_set_remember(trm_maximal *w, double span);
/* Adds the forces of all contacts, N, averaged over the last step, to the wrenches of their bodies. */
void trm_contact_set_add_wrenches(trm_maximal *w, trm_spatial *wrench);
/* Between steps of time-stepping: finds the closed contacts and those that had a force in the last step. Returns
 * false if out of memory. */
bool trm_contact_set_find_loaded(trm_maximal *w);
/* Moves the same contacts to the present pose of their bodies and removes those that have opened. */
void trm_contact_set_follow(trm_maximal *w);
/* Computes J and W of all contacts, or of those outside piles only. Returns false if out of memory. */
bool trm_contact_set_make_rows(trm_maximal *w, bool piles_too);
/* Returns the velocity of the first body relative to the second at the contact point. free: only bodies that impulses
 * move count. */
trm_vec3 trm_contact_set_velocity(const trm_maximal *w, const trm_step_contact *contact, bool free);
/* Returns the angular velocity of the first body relative to the second, in the same way. */
trm_vec3 trm_contact_set_turn(const trm_maximal *w, const trm_step_contact *contact, bool free);
/* Return the impulses of a contact and of its torsional and rolling friction on its first body, N s and N m s. */
trm_vec3 trm_contact_set_impulse(const trm_step_contact *contact);
trm_vec3 trm_contact_set_turning_impulse(const trm_step_contact *contact);
/* Returns whether a body does not move, because it sleeps or is fixed. */
bool trm_contact_set_is_still(const trm_maximal *w, int body);
/* Returns whether a contact has an impulse. The others are neither applied nor counted. */
static inline bool trm_contact_set_acts(const trm_step_contact *contact)
{
    const double *lambda = contact->lambda, *turning = contact->details->turning.lambda;
    return lambda[0] != 0 || lambda[1] != 0 || lambda[2] != 0 ||
           (trm_contact_resists_turning(&contact->law) && (turning[0] != 0 || turning[1] != 0 || turning[2] != 0));
}
/* Moves a contact to an earlier place of the list, whose contact is removed. */
static inline void trm_contact_set_move(trm_contact_set *t, int from, int to)
{
    trm_contact_details *details = t->contacts[to].details;
    t->contacts[to] = t->contacts[from];
    t->contacts[from].details = details;
}
/* Applies the impulses lambda of all contacts to their bodies. */
void trm_contact_set_apply_impulses(trm_maximal *w);

/* Required accuracy of a solution, m/s. tolerance: residual of all rows. enough: residual that is accepted if the
 * solver cannot reduce it further; enough_closed: the same for joints. part: fraction of the initial residual that
 * may remain if the problem is posed again at its solution. contradiction: the same fraction, if rows contradict
 * each other; the island is then marked as changed. */
typedef struct trm_contact_set_accuracy {
    double tolerance, enough, enough_closed, part, contradiction;
} trm_contact_set_accuracy;

/* friction.c: returns whether a motion with the velocity `start` at the start of a step and the mean velocity `mean`
 * continues at its end. */
bool trm_contact_set_motion_continues(const double start[2], const double mean[2]);
/* At the end of a step: chooses the slip to which friction is opposite. Sets b of the tangential rows and the
 * coefficients of friction of all contacts. */
void trm_contact_set_choose_slip(trm_maximal *w);
/* After velocities are found: sets b of every contact to 0 whose slip, or rotation, was reversed by friction. Returns
 * whether there were any. */
bool trm_contact_set_forget_reversed(trm_maximal *w);
/* Sets the coefficients of friction of all contacts to those at the present slip. */
void trm_contact_set_take_friction(trm_maximal *w);
/* Solves as trm_contact_set_solve does, with coefficients of friction at the slip of the solution. At the end of a
 * step the coefficients are already known. */
bool trm_contact_set_solve_with_friction(trm_maximal *w, trm_contact_set_accuracy accuracy, trm_outcome *outcome);

/* bounded.c: allocates memory. Returns false if there is none. */
bool trm_contact_set_prepare_bounded(trm_maximal *w);
/* Chooses the bounded rows that take part in a step of length h from the present state. */
void trm_contact_set_engage(trm_maximal *w, double h);
/* After a look-ahead: returns whether a limit or rope that does not take part in the step is passed. */
bool trm_contact_set_passes_bound(const trm_maximal *w);
/* Removes all bounded rows. */
void trm_contact_set_disengage(trm_maximal *w);
/* Returns whether the row of a joint takes part in the step. */
bool trm_contact_set_is_engaged(const trm_maximal *w, const trm_maximal_joint *j);
/* Returns whether the engaged row of a joint of the workspace reached its bound fast, and had an impulse, in this
 * step. */
bool trm_contact_set_hits_bound(const trm_maximal *w, int joint);
/* Updates c and u of all engaged rows at the present state. */
void trm_contact_set_note_bounded(trm_maximal *w);
/* At the end of a step: marks the rows that are open. */
void trm_contact_set_open_bounded(trm_maximal *w);
/* Returns the value, m or rad, that c must reach, or must not exceed, at the end of the step. A row beyond its bound
 * comes back by at most `recovery`. */
double trm_contact_set_bounded_target(const trm_maximal *w, const trm_maximal_joint *j, double recovery);
/* Returns the distance of c from its target in tolerances; 0 if the force of the row is at its limit. */
double trm_contact_set_bounded_residual(const trm_maximal *w, const trm_maximal_joint *j, double c);
/* Returns b of the row of a joint at the end of the step. */
double trm_contact_set_bounded_rate(const trm_maximal *w, const trm_maximal_joint *j);
/* Returns the row of a joint as a constraint with its bounds, for forces that act during `span`. */
trm_constraint trm_contact_set_bounded_constraint(const trm_maximal *w, const trm_maximal_joint *j, double span);
/* Sets the joint modes that follow from the impulses: at the start of a step, or at its end with the speeds there. */
void trm_contact_set_take_modes(trm_maximal *w, double span, bool ends);
/* Returns the work of all bounded rows, as trm_contact_set_work does. */
trm_works trm_contact_set_bounded_work(const trm_maximal *w, double share);
/* Closes the joints in contact that a dissipative step has left open, including limits that were passed. Leaves the
 * poses unchanged if that is impossible. Returns false if out of memory. */
bool trm_contact_set_project(trm_maximal *w);
/* Returns whether the contact solver has anything to solve. */
static inline bool trm_contact_set_is_active(const trm_contact_set *t)
{
    return t->count > 0 || t->bounded.count > 0;
}

/* Returns whether one of these bodies is marked. */
static inline bool trm_contact_set_marks_any(const trm_contact_set *t, const int *body, int count)
{
    for (int b = 0; b < count; b++)
        if (t->marks.body[body[b]]) return true;
    return false;
}

/* islands.c: allocates memory for the marks. Returns false if there is none. */
bool trm_contact_set_prepare_islands(trm_maximal *w);
/* Marks the bodies and joints in contact, in a problem in which velocity-dependent forces act for dt. */
void trm_contact_set_mark_islands(trm_maximal *w, double dt);
/* Marks the bodies of time-stepping that an impact reaches, after the look-ahead. Returns, per body, whether a
 * contact or the impact of a limit acts on it; NULL: on none. */
const bool *trm_contact_set_mark_impacts(trm_maximal *w);
/* landings.c: returns, per body, the error of its velocity because impacts at several instants of a time-stepping step
 * act at once, after they were solved and before contacts move to the end; NULL: there are no impacts. */
const trm_spatial *trm_contact_set_find_landings(trm_maximal *w);
/* Finds the islands of the problem from its list of constraints. */
void trm_contact_set_find_islands(trm_maximal *w);
/* Marks the island of a constraint, or all islands, as changed since they were solved: they will be solved again. */
void trm_contact_set_change(trm_maximal *w, int constraint);
void trm_contact_set_change_all(trm_maximal *w);
/* Returns whether a joint of the machine is part of the contact problem. */
bool trm_contact_set_has_joint(const trm_maximal *w, const trm_maximal_joint *j);
/* Projects the velocities of islands without contact: of all of them, or only of those with shapes that may
 * collide. */
bool trm_contact_set_project_others(trm_maximal *w, double dt, bool all, trm_outcome *outcome);

/* Projects the velocities of all islands with shapes that may collide as if there were no contacts. */
bool trm_contact_set_project_shaped(trm_maximal *w, trm_outcome *outcome);
/* Calls trm_maximal_update_caller_forces for the forces on bodies in contact. */
bool trm_contact_set_evaluate_forces_again(trm_maximal *w, double dt, trm_maximal_worst *changed,
                                           trm_outcome *outcome);

/* share.c: distributes the force evenly over the points of sliding faces. Returns whether anything changed, V
 * included. */
bool trm_contact_set_share_evenly(trm_maximal *w);

/* phases.c: finds the impulses at t that close all joints and contacts in the look-ahead. Returns false on
 * failure; outcome gives the reason. */
bool trm_contact_set_close(trm_maximal *w, double h, trm_outcome *outcome);

/* Stores the forces of the look-ahead as initial values of the next one. */
void trm_contact_set_remember_forces(trm_maximal *w);
/* Returns the displacement of a point of a body in the look-ahead. */
trm_vec3 trm_contact_set_shift(const trm_maximal *w, int body, trm_vec3 point);
/* Returns the velocity of a point of a body at the end of the look-ahead. */
trm_vec3 trm_contact_set_velocity_ahead(const trm_maximal *w, int body, trm_vec3 point);

/* Returns the fraction of the last step after which the first contact stopped slipping, or rolling against
 * friction. Returns infinity if none stopped. */
double trm_contact_set_slide_ends(const trm_maximal *w);

/* phases.c: projects velocities onto joints and contacts, while velocity-dependent forces act for dt.
 * Starts from the impulses of the last look-ahead's forces during `span`. all: includes islands without shapes, which
 * no contact can reach. */
bool trm_contact_set_project_velocities(trm_maximal *w, double dt, double span, bool all, trm_outcome *outcome);

/* impacts.c: computes the impacts of all closed contacts at the present pose that approach. Returns false on
 * failure; outcome gives the reason. */
bool trm_contact_set_impacts(trm_maximal *w, trm_outcome *outcome);
/* Computes the impact of a jammed contact. */
bool trm_contact_set_impact_jam(trm_maximal *w, int jammed, trm_outcome *outcome);

/* jam.c: after a look-ahead, finds a contact that slid and that no force can keep closed; -1: none. Returns false if
 * that cannot be decided; outcome gives the reason. */
bool trm_contact_set_find_jam(trm_maximal *w, int *jammed, trm_outcome *outcome);
/* Saves the velocities, joint modes and work that a look-ahead changes. */
void trm_contact_set_save_start(trm_maximal *w);
/* Restores them. */
void trm_contact_set_restore_start(trm_maximal *w);

/* bounces.c: after impacts, finds the bodies that had one and separate again. */
bool trm_contact_set_find_bounces(trm_maximal *w, trm_outcome *outcome);

/* work.c: updates `free` of all contacts at the present velocities. */
void trm_contact_set_note_speeds(trm_maximal *w);
/* Returns the work of contact impulses and of drives at speeds that mix the present ones, by `share`, and `free`.
 * Work that a body with prescribed motion does on its contacts counts as input. */
trm_works trm_contact_set_work(const trm_maximal *w, double share);
/* Adds the impulses of all contacts to the wrenches of their bodies. */
void trm_contact_set_add_impulses(const trm_contact_set *t, trm_spatial *wrench);

/* work.c, in time-stepping: after a look-ahead, scales contact impulses so that they add no energy, and fills the
 * ledger of the step. Returns false if an island with joints gains energy. */
bool trm_contact_set_bound_gain(trm_maximal *w);
/* After projection, reduces rebounds so that the whole step adds no energy. Returns false on failure; outcome gives
 * the reason. */
bool trm_contact_set_bound_rebounds(trm_maximal *w, trm_contact_set_accuracy accuracy, trm_outcome *outcome);
/* Requests that the step is repeated as a dissipative step. Returns false. */
bool trm_contact_set_gained(trm_maximal *w, trm_outcome *outcome);

/* solve.c: lists contacts, joints and, for the time dt, dampers as constraints; finds their islands; makes the rows
 * that Newton's method needs. Impulses are forces times span. Returns false if out of memory, and reports it in
 * outcome. */
bool trm_contact_set_prepare(trm_maximal *w, double span, double dt, trm_outcome *outcome);
/* Returns one island of the problem. */
static inline trm_problem_island trm_contact_set_island(const trm_contact_set *t, int i)
{
    const trm_islands *all = &t->islands;
    return (trm_problem_island){all->bodies + all->first_body[i], all->first_body[i + 1] - all->first_body[i],
                                all->constraints + all->first_constraint[i],
                                all->first_constraint[i + 1] - all->first_constraint[i], all->kept + i};
}
/* Solves all islands that have changed, starting from the present lambda and V. Returns false if out of memory or
 * not solved, and reports it in outcome. */
bool trm_contact_set_solve(trm_maximal *w, trm_contact_set_accuracy accuracy, trm_outcome *outcome);

/* Adds to the reason of a failed step the two bodies with the largest normal force between them in the island of a
 * body. */
void trm_contact_set_report_loaded(const trm_maximal *w, int body, trm_outcome *outcome);

enum { TRM_IMPACTS_KEPT = 1000 };

/* contact_set.c: writes impacts since the last report, then contacts, to rows, at most `most`. Returns how many there
 * are. The impacts are then discarded. */
int trm_contact_set_report(trm_maximal *w, trm_contact_row *rows, int most);
/* Discards the impacts from this number on: their steps were undone and are repeated. */
void trm_contact_set_forget_impacts(trm_maximal *w, int64_t number);
/* Returns the row of a report for a contact with a force on its first body. */
trm_contact_row trm_contact_set_row(const trm_maximal *w, const trm_step_contact *contact, trm_vec3 on_first,
                                    bool impact);

/* contact_set.c: lists contacts, then their torsional and rolling friction, joints of the machine and dampers as
 * constraints. Each keeps its own b and lambda. Returns false if out of memory. */
bool trm_contact_set_list_constraints(trm_maximal *w, double span, double dt);

#endif
