/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A sweep over several ranks: rank 0 reads the model, opens the file and tells the others what is left to do; each makes
 * every count-th run of that and sends its rows, ten times a second, to rank 0, which writes them. */

#ifndef TRM_CLI_SWEEP_RANKS_H
#define TRM_CLI_SWEEP_RANKS_H

#include "sweep_file.h"
#include "sweep_team.h"

/* What all ranks have to do. */
typedef struct sweep_work {
    exit_code code; /* EXIT_DONE, else there is nothing to do */
    int *runs;      /* that are left */
    int run_count;
} sweep_work;

/* Of rank 0. False: a rank is lost. */
bool broadcast_work(trm_exchange *ranks, const sweep_plan *p, const sweep_work *work);
/* Of the others, whose plan has its command line and design. False likewise, or there is no memory. */
bool hear_work(trm_exchange *ranks, sweep_plan *p, sweep_work *work);

/* Leaves this rank its share, in the same place. */
void take_share(const trm_exchange *ranks, sweep_work *work);

/* Rows of a rank that are on their way. */
typedef struct sweep_outbox {
    trm_exchange *ranks;
    trm_text *rows;
} sweep_outbox;

/* Of a team of another rank than 0, whose context is the outbox. */
bool put_into_outbox(void *context, int run, run_fate fate, const char *row);
/* Sends what is in there; ended: it is the last time. False: rank 0 is lost, or there is no memory. */
bool send_outbox(sweep_outbox *outbox, team *t, bool ended);

/* What rank 0 knows of the others. */
typedef struct sweep_others {
    trm_exchange *ranks;
    tally *tallies; /* by rank */
    bool *ended;
    int at_work;
} sweep_others;

bool begin_others(sweep_others *o, trm_exchange *ranks);
/* The rows of all ranks that are at work since the last time, into the file. False: a rank is lost, or after saying what
 * else is wrong. */
bool receive_rows(sweep_others *o, team *t, sweep_file *file);
tally add_others(const sweep_others *o, tally own);
void end_others(sweep_others *o);

#endif
