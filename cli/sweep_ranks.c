/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "sweep_ranks.h"

#include <stdlib.h>
#include <string.h>

#include "origin.h"

/* ---- Work ---------------------------------------------------------------------------------- */

typedef struct task_note {
    int code, run_count, column_count, has_files;
    uint64_t model_length;
} task_note;

bool broadcast_work(trm_exchange *ranks, const sweep_plan *p, const sweep_work *work)
{
    task_note note;
    memset(&note, 0, sizeof note);
    note.code = (int)work->code;
    note.run_count = work->run_count;
    note.column_count = p->column_count;
    note.has_files = p->has_files;
    note.model_length = p->model_length;
    for (int r = 1; r < ranks->count; r++) {
        if (!ranks->send(ranks, r, &note, sizeof note)) return false;
        if (work->code != EXIT_DONE) continue;
        if (!ranks->send(ranks, r, p->model, p->model_length) ||
            !ranks->send(ranks, r, work->runs, (size_t)work->run_count * sizeof *work->runs))
            return false;
    }
    return true;
}

bool receive_work(trm_exchange *ranks, sweep_plan *p, sweep_work *work)
{
    task_note note;
    if (!ranks->receive(ranks, 0, &note, sizeof note)) return false;
    work->code = (exit_code)note.code;
    if (work->code != EXIT_DONE) return true;
    p->has_files = note.has_files;
    p->column_count = note.column_count;
    p->model_length = (size_t)note.model_length;
    work->run_count = note.run_count;
    p->model = malloc(p->model_length + 1);
    work->runs = calloc((size_t)note.run_count + 1, sizeof *work->runs);
    return p->model && work->runs && ranks->receive(ranks, 0, p->model, p->model_length) &&
           ranks->receive(ranks, 0, work->runs, (size_t)note.run_count * sizeof *work->runs);
}

void take_share(const trm_exchange *ranks, sweep_work *work)
{
    int count = 0;
    for (int i = ranks->rank; i < work->run_count; i += ranks->count) work->runs[count++] = work->runs[i];
    work->run_count = count;
}

/* ---- Sending rows -------------------------------------------------------------------------- */

typedef struct rows_note {
    uint64_t length;
    tally tally;
    int ended;
} rows_note;

bool put_into_outbox(void *context, int run, run_fate fate, const char *row)
{
    sweep_outbox *outbox = context;
    (void)run;
    (void)fate;
    return put(outbox->rows, row);
}

bool send_outbox(sweep_outbox *outbox, team *t, bool ended)
{
    trm_exchange *ranks = outbox->ranks;
    trm_text *next = trm_text_create(NULL);
    if (!next) return false;
    rows_note note;
    memset(&note, 0, sizeof note);
    pthread_mutex_lock(&t->lock);
    trm_text *rows = outbox->rows;
    outbox->rows = next;
    note.tally = t->tally;
    pthread_mutex_unlock(&t->lock);
    note.length = trm_text_length(rows);
    note.ended = ended;
    const bool sent = ranks->send(ranks, 0, &note, sizeof note) &&
                      (note.length == 0 || ranks->send(ranks, 0, trm_text_get(rows), trm_text_length(rows)));
    trm_text_destroy(rows);
    return sent;
}

bool begin_others(sweep_others *o, trm_exchange *ranks)
{
    *o = (sweep_others){.ranks = ranks, .at_work = ranks->count - 1};
    o->tallies = calloc((size_t)ranks->count, sizeof *o->tallies);
    o->ended = calloc((size_t)ranks->count, sizeof *o->ended);
    return o->tallies && o->ended;
}

/* Writes rows of another rank one by one, between those of the own team. */
static bool write_rows(team *t, sweep_file *file, char *rows)
{
    bool good = true;
    while (good && *rows) {
        const size_t length = strcspn(rows, "\n") + 1;
        const char after = rows[length];
        rows[length] = 0;
        pthread_mutex_lock(&t->lock);
        good = add_row(file, (int)strtol(rows, NULL, 10) - 1, rows);
        t->failed = t->failed || !good;
        pthread_mutex_unlock(&t->lock);
        rows[length] = after;
        rows += length;
    }
    return good;
}

static bool receive_rows_of(sweep_others *o, int rank, team *t, sweep_file *file)
{
    rows_note note;
    if (!o->ranks->receive(o->ranks, rank, &note, sizeof note)) return false;
    o->tallies[rank] = note.tally;
    o->ended[rank] = note.ended;
    o->at_work -= note.ended;
    if (note.length == 0) return true;
    char *rows = malloc((size_t)note.length + 1);
    bool good = rows && o->ranks->receive(o->ranks, rank, rows, (size_t)note.length);
    if (good) {
        rows[note.length] = 0;
        good = write_rows(t, file, rows);
    }
    free(rows);
    return good;
}

bool receive_rows(sweep_others *o, team *t, sweep_file *file)
{
    for (int r = 1; r < o->ranks->count; r++)
        if (!o->ended[r] && !receive_rows_of(o, r, t, file)) return false;
    return true;
}

tally add_others(const sweep_others *o, tally own)
{
    for (int r = 1; r < o->ranks->count; r++) {
        own.finished += o->tallies[r].finished;
        own.stopped += o->tallies[r].stopped;
        own.refused += o->tallies[r].refused;
    }
    return own;
}

void end_others(sweep_others *o)
{
    free(o->tallies);
    free(o->ended);
    *o = (sweep_others){0};
}
