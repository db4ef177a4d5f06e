/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Values of MJCF: an attribute of an element, or else of the defaults of its class, from the nearest class up to
 * "main".
 *
 * Orientations are quat (w x y z), axisangle, euler (angles by the compiler's sequence; lower case rotates about the
 * moving axes, upper case about fixed axes), xyaxes, or zaxis (the smallest rotation that aligns z with it). */

#include <string.h>

#include "base/names.h"
#include "io/mjcf.h"
#include "math/rotation.h"

/* ---- Classes ------------------------------------------------------------------------------ */

int trm_mjcf_class_of(trm_mjcf *m, trm_xml *element, const char *attribute, int otherwise)
{
    const char *name = trm_xml_value(element, attribute);
    if (!name) return otherwise;
    for (int i = 0; i < m->class_count; i++)
        if (strcmp(m->classes[i].name, name) == 0) return i;
    trm_add_error(m->in->messages, element->place, "<%s>: there is no default class '%s'", element->name, name);
    return otherwise;
}

trm_mjcf_at trm_mjcf_resolve(trm_mjcf *m, trm_xml *element, const char *kind, int class)
{
    return (trm_mjcf_at){m, element, kind, trm_mjcf_class_of(m, element, "class", class)};
}

/* Returns whether an element of defaults applies to a kind. All actuators share their defaults. */
static bool is_kind(const char *name, const char *kind)
{
    if (strcmp(kind, "actuator") != 0) return strcmp(name, kind) == 0;
    return trm_mjcf_is_actuator(name) || trm_has_word("actuator muscle adhesion", name);
}

/* Returns the attribute in a class. Of several default elements of one kind the last that has it counts. Returns NULL
 * if none has it. */
static const char *in_class(trm_mjcf_class *class, const char *kind, const char *attribute)
{
    const char *found = NULL;
    for (trm_xml *e = class->element ? class->element->first_child : NULL; e; e = e->next) {
        if (!is_kind(e->name, kind)) continue;
        const char *value = trm_xml_value(e, attribute);
        if (value) found = value;
    }
    return found;
}

const char *trm_mjcf_value(const trm_mjcf_at *at, const char *attribute)
{
    const char *value = trm_xml_value(at->element, attribute);
    for (int c = at->class; !value && c >= 0; c = at->m->classes[c].parent)
        value = in_class(&at->m->classes[c], at->kind, attribute);
    return value;
}

/* ---- Numbers ------------------------------------------------------------------------------ */

int trm_mjcf_numbers(const trm_mjcf_at *at, const char *attribute, double *values, int most)
{
    double read[TRM_MJCF_NUMBERS];
    const char *text = trm_mjcf_value(at, attribute);
    const int limit = most < TRM_MJCF_NUMBERS ? most : TRM_MJCF_NUMBERS;
    const int count = text ? trm_xml_list(at->element, attribute, text, read, limit, at->m->in->messages) : 0;
    if (count <= 0) return 0;
    memcpy(values, read, (size_t)count * sizeof *values);
    return count;
}

void trm_mjcf_vector(const trm_mjcf_at *at, const char *attribute, double v[3])
{
    const int count = trm_mjcf_numbers(at, attribute, v, 3);
    if (count == 1 || count == 2)
        trm_add_error(at->m->in->messages, at->element->place, "<%s>: %s has %d number%s; it must have 3",
                      at->element->name, attribute, count, count == 1 ? "" : "s");
}

double trm_mjcf_number(const trm_mjcf_at *at, const char *attribute, double otherwise)
{
    double value = otherwise;
    trm_mjcf_numbers(at, attribute, &value, 1);
    return value;
}

bool trm_mjcf_is(const trm_mjcf_at *at, const char *attribute, bool otherwise)
{
    const char *text = trm_mjcf_value(at, attribute);
    if (!text || strcmp(text, "auto") == 0) return otherwise;
    if (strcmp(text, "true") == 0) return true;
    if (strcmp(text, "false") != 0)
        trm_add_error(at->m->in->messages, at->element->place, "<%s>: %s is \"%.60s\"; it must be true or false",
                      at->element->name, attribute, text);
    return false;
}

const char *trm_mjcf_name(const trm_mjcf_at *at, const char *attribute, const char *suffix)
{
    const char *name = trm_xml_value(at->element, attribute);
    return name && suffix[0] ? trm_arena_format(at->m->in->scratch, "%s%s", name, suffix) : name;
}

/* ---- Orientations ------------------------------------------------------------------------- */

const trm_mjcf_compiler *trm_mjcf_options(const trm_mjcf *m, const trm_xml *element)
{
    return &m->compilers[element->scope];
}

double trm_mjcf_angle(const trm_mjcf_at *at, double value)
{
    return trm_mjcf_options(at->m, at->element)->degrees ? value * (TRM_PI / 180) : value;
}

trm_quat trm_mjcf_euler(const trm_mjcf_at *at, const double *angles)
{
    const char *sequence = trm_mjcf_options(at->m, at->element)->eulerseq;
    trm_quat q = trm_quat_identity();
    for (int i = 0; i < 3; i++) {
        const char c = sequence[i];
        const bool fixed_axes = c >= 'X' && c <= 'Z';
        const trm_quat turn =
            trm_quat_from_axis_angle(trm_axis(fixed_axes ? c - 'X' : c - 'x'), trm_mjcf_angle(at, angles[i]));
        q = fixed_axes ? trm_quat_mul(turn, q) : trm_quat_mul(q, turn);
    }
    return trm_quat_unit(q);
}

static bool has_length(const trm_mjcf_at *at, trm_vec3 v, const char *what)
{
    if (trm_v3_length(v) > 1e-10) return true;
    trm_add_error(at->m->in->messages, at->element->place, "<%s>: %s has length zero", at->element->name, what);
    return false;
}

static trm_quat from_xyaxes(const trm_mjcf_at *at, const double *v)
{
    if (!has_length(at, trm_v3_at(v), "xyaxes")) return trm_quat_identity();
    const trm_vec3 x = trm_v3_unit(trm_v3_at(v)),
                   y = trm_v3_add_scaled(trm_v3_at(v + 3), -trm_v3_dot(trm_v3_at(v + 3), x), x);
    if (!has_length(at, y, "xyaxes")) return trm_quat_identity();
    return trm_quat_from_matrix(trm_columns(x, trm_v3_unit(y), trm_v3_cross(x, trm_v3_unit(y))));
}

/* The orientations with their numbers of numbers. Those of the element take precedence over those of its class. */
static const struct {
    const char *attribute;
    int count;
} WAYS[] = {{"axisangle", 4}, {"euler", 3}, {"xyaxes", 6}, {"zaxis", 3}, {"quat", 4}};

static int find_way(const trm_mjcf_at *at, const trm_mjcf_at *where, double *v)
{
    for (int i = 0; i < 5; i++) {
        const int count = trm_mjcf_numbers(where, WAYS[i].attribute, v, WAYS[i].count);
        if (count == WAYS[i].count) return i;
        if (count > 0)
            trm_add_error(at->m->in->messages, at->element->place, "<%s>: %s must be %d numbers", at->element->name,
                          WAYS[i].attribute, WAYS[i].count);
    }
    return -1;
}

static trm_quat orientation(const trm_mjcf_at *at)
{
    double v[6];
    trm_mjcf_at own = *at;
    own.class = -1;
    int way = find_way(at, &own, v);
    if (way < 0) way = find_way(at, at, v);
    if (way == 0 && has_length(at, trm_v3_at(v), "axisangle"))
        return trm_quat_from_axis_angle(trm_v3_unit(trm_v3_at(v)), trm_mjcf_angle(at, v[3]));
    if (way == 1) return trm_mjcf_euler(at, v);
    if (way == 2) return from_xyaxes(at, v);
    if (way == 3 && has_length(at, trm_v3_at(v), "zaxis"))
        return trm_quat_between(trm_axis(2), trm_v3_unit(trm_v3_at(v)));
    const trm_quat q = {v[0], v[1], v[2], v[3]};
    if (way == 4 && trm_quat_norm(q) > 1e-10) return trm_quat_unit(q);
    return trm_quat_identity();
}

trm_pose trm_mjcf_pose(const trm_mjcf_at *at)
{
    double p[3] = {0, 0, 0};
    trm_mjcf_vector(at, "pos", p);
    return (trm_pose){orientation(at), trm_v3_at(p)};
}
