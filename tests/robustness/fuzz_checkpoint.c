/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Fuzz target: any bytes as a checkpoint are either refused with one message, or a state from which a step can be
 * tried. Checksums are corrected first, because otherwise nothing after them would ever be read. */

#include <stdlib.h>
#include <string.h>

#include "trammel/trammel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition) abort();
}

static const char MODEL[] =
    "{ \"trammel\": 1, \"gravity\": [0, 0, -9.81], \"bodies\": ["
    "  { \"name\": \"floor\", \"fixed\": true, \"shapes\": [{ \"type\": \"plane\", \"normal\": [0, 0, 1] }] },"
    "  { \"name\": \"ball\", \"position\": [0, 0, 0.1], \"shapes\": [{ \"type\": \"sphere\", \"radius\": 0.1, "
    "\"density\": 1 }] },"
    "  { \"name\": \"arm\", \"position\": [2, 0, 1], \"shapes\": [{ \"type\": \"box\", \"size\": [1, 0.1, 0.1], "
    "\"density\": 1 }] }],"
    "  \"joints\": [{ \"name\": \"pin\", \"type\": \"hinge\", \"bodies\": [\"ground\", \"arm\"], \"anchor\": [1.5, "
    "0, 1],"
    "    \"axis\": [0, 1, 0] }] }";

static trm_model *make_model(trm_messages *messages)
{
    trm_model_def *def = NULL;
    trm_model *model = NULL;
    require(trm_read_model_text(MODEL, strlen(MODEL), "fuzz", NULL, NULL, messages, &def) == TRM_OK);
    require(trm_model_create(def, NULL, messages, &model) == TRM_OK);
    trm_model_def_destroy(def);
    return model;
}

/* ---- Checksums ----------------------------------------------------------------------------- */

static uint64_t sum_of(const unsigned char *bytes, size_t count)
{
    uint64_t hash = UINT64_C(0xcbf29ce484222325); /* FNV-1a */
    for (size_t i = 0; i < count; i++) hash = (hash ^ bytes[i]) * UINT64_C(0x100000001b3);
    return hash;
}

static void repair(unsigned char *bytes, size_t count)
{
    enum { HEAD = 32, SIZE_AT = 24, SUM = 8 };
    if (count < SUM) return;
    for (size_t at = 0; at + HEAD + 2 * SUM <= count; at++) {
        uint64_t size;
        if (memcmp(bytes + at, "TRMSTATE", 8) != 0) continue;
        memcpy(&size, bytes + at + SIZE_AT, sizeof size);
        if (size > count - at - HEAD - 2 * SUM) continue;
        const uint64_t sum = sum_of(bytes + at, HEAD + size);
        memcpy(bytes + at + HEAD + size, &sum, sizeof sum);
    }
    const uint64_t sum = sum_of(bytes, count - SUM);
    memcpy(bytes + count - SUM, &sum, sizeof sum);
}

static bool may_continue(void *left)
{
    return --*(int *)left > 0;
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    int64_t note;
    int patience = 20;
    trm_messages *messages = trm_messages_create(NULL);
    trm_model *model = make_model(messages);
    trm_sim *sim = NULL;
    unsigned char *bytes = malloc(size + 1);
    memcpy(bytes, data, size);
    repair(bytes, size);
    require(trm_sim_create(model, trm_model_simulation(model), NULL, messages, &sim) == TRM_OK);
    const trm_status status = trm_sim_load(sim, bytes, size, "fuzz", &note, messages);
    require(status == TRM_OK || (status == TRM_BAD_INPUT && trm_error_count(messages) == 1));
    trm_sim_set_watch(sim, may_continue, &patience);
    if (status == TRM_OK) trm_sim_step(sim, 0.01);
    free(bytes);
    trm_sim_destroy(sim);
    trm_model_destroy(model);
    trm_messages_destroy(messages);
    return 0;
}
