/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "coordinate_table.h"

#include <math.h>
#include <stdio.h>

/* All forces and limits on one coordinate, from joints and forces of the definition. */
typedef struct law {
    char name[80], type[20];
    trm_vec3 axis;
    double limits[2], stiffness, damping, friction, armature, effort, velocity;
} law;

static law law_of_joint(const trm_joint_def *j)
{
    law l = {.axis = j->axis,
             .limits = {j->limits[0], j->limits[1]},
             .stiffness = j->stiffness,
             .damping = j->damping,
             .friction = j->friction,
             .armature = j->armature,
             .effort = j->effort,
             .velocity = j->max_velocity};
    snprintf(l.name, sizeof l.name, "%s", j->name);
    snprintf(l.type, sizeof l.type, "%s", j->type);
    return l;
}

static law law_of_coordinate(const trm_joint_def *j, int k)
{
    const trm_coordinate_def *c = &j->coordinates[k];
    law l = {.axis = k == 0 ? j->axis : trm_v3(NAN, NAN, NAN),
             .limits = {c->limits[0], c->limits[1]},
             .stiffness = c->stiffness,
             .damping = c->damping,
             .friction = c->friction,
             .armature = c->armature,
             .effort = c->effort,
             .velocity = c->max_velocity};
    snprintf(l.name, sizeof l.name, "%s %d", j->name, k + 1);
    snprintf(l.type, sizeof l.type, "%s", j->type);
    return l;
}

static bool is_bare(const law *l)
{
    return isinf(l->limits[0]) && isinf(l->limits[1]) && l->stiffness == 0 && l->damping == 0 && l->friction == 0 &&
           l->armature == 0 && isinf(l->effort) && isinf(l->velocity);
}

/* Prints a number, or "-" for none. */
static const char *number(char *text, size_t size, double value, bool none)
{
    if (none)
        snprintf(text, size, "-");
    else
        snprintf(text, size, "%.4g", value);
    return text;
}

static void print_law(const law *l)
{
    enum { WIDE = 60, NARROW = 24 };
    char axis[WIDE] = "-", limits[WIDE] = "-", numbers[6][NARROW];
    if (!isnan(l->axis.x)) snprintf(axis, sizeof axis, "%.3g %.3g %.3g", l->axis.x, l->axis.y, l->axis.z);
    if (isfinite(l->limits[0]) || isfinite(l->limits[1]))
        snprintf(limits, sizeof limits, "%.4g .. %.4g", l->limits[0], l->limits[1]);
    printf("%-16s %-10s %-18s %-18s %9s %9s %9s %9s %9s %9s\n", l->name, l->type, axis, limits,
           number(numbers[0], NARROW, l->armature, l->armature == 0),
           number(numbers[1], NARROW, l->damping, l->damping == 0),
           number(numbers[2], NARROW, l->stiffness, l->stiffness == 0),
           number(numbers[3], NARROW, l->friction, l->friction == 0),
           number(numbers[4], NARROW, l->effort, isinf(l->effort)),
           number(numbers[5], NARROW, l->velocity, isinf(l->velocity)));
}

static bool has_coordinates(const trm_joint_def *j)
{
    return j->coordinate_count > 0 || !is_bare(&(law){.limits = {j->limits[0], j->limits[1]},
                                                      .stiffness = j->stiffness,
                                                      .damping = j->damping,
                                                      .friction = j->friction,
                                                      .armature = j->armature,
                                                      .effort = j->effort,
                                                      .velocity = j->max_velocity});
}

void print_coordinate_table(const trm_model_def *def)
{
    bool any = false;
    for (int i = 0; i < def->joint_count; i++) any = any || has_coordinates(&def->joints[i]);
    if (!any) return;
    printf("\n%-16s %-10s %-18s %-18s %9s %9s %9s %9s %9s %9s\n", "coordinate", "type", "axis", "limits/(m, rad)",
           "armature", "damping", "stiffness", "friction", "effort", "speed");
    for (int i = 0; i < def->joint_count; i++) {
        const trm_joint_def *j = &def->joints[i];
        if (!has_coordinates(j)) continue;
        const law one = law_of_joint(j);
        if (j->coordinate_count == 0) print_law(&one);
        for (int k = 0; k < j->coordinate_count; k++) {
            const law each = law_of_coordinate(j, k);
            print_law(&each);
        }
    }
}
