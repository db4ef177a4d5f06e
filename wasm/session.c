/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* `trammel view` without its server: the messages of the live page (viewer/DATA.md) are exchanged by calls instead of
 * a socket. There is one page, one machine and one thread; the caller makes turns when they are due. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "exports.h"
#include "viewer/server/pace.h"

enum { PAGE = 1 };

static struct {
    char path[200];
    const char *words[1];
    command_line line;
    machine *m;
    mailbox *d;
    pace p;
    unsigned sent[SHEETS]; /* numbers of the last sheets taken */
    unsigned row;          /* number of the next row of curves */
} at;

EXPORT(void, session_close, void)
{
    if (at.d) mailbox_destroy(at.d);
    if (at.m) machine_close(at.m);
    at.d = NULL;
    at.m = NULL;
}

/* Does nothing, because the caller of turns checks for news after each turn. */
static void wake_nobody(void *context)
{
    (void)context;
}

/* Opens a model. Returns false with the reason as the answer. */
EXPORT(bool, session_open, const char *path, bool playing, double speed)
{
    char why[SENTENCE] = "there is not enough memory";
    session_close();
    memset(&at, 0, sizeof at);
    snprintf(at.path, sizeof at.path, "%s", path);
    at.words[0] = at.path;
    at.line = (command_line){.words = at.words, .word_count = 1};
    at.m = machine_open(&at.line, why);
    at.d = at.m ? mailbox_create() : NULL;
    if (at.d) mailbox_set_wake(at.d, wake_nobody, NULL);
    if (at.d) mailbox_count_pages(at.d, 1);
    if (at.d && pace_begin(&at.p, at.m, at.d, playing, speed, why)) return true;
    session_close();
    trm_put_text(begin_answer(), why);
    return false;
}

/* Posts a message of the page. Returns false, with the reason as the answer, if it is not a request. */
EXPORT(bool, session_ask, const char *message)
{
    char why[SENTENCE] = "there are too many requests at once";
    request r = {.page = PAGE};
    if (at.d && read_request(message, strlen(message), &r, why, sizeof why)) {
        r.page = PAGE;
        if (r.kind == REQUEST_SEEN || mailbox_post(at.d, &r)) return true;
    }
    trm_put_text(begin_answer(), why);
    return false;
}

/* Makes one turn. Returns the time until the next is due, s. */
EXPORT(double, session_turn, void)
{
    if (!at.d) return 1;
    pace_turn(&at.p);
    const double left = pace_due(&at.p) - seconds_now();
    return left > 0 ? left : 0;
}

static bool answer_sheet(sheet s)
{
    size_t length = 0;
    unsigned char *copy = s == SHEET_FRAME ? mailbox_copy_frame(at.d, 0, &at.row, &length, &at.sent[s])
                                           : mailbox_copy(at.d, s, 0, &length, &at.sent[s]);
    const trm_sink sink = begin_answer();
    if (copy) sink.write(sink.context, (const char *)copy, length);
    free(copy);
    return copy != NULL;
}

/* Answers with the next message for the page. Returns its kind: 's' a text, 'f' a frame, 't' a sentence about a
 * request that cannot be done; 0: there is none. frames: the page can draw a frame; otherwise frames are skipped, and
 * the next one contains their rows of curves, too. */
EXPORT(int, session_take, bool frames)
{
    if (!at.d) return 0;
    char *sentence = mailbox_take_reply(at.d, PAGE);
    if (sentence) {
        trm_put_text(begin_answer(), sentence);
        free(sentence);
        return 't';
    }
    for (sheet s = 0; s < SHEETS; s++)
        if ((frames || s != SHEET_FRAME) && mailbox_number(at.d, s) != at.sent[s] && answer_sheet(s))
            return s == SHEET_FRAME ? 'f' : 's';
    return 0;
}
