/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Reads a document of any format from memory, and checks its messages. */

#ifndef TRM_TESTS_IMPORTING_H
#define TRM_TESTS_IMPORTING_H

#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "failing_allocator.h"
#include "running.h"

typedef struct imported {
    trm_status status;
    trm_model_def *def;
    trm_messages *messages;
} imported;

static inline imported import_text(const char *text, trm_read_options options)
{
    imported in = {.messages = trm_messages_create(NULL)};
    in.status = trm_read_model_text(text, strlen(text), "robot.xml", &options, NULL, in.messages, &in.def);
    return in;
}

static inline imported import_good(const char *text)
{
    imported in = import_text(text, (trm_read_options){0});
    if (in.status != TRM_OK) print_messages(in.messages);
    assert_int_equal(in.status, TRM_OK);
    return in;
}

static void import_end(imported *in)
{
    trm_model_def_destroy(in->def);
    trm_messages_destroy(in->messages);
}

/* Asserts that some message has this text, severity and line. */
static inline void assert_says(const char *text, trm_severity severity, int line, const char *part)
{
    imported in = import_text(text, (trm_read_options){0});
    const trm_message *found = NULL;
    for (int i = 0; i < trm_message_count(in.messages) && !found; i++)
        if (strstr(trm_message_at(in.messages, i)->text, part)) found = trm_message_at(in.messages, i);
    if (!found) {
        print_messages(in.messages);
        print_error("nothing says \"%s\"\n", part);
    }
    assert_non_null(found);
    assert_int_equal(found->severity, severity);
    assert_int_equal(found->place.line, line);
    import_end(&in);
}

static inline const trm_body_def *body_named(const imported *in, const char *name)
{
    for (int i = 0; i < in->def->body_count; i++)
        if (strcmp(in->def->bodies[i].name, name) == 0) return &in->def->bodies[i];
    print_error("there is no body '%s'\n", name);
    assert_true(false);
    return NULL;
}

static inline const trm_joint_def *joint_named(const imported *in, const char *name)
{
    for (int i = 0; i < in->def->joint_count; i++)
        if (strcmp(in->def->joints[i].name, name) == 0) return &in->def->joints[i];
    print_error("there is no joint '%s'\n", name);
    assert_true(false);
    return NULL;
}

static inline void assert_vector(trm_vec3 v, double x, double y, double z, double tolerance)
{
    if (!(trm_v3_length(trm_v3_sub(v, trm_v3(x, y, z))) <= tolerance))
        print_error("(%.17g, %.17g, %.17g) is not (%.17g, %.17g, %.17g)\n", v.x, v.y, v.z, x, y, z);
    assert_true(trm_v3_length(trm_v3_sub(v, trm_v3(x, y, z))) <= tolerance);
}

/* Asserts that a document and a model file that describe the same machine move in the same way for half a second. */
static inline void assert_moves_as(const char *text, const char *ours, const char *body)
{
    imported in = import_text(text, (trm_read_options){.without = TRM_WITHOUT_LIMITS | TRM_WITHOUT_CONTACTS});
    if (in.status != TRM_OK) print_messages(in.messages);
    assert_int_equal(in.status, TRM_OK);
    trm_model *models[2] = {build_model(in.def), model_of_text(ours)};
    trm_vec3 ends[2];
    import_end(&in);
    for (int k = 0; k < 2; k++) {
        trm_simulation_def o = *trm_model_simulation(models[k]);
        o.order = 4;
        running r = run_model(models[k], &o);
        for (int i = 0; i < 50; i++) assert_true(trm_sim_step(r.sim, 0.01).ok);
        ends[k] = trm_body_pose(trm_sim_state(r.sim), trm_find_body(r.model, body)).p;
        stop(&r);
    }
    assert_vector(ends[0], ends[1].x, ends[1].y, ends[1].z, 1e-11);
}

/* Asserts that the reader survives if each allocation in turn is refused. */
static inline void assert_survives_refusals(const char *text)
{
    for (int refused = 0;; refused++) {
        failing_allocator memory;
        failing_allocator_reset(&memory, refused, true);
        const trm_allocator hooks = failing_allocator_hooks(&memory);
        trm_messages *messages = trm_messages_create(NULL);
        trm_model_def *def = NULL;
        const trm_status status = trm_read_model_text(text, strlen(text), "robot.xml", NULL, &hooks, messages, &def);
        assert_true(status == TRM_OUT_OF_MEMORY ? !def : status == TRM_OK);
        trm_model_def_destroy(def);
        trm_messages_destroy(messages);
        if (status == TRM_OK) break;
        assert_true(refused < 2000);
    }
}

#endif
