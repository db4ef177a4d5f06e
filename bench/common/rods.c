/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "common/rods.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/messages.h"

static trm_vec3 corner(int i)
{
    return trm_v3(i * cos(RODS_FOLD), i % 2 ? -sin(RODS_FOLD) : 0, 0);
}

typedef char rod_name[16];

/* Adds a rod and its joint. names: [0] the ground, then the rods; joints have the names of their rods. */
static trm_status add_rod(trm_model_def *def, const rod_name *names, int i, const char *type)
{
    trm_body_def rod = trm_default_body_def();
    trm_joint_def joint = trm_default_joint_def();
    rod.name = joint.name = names[i];
    rod.kind = TRM_BODY_ROD;
    rod.rod = (trm_rod_def){corner(i - 1), corner(i), 1, 0.01};
    joint.type = type;
    joint.bodies[0] = names[i - 1];
    joint.bodies[1] = names[i];
    joint.anchor = rod.rod.from;
    if (strcmp(type, "hinge") == 0) joint.axis = trm_v3(0, 0, 1);
    const trm_status status = trm_add_body(def, &rod);
    return status == TRM_OK ? trm_add_joint(def, &joint) : status;
}

trm_model *make_rods(int rods, const char *joint)
{
    trm_model *model = NULL;
    trm_messages *messages = trm_messages_create(NULL);
    trm_model_def *def = trm_model_def_create(NULL);
    rod_name *names = malloc(((size_t)rods + 1) * sizeof *names); /* a definition does not copy names */
    trm_status status = messages && def && names ? TRM_OK : TRM_OUT_OF_MEMORY;
    if (status == TRM_OK) {
        def->gravity = trm_v3(0, -9.81, 0);
        strcpy(names[0], "ground");
    }
    for (int i = 1; i <= rods && status == TRM_OK; i++) {
        snprintf(names[i], sizeof names[i], "rod%d", i);
        status = add_rod(def, (const rod_name *)names, i, joint);
    }
    if (status == TRM_OK) status = trm_model_create(def, NULL, messages, &model);
    print_messages("chain of rods", messages);
    trm_model_def_destroy(def);
    trm_messages_destroy(messages);
    free(names);
    return status == TRM_OK ? model : NULL;
}
