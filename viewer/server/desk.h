/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Where two threads meet: the server puts down what pages ask for, the simulation what pages are to see. Of scene, status and
 * frame only the newest is kept: a page that is slow misses frames, and nobody waits for it. */

#ifndef TRM_VIEWER_DESK_H
#define TRM_VIEWER_DESK_H

#include "request.h"
#include "trammel/trammel.h"

typedef enum sheet {
    SHEET_SCENE,
    SHEET_STATUS,
    SHEET_FRAME, /* to which pages get the rows of curves that they do not have yet */
    SHEETS,
} sheet;

typedef struct desk desk;

desk *desk_create(void); /* NULL: out of memory */
void desk_destroy(desk *d);

double seconds_now(void); /* of a clock that nobody sets */

/* ---- For the server ------------------------------------------------------------------------ */

/* What the simulation calls when there is something new; before it begins. */
void desk_set_wake(desk *d, void (*wake)(void *context), void *context);

/* Takes the files of a request over. False: there are too many requests already, or no memory; then nothing is taken. */
bool desk_ask(desk *d, const request *r);

/* How many pages there are now. */
void desk_count_pages(desk *d, int pages);

/* The simulation is to end. */
void desk_end(desk *d);

unsigned desk_number(desk *d, sheet s); /* of the newest; 0: there is none yet */

/* Copies the newest behind so many bytes of room. Freed by the caller; NULL: out of memory. */
unsigned char *desk_copy(desk *d, sheet s, size_t room, size_t *length, unsigned *number);

unsigned desk_last_row(desk *d); /* number of the newest row of curves */

/* Copies the newest frame in the same way, and behind it the rows of curves from a number on, which becomes that of the next row. */
unsigned char *desk_copy_frame(desk *d, size_t room, unsigned *row, size_t *length, unsigned *number);

/* The next sentence for that page, freed by the caller; NULL: none. */
char *desk_take_answer(desk *d, unsigned page);

/* ---- For the simulation -------------------------------------------------------------------- */

/* Waits for a request or another number of pages, at most until that time. False: it is to end. */
bool desk_wait(desk *d, double until);

bool desk_has_news(desk *d); /* somebody asks, or it is to end */
bool desk_is_ending(desk *d);
request *desk_take(desk *d); /* freed by the caller, with the text inside, without its files; NULL: there is none */
int desk_pages(desk *d);

/* Takes the text over; number: it is the newest from now on. */
void desk_publish(desk *d, sheet s, trm_text *text, unsigned number);
void desk_add_row(desk *d, const trm_text *row); /* of curves; another scene forgets those of the last */
void desk_answer(desk *d, unsigned page, const char *sentence);

#endif
