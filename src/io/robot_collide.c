/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Determines which bodies of robots collide: by the groups of their shapes, and not with each other in a robot
 * without self-collision.
 *
 * Two shapes collide if the type of one has a bit of the affinity of the other. In the k-th robot that never collides
 * with itself, if no shape has bits of its own, all shapes get the type 2^(k+1) and the affinity of the bits 1 and
 * 2^(i+1), i != k. They then collide with everything except their own robot. Other robots list their pairs of bodies,
 * whose number grows with the square of that of the bodies. */

#include "io/robot.h"

static bool part_bodies(trm_model_def *def, const char *one, const char *other)
{
    return TRM_APPEND(def->arena, def->no_collide, def->no_collide_count, (trm_body_pair){.bodies = {one, other}});
}

bool trm_robot_part_bodies(trm_robot *a, int one, int other)
{
    if (one < 0 || other < 0 || a->parts[one].body == a->parts[other].body) return true;
    return part_bodies(a->in->def, trm_robot_body_name(a, one), trm_robot_body_name(a, other));
}

/* Returns whether two parts may collide. Parts of one robot may only if it has self-collision. */
static bool parts_collide(const trm_robot_part *p, const trm_robot_part *q)
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

/* ---- Bits --------------------------------------------------------------------------------- */

enum { MOST_MASKED = 30 }; /* largest number of robots with bits, one bit for each after the first */

/* Returns whether a shape collides with all shapes, by the default bits of any format. */
static bool has_usual_bits(const trm_part_shape *shape)
{
    return shape->type == shape->affinity && (shape->type == 1 || shape->type == 0xffff);
}

static bool has_own_bits(const trm_robot_part *p)
{
    for (int i = 0; i < p->shape_count; i++)
        if (p->shapes[i].def.collide && !has_usual_bits(&p->shapes[i])) return true;
    return false;
}

/* Returns whether bits can prevent collisions between all parts of a robot. */
static bool can_be_masked(const trm_robot *a, int group)
{
    for (int p = 0; p < a->part_count; p++)
        if (a->parts[p].group == group && (!a->parts[p].no_self_collision || has_own_bits(&a->parts[p])))
            return false;
    return true;
}

static void set_bits(trm_robot *a, int group, unsigned type, unsigned affinity)
{
    for (int p = 0; p < a->part_count; p++) {
        trm_robot_part *part = &a->parts[p];
        if (part->group != group) continue;
        part->masked = true;
        for (int i = 0; i < part->shape_count; i++)
            if (part->shapes[i].def.collide) part->shapes[i].type = type, part->shapes[i].affinity = affinity;
    }
}

static bool is_listed(const int *list, int count, int group)
{
    for (int i = 0; i < count; i++)
        if (list[i] == group) return true;
    return false;
}

/* Parts of one robot are adjacent, so that most have the group of the part before. */
void trm_robot_mask_shapes(trm_robot *a)
{
    int groups[MOST_MASKED], count = 0;
    unsigned all = 1;
    if (a->in->options->self_collision) return;
    for (int p = 1; p < a->part_count && count < MOST_MASKED; p++) {
        const int group = a->parts[p].group; /* has at least two parts */
        if (a->parts[p - 1].group != group || is_listed(groups, count, group) || !can_be_masked(a, group)) continue;
        groups[count++] = group;
    }
    for (int k = 0; k < count; k++) all |= 2u << k;
    for (int k = 0; k < count; k++) set_bits(a, groups[k], 2u << k, all & ~(2u << k));
}

/* ---- Pairs -------------------------------------------------------------------------------- */

/* Returns whether at least one part does not collide with the others of its robot. */
static bool has_separate_parts(const trm_robot *a)
{
    for (int p = 0; p < a->part_count; p++)
        if (a->parts[p].no_self_collision) return true;
    return false;
}

/* A masked body needs no pairs: its bits exclude those of its own robot, and all others are in other groups. */
bool trm_robot_part_robots(trm_robot *a)
{
    int *bodies = TRM_NEW_ARRAY(a->in->scratch, int, a->part_count + 1), count = 0;
    /* names are shared by many pairs */
    const char **names = TRM_NEW_ARRAY(a->in->scratch, const char *, a->part_count + 1);
    if (!bodies || !names) return false;
    if (a->in->options->self_collision || !has_separate_parts(a)) return true;
    for (int b = 0; b < a->part_count; b++)
        if (a->parts[b].body == b && !a->parts[b].left_out && !a->parts[b].masked && has_colliding_shape(a, b)) {
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
