/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A format of models, made up for a test: the line "masses", then a line "NAME M X Y Z" for each point mass, in kg
 * and m. */

#include <stdio.h>
#include <string.h>

#include "io/format.h"

static bool recognises(const char *text, size_t length)
{
    return length >= 7 && strncmp(text, "masses\n", 7) == 0;
}

static bool read_line(trm_import *in, const char *line)
{
    char name[40];
    trm_body_def body = trm_default_body_def();
    trm_vec3 *x = &body.position;
    if (sscanf(line, "%39s %lf %lf %lf %lf", name, &body.mass, &x->x, &x->y, &x->z) != 5) {
        trm_add_message(in->messages, TRM_ERROR, (trm_place){0}, "", "a line is not NAME M X Y Z: %.40s", line);
        return true;
    }
    body.kind = TRM_BODY_POINT;
    body.name = trm_arena_text(in->def->arena, name);
    return trm_add_body(in->def, &body) != TRM_OUT_OF_MEMORY;
}

static bool read_masses(trm_import *in, const char *text, size_t length)
{
    const char *end = text + length;
    for (const char *line = memchr(text, '\n', length); line && line + 1 < end;
         line = memchr(line, '\n', (size_t)(end - line)))
        if (!read_line(in, ++line)) return false;
    return true;
}

const trm_format trm_format_masses = {.name = "masses", .recognises = recognises, .read = read_masses};
