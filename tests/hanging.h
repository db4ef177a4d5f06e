/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* end_after(SECONDS): ends the program once it has computed for longer than this; 0: not any more. It is processor time, for on a busy
 * machine nobody knows how much other time passes. What waits without computing is ended by CTest. */

#ifndef TRM_TESTS_HANGING_H
#define TRM_TESTS_HANGING_H

#include <stddef.h>
#include <sys/time.h>

static inline void end_after(int seconds)
{
    setitimer(ITIMER_PROF, &(struct itimerval){.it_value.tv_sec = seconds}, NULL);
}

#endif
