/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The run reaches its end, with finite numbers, in a bounded number of steps. */

#include "check.h"

static finding look(const subject *s)
{
    const run_def def = run_plain(s);
    const motion run = run_machine(s, &def);
    return sound(&run);
}

const check check_ends = {"ends", "a run reaches its end in a bounded number of steps", look, true, 0};
