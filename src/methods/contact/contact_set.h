/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Contacts in a step: those that hold bodies apart are temporary joints in round cones, beside the joints of the model.
 *
 * At the pose of time t every contact that touches has rows n, t1, t2 with u = J V the velocity of the first body relative to
 * the second where they touch. Which of them hold in the step is known before it: those that touch and whose speed is next
 * to nothing (all that approach faster have an impact first, impacts.c, and what leaves is gone). In the look-ahead a
 * contact that holds obeys
 *
 *     gap(t+h) >= 0, l_n >= 0, one of both 0;   |l_t| <= mu l_n, slip d(t+h) opposite to l_t         look_ahead.c
 *
 * and at the end of the step the same in velocities, with friction (project_velocities.c; Schmitt 2003, section 11 leaves it out there,
 * docs/errata.md).
 *
 * With impacts in a window instead of at their moments every contact that may come near in the step holds in it, what has
 * approached fast gets its rebound at the end, and what is deeper than nothing comes out slowly. */

#ifndef TRM_METHODS_CONTACT_TOUCHING_H
#define TRM_METHODS_CONTACT_TOUCHING_H

#include "collide/collide.h"
#include "methods/contact/problem.h"
#include "methods/maximal/maximal.h"

/* What a contact that keeps its mode does at an end of the step. */
typedef struct trm_contact_force {
    double normal;           /* N, along the normal, */
    trm_vec3 friction, slip; /* N, m/s: and across it, of the first body */
} trm_contact_force;

/* What the end of a step needs to know of its start (friction.c). */
typedef struct trm_step_slip {
    bool known;      /* the contact was in the look-ahead of the step */
    double friction; /* coefficient of the step */
    trm_vec3 slip,
        turn;        /* m/s, rad/s: at the start, of the first body relative to the second; 0: it does not keep on */
    trm_vec3 normal; /* at the start */
} trm_step_slip;

/* One contact at a pose. */
typedef struct trm_step_contact {
    trm_contact features;
    trm_contact_at at;
    trm_contact_law law;
    trm_contact_frame frame;
    trm_spatial *J, *W;               /* rows n, t1, t2 x bodies a, b, where they were made */
    double u[3];                      /* J V at that pose, */
    trm_vec3 free;                    /* and the part of that velocity that is of bodies which impulses move; */
    trm_vec3 turn, free_turn;         /* the same of how fast the first body turns beside the second */
    trm_vec3 foreseen, foreseen_turn; /* N s, N m s: impulses at the end of a step by the forces of its look-ahead */
    double friction;                  /* coefficient in this step */
    double friction_off;              /* by which it was off when it was last adapted to the slip, */
    double friction_part;             /* and the part of that by which it was changed */
    bool keeps_sliding; /* slip and, against rolling friction, turning last from the start to the end of the step */
    bool keeps_turning;
    trm_step_slip step; /* at the end of a step */
    double b[3], lambda[3];
    bool along_rows;                  /* b is of the rows at t alone, not of the look-ahead */
    double left;                      /* m/s: part of b[0] that is left of a gap, or that is a rebound */
    double healing;                   /* m/s: at which the gap grows in the step where bodies overlap */
    double turn_b[2], turn_lambda[2]; /* of rolling friction, about t1, t2 */
    double slide;   /* part of the step after which its slip ends, extrapolated beyond 1; inf: it does not end */
    double roll;    /* likewise: its rotation against rolling friction */
    double rebound; /* m/s, not positive: e times the speed of approach, of what strikes in a window */
    bool curved;    /* its slip is not that of points of the bodies */
    bool pile;      /* of an island that is swept */
    bool impacts;   /* by the impacts at this pose */
    /* while modes are frozen (frozen.h) */
    bool slides;             /* else it sticks */
    bool turning;            /* and the direction of its slip changes in the step */
    trm_vec3 way, way_start; /* of one that slides: unit vector along its slip, and as it was at the start */
    double ahead[3];         /* N s, then N: what it did in the last look-ahead */
    trm_contact_force at_start, at_end;
} trm_step_contact;

/* Rows of one, and whose they are. */
typedef struct trm_contact_rows {
    trm_spatial J[6], W[6];
    int body[2], shape[2];
} trm_contact_rows;

/* Rows of its rolling friction: t1, t2 x bodies. */
typedef struct trm_rolling_rows {
    trm_spatial J[4], W[4];
} trm_rolling_rows;

/* Work of passive constraints at the start of a step, as shares of bodies. */
typedef struct trm_ledger {
    double work;   /* J */
    double lent;   /* J: part of it that the end of the step is to take back, */
    double fallen; /* J: and of that what gravity takes back */
} trm_ledger;

/* The rows that matrices in contact space were made of. */
typedef struct trm_kept_rows {
    bool valid;
    uint64_t joints; /* rows_number of those of joints */
    double dt;       /* s: that forces of velocities act for */
    int contacts, constraints;
    trm_contact_rows *rows; /* per contact */
} trm_kept_rows;

/* Bodies that constraints join, the others standing still or moving as prescribed. */
typedef struct trm_islands {
    int *of; /* per body: its island; -1: none */
    int count;
    int *first_body; /* count + 1 */
    int *bodies;
    int *first_constraint; /* likewise */
    int *constraints;
    int *parent, *of_constraint; /* while they are found */
    struct trm_reduced **kept;   /* per island: its matrices in contact space; NULL: not made yet */
    trm_kept_rows kept_of;       /* what they belong to */
} trm_islands;

/* A joint that holds on one side only, or with a limited force, in a time-stepping step (bounded.c). */
typedef struct trm_bounded_row {
    double c, u;    /* m or rad, m/s or rad/s: at the start of the step, then at its end, before the forces there */
    double travel;  /* m, rad: by which c may change in the step */
    double rebound; /* m/s, rad/s: e times the speed at which it comes to its bound */
    bool acted;     /* at the start of the step, */
    bool open;      /* and at its end it is away from its bound */
} trm_bounded_row;

typedef struct trm_contact_set trm_contact_set;

struct trm_contact_set {
    trm_collider *collider;
    trm_contacts found;
    trm_step_contact *contacts; /* that hold */
    int count, room;
    bool lends;      /* a look-ahead in a window: the end of the step is to take energy back */
    bool approached; /* some that touch were faster towards each other than was asked for */
    trm_contact_rows *rows;
    int rows_room;
    trm_rolling_rows *turns; /* of the contacts with rolling friction, in their order */
    int turn_count, turns_room;
    trm_constraint *constraints; /* contacts, their rolling friction, joints and dampers of a problem */
    int constraint_count, constraint_room;
    trm_islands islands;
    bool *in_contact;       /* per body: an active contact reaches it through joints and forces of velocities */
    bool *free_of_contact;  /* per body: the contrary */
    bool *joint_in_contact; /* per joint of the workspace: likewise, of those that act */
    bool *not_projected;    /* per joint likewise: the joint solver leaves out its velocities now */
    int *group;             /* per body, while they are found */
    int *known; /* a table of what the state knows of contacts: by their ids, one behind the place of each; 0: none */
    int known_room;
    bool *engaged;            /* per joint of the workspace: a row with bounds in this step, */
    trm_bounded_row *bounded; /* and what is known of it */
    int engaged_count;
    double *joint_b, *joint_lambda; /* per row of the model */
    double *reach;                  /* m, per body: of its shapes from its centre of mass, */
    double *travel;                 /* and how far it may come in a step */
    trm_contact_row *impacts;       /* impacts since they were last asked for */
    int impact_count;
    int64_t strikes;     /* the last of them */
    trm_bounce *bounces; /* of the impacts that were last made */
    int bounce_count;
    struct {
        trm_spatial *velocity;
        signed char *mode;
        trm_works work;
    } start;            /* of the step, to go back to */
    trm_ledger *ledger; /* per body */
    trm_spatial *seen;  /* per body: V of the look-ahead from which b of contacts is */
    double near;        /* m: what is nearer touches, */
    double striking;    /* m: and what is no farther strikes; else it has yet to come */
    double together;   /* m: contacts that approach and are no farther meet at the same instant as one that strikes */
    double still;      /* m/s: what is slower along the normal holds */
    int newton_bodies; /* islands of more are swept */
    double falling;    /* s: gravity for so long makes what is free faster in the mean of the step than V says */
    bool sleeps;       /* islands at rest do, */
    bool *awake;       /* per body: but not those of this one; */
    int *sleep_candidate; /* per body: the island that will sleep behind this step, as in trm_rest; 0: it will not */
    double far;           /* m: from where it rested a body may come */
    bool projected;       /* at the start of the step velocities obeyed joints and contacts */
    bool frozen;          /* contacts keep the mode that they are in, */
    bool begun;           /* and have moved in it */
    bool solved;          /* the cones of the look-ahead that tells their modes */
};

/* NULL: out of memory. */
trm_contact_set *trm_contact_set_create(trm_maximal *w, trm_collider *collider);

/* rest.c: who may sleep, false: out of memory; islands of a look-ahead that will, and they do behind the step. */
bool trm_contact_set_prepare_rest(trm_maximal *w);
void trm_contact_set_find_sleep_candidates(trm_maximal *w);
void trm_contact_set_sleep(trm_maximal *w);
/* Whether a body stands still, asleep or because it is fixed. */
bool trm_contact_set_is_still(const trm_maximal *w, int body);

/* contact_set.c: all contacts at the present pose that touch and whose speed along the normal is in a range, from nothing;
 * false: out of memory. */
bool trm_contact_set_find(trm_maximal *w, double slowest, double fastest);
/* Those that hold in a step of length h. */
bool trm_contact_set_find_closed(trm_maximal *w, double h);
/* What the last step has found of their forces; the first so many of the problem's constraints. */
void trm_contact_set_recall(trm_maximal *w, double span);
void trm_contact_set_remember(trm_maximal *w, double span);
/* Adds the forces of all contacts, N, means of the last step, to the wrenches of their bodies. */
void trm_contact_set_add_wrenches(trm_maximal *w, trm_spatial *wrench);
/* Between steps in windows: those that touch, and those that have carried something in the last step. */
bool trm_contact_set_find_loaded(trm_maximal *w);
/* The same contacts at the pose at which the bodies are now. */
void trm_contact_set_follow(trm_maximal *w);
/* J and W of all, or of those that are not in piles; false: out of memory. */
bool trm_contact_set_make_rows(trm_maximal *w, bool piles_too);
/* The velocity of the first body relative to the second where they touch, of bodies that impulses move alone if that is asked
 * for. */
trm_vec3 trm_contact_set_velocity(const trm_maximal *w, const trm_step_contact *contact, bool free);
/* How fast the first body turns beside the second, likewise. */
trm_vec3 trm_contact_set_turn(const trm_maximal *w, const trm_step_contact *contact, bool free);
/* Contacts give what their lambda says. */
void trm_contact_set_apply_impulses(trm_maximal *w);

/* m/s: how closely rows are to obey, how closely will do where more cannot be had, and of joints; of what rows are off by at first:
 * so much may be left by a problem that is posed again at its solution. */
typedef struct trm_contact_set_accuracy {
    double tolerance, enough, enough_closed, part;
} trm_contact_set_accuracy;

/* friction.c: whether something with one velocity at the start of a step and another in the mean moves on at its end. */
bool trm_contact_set_keeps_on(const double start[2], const double mean[2]);
/* What is known of a step at its end, before the contact is moved to the pose there; there b of the tangent rows of all
 * contacts and their coefficients. */
trm_step_slip trm_contact_set_slip_of_step(const trm_step_contact *contact);
void trm_contact_set_agree_on_slip(trm_maximal *w);
/* After velocities are found: whether slip, or turning, of any contact is reversed by friction; its b is 0 from then on. */
bool trm_contact_set_forget_reversed(trm_maximal *w);
/* Coefficients of friction at the present slip of all contacts. */
void trm_contact_set_take_friction(trm_maximal *w);
/* As trm_contact_set_solve, with coefficients of friction at the slip of the solution; those of a step that ends are known. */
bool trm_contact_set_solve_with_friction(trm_maximal *w, trm_contact_set_accuracy accuracy, trm_outcome *outcome);

/* bounded.c: room, false: out of memory; whose rows take part in a step of length h from here; and none. */
bool trm_contact_set_prepare_bounded(trm_maximal *w);
void trm_contact_set_engage(trm_maximal *w, double h);
void trm_contact_set_disengage(trm_maximal *w);
bool trm_contact_set_is_engaged(const trm_maximal *w, const trm_maximal_joint *j);
/* c and u of all that are engaged at the present state. */
void trm_contact_set_note_bounded(trm_maximal *w);
/* At the end of a step: those that are open. */
void trm_contact_set_open_bounded(trm_maximal *w);
/* m, rad: what c is to be, or not to exceed, at the end of the step; what is beyond its bound comes back by `healing`. */
double trm_contact_set_bounded_target(const trm_maximal *w, const trm_maximal_joint *j, double healing);
/* b of its row at the end of the step. */
double trm_contact_set_bounded_rate(const trm_maximal *w, const trm_maximal_joint *j);
/* Its law and bounds, forces acting for a span. */
trm_constraint trm_contact_set_bounded_constraint(const trm_maximal *w, const trm_maximal_joint *j, double span);
/* The modes that impulses tell: at the start of a step, or at its end with the speeds there. */
void trm_contact_set_take_modes(trm_maximal *w, double span, bool ends);
bool trm_contact_set_bounded_rebounds(const trm_maximal *w);
/* As trm_contact_set_work. */
trm_works trm_contact_set_bounded_work(const trm_maximal *w, double share);
/* Closes what a dissipative step has left open in joints that contacts reach, limits that were passed among them. Poses from which
 * that cannot be done stay as they are. False: out of memory. */
bool trm_contact_set_project(trm_maximal *w);
/* Whether there is anything for the contact solver. */
static inline bool trm_contact_set_is_active(const trm_contact_set *t)
{
    return t->count > 0 || t->engaged_count > 0;
}

/* islands.c: room for the marks, false: out of memory. Who is in contact in a problem in which forces that depend on
 * velocities act for dt, and the islands of the problem whose constraints are listed. */
bool trm_contact_set_prepare_islands(trm_maximal *w);
void trm_contact_set_mark_islands(trm_maximal *w, double dt);
void trm_contact_set_find_islands(trm_maximal *w);
/* Whether a joint of the machine is part of the contact problem. */
bool trm_contact_set_has_joint(const trm_maximal *w, const trm_maximal_joint *j);
/* Fits velocities that no contact reaches: of all such islands, or of those with shapes that may collide. */
bool trm_contact_set_project_others(trm_maximal *w, double dt, bool all, trm_outcome *outcome);

/* The same, as if nothing touched, of all with shapes that may collide. */
bool trm_contact_set_project_shaped(trm_maximal *w, trm_outcome *outcome);
/* trm_maximal_ask_all_again for forces on bodies that contacts reach. */
bool trm_contact_set_evaluate_forces_again(trm_maximal *w, double dt, trm_maximal_worst *changed,
                                           trm_outcome *outcome);

/* share.c: lets the points of faces that slide share the force evenly. Returns whether anything changed, V with it. */
bool trm_contact_set_share_evenly(trm_maximal *w);

/* look_ahead.c: impulses at t that close all joints in the look-ahead and hold all contacts. */
bool trm_contact_set_close(trm_maximal *w, double h, trm_outcome *outcome);

/* What the look-ahead has found is where the next one begins; where a point of a body goes in it, and how fast it arrives. */
void trm_contact_set_remember_forces(trm_maximal *w);
trm_vec3 trm_contact_set_shift(const trm_maximal *w, int body, trm_vec3 point);
trm_vec3 trm_contact_set_velocity_ahead(const trm_maximal *w, int body, trm_vec3 point);

/* Of all that slipped, or rolled against friction, in the last step, the first that has stopped: behind which part of it. */
double trm_contact_set_slide_ends(const trm_maximal *w);

/* project_velocities.c: velocities that fit joints and contacts, forces that depend on velocities acting for dt; from where the forces of the
 * last look-ahead would lead in the time span. all: also of islands without shapes, which no contact can reach. */
bool trm_contact_set_project_velocities(trm_maximal *w, double dt, double span, bool all, trm_outcome *outcome);

/* impacts.c: of all that touch at the present pose and approach; of a contact that is jammed. */
bool trm_contact_set_impacts(trm_maximal *w, trm_outcome *outcome);
bool trm_contact_set_impact_jam(trm_maximal *w, int jammed, trm_outcome *outcome);

/* jam.c: behind a look-ahead, the contact that slid and that no force can hold; -1: none. False: outcome says why it is not
 * known. */
bool trm_contact_set_find_jam(trm_maximal *w, int *jammed, trm_outcome *outcome);
/* All that a look-ahead changes, kept, and as it was. */
void trm_contact_set_keep_start(trm_maximal *w);
void trm_contact_set_go_back(trm_maximal *w);

/* bounces.c: behind them, what has been struck and parts again. */
bool trm_contact_set_find_bounces(trm_maximal *w, trm_outcome *outcome);

/* work.c: `free` of all contacts at the present velocities; and the work of their impulses and of drives at speeds
 * `share` of which are those of now, the rest `free`. What a moving body does to its contacts is put in. */
void trm_contact_set_note_speeds(trm_maximal *w);
trm_works trm_contact_set_work(const trm_maximal *w, double share);
/* Impulses of a contact and of its rolling friction on its first body, N s and N m s; those of all on their bodies. */
trm_vec3 trm_contact_set_impulse(const trm_step_contact *contact);
trm_vec3 trm_contact_set_turning_impulse(const trm_step_contact *contact);
void trm_contact_set_add_impulses(const trm_contact_set *t, trm_spatial *wrench);

/* work.c, in windows: behind a look-ahead, contact impulses that gain nothing, and the ledger of the step; false: an island with
 * joints gains. Behind velocities that fit, rebounds that gain nothing over the whole step; false: outcome says why. */
bool trm_contact_set_bound_gain(trm_maximal *w);
bool trm_contact_set_bound_rebounds(trm_maximal *w, trm_contact_set_accuracy accuracy, trm_outcome *outcome);
/* Says that the step is to be made anew, dissipative. False. */
bool trm_contact_set_gained(trm_maximal *w, trm_outcome *outcome);

/* solve.c: contacts, joints and, for the time dt, dampers as constraints, impulses being forces times span; their islands, and rows of
 * what Newton's method is to solve. False: out of memory, and outcome says so. */
bool trm_contact_set_prepare(trm_maximal *w, double span, double dt, trm_outcome *outcome);
trm_problem_island trm_contact_set_island(const trm_contact_set *t, int island);
/* All islands, from where lambda and V are; false: out of memory, or not solved, and outcome says so. */
bool trm_contact_set_solve(trm_maximal *w, trm_contact_set_accuracy accuracy, trm_outcome *outcome);

/* Adds to why a step failed which bodies press against each other most in the island of a body. */
void trm_contact_set_name_loaded(const trm_maximal *w, int body, trm_outcome *outcome);

/* false, and outcome says so. */
bool trm_contact_set_out_of_memory(trm_outcome *outcome);

enum { TRM_IMPACTS_KEPT = 1000 };

/* contact_set.c: how many impacts, which are forgotten, and contacts there are; the first of them into rows. */
int trm_contact_set_report(trm_maximal *w, trm_contact_row *rows, int most);
/* Impacts from this number on were of steps that have been undone, and are made anew. */
void trm_contact_set_forget_impacts(trm_maximal *w, int64_t number);
/* A contact with a force on its first body, in the words of a report. */
trm_contact_row trm_contact_set_row(const trm_maximal *w, const trm_step_contact *contact, trm_vec3 on_first,
                                    bool impact);

/* contact_set.c: contacts, then their rolling friction, joints of the machine and dampers, as constraints, with b and lambda of their own.
 * False: out of memory. */
bool trm_contact_set_list_constraints(trm_maximal *w, double span, double dt);

#endif
