/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "controls.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>

static trm_outcome set_input(trm_sim *sim, const trm_model *model, int input, double value)
{
    const int count = trm_input_count(model);
    double *values = malloc((size_t)count * sizeof *values);
    trm_outcome outcome = {.why = "there is not enough memory"};
    if (!values) return outcome;
    for (int i = 0; i < count; i++) values[i] = NAN;
    values[input] = isnan(value) ? trm_input_info_of(model, input).start : value;
    outcome = trm_sim_inputs(sim, values);
    free(values);
    return outcome;
}

bool controls_set(trm_sim *sim, const trm_model *model, double control, double value, char *why)
{
    const int inputs = trm_input_count(model), count = inputs + trm_setting_count(model);
    const int number = control >= 0 && control < count ? (int)control : -1;
    if (number != control) {
        snprintf(why, SENTENCE, "there is no control %g; there are %d", control, count);
        return false;
    }
    const trm_outcome outcome =
        number < inputs ? set_input(sim, model, number, value) : trm_sim_set(sim, number - inputs, value);
    if (!outcome.ok) snprintf(why, SENTENCE, "%s%s%s", outcome.element, outcome.element[0] ? ": " : "", outcome.why);
    return outcome.ok;
}

void put_control(trm_json_writer *w, const char *name, const char *unit, const double *range, double value)
{
    trm_json_open_object_flat(w, NULL);
    trm_json_put_text(w, "name", name);
    trm_json_put_text(w, "unit", unit);
    trm_json_open_array_flat(w, "range");
    for (int k = 0; k < 2; k++) trm_json_put_number(w, NULL, range[k]);
    trm_json_close(w);
    trm_json_put_number(w, "value", value);
    trm_json_close(w);
}

bool controls_write(trm_sim *sim, const trm_model *model, trm_sink sink)
{
    const trm_state *state = trm_sim_state(sim);
    trm_json_writer w = trm_json_begin(sink);
    trm_json_open_object_flat(&w, NULL);
    trm_json_open_array_flat(&w, "list");
    for (int i = 0; i < trm_input_count(model); i++) {
        const trm_input_def input = trm_input_info_of(model, i);
        put_control(&w, input.name, "", input.range, trm_input_value(state, i));
    }
    for (int i = 0; i < trm_setting_count(model); i++) {
        const trm_setting_info info = trm_setting_info_of(model, i);
        put_control(&w, info.name, info.unit, info.range, trm_setting_value(state, i));
    }
    trm_json_close(&w);
    trm_json_open_array_flat(&w, "poses");
    for (int i = 0; i < trm_pose_count(model); i++) trm_json_put_text(&w, NULL, trm_pose_name(model, i));
    trm_json_close(&w);
    trm_json_close(&w);
    return trm_json_end(&w);
}
