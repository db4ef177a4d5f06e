/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* Results as CSV: comments, one header row, numbers as the shortest decimals that read back bit-identically. */

#include "base/number.h"
#include "io/columns.h"
#include "motion/state.h"
#include "trammel/io.h"

/* Largest number of columns that are formatted at once. */
enum { AT_ONCE = 250 };

/* Writes a name in a comment, without line breaks. Returns false if the sink failed. */
static bool put_in_line(trm_sink sink, const char *text)
{
    for (; *text; text++) {
        const char letter = (unsigned char)*text < ' ' ? ' ' : *text;
        if (!sink.write(sink.context, &letter, 1)) return false;
    }
    return true;
}

static bool put_number(trm_sink sink, const char *before, double value)
{
    char text[TRM_NUMBER_TEXT];
    trm_format_number(text, value);
    return trm_put_text(sink, before) && trm_put_text(sink, text);
}

/* Writes ", integrator rk4" for each option of the method. Returns false if the sink failed. */
static bool put_method_options(const trm_sim *sim, trm_sink sink)
{
    trm_option option;
    bool good = true;
    for (int i = 0; good && trm_sim_method_option(sim, i, &option); i++) {
        good = trm_put_text(sink, ", ") && trm_put_text(sink, option.name);
        good = good && (option.text ? trm_put_text(sink, " ") && trm_put_text(sink, option.text)
                                    : put_number(sink, " ", option.number));
    }
    return good;
}

/* Writes the options of the run as comments. Returns false if the sink failed. */
static bool put_comments(const trm_sim *sim, trm_sink sink)
{
    const trm_simulation_def *o = trm_sim_options(sim);
    const trm_state *state = trm_sim_state((trm_sim *)(uintptr_t)sim);
    if (!trm_put_text(sink, "# trammel ") || !trm_put_text(sink, trm_version()) ||
        !trm_put_text(sink, "\n# model ") || !put_in_line(sink, trm_model_name(state->model)))
        return false;
    return trm_put_text(sink, "\n# method ") && trm_put_text(sink, o->method) && put_method_options(sim, sink) &&
           trm_put_text(sink, ", solver ") && trm_put_text(sink, o->solver) &&
           put_number(sink, ", order ", o->order) && put_number(sink, ", step ", o->step) &&
           put_number(sink, " s\n# tolerance position ", o->position_tolerance) &&
           put_number(sink, " m, angle ", o->angle_tolerance) &&
           put_number(sink, " rad, velocity ", o->velocity_tolerance) && trm_put_text(sink, " m/s and rad/s\n");
}

bool trm_write_csv_header(const trm_results *columns, const trm_sim *sim, trm_sink sink)
{
    if (!put_comments(sim, sink)) return false;
    for (int i = 0; i < trm_result_count(columns); i++)
        if (!trm_put_text(sink, i ? "," : "") || !trm_put_text(sink, trm_result_name(columns, i))) return false;
    return trm_put_text(sink, "\n");
}

/* Writes count numbers of a row, at most AT_ONCE. last: they are the last of the row. Returns false if the sink
 * failed. */
static bool put_some(const double *values, int count, bool last, trm_sink sink)
{
    char piece[AT_ONCE * (TRM_NUMBER_TEXT + 1)];
    size_t used = 0;
    for (int i = 0; i < count; i++) {
        used += (size_t)trm_format_number(piece + used, values[i]);
        piece[used++] = last && i + 1 == count ? '\n' : ',';
    }
    return sink.write(sink.context, piece, used);
}

bool trm_write_csv_row(const trm_results *columns, const trm_state *state, trm_sink sink)
{
    const int count = trm_result_count(columns);
    for (int first = 0; first < count; first += AT_ONCE) {
        double values[AT_ONCE];
        const int some = count - first < AT_ONCE ? count - first : AT_ONCE;
        trm_result_values(columns, state, first, some, values);
        if (!put_some(values, some, first + some == count, sink)) return false;
    }
    return count > 0 || trm_put_text(sink, "\n");
}

bool trm_write_csv_numbers(const double *values, size_t rows, int columns, trm_sink sink)
{
    for (size_t row = 0; row < rows; row++)
        for (int first = 0; first < columns; first += AT_ONCE) {
            const int some = columns - first < AT_ONCE ? columns - first : AT_ONCE;
            if (!put_some(values + row * (size_t)columns + first, some, first + some == columns, sink)) return false;
        }
    return true;
}
