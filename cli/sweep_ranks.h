/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A sweep on several ranks. Rank 0 reads the model, opens the file and sends the list of remaining runs to the
 * others. Each rank makes every count-th run of the list and sends its rows to rank 0 ten times a second. Rank 0
 * writes them. */

#ifndef TRM_CLI_SWEEP_RANKS_H
#define TRM_CLI_SWEEP_RANKS_H

#include "sweep_file.h"
#include "sweep_team.h"

/* The work of all ranks. */
typedef struct sweep_work {
    exit_code code; /* EXIT_DONE; otherwise there is nothing to do */
    int *runs;      /* remaining runs */
    int run_count;
} sweep_work;

/* Sends the work; called by rank 0. Returns false if a rank is lost. */
bool broadcast_work(trm_exchange *ranks, const sweep_plan *p, const sweep_work *work);
/* Receives the work; called by the other ranks, whose plan has its command line and design. Returns false if a rank
 * is lost or if out of memory. */
bool receive_work(trm_exchange *ranks, sweep_plan *p, sweep_work *work);

/* Reduces the list of runs to the share of this rank. */
void take_share(const trm_exchange *ranks, sweep_work *work);

/* Rows that a rank has not sent yet. */
typedef struct sweep_outbox {
    trm_exchange *ranks;
    trm_text *rows;
} sweep_outbox;

/* Receives rows of a team on another rank than 0; context: the outbox. Returns false if out of memory. */
bool put_into_outbox(void *context, int run, run_fate fate, const char *row);
/* Sends all rows of the outbox. ended: this is the last message. Returns false if rank 0 is lost or if out of
 * memory. */
bool send_outbox(sweep_outbox *outbox, team *t, bool ended);

/* Data of rank 0 about the other ranks. */
typedef struct sweep_others {
    trm_exchange *ranks;
    tally *tallies; /* per rank */
    bool *ended;
    int at_work;
} sweep_others;

bool begin_others(sweep_others *o, trm_exchange *ranks);
/* Receives the new rows of all working ranks and writes them to the file. Returns false if a rank is lost, or after
 * reporting another error. */
bool receive_rows(sweep_others *o, team *t, sweep_file *file);
tally add_others(const sweep_others *o, tally own);
void end_others(sweep_others *o);

#endif
