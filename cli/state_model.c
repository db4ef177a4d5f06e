/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

#include "state_model.h"

#include <math.h>
#include <stdio.h>

#include "output.h"

/* Warns of coordinates that read differently at the start of the written model, because the joint's type has axes of
 * its own (planar, ball). */
static void warn_of_other_readings(const char *who, const loaded *l, const trm_state *state, const trm_state *start)
{
    const double READING_SLACK = 1e-6; /* m, rad */
    for (int j = 0; j < trm_joint_count(l->model); j++) {
        double now[TRM_JOINT_COORDINATES], then[TRM_JOINT_COORDINATES], off = 0;
        const int count = trm_joint_values(state, j, now, NULL);
        trm_joint_values(start, j, then, NULL);
        for (int k = 0; k < count; k++) off = fmax(off, fabs(now[k] - then[k]));
        if (off > READING_SLACK)
            fprintf(stderr,
                    "trammel %s: warning: the coordinate of joint '%s' differs by %.3g in the written model, because "
                    "its axes are different there\n",
                    who, trm_joint_info_of(l->model, j).name, off);
    }
}

/* Returns whether the definition that was written can be built into a model; reports why not. */
static bool check_written(const char *who, loaded *l, const trm_state *state)
{
    trm_model *model = NULL;
    trm_state *start = NULL;
    const bool good = trm_model_create(l->def, NULL, l->messages, &model) == TRM_OK &&
                      (start = trm_state_create(model, NULL)) != NULL;
    if (good && trm_joint_count(model) == trm_joint_count(l->model)) warn_of_other_readings(who, l, state, start);
    if (!good) fprintf(stderr, "trammel %s: the state cannot be written as a model\n", who);
    trm_state_destroy(start);
    trm_model_destroy(model);
    return good;
}

bool write_state_model(const char *who, loaded *l, const trm_state *state, const char *path)
{
    output out = {0};
    if (trm_start_at(l->def, state, l->messages) != TRM_OK || !check_written(who, l, state)) return false;
    if (!output_open(&out, who, path, "wb")) return false;
    output_check(&out, trm_write_model(l->def, trm_file_sink(out.file)) == TRM_OK);
    return output_close(&out, who);
}

bool read_model_time(const char *who, const command_line *line, double *at)
{
    const char *text = option_value(line, "--at");
    char why[200];
    *at = NAN;
    if (!text) return true;
    if (!option_value(line, "--write-model"))
        fprintf(stderr, "trammel %s: --at is the time of --write-model FILE.json, which is not given\n", who);
    else if (!trm_evaluate(text, at, why, sizeof why))
        fprintf(stderr, "trammel %s: --at takes a time in s: %s\n", who, why);
    else if (*at < 0)
        fprintf(stderr, "trammel %s: --at is %g s; it must not be negative\n", who, *at);
    else
        return true;
    return false;
}
