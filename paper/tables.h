/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Declarations that the tables of `trammel paper` share: the request, a scene that runs, and zeros of recorded
 * curves. */

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
    loop_start start;  /* initial pose of the 8-Loop */
    double angle;      /* rad: of the rods of its zigzag with the line between the suspensions */
    bool mass_at_ends; /* its rods have their mass at the ends; otherwise they are uniform */
    int rows;          /* number of step sizes; INT_MAX: all */
    const char *plot;  /* prefix of the names of drawings; NULL: none are requested */
    bool progress;     /* stderr is a terminal */
} paper_request;

/* The tables, each printed as text or JSON. */
exit_code paper_pendulum(const paper_request *request);
exit_code paper_loop_cells(const paper_request *request); /* 9.2, 9.3, 9.4 */
exit_code paper_loop_seconds(const paper_request *request);
exit_code paper_loop_starts(const paper_request *request); /* the start that comes nearest to table 9.4 */
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

/* Add the two pendulums of table 9.1 and the 8-Loop, for other tables, to definitions without a simulation. Return
 * false if out of memory. */
bool add_point_pendulum(trm_model_def *def);
bool add_rigid_pendulum(trm_model_def *def);
double pendulum_period(void); /* s, by the elliptic integral */
bool add_loop(trm_model_def *def, const paper_request *request);

/* Shows what is being computed, in place of the last text; NULL clears the line. */
void show_progress(const paper_request *request, const char *text);

/* Returns wall-clock time since an arbitrary time, s. */
double wall_clock(void);

/* ---- A scene that runs -------------------------------------------------------------------- */

typedef struct scene {
    trm_messages *messages;
    trm_model_def *def; /* filled by the table: elements and simulation */
    trm_model *model;
    trm_sim *sim;
} scene;

/* Begins an empty definition. Returns false if out of memory. scene_end frees everything, at any stage. */
bool scene_begin(scene *s, trm_vec3 gravity);

/* Reads a definition from the text of a model file. Returns false after reporting why it cannot. scene_end frees
 * everything. */
bool scene_read(scene *s, const char *text);

/* Builds the model and creates a simulation with the options of its definition. Returns false after reporting why it
 * cannot. */
bool scene_simulate(scene *s, bool added);

/* Builds the model. added: all elements were added. Returns false after reporting why it cannot. */
bool scene_build(scene *s, bool added);

/* Builds the model and its simulation by the impulse method, joint by joint, as in the paper. added: all elements
 * were added. Returns false after reporting why it cannot. */
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

/* Runs the scene until the time and records it. Returns false if out of memory or if the run stopped, which is
 * reported. */
bool record(scene *s, int body, double until, track *t);
void forget(track *t);

/* Return the time of a zero, counted from 0; NAN if there is none. linear_zero interpolates by a straight line
 * between two steps, as the paper did; smooth_zero by the polynomial of degree 7 through the eight steps around the
 * zero. Only positions are interpolated: the velocities at the steps are not the slopes of the curve through the
 * positions, but differ from them by O(h^2). */
double linear_zero(const track *t, int index);
double smooth_zero(const track *t, int index);

#endif
