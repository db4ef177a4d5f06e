/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "settings.h"

#include <math.h>
#include <stdio.h>
#include <string.h>

#include "cli/simulation_options.h"

/* Settings in the order in which they are applied, which is that of the command line. */
enum { METHOD, SOLVER, SCHEME, ERROR = 7 };
static const char *const names[SETTINGS] = {"--method", "--solver",    "--scheme", "--impact", "--order",
                                            "--step",   "--tolerance", "--error",  "--sleep",  "--start"};

void drop_start(char *why, const char *start)
{
    if (strncmp(why, start, strlen(start)) == 0) memmove(why, why + strlen(start), strlen(why + strlen(start)) + 1);
}

bool settings_read(const command_line *line, settings *set)
{
    for (int i = 0; i < SETTINGS; i++) {
        const char *value = option_value(line, names[i]);
        if (value && snprintf(set->value[i], sizeof set->value[i], "%s", value) >= (int)sizeof set->value[i])
            return false;
    }
    return true;
}

static bool is_none(const char *value)
{
    return strcmp(value, "none") == 0;
}

/* Returns whether two values name the same method, comparing them up to the first colon. */
static bool is_same_method(const char *a, const char *b)
{
    const size_t length = strcspn(a, ":");
    return length == strcspn(b, ":") && strncmp(a, b, length) == 0;
}

/* If the method is not that of the model, its default solver is used. */
bool settings_apply(const settings *set, trm_simulation_def *options, method_choice *choice, char *why)
{
    if (set->value[METHOD][0] && !is_same_method(set->value[METHOD], options->method))
        options->solver = "direct", options->scheme = "auto";
    for (int i = 0; i < SETTINGS; i++) {
        const char *value = set->value[i];
        const bool has_no_error = i == ERROR && is_none(value);
        if (has_no_error) options->error = NAN;
        if (!value[0] || has_no_error || set_simulation_option(names[i], value, options, choice, why, SENTENCE))
            continue;
        drop_start(why, "--");
        return false;
    }
    return true;
}

/* ---- Changing ------------------------------------------------------------------------------ */

/* Sets the method and resets solver and scheme, which depend on it. */
static void change_method(settings *set, const trm_sim *at_work, const char *value)
{
    if (is_none(value) || !is_same_method(value, trm_sim_options(at_work)->method))
        set->value[SOLVER][0] = set->value[SCHEME][0] = 0;
    snprintf(set->value[METHOD], sizeof set->value[METHOD], "%s", is_none(value) ? "" : value);
}

static bool find_own(const trm_sim *at_work, const char *name, trm_option_choice *choice)
{
    for (int i = 0; trm_sim_method_choice(at_work, i, choice); i++)
        if (strcmp(choice->at_work.name, name) == 0) return true;
    return false;
}

static bool can_be_none(const trm_option_choice *choice)
{
    for (int i = 0; choice->words && choice->words[i]; i++)
        if (is_none(choice->words[i])) return true;
    return false;
}

/* Changes or removes an option in METHOD:NAME=VALUE:NAME=VALUE. Returns false if the result is too long. */
static bool change_own(settings *set, const trm_sim *at_work, const trm_option_choice *choice, const char *value)
{
    const char *name = choice->at_work.name;
    char made[sizeof set->value[METHOD]];
    const char *piece = strchr(set->value[METHOD], ':');
    size_t length = (size_t)snprintf(made, sizeof made, "%s", trm_sim_options(at_work)->method);
    for (; piece && length < sizeof made; piece = strchr(piece + 1, ':')) {
        const int whole = (int)strcspn(piece + 1, ":"), own = (int)strcspn(piece + 1, "=:");
        if (own == (int)strlen(name) && strncmp(piece + 1, name, (size_t)own) == 0) continue;
        length += (size_t)snprintf(made + length, sizeof made - length, ":%.*s", whole, piece + 1);
    }
    if (length < sizeof made && (!is_none(value) || can_be_none(choice)))
        length += (size_t)snprintf(made + length, sizeof made - length, ":%s=%s", name, value);
    if (length >= sizeof made) return false;
    memcpy(set->value[METHOD], made, length + 1);
    return true;
}

bool settings_change(settings *set, const trm_sim *at_work, const char *name, const char *value, char *why)
{
    trm_option_choice choice;
    int index = 0;
    why[0] = 0;
    while (index < SETTINGS && strcmp(name, names[index] + strlen("--")) != 0) index++;
    if (index == METHOD)
        change_method(set, at_work, value);
    else if (index < SETTINGS)
        snprintf(set->value[index], sizeof set->value[index], "%s", is_none(value) && index != ERROR ? "" : value);
    else if (!find_own(at_work, name, &choice))
        snprintf(why, SENTENCE, "there is no option \"%s\"", name);
    else if (!change_own(set, at_work, &choice, value))
        snprintf(why, SENTENCE, "these are too many options of the method \"%s\"", trm_sim_options(at_work)->method);
    return !why[0];
}
