/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Saves the data that a run needs besides the state to resume bit-identically: the integrator's history, the ring
 * of step ends, and the independent coordinates, in a fixed order. */

#include <string.h>

#include "base/memory.h"
#include "methods/minimal/minimal.h"

/* Passes over the bytes: counts, writes or reads them. */
typedef struct cursor {
    enum { COUNT, WRITE, READ } what;
    char *bytes;
    size_t at;
} cursor;

static void pass(cursor *c, void *item, size_t bytes)
{
    if (c->what == WRITE) memcpy(c->bytes + c->at, item, bytes);
    if (c->what == READ) memcpy(item, c->bytes + c->at, bytes);
    c->at += bytes;
}

static void pass_moment(cursor *c, const trm_minimal *w, trm_moment *m)
{
    const size_t bytes = (size_t)w->tree->coordinates * sizeof *m->y;
    pass(c, &m->t, sizeof m->t);
    pass(c, m->power, sizeof m->power);
    pass(c, m->y, bytes);
    pass(c, m->yd, bytes);
    pass(c, m->ydd, bytes);
}

static void pass_choice(cursor *c, trm_loop *loop)
{
    pass(c, loop->independent, (size_t)loop->n * sizeof *loop->independent);
    pass(c, loop->dependent, (size_t)loop->n * sizeof *loop->dependent);
}

static void pass_all(cursor *c, trm_minimal *w)
{
    const size_t bodies = (size_t)w->tree->model->body_count;
    int64_t running = w->running, count = w->ends.count;
    pass(c, &running, sizeof running);
    pass(c, &count, sizeof count);
    pass(c, &w->undo.regular, sizeof w->undo.regular);
    pass(c, &w->left.time, sizeof w->left.time);
    pass(c, w->left.pose, bodies * sizeof *w->left.pose);
    pass(c, w->left.velocity, bodies * sizeof *w->left.velocity);
    pass(c, w->left.memory, (size_t)w->tree->model->memory_count * sizeof *w->left.memory);
    pass_moment(c, w, &w->base);
    for (int i = 0; i < TRM_ADAMS_POINTS; i++) pass_moment(c, w, &w->ends.list[i]);
    for (int b = 0; b < w->tree->branch_count; b++)
        if (w->loops[b]) pass_choice(c, w->loops[b]);
    w->running = running != 0;
    w->ends.count = (int)count;
}

size_t trm_minimal_memory(void *workspace)
{
    trm_minimal *w = workspace;
    cursor c = {COUNT, NULL, 0};
    pass_all(&c, w);
    return c.at + trm_adams_size(w->adams);
}

void trm_minimal_save(void *workspace, void *bytes)
{
    trm_minimal *w = workspace;
    cursor c = {WRITE, bytes, 0};
    pass_all(&c, w);
    trm_adams_save(w->adams, c.bytes + c.at);
}

void trm_minimal_restore(trm_minimal *w, const void *bytes)
{
    char *from = (char *)(uintptr_t)bytes; /* only read */
    cursor c = {READ, from, 0};
    pass_all(&c, w);
    trm_adams_load(w->adams, c.bytes + c.at);
}

/* Returns whether each coordinate of a loop is either independent or dependent, exactly once. */
static bool is_choice(const trm_loop *loop)
{
    for (int i = 0; i < loop->n; i++) {
        int times = 0;
        for (int k = 0; k < loop->n; k++)
            times += (k < loop->f ? loop->independent[k] : loop->dependent[k - loop->f]) == i;
        if (times != 1) return false;
    }
    return true;
}

static bool is_valid(const trm_minimal *w)
{
    bool valid = w->ends.count >= 0 && w->ends.count <= TRM_ADAMS_POINTS;
    for (int b = 0; valid && b < w->tree->branch_count; b++) valid = !w->loops[b] || is_choice(w->loops[b]);
    return valid;
}

bool trm_minimal_load(void *workspace, const void *bytes)
{
    trm_minimal *w = workspace;
    const size_t count = trm_minimal_memory(w);
    const trm_allocator *from = &w->stepper->arena->allocator;
    void *before = trm_allocate(from, count);
    if (!before || !trm_adams_are_saved((const char *)bytes + count - trm_adams_size(w->adams))) {
        trm_release(from, before, count);
        return false;
    }
    trm_minimal_save(w, before);
    trm_minimal_restore(w, bytes);
    const bool valid = is_valid(w);
    if (!valid) trm_minimal_restore(w, before);
    trm_release(from, before, count);
    return valid;
}
