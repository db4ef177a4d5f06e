/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "method.h"

#include <stdio.h>
#include <string.h>

/* "beta=20" or "integrator=rk4"; false: it is neither. */
static bool read_option(const char *method, char *piece, trm_option *option)
{
    char why[200];
    char *equals = strchr(piece, '=');
    if (!equals || equals == piece || !equals[1]) return false;
    *equals = 0;
    *option = (trm_option){.method = method, .name = piece};
    if (!trm_evaluate(equals + 1, &option->number, why, sizeof why)) option->text = equals + 1;
    return true;
}

bool choose_method(const char *command, const char *name, trm_simulation_def *options, method_choice *choice)
{
    int count = 0;
    char *rest = NULL;
    snprintf(choice->text, sizeof choice->text, "%s", name);
    options->method = strtok_r(choice->text, ":", &rest);
    if (!options->method) options->method = "";
    for (; count < options->option_count && count < MOST_METHOD_OPTIONS; count++)
        choice->options[count] = options->options[count];
    for (char *piece = strtok_r(NULL, ":", &rest); piece; piece = strtok_r(NULL, ":", &rest)) {
        if (count < MOST_METHOD_OPTIONS && read_option(options->method, piece, &choice->options[count++])) continue;
        fprintf(stderr, "trammel %s: %s: \"%s\" is no option; they are written METHOD:NAME=VALUE:NAME=VALUE\n",
                command, name, piece);
        return false;
    }
    options->options = choice->options;
    options->option_count = count;
    return true;
}
