/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "reading.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

typedef struct choice {
    const char *word;
    unsigned value;
} choice;

static const choice PARTS[] = {{"actuators", TRM_WITHOUT_ACTUATORS}, {"contacts", TRM_WITHOUT_CONTACTS},
                               {"damping", TRM_WITHOUT_DAMPING},     {"friction", TRM_WITHOUT_FRICTION},
                               {"gravity", TRM_WITHOUT_GRAVITY},     {"limits", TRM_WITHOUT_LIMITS}};
static const choice POLICIES[] = {
    {"keep", TRM_INERTIA_KEEP}, {"repair", TRM_INERTIA_REPAIR}, {"refuse", TRM_INERTIA_REFUSE}};
static const choice BASES[] = {{"fixed", false}, {"free", true}};

/* Adds the bits of a word to *value. Returns false after reporting which words are allowed. */
static bool choose(const char *name, const char *text, size_t length, const choice *choices, int count,
                   unsigned *value)
{
    for (int i = 0; i < count; i++)
        if (strlen(choices[i].word) == length && strncmp(text, choices[i].word, length) == 0) {
            *value |= choices[i].value;
            return true;
        }
    fprintf(stderr, "trammel: %s \"%.*s\": it is", name, (int)length, text);
    for (int i = 0; i < count; i++) fprintf(stderr, "%s %s", i > 0 ? "," : "", choices[i].word);
    fprintf(stderr, "\n");
    return false;
}

static bool choose_one(const command_line *line, const char *name, const choice *choices, int count, unsigned *value)
{
    const char *text = option_value(line, name);
    *value = 0;
    return !text || choose(name, text, strlen(text), choices, count, value);
}

static bool choose_parts(const command_line *line, unsigned *without)
{
    const char *text = option_value(line, "--without");
    for (; text && *text; text += strcspn(text, ","), text += *text == ',')
        if (!choose("--without", text, strcspn(text, ","), PARTS, COUNT_OF(PARTS), without)) return false;
    return true;
}

/* Collects all values of an option. Returns their number. */
static int gather(const command_line *line, const char *name, const char **values)
{
    int count = 0;
    for (int i = 0; i < line->option_count; i++)
        if (strcmp(line->options[i]->name, name) == 0) values[count++] = line->values[i];
    return count;
}

static bool read_density(const command_line *line, double *density)
{
    char why[200];
    const char *text = option_value(line, "--density");
    if (!text) return true;
    if (trm_evaluate(text, density, why, sizeof why) && *density > 0) return true;
    fprintf(stderr, "trammel: --density \"%s\": it must be a positive number of kg/m^3\n", text);
    return false;
}

static bool read_import_options(const command_line *line, trm_read_options *options)
{
    unsigned inertia, base;
    options->strict = has_option(line, "--strict");
    options->self_collision = has_option(line, "--self-collision");
    if (!choose_one(line, "--inertia", POLICIES, COUNT_OF(POLICIES), &inertia) ||
        !choose_one(line, "--base", BASES, COUNT_OF(BASES), &base) || !choose_parts(line, &options->without) ||
        !read_density(line, &options->density))
        return false;
    options->inertia = (trm_inertia_policy)inertia;
    options->free_base = base != 0;
    return true;
}

bool reading_begin(const command_line *line, reading *r)
{
    *r = (reading){.paths = calloc((size_t)line->option_count + 1, sizeof *r->paths),
                   .with = calloc((size_t)line->option_count + 1, sizeof *r->with)};
    if (!r->paths || !r->with || !set_options(line, "--set", &r->set, &r->set_count)) return false;
    if (!set_options(line, "--input", &r->inputs, &r->input_count)) return false;
    r->options = (trm_read_options){.set = r->set,
                                    .set_count = r->set_count,
                                    .inputs = r->inputs,
                                    .input_count = r->input_count,
                                    .paths = r->paths,
                                    .path_count = gather(line, "--path", r->paths),
                                    .with = r->with,
                                    .with_count = gather(line, "--with", r->with)};
    return read_import_options(line, &r->options);
}

void reading_end(reading *r)
{
    free_settings(r->set, r->set_count);
    free_settings(r->inputs, r->input_count);
    free(r->paths);
    free(r->with);
}
