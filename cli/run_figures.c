/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "run_figures.h"

#include <stdlib.h>
#include <string.h>

struct run_figures {
    int count;
    const char **texts; /* of the command line */
    trm_measure **measures;
};

static int count_prints(const command_line *line)
{
    int count = 0;
    for (int i = 0; i < line->option_count; i++) count += strcmp(line->options[i]->name, "--print") == 0;
    return count;
}

run_figures *run_figures_begin(const command_line *line, const trm_model_def *def, const trm_model *model,
                               trm_messages *messages)
{
    const size_t room = (size_t)count_prints(line) + 1;
    run_figures *f = calloc(1, sizeof *f);
    if (!f) return NULL;
    f->texts = calloc(room, sizeof *f->texts);
    f->measures = calloc(room, sizeof *f->measures);
    bool good = f->texts && f->measures;
    for (int i = 0; good && i < line->option_count; i++) {
        if (strcmp(line->options[i]->name, "--print") != 0) continue;
        f->texts[f->count] = line->values[i];
        good = trm_measure_create(model, line->values[i], def->constants, def->constant_count, NULL, messages,
                                  &f->measures[f->count]) == TRM_OK;
        f->count++;
    }
    if (good) return f;
    run_figures_end(f);
    return NULL;
}

void run_figures_end(run_figures *f)
{
    if (!f) return;
    for (int i = 0; f->measures && i < f->count; i++) trm_measure_destroy(f->measures[i]);
    free(f->measures);
    free(f->texts);
    free(f);
}

bool run_figures_need_reactions(const run_figures *f)
{
    for (int i = 0; f && i < f->count; i++)
        if (trm_measure_needs_reactions(f->measures[i])) return true;
    return false;
}

bool run_figures_enable(const run_figures *f, trm_sim *sim)
{
    for (int i = 0; f && i < f->count; i++)
        if (trm_measure_enable(f->measures[i], sim) != TRM_OK) return false;
    return true;
}

int run_figures_count(const run_figures *f)
{
    return f ? f->count : 0;
}

const char *run_figures_text(const run_figures *f, int index)
{
    return f->texts[index];
}

double run_figures_value(run_figures *f, int index)
{
    return trm_measure_value(f->measures[index]);
}

bool run_figures_add(run_figures *f, const trm_state *state)
{
    bool good = true;
    for (int i = 0; i < f->count; i++) good = trm_measure_add(f->measures[i], state) && good;
    return good;
}

void run_figures_print(run_figures *f, FILE *to)
{
    for (int i = 0; i < f->count; i++) fprintf(to, "%s = %.17g\n", f->texts[i], trm_measure_value(f->measures[i]));
}
