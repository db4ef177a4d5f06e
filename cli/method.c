/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "method.h"

#include <stdio.h>
#include <string.h>

/* Reads "beta=20" or "integrator=rk4". Returns false if the piece is neither. */
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

static bool refuse(const char *name, const char *what, char *why, size_t size)
{
    snprintf(why, size, "%s: %s; a method is written METHOD:NAME=VALUE:NAME=VALUE", name, what);
    return false;
}

/* Cuts off the piece before the next colon. Returns NULL if nothing is left. */
static char *next_piece(char **rest)
{
    char *piece = *rest, *colon = piece ? strchr(piece, ':') : NULL;
    if (colon) *colon = 0;
    *rest = colon ? colon + 1 : NULL;
    return piece;
}

bool choose_method(const char *name, trm_simulation_def *options, method_choice *choice, char *why, size_t size)
{
    int count = 0;
    char *rest = choice->text;
    if (snprintf(choice->text, sizeof choice->text, "%s", name) >= (int)sizeof choice->text)
        return refuse(name, "that is too long", why, size);
    options->method = next_piece(&rest);
    if (!options->method[0]) return refuse(name, "there is no method", why, size);
    for (; count < options->option_count && count < MOST_METHOD_OPTIONS; count++)
        choice->options[count] = options->options[count];
    for (char *piece = next_piece(&rest); piece; piece = next_piece(&rest)) {
        if (count == MOST_METHOD_OPTIONS) return refuse(name, "there are too many options", why, size);
        if (!read_option(options->method, piece, &choice->options[count++]))
            return refuse(name, "an option is not of the form NAME=VALUE", why, size);
    }
    options->options = choice->options;
    options->option_count = count;
    return true;
}
