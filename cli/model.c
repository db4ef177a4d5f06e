/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ranks.h"
#include "reading.h"

static trm_status read_definition(const command_line *line, loaded *l, bool without_mass)
{
    reading r;
    *l = (loaded){.messages = trm_messages_create(NULL)};
    if (!l->messages) return TRM_OUT_OF_MEMORY;
    trm_status status = TRM_BAD_INPUT;
    if (reading_begin(line, &r)) {
        r.options.ranks = ranks();
        r.options.without_mass = without_mass;
        status = trm_read_model_file(line->words[0], &r.options, NULL, l->messages, &l->def);
    }
    reading_end(&r);
    return status;
}

trm_status load_definition(const command_line *line, loaded *l)
{
    return read_definition(line, l, false);
}

/* Adds the event of --until, which ends the run. */
static trm_status add_until(const command_line *line, trm_model_def *def)
{
    trm_event_def event = trm_default_event_def();
    event.when = option_value(line, "--until");
    event.stop = true;
    return event.when ? trm_add_event(def, &event) : TRM_OK;
}

static trm_status load(const command_line *line, loaded *l, bool without_mass)
{
    trm_status status = read_definition(line, l, without_mass);
    if (status == TRM_OK) status = add_until(line, l->def);
    if (status == TRM_OK) status = trm_model_create(l->def, NULL, l->messages, &l->model);
    if (status == TRM_OK) {
        l->state = trm_state_create(l->model, NULL);
        l->title = strdup(trm_model_name(l->model));
        if (!l->state || !l->title) status = TRM_OUT_OF_MEMORY;
    }
    for (char *c = l->title; c && *c; c++)
        if ((unsigned char)*c < ' ' || *c == 0x7f) *c = ' ';
    return status;
}

static trm_status loaded_or_said(const command_line *line, trm_status status)
{
    if (status == TRM_OUT_OF_MEMORY) fprintf(stderr, "trammel: out of memory while loading %s\n", line->words[0]);
    return status;
}

trm_status load_model(const command_line *line, loaded *l)
{
    return loaded_or_said(line, load(line, l, false));
}

trm_status load_model_for_viewing(const command_line *line, loaded *l)
{
    return loaded_or_said(line, load(line, l, true));
}

void unload(loaded *l)
{
    free(l->title);
    trm_state_destroy(l->state);
    trm_model_destroy(l->model);
    trm_model_def_destroy(l->def);
    trm_messages_destroy(l->messages);
}

const char *title_of(const loaded *l, const char *file)
{
    return l->title[0] ? l->title : file;
}
