/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "common/scene.h"

#include <stdlib.h>

bool scene_make_room(scene *s, int bodies, int joints)
{
    s->bodies = calloc((size_t)bodies + 1, sizeof *s->bodies);
    s->joints = calloc((size_t)joints + 1, sizeof *s->joints);
    return s->bodies && s->joints;
}

scene *scene_create(const scene_kind *kind)
{
    scene *s = calloc(1, sizeof *s);
    if (!s) return NULL;
    s->name = kind->name;
    s->time = kind->time;
    if (kind->build(s, kind->given)) return s;
    scene_destroy(s);
    return NULL;
}

void scene_destroy(scene *s)
{
    if (!s) return;
    free(s->bodies);
    free(s->joints);
    free(s);
}
