/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A single rank: the program trammel. */

#include "ranks.h"

const char *const program_name = "trammel";
const char *const usual_solver = "direct";
const char *const program_words = "";

bool ranks_begin(int argc, char **argv)
{
    (void)argc;
    (void)argv;
    return true;
}

trm_exchange *ranks(void)
{
    return NULL;
}

bool ranks_take_part(bool together)
{
    (void)together;
    return true;
}

void ranks_interrupt(void)
{
}

int ranks_end(int code)
{
    return code;
}
