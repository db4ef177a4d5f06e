/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Equilibria and linearisations of models in tests. */

#ifndef TRM_TESTS_ANALYSIS_RESTING_H
#define TRM_TESTS_ANALYSIS_RESTING_H

#include <math.h>
#include <stdlib.h>

#include "reading.h"

typedef struct resting {
    trm_model *model;
    trm_state *state;
    trm_equilibrium_result *result;
} resting;

static inline resting rest_model(trm_model *model, bool relaxed)
{
    resting r = {model, trm_state_create(model, NULL), NULL};
    trm_messages *messages = trm_messages_create(NULL);
    trm_equilibrium_def def = trm_default_equilibrium_def();
    def.relaxed = relaxed;
    const trm_status status = trm_equilibrium(r.state, &def, NULL, messages, &r.result);
    print_messages(messages);
    trm_messages_destroy(messages);
    assert_int_equal(status, TRM_OK);
    return r;
}

static inline resting rest_text(const char *text)
{
    return rest_model(model_of_text(text), false);
}

static inline resting rest_example(const char *name)
{
    char path[300];
    snprintf(path, sizeof path, "%s/%s.json", TRM_EXAMPLES, name);
    return rest_model(model_of_file(path), false);
}

static inline void end_resting(resting *r)
{
    trm_equilibrium_destroy(r->result);
    trm_state_destroy(r->state);
    trm_model_destroy(r->model);
}

static inline double angle_of(const resting *r, const char *joint)
{
    double q[TRM_JOINT_COORDINATES];
    trm_joint_values(r->state, trm_find_joint(r->model, joint), q, NULL);
    return q[0];
}

static inline trm_vec3 position_of(const resting *r, const char *body)
{
    return trm_body_pose(r->state, trm_find_body(r->model, body)).p;
}

/* The components of a vector as arguments. */
#define XYZ(v) (v).x, (v).y, (v).z

/* A text that is appended piece by piece. */
typedef struct written {
    char text[60000];
    size_t length;
} written;

static inline void put(written *w, const char *format, ...) __attribute__((format(printf, 2, 3)));
static inline void put(written *w, const char *format, ...)
{
    va_list list;
    va_start(list, format);
    w->length += (size_t)vsnprintf(w->text + w->length, sizeof w->text - w->length, format, list);
    va_end(list);
    assert_true(w->length < sizeof w->text);
}

/* Returns the linearisation of a state. */
static inline trm_linearisation *linearise(const trm_state *state, const char *inputs, const char *outputs)
{
    trm_messages *messages = trm_messages_create(NULL);
    trm_linearisation *linear = NULL;
    const trm_linearise_def def = {inputs, outputs};
    const trm_status status = trm_linearise(state, &def, NULL, messages, &linear);
    print_messages(messages);
    trm_messages_destroy(messages);
    assert_int_equal(status, TRM_OK);
    return linear;
}

#endif
