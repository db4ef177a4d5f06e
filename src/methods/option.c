/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Options of single methods: "lagrange": { "integrator": "rk4", "beta": 20 }. Each method lists its own. */

#include <stdio.h>
#include <string.h>

#include "base/check.h"
#include "base/message.h"
#include "base/print.h"
#include "methods/method.h"

static const trm_method_option *find(const trm_method *method, const char *name)
{
    for (const trm_method_option *o = method->options; o && o->name; o++)
        if (strcmp(o->name, name) == 0) return o;
    return NULL;
}

static bool is_word(const trm_method_option *option, const char *text)
{
    for (int i = 0; text && option->words[i]; i++)
        if (strcmp(option->words[i], text) == 0) return true;
    return false;
}

/* ---- Solvers ------------------------------------------------------------------------------ */

const char *const trm_shared_solvers[] = {"direct", "iterative", "hierarchy", NULL};

const trm_method_option *trm_solver_option(const trm_method *method)
{
    return find(method, "solver");
}

/* A method that chooses its order has one solver: the hierarchy if it divides the machine among ranks, else the
 * direct one. */
const char *const *trm_method_solvers(const trm_method *method)
{
    static const char *const direct[] = {"direct", NULL}, *const hierarchy[] = {"hierarchy", NULL};
    const trm_method_option *own = trm_solver_option(method);
    if (own) return own->words;
    if (!method->own_order) return trm_shared_solvers;
    return method->gather ? hierarchy : direct;
}

/* ---- Errors ------------------------------------------------------------------------------- */

/* Appends a name to the list "a, b, c" in text. */
static void add_to_list(char *text, size_t size, const char *name)
{
    const size_t length = strlen(text);
    snprintf(text + length, size - length, "%s%s", length > 0 ? ", " : "", name);
}

static void report_unknown(const trm_method *method, const trm_option *given, trm_messages *messages)
{
    char known[300] = "";
    for (const trm_method_option *o = method->options; o && o->name; o++) add_to_list(known, sizeof known, o->name);
    trm_add_error(messages, (trm_place){0}, "the method \"%s\" has no option \"%s\"; it has %s", method->name,
                  given->name, known[0] ? known : "none");
}

static void report_unknown_word(const trm_method *method, const trm_method_option *option, const trm_option *given,
                                trm_messages *messages)
{
    char known[300] = "", found[80] = "a number";
    for (int i = 0; option->words[i]; i++) add_to_list(known, sizeof known, option->words[i]);
    if (given->text) snprintf(found, sizeof found, "\"%s\"", given->text);
    trm_add_error(messages, (trm_place){0}, "%s.%s is %s; it can be %s", method->name, option->name, found, known);
}

/* Returns the number as given, or the value of its expression; NAN: it is not a number. */
static double number_of(const trm_option *given)
{
    char why[200];
    double number;
    if (!given->text) return given->number;
    return trm_evaluate(given->text, &number, why, sizeof why) ? number : NAN;
}

static void check_number(const trm_method *method, const trm_method_option *option, const trm_option *given,
                         trm_messages *messages)
{
    const double number = number_of(given);
    const char *requirement = NULL;
    if (!isfinite(number))
        requirement = "a finite number";
    else if (option->whole && number != floor(number))
        requirement = "a whole number";
    else if (option->positive && !(number > 0))
        requirement = "positive";
    else if (!(number >= 0))
        requirement = "no less than 0";
    if (!requirement) return;
    char found[80];
    if (given->text)
        snprintf(found, sizeof found, "\"%s\"", given->text);
    else
        trm_print(found, sizeof found, "%g", number);
    trm_add_error(messages, (trm_place){0}, "%s.%s is %s; it must be %s: %s", method->name, option->name, found,
                  requirement, option->description);
}

static void check_text(const trm_method *method, const trm_method_option *option, const trm_option *given,
                       trm_messages *messages)
{
    if (!given->text)
        trm_add_error(messages, (trm_place){0}, "%s.%s is %g; it must be a text: %s", method->name, option->name,
                      given->number, option->description);
}

static void check(const trm_method *method, const trm_option *given, trm_messages *messages)
{
    const trm_method_option *option = find(method, given->name);
    if (!option)
        report_unknown(method, given, messages);
    else if (option->any)
        check_text(method, option, given, messages);
    else if (!option->words)
        check_number(method, option, given, messages);
    else if (!is_word(option, given->text))
        report_unknown_word(method, option, given, messages);
}

bool trm_check_method_options(const trm_simulation_def *options, trm_messages *messages)
{
    const int errors = trm_error_count(messages);
    for (int i = 0; i < options->option_count; i++) {
        const trm_option *given = &options->options[i];
        const trm_method *method = trm_find_method(given->method);
        if (!method)
            trm_add_error(messages, (trm_place){0}, "there is no method \"%s\" that could have an option \"%s\"",
                          given->method, given->name);
        else if (method->create)
            check(method, given, messages);
    }
    return trm_error_count(messages) == errors;
}

/* ---- Values ------------------------------------------------------------------------------- */

/* Returns the option as given; the last one wins, as on a command line. */
static const trm_option *given(const trm_method *method, const trm_simulation_def *options, const char *name)
{
    for (int i = options->option_count - 1; i >= 0; i--)
        if (strcmp(options->options[i].method, method->name) == 0 && strcmp(options->options[i].name, name) == 0)
            return &options->options[i];
    return NULL;
}

const char *trm_option_word(const trm_method *method, const trm_simulation_def *options, const char *name)
{
    const trm_method_option *option = find(method, name);
    const trm_option *own = given(method, options, name);
    TRM_ASSERT(option && (option->words || option->any));
    return own && own->text ? own->text : option->word;
}

double trm_option_number(const trm_method *method, const trm_simulation_def *options, const char *name)
{
    const trm_method_option *option = find(method, name);
    const trm_option *own = given(method, options, name);
    TRM_ASSERT(option && !option->words);
    return own ? number_of(own) : option->number;
}

bool trm_option_is_given(const trm_method *method, const trm_simulation_def *options, const char *name)
{
    return given(method, options, name) != NULL;
}

void trm_warn_of_option(trm_messages *messages, const trm_method *method, const char *name, const char *other,
                        const char *value)
{
    trm_add_warning(messages, (trm_place){0}, "%s.%s has no effect: %s is %s", method->name, name, other, value);
    trm_mark_message(messages, TRM_MESSAGE_NO_EFFECT, name);
}
