/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Results as CSV: comments, one header row, numbers of 17 significant digits, which read back to the same bits. */

#include <stdio.h>
#include <string.h>

#include "motion/state.h"
#include "trammel/io.h"

static bool put(trm_sink sink, const char *text)
{
    return sink.write(sink.context, text, strlen(text));
}

/* printf writes the locale's decimal sign, which is the only thing in it that is no digit, sign or letter. */
static int format_17(char *buffer, size_t size, double value)
{
    const int length = snprintf(buffer, size, "%.17g", value);
    for (int i = 0; i < length; i++)
        if (buffer[i] == ',') buffer[i] = '.';
    return length;
}

bool trm_write_csv_header(const trm_results *columns, const trm_sim *sim, trm_sink sink)
{
    const trm_simulation_def *o = trm_sim_options(sim);
    const trm_state *state = trm_sim_state((trm_sim *)(uintptr_t)sim);
    char line[400];
    snprintf(line, sizeof line, "# trammel %s\n# model %s\n# method %s, solver %s, order %g, step %.17g s\n",
             trm_version(), trm_model_name(state->model), o->method, o->solver, o->order, o->step);
    if (!put(sink, line)) return false;
    snprintf(line, sizeof line, "# tolerance position %g m, angle %g rad, velocity %g m/s and rad/s\n",
             o->position_tolerance, o->angle_tolerance, o->velocity_tolerance);
    if (!put(sink, line)) return false;
    for (int i = 0; i < trm_result_count(columns); i++)
        if (!put(sink, i ? "," : "") || !put(sink, trm_result_name(columns, i))) return false;
    return put(sink, "\n");
}

bool trm_write_csv_row(const trm_results *columns, const trm_state *state, trm_sink sink)
{
    for (int i = 0; i < trm_result_count(columns); i++) {
        char text[40] = ",";
        const int length = format_17(text + 1, sizeof text - 1, trm_result_value(columns, i, state));
        const char *from = i ? text : text + 1;
        if (!sink.write(sink.context, from, (size_t)length + (i ? 1 : 0))) return false;
    }
    return put(sink, "\n");
}
