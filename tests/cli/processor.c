/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* The check of the processor that is part of the programs, on one that lacks what the environment variable LACKS
 * names. */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

static int processor_has(const char *feature)
{
    const char *lacking = getenv("LACKS");
    return !lacking || strcmp(lacking, feature) != 0;
}

#define TRM_NEEDS_AVX2
#define __builtin_cpu_supports processor_has
#include "cli/processor.c"

int main(void)
{
    return puts("main has begun") < 0;
}
