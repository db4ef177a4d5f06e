/* SPDX-FileCopyrightText: The Trammel authors
 * SPDX-License-Identifier: MIT */

/* What C needs for the same as bench.py: microseconds per step of one simulation that fills q and qd, of a loop over many,
 * and, with -DMUJOCO, of MuJoCo's mj_step. Usage: loop MODEL METHOD STEP STEPS COUNT ROUNDS */

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>

#include "trammel/trammel.h"

#ifdef MUJOCO
#include <mujoco/mujoco.h>
#endif

/* Of the processor, not of the wall: other programs do not count. */
static double seconds(void)
{
    struct timespec now;
    clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &now);
    return (double)now.tv_sec + 1e-9 * (double)now.tv_nsec;
}

static trm_model *read_model(const char *path, trm_messages *messages)
{
    trm_model_def *def = NULL;
    trm_model *model = NULL;
    if (trm_read_model_file(path, NULL, NULL, messages, &def) == TRM_OK)
        trm_model_create(def, NULL, messages, &model);
    trm_model_def_destroy(def);
    return model;
}

static double mujoco_step(const char *path, int steps, int rounds)
{
    double best = 0;
#ifdef MUJOCO
    char error[500] = "";
    mjModel *m = mj_loadXML(path, NULL, error, sizeof error);
    if (!m) return 0;
    mjData *d = mj_makeData(m);
    for (int r = 0; r < rounds; r++) {
        const double start = seconds();
        for (int i = 0; i < steps; i++) mj_step(m, d);
        const double took = (seconds() - start) / steps;
        if (r == 0 || took < best) best = took;
    }
    mj_deleteData(d);
    mj_deleteModel(m);
#else
    (void)path, (void)steps, (void)rounds;
#endif
    return best;
}

int main(int argc, char **argv)
{
    if (argc != 7) return 2;
    const int steps = atoi(argv[4]), count = atoi(argv[5]), rounds = atoi(argv[6]);
    const double h = atof(argv[3]);
    trm_messages *messages = trm_messages_create(NULL);
    trm_model *model = read_model(argv[1], messages);
    trm_sim **sims = calloc((size_t)count, sizeof *sims);
    if (!model || !sims) return 1;
    trm_simulation_def options = *trm_model_simulation(model);
    options.method = argv[2], options.step = h;
    const int n = trm_coordinate_count(model);
    double *numbers = calloc((size_t)(2 * n * count + 1), sizeof *numbers);
    for (int i = 0; i < count; i++)
        if (trm_sim_create(model, &options, NULL, messages, &sims[i]) != TRM_OK) return 1;
    trm_outcome outcome;
    double best = 0;
    for (int r = 0; r <= rounds; r++) { /* the first is to warm up */
        const double start = seconds();
        for (int k = 0; k < steps; k++)
            for (int i = 0; i < count; i++) {
                const trm_arrays arrays = {.q = numbers + 2 * n * i, .qd = numbers + 2 * n * i + n};
                if (!trm_sim_steps(sims[i], h, 1, &arrays, &outcome)) return 1;
            }
        const double took = (seconds() - start) / steps / count;
        if (r == 1 || took < best) best = took;
    }
    const size_t length = strlen(argv[1]);
    const bool mjcf = length > 4 && strcmp(argv[1] + length - 4, ".xml") == 0;
    printf("%.4f %.4f\n", 1e6 * best, 1e6 * (mjcf ? mujoco_step(argv[1], 20000, rounds) : 0));
    for (int i = 0; i < count; i++) trm_sim_destroy(sims[i]);
    trm_model_destroy(model);
    trm_messages_destroy(messages);
    free(sims);
    free(numbers);
    return 0;
}
