/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The machine that is watched: a model, its simulation, what pages have set, and who pulls at which body. */

#ifndef TRM_VIEWER_MACHINE_H
#define TRM_VIEWER_MACHINE_H

#include "cli/command.h"
#include "parcel.h"
#include "request.h"

typedef struct machine machine;

/* From the file that the command line names, with its options; Returns NULL with the reason in why. */
machine *machine_open(const command_line *line, char *why);
void machine_close(machine *m);

/* Each is done wholly, or not at all: then false, and why as a sentence. */
bool machine_reset(machine *m, char *why);
bool machine_reload(machine *m, char *why);
bool machine_replace(machine *m, const char *name, const char *text, size_t length, char *why);
bool machine_load(machine *m, const char *name, parcel *files,
                  char *why); /* takes the files over, NULL: there are none */
bool machine_set(machine *m, const char *name, const char *value, char *why);
bool machine_rewind(machine *m, double time, char *why); /* to the last state kept that is not later */
bool machine_jog(machine *m, double coordinate, double value, char *why); /* as far as it goes; at rest then */
bool machine_place(machine *m, double body, trm_vec3 point, trm_vec3 target, char *why); /* as near as it comes */
bool machine_set_constant(machine *m, const char *name, const char *value,
                          char *why); /* and begins again; "none": as the model has it */
bool machine_control(machine *m, double control, double value, char *why); /* NAN: as the model has it */
bool machine_grab(machine *m, unsigned page, double body, trm_vec3 point, char *why);
bool machine_take_note(machine *m, char *note); /* what is to be said of a model that was loaded; false: nothing */
void machine_pull(machine *m, unsigned page, trm_vec3 target);
void machine_release(machine *m, unsigned page);
void machine_enable_reactions(machine *m, unsigned page, bool wanted); /* there are some while any page wants them */
void machine_forget_page(machine *m, unsigned page);

/* Function that is called during long steps and decides whether to continue. */
void machine_set_watch(machine *m, bool (*may_continue)(void *context), void *context);

/* One step of the simulation, or less if the watch ends it. False: it cannot continue (machine_stopped). */
bool machine_step(machine *m);

double machine_time(const machine *m);         /* s, simulated */
double machine_step_length(const machine *m);  /* s */
const char *machine_stopped(const machine *m); /* why it cannot continue; "": it can */
unsigned machine_scene(const machine *m);      /* the number of the scene: another model has another */

/* ---- For pages (viewer/DATA.md) ------------------------------------------------------------ */

typedef struct machine_status {
    bool playing;
    bool late;          /* steps take longer than the speed allows */
    double speed, pace; /* simulated seconds per second: wanted, reached */
    double wall;        /* s that steps took so far */
    int pages;
} machine_status;

bool machine_write_scene(const machine *m, trm_sink sink);
bool machine_write_status(const machine *m, const machine_status *status, trm_sink sink);
bool machine_write_frame(machine *m, unsigned number, trm_sink sink); /* observes, which may stop it */
bool machine_write_row(const machine *m, trm_sink sink);              /* of curves, as it was observed last */
bool machine_observe(machine *m);                                     /* false: it is stopped */

#endif
