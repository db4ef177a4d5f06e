/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Which bodies of robots collide: by the groups of their shapes, and not with others of a robot without self-collision. */

#include "io/robot.h"

static bool part_bodies(trm_model_def *def, const char *one, const char *other)
{
    trm_body_pair *pairs = trm_arena_grow(def->arena, def->no_collide, def->no_collide_count, sizeof *pairs);
    if (!pairs) return false;
    def->no_collide = pairs;
    pairs[def->no_collide_count++] = (trm_body_pair){.bodies = {one, other}};
    return true;
}

bool trm_robot_part_bodies(trm_robot *a, int one, int other)
{
    if (one < 0 || other < 0 || a->parts[one].body == a->parts[other].body) return true;
    return part_bodies(a->in->def, trm_robot_body_name(a, one), trm_robot_body_name(a, other));
}

/* Parts of one robot may collide only where it collides with itself. */
static bool parts_collide(const trm_part *p, const trm_part *q)
{
    return p->group != q->group || !(p->no_self_collision || q->no_self_collision);
}

static bool bodies_collide(const trm_robot *a, int one, int other)
{
    for (int p = one; p >= 0; p = a->parts[p].next)
        for (int q = other; q >= 0; q = a->parts[q].next)
            if (parts_collide(&a->parts[p], &a->parts[q])) return true;
    return false;
}

static bool has_colliding_shape(const trm_robot *a, int body)
{
    for (int p = body; p >= 0; p = a->parts[p].next)
        for (int i = 0; i < a->parts[p].shape_count; i++)
            if (a->parts[p].shapes[i].def.collide) return true;
    return false;
}

bool trm_robot_part_robots(trm_robot *a)
{
    int *bodies = TRM_NEW_ARRAY(a->in->scratch, int, a->part_count + 1), count = 0;
    const char **names = TRM_NEW_ARRAY(a->in->scratch, const char *, a->part_count + 1); /* many pairs share them */
    if (!bodies || !names) return false;
    if (a->in->options->self_collision) return true;
    for (int b = 0; b < a->part_count; b++)
        if (a->parts[b].body == b && !a->parts[b].left_out && has_colliding_shape(a, b)) {
            names[count] = trm_robot_body_name(a, b);
            if (!names[count]) return false;
            bodies[count++] = b;
        }
    for (int i = 0; i < count; i++)
        for (int k = 0; k < i; k++)
            if (!bodies_collide(a, bodies[i], bodies[k]) && !part_bodies(a->in->def, names[i], names[k]))
                return false;
    return true;
}
