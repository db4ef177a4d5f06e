/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Runs whose rows are stored in memory. */

#include <math.h>
#include <time.h>

#include "model/def.h"
#include "motion/fail.h"
#include "trammel/io.h"

typedef struct recording {
    const trm_record_def *def;
    double next; /* s of wall-clock time: time of the next call of may_continue */
    bool out_of_memory;
} recording;

static double wall_seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static bool keep_row(void *context, const trm_state *state)
{
    recording *r = context;
    const trm_record_def *def = r->def;
    const bool kept = (!def->table || trm_table_add(def->table, state)) &&
                      (!def->animation || trm_animation_add(def->animation, state)) &&
                      (!def->report || trm_report_add(def->report, state));
    if (!kept) r->out_of_memory = true;
    return kept;
}

/* Returns whether the run continues. Calls the function of the caller at most once per period, because a call may
 * cost more than a step. */
static bool may_continue(void *context)
{
    recording *r = context;
    if (r->def->period > 0) {
        const double now = wall_seconds();
        if (now < r->next) return true;
        r->next = now + r->def->period;
    }
    return r->def->may_continue(r->def->context);
}

trm_outcome trm_sim_record_sized(trm_sim *sim, trm_sized given)
{
    trm_record_def own;
    const trm_record_def *def = &own;
    trm_read_def(TRM_DEF_RECORD, given, &own);
    recording r = {.def = def, .next = def->may_continue ? wall_seconds() + def->period : 0};
    trm_outcome outcome = trm_sim_run(sim, &(trm_run_def){
                                               .until = def->until,
                                               .every = def->every,
                                               .row = keep_row,
                                               .context = &r,
                                               .may_continue = def->may_continue ? may_continue : NULL,
                                           });
    if (r.out_of_memory) trm_fail(&outcome, NAN, "", NULL, "out of memory for the rows of the run");
    return outcome;
}
