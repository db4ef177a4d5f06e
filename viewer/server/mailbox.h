/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The exchange between the network thread and the simulation thread. The server posts the requests of the pages, the
 * simulation publishes scene, status and frames. Only the newest of each is kept: a slow page misses frames, and neither
 * thread waits for it. All functions are thread-safe. */

#ifndef TRM_VIEWER_MAILBOX_H
#define TRM_VIEWER_MAILBOX_H

#include "request.h"
#include "trammel/trammel.h"

typedef enum sheet {
    SHEET_SCENE,
    SHEET_STATUS,
    SHEET_FRAME, /* pages also get the rows of curves that they have not received yet */
    SHEETS,
} sheet;

typedef struct mailbox mailbox;

mailbox *mailbox_create(void); /* returns NULL when out of memory */
void mailbox_destroy(mailbox *d);

double seconds_now(void); /* s: a monotonic clock */

/* ---- For the server ------------------------------------------------------------------------ */

/* Sets the function that the simulation thread calls when it has published something. Call it before that thread starts. */
void mailbox_set_wake(mailbox *d, void (*wake)(void *context), void *context);

/* Posts a request and takes ownership of its files. Returns false, and takes nothing, if there are too many requests
 * or if out of memory. */
bool mailbox_post(mailbox *d, const request *r);

/* Sets the number of open pages. */
void mailbox_count_pages(mailbox *d, int pages);

/* Asks the simulation thread to end. */
void mailbox_end(mailbox *d);

unsigned mailbox_number(mailbox *d, sheet s); /* returns the number of the newest sheet; 0: there is none yet */

/* Returns a copy of the newest sheet after `room` unused bytes; the caller frees it. Returns NULL when out of memory. */
unsigned char *mailbox_copy(mailbox *d, sheet s, size_t room, size_t *length, unsigned *number);

unsigned mailbox_last_row(mailbox *d); /* returns the number of the newest row of curves */

/* Returns a copy of the newest frame in the same way, followed by the rows of curves from number *row on; *row becomes the
 * number of the next row. */
unsigned char *mailbox_copy_frame(mailbox *d, size_t room, unsigned *row, size_t *length, unsigned *number);

/* Returns the next message for that page, which the caller frees, or NULL if there is none. */
char *mailbox_take_reply(mailbox *d, unsigned page);

/* ---- For the simulation -------------------------------------------------------------------- */

/* Waits for a request or a change of the number of pages, at most until the time `until`. Returns false if the simulation
 * is to end. */
bool mailbox_wait(mailbox *d, double until);

bool mailbox_has_requests(mailbox *d); /* returns whether there are requests or the simulation is to end */
bool mailbox_is_ending(mailbox *d);
/* Returns the next request, which the caller frees with its text but not with its files. Returns NULL if there is
 * none. */
request *mailbox_take(mailbox *d);
int mailbox_pages(mailbox *d);

/* Takes ownership of the text, which becomes the newest sheet with that number. */
void mailbox_publish(mailbox *d, sheet s, trm_text *text, unsigned number);
void mailbox_add_row(mailbox *d,
                     const trm_text *row); /* adds a row of curves; a new scene deletes those of the previous one */
void mailbox_reply(mailbox *d, unsigned page, const char *sentence);

#endif
