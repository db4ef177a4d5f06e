/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "motion/fail.h"

#include <stdarg.h>
#include <stdio.h>

#include "base/print.h"

bool trm_fail(trm_outcome *outcome, double residual, const char *kind, const char *name, const char *format, ...)
{
    va_list arguments;
    va_start(arguments, format);
    outcome->ok = false;
    outcome->residual = residual;
    snprintf(outcome->element, sizeof outcome->element, "%s%s%s%s", kind, name ? " '" : "", name ? name : "",
             name ? "'" : "");
    trm_print_list(outcome->why, sizeof outcome->why, format, arguments);
    va_end(arguments);
    return false;
}

bool trm_name_pair(trm_outcome *outcome, const trm_body *a, const trm_body *b)
{
    snprintf(outcome->element, sizeof outcome->element, "bodies '%s', '%s'", a->name, b->name);
    return false;
}
