/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Asserts that a run that is interrupted, saved and resumed ends bit-identically. */

#ifndef TRM_TESTS_RESUMING_H
#define TRM_TESTS_RESUMING_H

#include "running.h"

typedef struct half_way {
    trm_sim *sim;
    trm_text *text;
    int rows;
} half_way;

static inline bool save_at_third_row(void *context)
{
    half_way *h = context;
    return ++h->rows != 3 || trm_sim_save(h->sim, 1, trm_text_sink(h->text)) == TRM_OK;
}

static inline trm_status load_saved(const running *r, const trm_text *text)
{
    int64_t note;
    trm_messages *messages = trm_messages_create(NULL);
    const trm_status status =
        trm_sim_load(r->sim, trm_text_get(text), trm_text_length(text), "saved", &note, messages);
    assert_int_equal(trm_error_count(messages), status == TRM_OK ? 0 : 1);
    trm_messages_destroy(messages);
    return status;
}

/* Compares two simulations of the same kind that have not run yet; stops both. */
static inline void assert_resumes_bit_identically(running whole, running rest)
{
    half_way h = {whole.sim, trm_text_create(NULL), 0};
    const trm_run_def run = {.until = 1, .every = 0.125, .pulse = save_at_third_row, .context = &h};
    assert_good(trm_sim_run(whole.sim, &run));
    assert_int_equal(load_saved(&rest, h.text), TRM_OK);
    const trm_run_def second = {.until = 1, .every = 0.125};
    assert_good(trm_sim_run(rest.sim, &second));
    assert_true(trm_state_hash(trm_sim_state(whole.sim)) == trm_state_hash(trm_sim_state(rest.sim)));
    assert_int_equal(trm_sim_counters(whole.sim)->steps, trm_sim_counters(rest.sim)->steps);
    assert_int_equal(trm_sim_counters(whole.sim)->rejections, trm_sim_counters(rest.sim)->rejections);
    trm_text_destroy(h.text);
    stop(&whole);
    stop(&rest);
}

/* Asserts that a simulation of the model with these options is refused with this text. Destroys the model. */
static inline void assert_refused(trm_model *model, const trm_simulation_def *options, const char *said)
{
    trm_messages *messages = trm_messages_create(NULL);
    trm_sim *sim = NULL;
    assert_int_equal(trm_sim_create(model, options, NULL, messages, &sim), TRM_BAD_INPUT);
    assert_null(sim);
    if (!strstr(trm_message_at(messages, 0)->text, said)) print_messages(messages);
    assert_non_null(strstr(trm_message_at(messages, 0)->text, said));
    trm_messages_destroy(messages);
    trm_model_destroy(model);
}

#endif
