/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Replaces controller.c on platforms without processes: command lines there name no controller. */

#include "controller.h"

bool controller_begin(const char *who, const command_line *line, const trm_model *model,
                      const trm_simulation_def *options, trm_messages *messages, controller **made)
{
    (void)who, (void)line, (void)model, (void)options, (void)messages;
    *made = NULL;
    return true;
}

void controller_end(controller *c)
{
    (void)c;
}

double controller_period(const controller *c)
{
    (void)c;
    return 1;
}

bool controller_needs_reactions(const controller *c)
{
    (void)c;
    return false;
}

trm_outcome controller_exchange(controller *c, trm_sim *sim)
{
    (void)c, (void)sim;
    return (trm_outcome){.ok = true};
}
