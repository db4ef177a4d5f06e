/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "net.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "common/messages.h"

typedef char cross_name[24];

static trm_vec3 place(int i, int j)
{
    return trm_v3(i + 0.15 * sin(1.3 * i + 2.1 * j), 0.15 * sin(0.7 * i - 1.9 * j),
                  -j + 0.15 * sin(2.3 * i + 0.5 * j));
}

static trm_status add_cross(trm_model_def *def, const char *name, trm_vec3 at)
{
    trm_body_def body = trm_default_body_def();
    body.name = name;
    body.position = at;
    body.mass = 1;
    const double inertia[6] = {0.08, 0.16, 0.08, 0, 0, 0};
    memcpy(body.inertia, inertia, sizeof inertia);
    return trm_add_body(def, &body);
}

static trm_status add_ball(trm_model_def *def, const char *name, const char *a, const char *b, trm_vec3 at)
{
    trm_joint_def joint = trm_default_joint_def();
    joint.name = name;
    joint.type = "ball";
    joint.bodies[0] = a;
    joint.bodies[1] = b;
    joint.anchor = at;
    return trm_add_joint(def, &joint);
}

static trm_vec3 between(trm_vec3 a, trm_vec3 b)
{
    return trm_v3_scale(0.5, trm_v3_add(a, b));
}

/* Names: bodies, then joints to the right, downwards, and of the corners. */
static trm_status fill(trm_model_def *def, int n, cross_name *names)
{
    trm_status status = TRM_OK;
    cross_name *right = names + n * n, *down = right + n * n, *corner = down + n * n;
    for (int k = 0; k < n * n && status == TRM_OK; k++) {
        snprintf(names[k], sizeof *names, "c%d-%d", k % n, k / n);
        snprintf(right[k], sizeof *names, "r%d-%d", k % n, k / n);
        snprintf(down[k], sizeof *names, "d%d-%d", k % n, k / n);
        status = add_cross(def, names[k], place(k % n, k / n));
    }
    for (int j = 0; j < n; j++)
        for (int i = 0; i < n && status == TRM_OK; i++) {
            const int k = j * n + i;
            if (i + 1 < n)
                status = add_ball(def, right[k], names[k], names[k + 1], between(place(i, j), place(i + 1, j)));
            if (j + 1 < n && status == TRM_OK)
                status = add_ball(def, down[k], names[k], names[k + n], between(place(i, j), place(i, j + 1)));
        }
    snprintf(corner[0], sizeof *names, "left");
    snprintf(corner[1], sizeof *names, "right");
    if (status == TRM_OK) status = add_ball(def, corner[0], "ground", names[0], place(0, 0));
    if (status == TRM_OK) status = add_ball(def, corner[1], "ground", names[n - 1], place(n - 1, 0));
    return status;
}

trm_model *make_net(int n)
{
    trm_model *model = NULL;
    trm_messages *messages = trm_messages_create(NULL);
    trm_model_def *def = trm_model_def_create(NULL);
    cross_name *names = malloc((size_t)(3 * n * n + 2) * sizeof *names); /* a definition does not copy names */
    trm_status status = messages && def && names ? TRM_OK : TRM_OUT_OF_MEMORY;
    if (status == TRM_OK) {
        def->gravity = trm_v3(0, 0, -9.81);
        status = fill(def, n, names);
    }
    if (status == TRM_OK) status = trm_model_create(def, NULL, messages, &model);
    print_messages("net", messages);
    trm_model_def_destroy(def);
    trm_messages_destroy(messages);
    free(names);
    return status == TRM_OK ? model : NULL;
}
