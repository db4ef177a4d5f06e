/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The parts of the program: children that may crash, the reducer, and the output. */

#ifndef TORTURE_TORTURE_H
#define TORTURE_TORTURE_H

#include <stdio.h>

#include "check.h"
#include "family.h"

/* Draws machine number `number` of a family, the same on every computer. Returns NULL if out of memory. */
machine *draw_machine(const family *f, uint64_t number);

/* Makes checks of a machine in a process of its own, each with this many seconds of processor time. Returns the
 * number of findings: fewer than checks if one crashes or hangs, which is then the last. */
int look_in_child(const check *const *checks, int count, const subject *s, double seconds, finding *found);

/* Removes parts of the machine while it still fails in the same way, for at most this many seconds. Returns the
 * finding of the reduced machine. */
finding reduce(const check *c, subject *s, finding first, double seconds);

/* A machine that fails. */
typedef struct failure {
    int family, check; /* indices in the lists below; OF_NONE: the machine was only drawn */
    uint64_t number;
    finding finding;
    char file[200]; /* path of the reduced model; "": not written */
} failure;

/* Writes the model of a failure to a file of the folder and stores its path. Returns false if it cannot be
 * written. */
bool write_failure(const char *folder, const subject *s, failure *f);

typedef struct tally {
    long counts[VERDICTS];
    double seconds; /* s of processor time */
} tally;

enum { MOST_FAMILIES = 64, MOST_CHECKS = 32, MOST_FAILURES = 500, OF_NONE = -1 };

/* Results of a whole run: only numbers and texts, which are written to a file so that the run can be resumed. */
typedef struct totals {
    uint64_t seed;
    int seeds;     /* how many, from seed on */
    uint64_t next; /* position of the next machine, for resuming */
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

/* Writes the state of a run for resuming, by a file that replaces the last one. Returns false on failure. */
bool write_state(const char *folder, const totals *t);
/* Reads the state of a run with the same seeds. Returns false if there is none. */
bool read_state(const char *folder, totals *t);

void print_totals(const totals *t, FILE *to);
bool write_summary(const char *path, const totals *t);

#endif
