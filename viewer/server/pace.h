/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The simulation thread: executes the requests of pages and advances the simulation with the clock, times the speed.
 *
 * Frames are due at absolute times, 1/60 s apart. At each of them the simulation makes steps up to
 *
 *   t = t_0 + speed (now - now_0)
 *
 * but stops when the next frame is due. If steps take longer, the simulation is late, and t_0 and now_0 are reset.
 * While no page is open, it waits.
 *
 * Curves have a row for each frame, and at least one for each 1/60 s of simulated time (or for each step, if that is
 * longer), independent of the frames that pages get. */

#ifndef TRM_VIEWER_PACE_H
#define TRM_VIEWER_PACE_H

#include "machine.h"
#include "mailbox.h"

typedef struct pace {
    machine *m;
    mailbox *d;
    bool playing;
    int pages;                 /* number of open pages in the last turn */
    double speed;              /* simulated seconds per second */
    double t_0, now_0;         /* s: simulated time and clock from which t is counted */
    double next;               /* s: time at which the next frame is due */
    double row;                /* s, simulated: time of the last row of curves */
    double wall;               /* s that steps took so far */
    double pace;               /* simulated seconds per second in the last period of measurement */
    double while_t, while_now; /* s: start of the current period */
    bool was_late, is_late;    /* whether steps took too long in the last period and in this one */
    unsigned frame, status;    /* numbers of the last frame and of the last status */
    double step_began;         /* s: start of the current step */
    bool stale;                /* the last change has not been published */
    bool was_cut;              /* the last requested step was interrupted */
    bool moved;                /* only the mouse has moved since */
} pace;

/* Publishes the first sheets, before the thread begins. Returns false with the reason in why. */
bool pace_begin(pace *p, machine *m, mailbox *d, bool playing, double speed, char *why);

/* Makes one turn: executes requests, and advances if a frame is due. */
void pace_turn(pace *p);
double pace_due(const pace *p); /* s, by seconds_now: time of the next turn without a request */

/* Makes turns until the mailbox is to end. */
void *pace_run(void *pace);

#endif
