/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* An invariant: a property of every machine. One file in checks/, one line in checks/list.h.
 *
 * look runs the machine as often as necessary. It is called in a child process, so that it may crash or hang. */

#ifndef TORTURE_CHECK_H
#define TORTURE_CHECK_H

#include "run.h"

typedef struct check {
    const char *name;
    const char *claim; /* description for users */
    finding (*look)(const subject *s);
    bool one_run; /* it makes one run: if that takes all the time, it hangs */
    int one_in;   /* one in this many machines is checked; 0: all */
} check;

#define TORTURE_CHECK(name) extern const check check_##name;
#include "checks/list.h"
#undef TORTURE_CHECK

#endif
