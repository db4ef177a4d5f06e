/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* A model built through the C interface and written as a file, to be run or looked at: N layers of N x N boxes of 0.2 m, every
 * other layer shifted and all of them turned a little, that fall on each other and come to rest as a heap.
 *
 *     heap [N] > heap.json              10 if N is not given: 1000 boxes; trammel run heap.json --every 0.1
 *
 * In so large a heap contacts are not to be told apart by their moments: what touches within a step is taken at its end
 * ("impact": "window"). */

#include "trammel/trammel.h"
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

typedef char name[16];

/* Names and shapes are borrowed by the definition, so they are kept here until it has been written. */
typedef struct heap {
    int layers;
    trm_model_def *def;
    name *names;
    trm_shape_def box, floor;
    uint64_t seed;
} heap;

/* Between -1 and 1; the same heap every time. */
static double chance(heap *p)
{
    p->seed = p->seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (double)(int64_t)p->seed / 9223372036854775808.0;
}

/* About any axis, by up to this many rad. */
static trm_quat turned(heap *p, double most)
{
    const trm_vec3 axis = trm_v3_unit(trm_v3(chance(p), chance(p), chance(p)));
    const double half = 0.5 * most * chance(p), s = sin(half);
    return (trm_quat){cos(half), s * axis.x, s * axis.y, s * axis.z};
}

static trm_status add_floor(heap *p)
{
    trm_body_def body = trm_default_body_def();
    p->floor = trm_default_shape_def();
    p->floor.type = "plane";
    p->floor.normal = trm_v3(0, 0, 1);
    body.name = "floor";
    body.kind = TRM_BODY_FIXED;
    body.shapes = &p->floor;
    body.shape_count = 1;
    return trm_add_body(p->def, &body);
}

static trm_status add_box(heap *p, int i)
{
    const int n = p->layers, layer = i / (n * n), row = i / n % n, column = i % n;
    const double apart = 0.3, shift = layer % 2;
    trm_body_def body = trm_default_body_def();
    snprintf(p->names[i], sizeof(name), "box%d", i);
    body.name = p->names[i];
    body.position = trm_v3(apart * column + 0.13 * shift, apart * row + 0.11 * shift, 0.2 + apart * layer);
    body.orientation = turned(p, 0.5);
    body.shapes = &p->box;
    body.shape_count = 1;
    return trm_add_body(p->def, &body);
}

static trm_status build(heap *p)
{
    p->box = trm_default_shape_def();
    p->box.type = "box";
    p->box.size = trm_v3(0.2, 0.2, 0.2);
    p->box.density = 1;
    trm_status status = add_floor(p);
    for (int i = 0; i < p->layers * p->layers * p->layers && status == TRM_OK; i++) status = add_box(p, i);
    return status;
}

int main(int argc, char **argv)
{
    const int n = argc > 1 ? atoi(argv[1]) : 10;
    if (argc > 2 || n < 1 || n > 40) {
        fprintf(stderr, "usage: heap [N] > heap.json, N from 1 to 40\n");
        return 2;
    }
    heap p = {n, trm_model_def_create(NULL), malloc((size_t)(n * n * n) * sizeof(name)), .seed = 1};
    trm_status status = p.def && p.names ? TRM_OK : TRM_OUT_OF_MEMORY;
    if (status == TRM_OK) {
        p.def->name = "heap";
        p.def->gravity = trm_v3(0, 0, -9.81);
        p.def->simulation.impact = "window";
        p.def->simulation.step = 1.0 / 240;
        p.def->simulation.time = 4;
        status = build(&p);
    }
    if (status == TRM_OK) status = trm_write_model(p.def, trm_file_sink(stdout));
    if (status == TRM_OK && fflush(stdout) != 0) status = TRM_IO_ERROR;
    if (status != TRM_OK) fprintf(stderr, "heap: %s\n", trm_status_text(status));
    trm_model_def_destroy(p.def);
    free(p.names);
    return status == TRM_OK ? 0 : 1;
}
