/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The machine that pages display: a model, its simulation, the settings made by pages, and their grips. */

#ifndef TRM_VIEWER_MACHINE_H
#define TRM_VIEWER_MACHINE_H

#include "cli/command.h"
#include "parcel.h"
#include "request.h"

typedef struct machine machine;

/* Opens the file that the command line names, with its options. Returns NULL with the reason in why. */
machine *machine_open(const command_line *line, char *why);
void machine_close(machine *m);

/* Each of these is done completely or not at all. They return false, with the reason as a sentence in why, if it
 * cannot be done. */
bool machine_reset(machine *m, char *why);
bool machine_reload(machine *m, char *why);
bool machine_replace(machine *m, const char *name, const char *text, size_t length, char *why);
bool machine_load(machine *m, const char *name, parcel *files,
                  char *why); /* takes ownership of the files; NULL: none */
bool machine_set(machine *m, const char *name, const char *value, char *why);
bool machine_rewind(machine *m, double time, char *why); /* to the last stored state that is not later */
/* as far as possible; the machine is then at rest */
bool machine_jog(machine *m, double coordinate, double value, char *why);
bool machine_place(machine *m, double body, trm_vec3 point, trm_vec3 target, char *why); /* as near as possible */
bool machine_set_constant(machine *m, const char *name, const char *value,
                          char *why); /* and restarts; "none": the value of the model */
bool machine_control(machine *m, double control, double value, char *why); /* NAN: the value of the model */
bool machine_grab(machine *m, unsigned page, double body, trm_vec3 point, char *why);
/* gets the message about the model that was loaded last; returns false if there is none */
bool machine_take_note(machine *m, char *note);
void machine_pull(machine *m, unsigned page, trm_vec3 target);
void machine_release(machine *m, unsigned page);
/* they are computed while at least one page displays them */
void machine_enable_reactions(machine *m, unsigned page, bool wanted);
void machine_forget_page(machine *m, unsigned page);

/* Function that is called during long steps and decides whether to continue. */
void machine_set_watch(machine *m, bool (*may_continue)(void *context), void *context);

/* Makes one step of the simulation, or a part of it if the watch ends it. Returns false if the simulation cannot
 * continue (machine_stopped). */
bool machine_step(machine *m);

double machine_time(const machine *m);         /* returns the simulated time, s */
double machine_step_length(const machine *m);  /* s */
const char *machine_stopped(const machine *m); /* returns why the simulation cannot continue; "": it can */
unsigned machine_scene(const machine *m);      /* returns the number of the scene, which changes with the model */

/* ---- For pages (viewer/DATA.md) ------------------------------------------------------------ */

typedef struct machine_status {
    bool playing;
    bool late;          /* steps take longer than the speed allows */
    double speed, pace; /* simulated seconds per second: requested, reached */
    double wall;        /* s that steps took so far */
    int pages;
} machine_status;

bool machine_write_scene(const machine *m, trm_sink sink);
bool machine_write_status(const machine *m, const machine_status *status, trm_sink sink);
/* observes the simulation first, which may stop it */
bool machine_write_frame(machine *m, unsigned number, trm_sink sink);
/* writes a row of curves from the last observation */
bool machine_write_row(const machine *m, trm_sink sink);
bool machine_observe(machine *m); /* returns false if the simulation is stopped */

#endif
