/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A model built through the C interface and written as a file, to be checked, run or looked at: a cloth of N x N points,
 * 1 m wide, flat, about to fall from two opposite corners.
 *
 *     cloth [N] > cloth.json            30 if N is not given; trammel run cloth.json
 *
 * Points are joined along warp and weft, not across: the cloth shears freely, and no row is redundant. */

#include "trammel/trammel.h"
#include <stdio.h>
#include <stdlib.h>

typedef char name[32];

/* Names are borrowed by the definition, so they are kept here until it has been written. */
typedef struct cloth {
    int points; /* per side */
    trm_model_def *def;
    name *body, *joint; /* of point (i, j): number points * i + j; of its threads: twice that, and one more */
} cloth;

static trm_status add_point(cloth *c, int i, int j)
{
    const int here = c->points * i + j, last = c->points - 1;
    const bool held = i == j && (i == 0 || i == last);
    trm_body_def body = trm_default_body_def();
    snprintf(c->body[here], sizeof(name), "p%d_%d", i, j);
    body.name = c->body[here];
    body.kind = held ? TRM_BODY_FIXED : TRM_BODY_POINT;
    if (!held) body.mass = 0.2 / (c->points * c->points); /* 200 g in all */
    body.position = trm_v3((double)i / last, (double)j / last, 0);
    return trm_add_body(c->def, &body);
}

/* The thread from point a to point b; its length is that at the start. */
static trm_status add_thread(cloth *c, int number, int a, int b)
{
    trm_joint_def joint = trm_default_joint_def();
    snprintf(c->joint[number], sizeof(name), "%s-%s", c->body[a], c->body[b] + 1);
    joint.name = c->joint[number];
    joint.type = "distance";
    joint.bodies[0] = c->body[a];
    joint.bodies[1] = c->body[b];
    joint.anchors[0] = joint.anchors[1] = trm_v3(0, 0, 0);
    return trm_add_joint(c->def, &joint);
}

static trm_status build(cloth *c)
{
    const int n = c->points;
    trm_status status = TRM_OK;
    for (int p = 0; p < n * n && status == TRM_OK; p++) status = add_point(c, p / n, p % n);
    for (int p = 0; p < n * n && status == TRM_OK; p++) {
        if (p / n + 1 < n) status = add_thread(c, 2 * p, p, p + n);
        if (p % n + 1 < n && status == TRM_OK) status = add_thread(c, 2 * p + 1, p, p + 1);
    }
    return status;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 30;
    if (argc > 2 || n < 2 || n > 1000) {
        fprintf(stderr, "usage: cloth [N] > cloth.json, N from 2 to 1000\n");
        return 2;
    }
    const size_t count = (size_t)n * (size_t)n;
    cloth c = {n, trm_model_def_create(NULL), malloc(count * sizeof(name)), malloc(2 * count * sizeof(name))};
    trm_status status = c.def && c.body && c.joint ? TRM_OK : TRM_OUT_OF_MEMORY;
    if (status == TRM_OK) {
        c.def->name = "cloth";
        c.def->gravity = trm_v3(0, 0, -9.81);
        c.def->simulation.step = 0.03 / n; /* s: shorter threads turn faster */
        c.def->simulation.time = 1;
        c.def->simulation.position_tolerance = 1e-8;
        status = build(&c);
    }
    if (status == TRM_OK) status = trm_write_model(c.def, trm_file_sink(stdout));
    if (status == TRM_OK && fflush(stdout) != 0) status = TRM_IO_ERROR;
    if (status != TRM_OK) fprintf(stderr, "cloth: %s\n", trm_status_text(status));
    trm_model_def_destroy(c.def);
    free(c.body);
    free(c.joint);
    return status == TRM_OK ? 0 : 1;
}
