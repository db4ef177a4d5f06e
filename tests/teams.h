/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* One model simulated by several ranks, which are threads, each with a simulation of its own. Assertions are not for
 * threads: what went wrong is kept and looked at afterwards. */

#ifndef TRM_TESTS_TEAMS_H
#define TRM_TESTS_TEAMS_H

#include <pthread.h>
#include <stdlib.h>

#include "check.h"
#include "motion/state.h"
#include "thread_exchange.h"
#include "trammel/trammel.h"

enum { MOST_MEMBERS = 8 };

typedef struct member {
    const trm_model *model;
    const trm_simulation_def *options;
    exchange_group *group;
    int rank;
    double until, every;
    trm_sim *sim; /* NULL: it could not be made */
    trm_outcome outcome;
    trm_status status;
    char said[300];                  /* first message */
    void (*watch)(struct member *m); /* when it is made, before the run; NULL: nothing */
    const trm_allocator *allocator;  /* NULL: the usual one */
} member;

typedef struct team {
    int count;
    exchange_group *group;
    member members[MOST_MEMBERS];
} team;

static inline void *work(void *context)
{
    member *m = context;
    trm_messages *messages = trm_messages_create(NULL);
    m->status = trm_sim_create(m->model, m->options, m->allocator, messages, &m->sim);
    if (m->status == TRM_OK) m->status = trm_sim_distribute(m->sim, exchange_group_rank(m->group, m->rank), messages);
    if (trm_message_count(messages) > 0) snprintf(m->said, sizeof m->said, "%s", trm_message_at(messages, 0)->text);
    trm_messages_destroy(messages);
    if (m->status == TRM_OK && m->watch) m->watch(m);
    if (m->status == TRM_OK) m->outcome = trm_sim_run(m->sim, &(trm_run_def){.until = m->until, .every = m->every});
    if (m->status != TRM_OK || !m->outcome.ok) exchange_group_leave(m->group, m->rank);
    return NULL;
}

/* allocator: of the last rank alone. */
static inline void team_run_with(team *t, const trm_model *model, const trm_simulation_def *options, int count,
                                 double until, double every, void (*watch)(member *m), const trm_allocator *allocator)
{
    pthread_t threads[MOST_MEMBERS];
    *t = (team){.count = count, .group = exchange_group_create(count)};
    assert_non_null(t->group);
    for (int r = 0; r < count; r++) {
        t->members[r] = (member){.model = model,
                                 .options = options,
                                 .group = t->group,
                                 .rank = r,
                                 .until = until,
                                 .every = every,
                                 .watch = watch,
                                 .allocator = r == count - 1 ? allocator : NULL};
        assert_int_equal(pthread_create(&threads[r], NULL, work, &t->members[r]), 0);
    }
    for (int r = 0; r < count; r++) pthread_join(threads[r], NULL);
}

static inline void team_run(team *t, const trm_model *model, const trm_simulation_def *options, int count,
                            double until, double every, void (*watch)(member *m))
{
    team_run_with(t, model, options, count, until, every, watch, NULL);
}

static inline void team_disband(team *t)
{
    for (int r = 0; r < t->count; r++) trm_sim_destroy(t->members[r].sim);
    exchange_group_destroy(t->group);
}

static inline void assert_team_good(const team *t)
{
    for (int r = 0; r < t->count; r++) {
        const member *m = &t->members[r];
        if (m->status != TRM_OK) print_error("rank %d: %s\n", r, m->said);
        if (m->status == TRM_OK && !m->outcome.ok)
            print_error("rank %d: %g s: %s %s\n", r, m->outcome.time, m->outcome.element, m->outcome.why);
        assert_true(m->status == TRM_OK && m->outcome.ok);
    }
}

static inline bool same_bits(const trm_state *a, const trm_state *b)
{
    const size_t n = (size_t)a->model->body_count;
    return memcmp(a->pose, b->pose, n * sizeof *a->pose) == 0 &&
           memcmp(a->velocity, b->velocity, n * sizeof *a->velocity) == 0 && a->clock->time == b->clock->time;
}

#endif
