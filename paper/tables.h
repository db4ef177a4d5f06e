/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* What the tables of `trammel paper` share: the request, a scene that runs, and zeros of what was recorded. */

#ifndef TRM_PAPER_TABLES_H
#define TRM_PAPER_TABLES_H

#include "cli/command.h"

/* The names are those of --start. */
typedef enum loop_start {
    LOOP_HORIZONTAL, /* a zigzag in the plane through the suspensions that is level */
    LOOP_ZIGZAG,     /* a zigzag in the plane of gravity */
    LOOP_FOLDED,     /* straight, but folded at the far end */
    LOOP_STARTS,
} loop_start;

extern const char *const loop_starts[LOOP_STARTS];

typedef struct paper_request {
    const char *table; /* "9.1" */
    bool json;
    loop_start start;  /* how the 8-Loop lies */
    double angle;      /* rad: of the rods of its zigzag with the line between the suspensions */
    bool mass_at_ends; /* of its rods, which are uniform otherwise */
    int rows;          /* number of step sizes; INT_MAX: all */
    const char *plot;  /* how names of drawings begin; NULL: none are requested */
    bool progress;     /* stderr is a terminal */
} paper_request;

/* The tables, each printed as text or JSON. */
exit_code paper_pendulum(const paper_request *request);
exit_code paper_loop_cells(const paper_request *request); /* 9.2, 9.3, 9.4 */
exit_code paper_loop_seconds(const paper_request *request);
exit_code paper_loop_starts(const paper_request *request); /* which start comes nearest to table 9.4 */
exit_code paper_spring(const paper_request *request);
exit_code paper_convergence(const paper_request *request);
exit_code paper_distributed(const paper_request *request);

exit_code paper_questions(const paper_request *request);
exit_code paper_treatments(const paper_request *request);
exit_code paper_taylor(const paper_request *request);
exit_code paper_contacts(const paper_request *request);
exit_code paper_schirm(const paper_request *request);
exit_code paper_hishinuma(const paper_request *request);
exit_code paper_stabilisation(const paper_request *request);

/* The two pendulums of table 9.1 and the 8-Loop, for other tables; scenes without a simulation. Return false if out of
 * memory. */
bool add_point_pendulum(trm_model_def *def);
bool add_rigid_pendulum(trm_model_def *def);
double pendulum_period(void); /* s, by the elliptic integral */
bool add_loop(trm_model_def *def, const paper_request *request);

/* What is being computed, over the line before; without a text the line is cleared. */
void show_progress(const paper_request *request, const char *text);

/* seconds of wall-clock time, from some time on. */
double wall_clock(void);

/* ---- A scene that runs -------------------------------------------------------------------- */

typedef struct scene {
    trm_messages *messages;
    trm_model_def *def; /* filled by the table: elements and simulation */
    trm_model *model;
    trm_sim *sim;
} scene;

/* An empty definition; false: out of memory. scene_end frees all, at any stage. */
bool scene_begin(scene *s, trm_vec3 gravity);

/* A definition read from the text of a model file; false after reporting why there is none. scene_end frees all. */
bool scene_read(scene *s, const char *text);

/* The model and a simulation with the options that its definition has by now; false after reporting why there is
 * none. */
bool scene_simulate(scene *s, bool added);

/* The model; false after reporting why there is none. added: whether all elements found memory. */
bool scene_build(scene *s, bool added);

/* The model and its simulation by the impulse method, joint after joint, as in the paper; false after reporting why.
 * added: whether all elements found memory. */
bool scene_ready(scene *s, bool added, double step, double position_tolerance, double velocity_tolerance);

void scene_end(scene *s);

/* Add a uniform rod of 1 kg and this radius, m, and a joint with its anchor in the world and the axis z. Return false if
 * out of memory. Names are borrowed. */
bool add_rod_between(trm_model_def *def, const char *name, trm_vec3 from, trm_vec3 to, double radius);
bool add_joint_between(trm_model_def *def, const char *type, const char *name, const char *a, const char *b,
                       trm_vec3 at);

/* ---- Recorded curves ---------------------------------------------------------------------- */

/* The x coordinate of a body after each step, the start included. */
typedef struct track {
    double step; /* s */
    double *x;   /* m */
    int count, room;
    int body;
} track;

/* Runs the scene until the time, recording; false: out of memory, or the run stopped, which is said. */
bool record(scene *s, int body, double until, track *t);
void forget(track *t);

/* The time of zero number index (from 0), NAN if there is none: by a straight line between two steps, as the paper
 * did; or by the polynomial of degree 7 through the eight steps around it. Positions alone are interpolated: the
 * velocities at the steps are not the slopes of the curve through the positions, but differ from them by O(h^2). */
double linear_zero(const track *t, int index);
double smooth_zero(const track *t, int index);

#endif
