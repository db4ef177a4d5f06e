/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Fuzz target: any bytes are either refused with messages, or a definition that can be written and reads back to the
 * same text; the definition is either refused, or a model with an analysis and a finite start. All within 256 MB. It
 * is compiled once per format of model files, whose recogniser is FUZZ_FORMAT: other bytes are skipped, so that all
 * the time is spent in one reader. */

#include <stdlib.h>
#include <string.h>

#include "io/format.h"
#include "trammel/trammel.h"

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size);

static void require(bool condition)
{
    if (!condition) abort();
}

/* ---- Memory ------------------------------------------------------------------------------- */

static const size_t MOST_BYTES = (size_t)256 << 20;

static void *allocate(void *context, size_t bytes)
{
    size_t *used = context;
    if (bytes > MOST_BYTES - *used) return NULL;
    void *memory = malloc(bytes ? bytes : 1);
    if (memory) *used += bytes;
    return memory;
}

static void release(void *context, void *memory, size_t bytes)
{
    *(size_t *)context -= bytes;
    free(memory);
}

/* ---- Operations on a model ------------------------------------------------------------------ */

static trm_model_def *read_bytes(const char *text, size_t length, const trm_allocator *memory)
{
    trm_messages *messages = trm_messages_create(memory);
    trm_model_def *def = NULL;
    if (!messages) return NULL;
    const trm_status status = trm_read_model_text(text, length, "fuzz", NULL, memory, messages, &def);
    require((status == TRM_OK) == (def != NULL));
    require((status == TRM_BAD_INPUT) == (trm_error_count(messages) > 0) || status == TRM_OUT_OF_MEMORY);
    trm_messages_destroy(messages);
    return def;
}

static void write_and_read_again(const trm_model_def *def, const trm_allocator *memory)
{
    trm_text *once = trm_text_create(memory), *twice = trm_text_create(memory);
    if (once && twice && trm_write_model(def, trm_text_sink(once)) == TRM_OK) {
        trm_model_def *again = read_bytes(trm_text_get(once), trm_text_length(once), memory);
        require(again != NULL);
        require(trm_write_model(again, trm_text_sink(twice)) == TRM_OK);
        require(strcmp(trm_text_get(once), trm_text_get(twice)) == 0);
        trm_model_def_destroy(again);
    }
    trm_text_destroy(once);
    trm_text_destroy(twice);
}

static bool is_finite(const trm_state *state, int body)
{
    const trm_pose X = trm_body_pose(state, body);
    const trm_spatial V = trm_body_velocity(state, body);
    return trm_v3_is_finite(X.p) && isfinite(X.q.w + X.q.x + X.q.y + X.q.z) && trm_v3_is_finite(V.lin) &&
           trm_v3_is_finite(V.ang);
}

static void look_at_start(const trm_model *model, const trm_allocator *memory, trm_messages *messages)
{
    trm_state *state = trm_state_create(model, memory);
    trm_analysis *analysis = state ? trm_analyse(state, memory) : NULL;
    if (analysis) {
        char why[100];
        trm_method_verdict verdict;
        const trm_island *whole = &analysis->whole;
        require(whole->rank <= whole->rows && whole->rank <= whole->freedoms);
        require(whole->rows - whole->rank == analysis->redundant_count);
        trm_assemble(state, NULL, messages, NULL);
        for (int i = 0; i < trm_body_count(model); i++) require(is_finite(state, i));
        trm_state_energy(state);
        trm_state_momentum(state);
        for (int i = 0; trm_judge_method(state, analysis, i, why, sizeof why, &verdict); i++) require(verdict.name);
        for (int j = 0; j < trm_joint_count(model); j++) trm_joint_values(state, j, NULL, NULL);
    }
    trm_analysis_destroy(analysis);
    trm_state_destroy(state);
}

static void build(const trm_model_def *def, const trm_allocator *memory)
{
    trm_messages *messages = trm_messages_create(memory);
    trm_model *model = NULL;
    if (!messages) return;
    const trm_status status = trm_model_create(def, memory, messages, &model);
    require((status == TRM_OK) == (model != NULL));
    require(status != TRM_BAD_INPUT || trm_error_count(messages) > 0);
    if (model) look_at_start(model, memory, messages);
    trm_model_destroy(model);
    trm_messages_destroy(messages);
}

int LLVMFuzzerTestOneInput(const uint8_t *data, size_t size)
{
    static const int PASS_OVER = -1; /* libFuzzer keeps no such input */
    size_t used = 0;
    const trm_allocator memory = {allocate, release, &used};
    if (!FUZZ_FORMAT.recognises((const char *)data, size)) return PASS_OVER;
    trm_model_def *def = read_bytes((const char *)data, size, &memory);
    if (def) {
        write_and_read_again(def, &memory);
        build(def, &memory);
    }
    trm_model_def_destroy(def);
    require(used == 0);
    return 0;
}
