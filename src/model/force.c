/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "model/force.h"

#include <string.h>

static const trm_force_type *const types[] = {
#define TRM_FORCE_TYPE(name) &trm_force_##name,
#include "model/forces/list.h"
#undef TRM_FORCE_TYPE
};

int trm_force_type_count(void)
{
    return (int)(sizeof types / sizeof types[0]);
}

const trm_force_type *trm_force_type_at(int index)
{
    return index >= 0 && index < trm_force_type_count() ? types[index] : NULL;
}

const char *trm_force_type_name(int index)
{
    const trm_force_type *type = trm_force_type_at(index);
    return type ? type->name : NULL;
}

const trm_force_type *trm_find_force_type(const char *name)
{
    for (int i = 0; i < trm_force_type_count(); i++)
        if (!types[i]->built_in && strcmp(types[i]->name, name) == 0) return types[i];
    return NULL;
}

bool trm_force_depends_on_velocity(const trm_force *force)
{
    return force->type->of_velocity && force->damping > 0;
}

bool trm_force_does_work(const trm_force *force)
{
    return force->type->power && (!force->type->of_velocity || force->damping > 0);
}

double trm_force_potential(const trm_force_at *at)
{
    return at->force->type->potential ? at->force->type->potential(at) : 0;
}

double trm_force_power(const trm_force_at *at)
{
    return at->force->type->power ? at->force->type->power(at) : 0;
}

trm_vec3 trm_force_value(const trm_force_at *at)
{
    const trm_force *force = at->force;
    const trm_vec3 value = {trm_function_at(force->value[0], at->t).v, trm_function_at(force->value[1], at->t).v,
                            trm_function_at(force->value[2], at->t).v};
    return force->in_body_frame ? trm_rotate(at->X[0].q, value) : value;
}
