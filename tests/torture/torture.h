/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The parts of the program: children that may crash, the reducer, and what is written. */

#ifndef TORTURE_TORTURE_H
#define TORTURE_TORTURE_H

#include <stdio.h>

#include "check.h"
#include "family.h"

/* The machine number `number` of a family; the same on every computer. NULL: out of memory. */
machine *draw_machine(const family *f, uint64_t number);

/* Makes checks of a machine in a process of its own, with so many seconds of processor time each. Returns how many findings there are:
 * fewer than checks where one crashes or hangs, which is the last. */
int look_in_child(const check *const *checks, int count, const subject *s, double seconds, finding *found);

/* Removes parts of the machine while it still fails alike, for at most this many seconds. Returns the finding of what is left. */
finding reduce(const check *c, subject *s, finding first, double seconds);

/* A machine that fails. */
typedef struct failure {
    int family, check; /* indices of the lists below; OF_NONE: it was only drawn */
    uint64_t number;
    finding finding;
    char file[200]; /* where the reduced model was written; "": nowhere */
} failure;

/* Writes the model of a failure to a file of the folder and notes its path. false: it could not be written. */
bool write_failure(const char *folder, const subject *s, failure *f);

typedef struct tally {
    long counts[VERDICTS];
    double seconds; /* of the processor */
} tally;

enum { MOST_FAMILIES = 64, MOST_CHECKS = 32, MOST_FAILURES = 500, OF_NONE = -1 };

/* What a whole run found: numbers and texts alone, which are written to a file so that the run can be resumed. */
typedef struct totals {
    uint64_t seed;
    int seeds;     /* how many, from seed on */
    uint64_t next; /* position of the machine that comes next, as a resumed run needs it */
    double seconds;
    long machines[MOST_FAMILIES];
    tally tallies[MOST_FAMILIES][MOST_CHECKS];
    share shares[MOST_FAMILIES][SCORES];
    failure failures[MOST_FAILURES];
    int failure_count;  /* stored */
    long failure_total; /* all */
} totals;

extern const family *const all_families[]; /* NULL after the last */
extern const check *const all_checks[];    /* NULL after the last */

/* Writes the state of a run, so that it can be resumed, by a file that replaces the last one. */
bool write_state(const char *folder, const totals *t);
/* Reads the state of a run with the same seeds; false: there is none. */
bool read_state(const char *folder, totals *t);

void print_totals(const totals *t, FILE *to);
bool write_summary(const char *path, const totals *t);

#endif
