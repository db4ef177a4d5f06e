/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The simulation thread: executes the requests of pages and advances the simulation with the clock, times the speed.
 *
 * Frames are due at absolute times, 1/60 s apart. At each the simulation makes the steps up to
 *
 *   t = t_0 + speed (now - now_0)
 *
 * but for no longer than until the next frame is due: where steps cost more than that, it falls behind, and counts from
 * where it is. While no page looks, it waits.
 *
 * Curves have a row for each frame, and at least one for each 1/60 s of simulated time (or for each step, if that is longer), whatever
 * frames pages get. */

#ifndef TRM_VIEWER_PACE_H
#define TRM_VIEWER_PACE_H

#include "machine.h"
#include "mailbox.h"

typedef struct pace {
    machine *m;
    mailbox *d;
    bool playing;
    int pages;                 /* that looked, in the last turn */
    double speed;              /* simulated seconds per second */
    double t_0, now_0;         /* s: from where it is counted */
    double next;               /* s: when the next frame is due */
    double row;                /* s, simulated: of the last row of curves */
    double wall;               /* s that steps took so far */
    double pace;               /* simulated seconds per second, over the last while, */
    double while_t, while_now; /* s: which began there */
    bool was_late, is_late;    /* whether steps took longer than there was time, in the last while and in this one */
    unsigned frame, status;    /* numbers of the last ones */
    double step_began;         /* s: the one that is being made */
    bool stale;                /* pages have not seen what was done */
    bool was_cut;              /* the last step that was requested took too long */
    bool moved;                /* or only where the mouse is */
} pace;

/* Publishes the first sheets, before the thread begins. Returns false with the reason in why. */
bool pace_begin(pace *p, machine *m, mailbox *d, bool playing, double speed, char *why);

/* Makes one turn: executes requests, and advances if a frame is due. */
void pace_turn(pace *p);
double pace_due(const pace *p); /* s, by seconds_now: time of the next turn without a request */

/* Makes turns until the mailbox is to end. */
void *pace_run(void *pace);

#endif
