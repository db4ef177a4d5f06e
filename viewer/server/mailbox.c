/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "mailbox.h"

#include <math.h>
#include <pthread.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "parcel.h"
#include "rows.h"

enum { MOST_REQUESTS = 256, MOST_ANSWERS = 64 }; /* largest numbers that can wait at once */
enum { ROW_COUNT_AT = 20 };                      /* offset in a frame, bytes (viewer/DATA.md) */

typedef struct answer {
    unsigned page;
    char *sentence;
} answer;

struct mailbox {
    pthread_mutex_t lock; /* guards all fields below */
    pthread_cond_t asked;
    request *first, *last;
    int request_count;
    trm_text *sheets[SHEETS];
    unsigned numbers[SHEETS];
    rows *rows;                   /* rows of curves */
    answer answers[MOST_ANSWERS]; /* in the order of posting */
    int answer_count;
    int pages;
    bool news; /* there is news that the simulation thread has not taken */
    bool ending;
    void (*wake)(void *context);
    void *context;
};

double seconds_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

mailbox *mailbox_create(void)
{
    mailbox *d = calloc(1, sizeof *d);
    pthread_condattr_t by_clock;
    if (!d) return NULL;
    d->rows = rows_create();
    if (!d->rows) {
        free(d);
        return NULL;
    }
    pthread_mutex_init(&d->lock, NULL);
    pthread_condattr_init(&by_clock);
    pthread_condattr_setclock(&by_clock, CLOCK_MONOTONIC);
    pthread_cond_init(&d->asked, &by_clock);
    pthread_condattr_destroy(&by_clock);
    return d;
}

void mailbox_set_wake(mailbox *d, void (*wake)(void *context), void *context)
{
    d->wake = wake;
    d->context = context;
}

void mailbox_destroy(mailbox *d)
{
    for (request *r; (r = mailbox_take(d));) {
        parcel_destroy(r->files);
        free(r);
    }
    for (int i = 0; i < SHEETS; i++) trm_text_destroy(d->sheets[i]);
    for (int i = 0; i < d->answer_count; i++) free(d->answers[i].sentence);
    rows_destroy(d->rows);
    pthread_cond_destroy(&d->asked);
    pthread_mutex_destroy(&d->lock);
    free(d);
}

/* ---- Requests ------------------------------------------------------------------------------ */

/* Returns a copy of a request, followed by a copy of its text. Returns NULL if out of memory. */
static request *copy_request(const request *r)
{
    request *made = malloc(sizeof *made + r->length + 1);
    if (!made) return NULL;
    char *text = (char *)(made + 1);
    *made = *r;
    if (r->length > 0) memcpy(text, r->text, r->length);
    text[r->length] = 0;
    made->text = text;
    made->next = NULL;
    return made;
}

/* Returns whether a request replaces the last one: a new position of the same mouse or slider makes the previous one
 * obsolete. */
static bool replaces_last(const mailbox *d, const request *r)
{
    if (!d->last || d->last->kind != r->kind || d->last->page != r->page) return false;
    const bool is_slider = r->kind == REQUEST_CONTROL || r->kind == REQUEST_JOG;
    return r->kind == REQUEST_PULL || r->kind == REQUEST_PLACE || (is_slider && d->last->numbers[0] == r->numbers[0]);
}

/* Wakes the simulation thread. The mailbox is locked. */
static void wake_simulation(mailbox *d)
{
    d->news = true;
    pthread_cond_signal(&d->asked);
}

bool mailbox_post(mailbox *d, const request *r)
{
    bool taken = true;
    pthread_mutex_lock(&d->lock);
    if (replaces_last(d, r)) {
        memcpy(d->last->numbers, r->numbers, sizeof r->numbers);
    } else {
        request *made = d->request_count < MOST_REQUESTS || r->kind == REQUEST_GONE ? copy_request(r) : NULL;
        taken = made != NULL;
        if (made) {
            if (d->last)
                d->last->next = made;
            else
                d->first = made;
            d->last = made;
            d->request_count++;
        }
    }
    wake_simulation(d);
    pthread_mutex_unlock(&d->lock);
    return taken;
}

request *mailbox_take(mailbox *d)
{
    pthread_mutex_lock(&d->lock);
    request *r = d->first;
    if (r) {
        d->first = r->next;
        if (!d->first) d->last = NULL;
        d->request_count--;
    }
    pthread_mutex_unlock(&d->lock);
    return r;
}

bool mailbox_wait(mailbox *d, double until)
{
    const struct timespec end = {(time_t)until, (long)(1e9 * (until - floor(until)))};
    pthread_mutex_lock(&d->lock);
    while (!d->news && !d->first)
        if (pthread_cond_timedwait(&d->asked, &d->lock, &end) != 0) break;
    d->news = false;
    const bool may_continue = !d->ending;
    pthread_mutex_unlock(&d->lock);
    return may_continue;
}

bool mailbox_has_requests(mailbox *d)
{
    pthread_mutex_lock(&d->lock);
    const bool news = d->first || d->ending;
    pthread_mutex_unlock(&d->lock);
    return news;
}

bool mailbox_is_ending(mailbox *d)
{
    pthread_mutex_lock(&d->lock);
    const bool ending = d->ending;
    pthread_mutex_unlock(&d->lock);
    return ending;
}

void mailbox_end(mailbox *d)
{
    pthread_mutex_lock(&d->lock);
    d->ending = true;
    wake_simulation(d);
    pthread_mutex_unlock(&d->lock);
}

void mailbox_count_pages(mailbox *d, int pages)
{
    pthread_mutex_lock(&d->lock);
    d->pages = pages;
    wake_simulation(d);
    pthread_mutex_unlock(&d->lock);
}

int mailbox_pages(mailbox *d)
{
    pthread_mutex_lock(&d->lock);
    const int pages = d->pages;
    pthread_mutex_unlock(&d->lock);
    return pages;
}

/* ---- Sheets -------------------------------------------------------------------------------- */

void mailbox_publish(mailbox *d, sheet s, trm_text *text, unsigned number)
{
    pthread_mutex_lock(&d->lock);
    trm_text *old = d->sheets[s];
    d->sheets[s] = text;
    d->numbers[s] = number;
    if (s == SHEET_SCENE) rows_clear(d->rows);
    pthread_mutex_unlock(&d->lock);
    trm_text_destroy(old);
    d->wake(d->context);
}

unsigned mailbox_number(mailbox *d, sheet s)
{
    pthread_mutex_lock(&d->lock);
    const unsigned number = d->numbers[s];
    pthread_mutex_unlock(&d->lock);
    return number;
}

unsigned char *mailbox_copy(mailbox *d, sheet s, size_t room, size_t *length, unsigned *number)
{
    pthread_mutex_lock(&d->lock);
    *number = d->numbers[s];
    *length = d->sheets[s] ? trm_text_length(d->sheets[s]) : 0;
    unsigned char *copy = malloc(room + *length + 1);
    if (copy && *length > 0) memcpy(copy + room, trm_text_get(d->sheets[s]), *length);
    pthread_mutex_unlock(&d->lock);
    return copy;
}

void mailbox_add_row(mailbox *d, const trm_text *row)
{
    pthread_mutex_lock(&d->lock);
    rows_add(d->rows, trm_text_get(row), trm_text_length(row));
    pthread_mutex_unlock(&d->lock);
}

unsigned mailbox_last_row(mailbox *d)
{
    pthread_mutex_lock(&d->lock);
    const unsigned number = rows_end(d->rows) - 1;
    pthread_mutex_unlock(&d->lock);
    return number;
}

/* Returns whether a frame belongs to the current scene; only then rows of curves are appended to it. */
static bool is_of_scene(const mailbox *d, const trm_text *frame)
{
    uint32_t scene = 0;
    if (trm_text_length(frame) >= ROW_COUNT_AT + sizeof scene) memcpy(&scene, trm_text_get(frame), sizeof scene);
    return scene == d->numbers[SHEET_SCENE];
}

unsigned char *mailbox_copy_frame(mailbox *d, size_t room, unsigned *row, size_t *length, unsigned *number)
{
    pthread_mutex_lock(&d->lock);
    const trm_text *frame = d->sheets[SHEET_FRAME];
    const bool has_rows = frame && is_of_scene(d, frame);
    const size_t own = frame ? trm_text_length(frame) : 0, more = has_rows ? rows_size_from(d->rows, *row) : 0;
    unsigned char *copy = malloc(room + own + more + 1);
    *number = d->numbers[SHEET_FRAME];
    *length = own + more;
    if (copy && own > 0) memcpy(copy + room, trm_text_get(frame), own);
    if (copy && has_rows) {
        const uint32_t count = rows_count_from(d->rows, *row);
        memcpy(copy + room + ROW_COUNT_AT, &count, sizeof count);
        rows_copy_from(d->rows, *row, copy + room + own);
        *row = rows_end(d->rows);
    }
    pthread_mutex_unlock(&d->lock);
    return copy;
}

/* ---- Answers ------------------------------------------------------------------------------- */

void mailbox_reply(mailbox *d, unsigned page, const char *sentence)
{
    char *copy = strdup(sentence);
    pthread_mutex_lock(&d->lock);
    const bool kept = copy && d->answer_count < MOST_ANSWERS;
    if (kept) d->answers[d->answer_count++] = (answer){page, copy};
    pthread_mutex_unlock(&d->lock);
    if (!kept) free(copy); /* the list is full */
    d->wake(d->context);
}

char *mailbox_take_reply(mailbox *d, unsigned page)
{
    char *sentence = NULL;
    pthread_mutex_lock(&d->lock);
    for (int i = 0; i < d->answer_count && !sentence; i++) {
        if (d->answers[i].page != page) continue;
        sentence = d->answers[i].sentence;
        memmove(&d->answers[i], &d->answers[i + 1], (size_t)(--d->answer_count - i) * sizeof d->answers[0]);
    }
    pthread_mutex_unlock(&d->lock);
    return sentence;
}
