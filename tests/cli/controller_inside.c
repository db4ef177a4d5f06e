/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* controller_inside MODEL COLUMNS: runs the regulator of examples/controllers inside the program that simulates, at
 * the period 0.01 s, and writes rows to stdout as trammel run does. */

#include <stdio.h>

#include "trammel/trammel.h"

static const char *const SENSOR[] = {"lean", "lean_rate", "place", "speed"};
static const double GAIN[] = {54.75, 14.00, 4.472, 7.013};

typedef struct inside {
    const trm_model *model;
    trm_results *columns;
} inside;

static trm_outcome control(void *context, trm_sim *sim)
{
    const inside *c = context;
    double push = 0, value[TRM_SENSOR_NUMBERS];
    for (int i = 0; i < 4; i++) {
        trm_sim_sensor(sim, trm_find_sensor(c->model, SENSOR[i]), value);
        push += GAIN[i] * value[0];
    }
    return trm_sim_inputs(sim, &push);
}

static bool write_row(void *context, const trm_state *state)
{
    const inside *c = context;
    return trm_write_csv_row(c->columns, state, trm_file_sink(stdout));
}

int main(int count, char **words)
{
    trm_messages *messages = trm_messages_create(NULL);
    trm_model_def *def = NULL;
    trm_model *model = NULL;
    trm_sim *sim = NULL;
    inside c = {0};
    trm_outcome outcome = {.ok = false};
    const bool made = count == 3 && trm_read_model_file(words[1], NULL, NULL, messages, &def) == TRM_OK &&
                      trm_model_create(def, NULL, messages, &model) == TRM_OK &&
                      trm_sim_create(model, NULL, NULL, messages, &sim) == TRM_OK &&
                      trm_results_create(model, words[2], NULL, messages, &c.columns) == TRM_OK;
    if (made) {
        c.model = model;
        trm_write_csv_header(c.columns, sim, trm_file_sink(stdout));
        outcome = trm_sim_run(sim, &(trm_run_def){.until = trm_model_simulation(model)->time,
                                                  .every = trm_model_simulation(model)->every,
                                                  .row = write_row,
                                                  .control = control,
                                                  .period = 0.01,
                                                  .context = &c});
    }
    trm_results_destroy(c.columns);
    trm_sim_destroy(sim);
    trm_model_destroy(model);
    trm_model_def_destroy(def);
    trm_messages_destroy(messages);
    return outcome.ok ? 0 : 1;
}
