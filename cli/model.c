/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "model.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "ranks.h"
#include "reading.h"

trm_status load_definition(const command_line *line, loaded *l)
{
    reading r;
    *l = (loaded){.messages = trm_messages_create(NULL)};
    if (!l->messages) return TRM_OUT_OF_MEMORY;
    trm_status status = TRM_BAD_INPUT;
    if (reading_begin(line, &r)) {
        r.options.ranks = ranks();
        status = trm_read_model_file(line->words[0], &r.options, NULL, l->messages, &l->def);
    }
    reading_end(&r);
    return status;
}

static trm_status load(const command_line *line, loaded *l)
{
    trm_status status = load_definition(line, l);
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

trm_status load_model(const command_line *line, loaded *l)
{
    const trm_status status = load(line, l);
    if (status == TRM_OUT_OF_MEMORY) fprintf(stderr, "trammel: out of memory while loading %s\n", line->words[0]);
    return status;
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
