/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* An invariant: something that is true of every machine. One file in checks/, one line in checks/list.h.
 *
 * look runs the machine as often as it needs. It is called in a child process, so it may crash or hang. */

#ifndef TORTURE_CHECK_H
#define TORTURE_CHECK_H

#include "run.h"

typedef struct check {
    const char *name;
    const char *claim; /* for people */
    finding (*look)(const subject *s);
    bool one_run; /* it makes one run, so that one which takes all its time hangs */
    int one_in;   /* machines of so many are looked at; 0: all */
} check;

#define TORTURE_CHECK(name) extern const check check_##name;
#include "checks/list.h"
#undef TORTURE_CHECK

#endif
